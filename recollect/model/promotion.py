"""What agents knew and a wider scope knows now: the strong of it, handed on from those below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from recollect.model.scope import Scope

SOURCE = "promoted"  # of records that were handed on
ATTRIBUTE = "promoted"  # under which a record's attributes say where it came from


class Wider(StrEnum):
    """To whom it is handed on. What is private to a user or a channel stays with that user and channel."""

    PROJECT = "project"  # from agents and squads of a project to all of the project
    SQUAD = "squad"  # from a squad's agents, of one project or of all, to the squad in all its projects
    GLOBAL = "global"  # to everybody


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotedRecord:
    """A record that was strong enough. `record` is what says so in the wider scope; None: nothing does yet."""

    id: str
    content: str
    scope: Scope
    strength: float
    importance: float
    is_new: bool  # False: the wider scope said the same before
    record: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "memory": self.content,
            "strength": round(self.strength, 3),
            "importance": round(self.importance, 3),
            "new": self.is_new,
            "record": self.record,
            **dict(self.scope.items()),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """What was handed on, the strongest first, and how many were not, by why."""

    scope: Scope  # where it is now
    records: tuple[PromotedRecord, ...]
    held_back: Mapping[str, int]  # weak, waits, unsure, known, left
    strength_min: float
    dry_run: bool
    operation: str | None = None

    @property
    def count(self) -> int:
        """How many records are new there."""
        return sum(each.is_new for each in self.records)

    def to_dict(self) -> dict[str, Any]:
        return {
            "to": dict(self.scope.items()),
            "count": self.count,
            "records": [each.to_dict() for each in self.records],
            "held_back": dict(self.held_back),
            "strength_min": self.strength_min,
            "dry_run": self.dry_run,
            "operation": self.operation,
        }
