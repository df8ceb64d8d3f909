"""How what is known about a topic came about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from recollect.model.record import Record


class Transition(StrEnum):
    """What a step did to what was known before it."""

    BEGINNING = "beginning"
    ADDITION = "addition"
    CORRECTION = "correction"  # it replaces or contradicts an earlier step
    REINFORCEMENT = "reinforcement"  # it says again, or supports, what an earlier step said


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """One step: a version of a record, when it happened, and what it changed.

    `of` is the id of the earlier record that was corrected or reinforced, `replaced` its words where they are gone.
    `ended_at` says since when what it told, or some of it, holds no more, and `ended_by` by which later record.
    """

    record: Record
    at: datetime
    transition: Transition
    since: timedelta | None = None  # time since the step before
    of: str | None = None
    replaced: str | None = None
    ended_at: datetime | None = None
    ended_by: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.record.id,
            "memory": self.record.content,
            "at": self.at.isoformat(),
            "transition": self.transition.value,
            "since_s": self.since.total_seconds() if self.since else None,
            "of": self.of,
            "replaced": self.replaced,
            "version": self.record.version,
            "ended_at": self.ended_at.isoformat() if self.ended_at else None,
            "ended_by": self.ended_by,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """A period in which unusually much happened; `end` is exclusive."""

    start: datetime
    end: datetime
    events: int

    def to_dict(self) -> dict[str, Any]:
        return {"start": self.start.isoformat(), "end": self.end.isoformat(), "events": self.events}


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline(Sequence[TimelineEvent]):
    """Steps, oldest first."""

    topic: str
    events: tuple[TimelineEvent, ...]
    peaks: tuple[Peak, ...] = ()
    missing: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[TimelineEvent]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def __getitem__(self, index: Any) -> Any:
        return self.events[index]

    def to_dict(self) -> dict[str, Any]:
        return {
            "topic": self.topic,
            "results": [event.to_dict() for event in self.events],
            "peaks": [peak.to_dict() for peak in self.peaks],
            "missing": list(self.missing),
        }
