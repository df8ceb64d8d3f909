"""Why a statement has ended, or may have: which record says so, who decided it, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.pair import OVER, PairLabel

_ID_CHARS = 8  # of an id, as every verb takes it
_NAMED_MAX = 3  # records that are named as said instead
REPLACES = "supersedes"  # the label of the edge from the record that ended another to the one it ended
MAY_REPLACE = "may_replace"  # … and from the record that perhaps ended another: nothing has ended yet


class Decider(StrEnum):
    """Who decided that one record ends another."""

    RULE = "rule"  # a written rule of perception
    MODEL = "model"  # the trained reader of pairs
    LLM = "llm"  # a configured language model
    PERSON = "person"  # a caller: `correct`, `relate`, or the answer to a question


@dataclass(frozen=True, slots=True, kw_only=True)
class EndCause:
    """Why one record ends another, or may.

    `probability` that it does, from 0 to 1. `reason` in one line, without the texts: "home: Lisbon → Porto". `about`
    are the terms that a question has to hold for the change to matter to it; none: it matters to every question.
    `model` is the name of the language model that decided.
    """

    by: Decider
    probability: float
    reason: str = ""
    model: str | None = None
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairJudgement:
    """What a language model says a newer text does to an older one, how sure it is of that, and why in a sentence."""

    model: str
    label: PairLabel
    probability: float
    reason: str

    @property
    def is_over(self) -> bool:
        """Whether by this the older text holds no more."""
        return self.label in OVER


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDoubt:
    """A doubt about a record that a language model was asked about, and what it said. `by_record` is the later one."""

    record: str
    by_record: str
    judgement: PairJudgement

    def to_dict(self) -> dict[str, Any]:
        return {
            "record": self.record,
            "by_record": self.by_record,
            "model": self.judgement.model,
            "relation": self.judgement.label.value,
            "probability": round(self.judgement.probability, 4),
            "reason": self.judgement.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What ended a record: the id of the one that did, when, who decided it, and why.

    `model` is the name of the language model, if one decided it.
    """

    record: str
    by_record: str
    ended_at: datetime | None
    by: Decider
    probability: float
    reason: str = ""
    model: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "record": self.record,
            "by_record": self.by_record,
            "ended_at": self.ended_at.isoformat() if self.ended_at else None,
            "by": self.by.value,
            "model": self.model,
            "probability": round(self.probability, 4),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A later record that may have ended this one, and how probable that is; nothing is decided."""

    id: str
    probability: float
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "probability": round(self.probability, 4), "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """Whether what a record says still holds, as far as it is known.

    `current`: at the moment that was asked about (now, or `as_of`). `ended_at`: when it stopped, if that was before
    now. `replaced_by`: the ids of what is said instead, at the end of the chain, as far as the reader sees them.

    A turn says what was said, and does not end. It stands by the statements drawn from it: `partly_ended` when some of
    them have ended and others hold, not `current` when all have. Its `replaced_by` are the turns that say what is
    said now. `may_have_changed` are doubts about what still holds, the most probable first.
    """

    current: bool = True
    ended_at: datetime | None = None
    replaced_by: tuple[str, ...] = ()
    partly_ended: bool = False
    may_have_changed: tuple[Doubt, ...] = ()


HOLDS = Validity()


def in_words(
    *,
    until: str | None = None,
    replaced_by: Sequence[str] = (),
    partly: bool = False,
    may_have_changed: Sequence[str] = (),
    code: str = "",
) -> str:
    """The same for a reader: `until 2025-05-02, now #9de87a41`, `may have changed: #9de87a41`; nothing for what holds.

    `until` is a day, `code` what became of the code that it is about, the others are ids.
    """
    ended = f"{'partly ' if partly else ''}until {until}" if until else ""
    now = f"now {_named(replaced_by)}" if replaced_by else ""
    doubt = f"may have changed: {_named(may_have_changed)}" if may_have_changed else ""
    return "; ".join(part for part in (", ".join(part for part in (ended, now) if part), doubt, code) if part)


def _named(ids: Sequence[str]) -> str:
    return ", ".join(f"#{id_[:_ID_CHARS]}" for id_ in ids[:_NAMED_MAX]) + (", …" if len(ids) > _NAMED_MAX else "")
