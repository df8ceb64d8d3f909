"""What waits for a person's word."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from recollect.model.question import Question
from recollect.model.record import Record


class Why(StrEnum):
    """Why something waits, the most pressing first."""

    QUARANTINED = "quarantined"  # it gives orders to its reader, and no search shows it
    APPROVAL = "approval"  # an agent wrote it that is not trusted, and no search shows it
    FLAGGED = "flagged"  # somebody says it is wrong
    ORPHANED = "orphaned"  # the code that it is about is gone
    REVIEW = "needs_review"  # whoever stored it was not sure that it may stand
    INFERRED = "inferred"  # it was concluded rather than said, and is not sure
    QUESTION = "question"  # something about it is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One thing to decide: confirm, correct, flag or delete the record, or answer the question."""

    why: Why
    reason: str
    record: Record | None = None
    question: Question | None = None

    @property
    def id(self) -> str:
        """The record's id, or the question's where it is about no record."""
        if self.record is not None:
            return self.record.id
        assert self.question is not None
        return self.question.id

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "why": self.why.value,
            "reason": self.reason,
            "memory": self.record.content if self.record else None,
            "record": self.record.to_dict() if self.record else None,
            "question": self.question.to_dict() if self.question else None,
        }
