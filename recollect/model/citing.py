"""An answer whose citations were checked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedRecord:
    """A record that an answer cites, by its number in the answer. `content` is empty where it must not be shown."""

    number: int
    id: str
    content: str
    category: str | None
    source: str | None
    updated_at: datetime
    flagged: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "id": self.id,
            "content": self.content,
            "category": self.category,
            "source": self.source,
            "updated_at": self.updated_at.isoformat(),
            "flagged": self.flagged,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """An answer with numbers in the place of the ids it cites, the records behind them, and ids that no record has."""

    text: str
    citations: tuple[CitedRecord, ...] = ()
    unknown: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether it cites something, and nothing that is not there."""
        return bool(self.citations) and not self.unknown

    @property
    def markdown(self) -> str:
        """The answer with what it cites below, one a line."""
        notes = [f"[{each.number}] {' '.join(each.content.split())} (#{each.id[:8]})" for each in self.citations]
        return "\n".join([self.text, "", *notes]) if notes else self.text

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "citations": [each.to_dict() for each in self.citations],
            "unknown": list(self.unknown),
            "markdown": self.markdown,
        }
