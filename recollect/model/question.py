"""What a memory would like to know, for the agent to ask when it fits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.scope import GLOBAL, Scope


class QuestionKind(StrEnum):
    MISSING = "missing"  # something that is usually known of such a thing is not
    CONTRADICTION = "contradiction"  # two records cannot both be right
    CHANGE = "change"  # a later record may have ended an earlier one; `answer` takes a yes or a no
    STALE = "stale"  # a record is used much and has not been heard of for long


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An open question. `records` are those it is about; `text` is made of them as they are now.

    Of a `change` the first record is the earlier one.
    """

    id: str
    kind: QuestionKind
    text: str
    priority: float
    made_at: datetime
    records: tuple[str, ...] = ()
    entity: str | None = None
    field: str | None = None
    asked_at: datetime | None = None
    scope: Scope = GLOBAL

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind.value,
            "text": self.text,
            "priority": round(self.priority, 4),
            "made_at": self.made_at.isoformat(),
            "records": list(self.records),
            "entity": self.entity,
            "field": self.field,
            "asked_at": self.asked_at.isoformat() if self.asked_at else None,
            **dict(self.scope.items()),
        }
