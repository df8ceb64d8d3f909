"""A record that is about to be forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.model.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class FadingRecord:
    """`strength` is what is left now, of `full` right after use; on `fades_at` it goes into the archive, unless it is
    used, confirmed or changed before."""

    record: Record
    strength: float
    full: float
    fades_at: datetime
    days_left: float

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def content(self) -> str:
        return self.record.content

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "memory": self.content,
            "strength": round(self.strength, 4),
            "full": round(self.full, 4),
            "fades_at": self.fades_at.isoformat(),
            "days_left": round(self.days_left, 2),
            "record": self.record.to_dict(),
        }
