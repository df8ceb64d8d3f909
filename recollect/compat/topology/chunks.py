"""A stretch of a conversation or of a document (RFC-013, as far as RFC-014 uses it)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ChunkType(StrEnum):
    """How much a chunk holds. RFC-014 makes only the smallest."""

    MICRO = "micro"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One stretch: from which turn or line to which, what it is about, and how long it is.

    `content` is the text itself, which RFC-014 leaves in the section; where a section was cut, each chunk has a part.
    """

    id: str
    chunk_type: ChunkType
    turn_range: tuple[int, int] = (0, 0)
    summary: str = ""
    token_count: int = 0
    themes: tuple[str, ...] = ()
    content: str = ""
