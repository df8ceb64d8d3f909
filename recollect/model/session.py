"""A run of turns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recollect.model.scope import GLOBAL, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    id: str
    started_at: datetime
    last_turn_at: datetime
    turns: int
    scope: Scope = GLOBAL
    consolidated_at: datetime | None = None
