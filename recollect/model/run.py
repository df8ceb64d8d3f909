"""What a run of upkeep did, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RunItem:
    """One thing done: made, merged, retired, archived, linked …, to which record, relation or setting, and why."""

    step: str
    did: str
    id: str
    reason: str = ""

    def to_dict(self) -> dict[str, str]:
        return {"step": self.step, "did": self.did, "id": self.id, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """A run of `consolidate`, `decay`, `replay` or `maintain`. `operation` undoes all of it; None: nothing changed.

    `counts` are by what was done. Of very many `items` the first are listed. `problems` are what could not be done, and
    what to do about it; what was done besides stands. A `dry_run` changed nothing: it shows what a run would do.

    `state` is running, done, stopped (before its end; the next run does the rest), failed, interrupted (its process is
    no more; the next run goes on with it) or, where none was ever run, none. Asked for the status, a report is of the
    run under way or the last one, `history` are those before it, newest first, and `due` when each kind of run is next.
    """

    id: str
    verb: str
    operation: str | None
    started_at: datetime
    finished_at: datetime | None
    state: str
    dry_run: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    items: tuple[RunItem, ...] = ()
    problems: tuple[str, ...] = ()
    progress: float = 1.0
    history: tuple[RunReport, ...] = ()
    due: Mapping[str, datetime] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "verb": self.verb,
            "operation": self.operation,
            "state": self.state,
            "started_at": self.started_at.isoformat(),
            "finished_at": self.finished_at.isoformat() if self.finished_at else None,
            "dry_run": self.dry_run,
            "counts": dict(self.counts),
            "items": [item.to_dict() for item in self.items],
            "problems": list(self.problems),
            "progress": round(self.progress, 4),
            "history": [each.to_dict() for each in self.history],
            "due": {name: at.isoformat() for name, at in self.due.items()},
        }
