"""What a reader is given, and what a document becomes: pieces, the tree of its sections, turns of a conversation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from recollect.model.place import Place


class BlockType(StrEnum):
    """What most of a piece is made of."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"
    LIST = "list"
    QUOTE = "quote"


class PieceSizes(NamedTuple):
    """How large pieces may be: `structure.chunk_chars_min`, `structure.chunk_chars_max`, `ingest.content_bytes_max`.

    `sections_apart` is `structure.respect_sections`: a piece holds text of one section only, however small.
    """

    chars_min: int = 100
    chars_max: int = 4_000
    bytes_max: int = 8_192
    sections_apart: bool = True

    def of(self, text: str) -> int:
        """The characters a text counts for: more than it has, if its bytes would fill a record before."""
        if text.isascii():
            return len(text)
        return max(len(text), -(-len(text.encode("utf-8", "replace")) * self.chars_max // self.bytes_max))

    @property
    def ascii_chars_max(self) -> int:
        return min(self.chars_max, self.bytes_max)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What the reader of a format is given: the text of a document, or its bytes where the format is a binary one.

    `root` is the folder that is read, if it is one; `language` that of code and data.
    """

    text: str = ""
    data: bytes = b""
    path: str | None = None
    language: str | None = None
    root: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a document or of code, as one record can hold it.

    `key` names it within its document and stays the same while only its text changes: the key of its section (or the
    qualified name of its code) and a number. `parent` is the key of its section in the tree.
    """

    key: str
    text: str
    place: Place
    order: int
    parent: str
    kind: str = "snippet"
    section_type: BlockType = BlockType.PROSE
    language: str | None = None
    title: str | None = None

    @property
    def heading_level(self) -> int:
        return self.place.heading_level


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionNode:
    """A node of the tree: a heading, a class or a module, and the lines it reaches over."""

    key: str
    title: str
    level: int
    parent: str | None
    lines: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class SectionTree:
    """The sections of a document in its order; the first is the document itself. Pieces hang on them by `parent`."""

    sections: tuple[SectionNode, ...]

    @cached_property
    def _by_key(self) -> dict[str, SectionNode]:
        return {section.key: section for section in self.sections}

    @cached_property
    def _children(self) -> dict[str | None, list[SectionNode]]:
        out: dict[str | None, list[SectionNode]] = {}
        for section in self.sections:
            out.setdefault(section.parent, []).append(section)
        return out

    def section(self, key: str) -> SectionNode:
        return self._by_key[key]

    def children(self, key: str) -> tuple[SectionNode, ...]:
        return tuple(self._children.get(key, ()))

    def ancestors(self, key: str) -> Iterator[SectionNode]:
        """From the section's parent to the document."""
        parent = self._by_key[key].parent
        while parent is not None:
            yield self._by_key[parent]
            parent = self._by_key[parent].parent


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTurn:
    """One message of a conversation that was exported somewhere. `session` is the conversation's own id."""

    role: str
    text: str
    session: str
    place: Place
    speaker: str | None = None
    at: datetime | None = None

    def to_message(self) -> dict[str, Any]:
        """The form in which `add` takes it."""
        given = {"role": self.role, "content": self.text, "name": self.speaker, "timestamp": self.at}
        return {name: value for name, value in given.items() if value is not None} | {"place": self.place}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What one document gave. Either `skipped` says why it gave nothing, or there are pieces or turns.

    `notes` say what was odd and how it was read all the same: bytes in no known encoding, an unclosed code block.
    """

    path: str | None = None
    format: str | None = None
    language: str | None = None
    title: str | None = None
    pieces: tuple[Piece, ...] = ()
    turns: tuple[ChatTurn, ...] = ()
    tree: SectionTree | None = None
    notes: tuple[str, ...] = field(default=())
    skipped: str | None = None
