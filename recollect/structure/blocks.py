"""Blocks: what every reader of a document format makes of it, before anything is cut or joined.

A reader looks at one format and gives its blocks in order: headings, paragraphs, code, tables, lists, quotes, each with
the lines it stands on. `sections` makes pieces of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from recollect.limits import NAME_CHARS_MAX
from recollect.structure.piece import BlockType

_SPACES = re.compile(r"\s+")


class Block(NamedTuple):
    """One element on lines `first` to `last`, 1-based and inclusive. With a `level` it is a heading."""

    type: BlockType
    text: str
    first: int
    last: int
    level: int = 0
    title: str = ""  # of a heading
    language: str | None = None  # of code
    anchor: str | None = None  # where a link would lead


@dataclass(slots=True)
class Blocks:
    """The blocks of a document, what it calls itself, and what was odd about it."""

    items: list[Block] = field(default_factory=list)
    title: str | None = None
    notes: list[str] = field(default_factory=list)

    def add(self, type: BlockType, lines: list[str], first: int, last: int, language: str | None = None) -> None:
        """A block of these of the document's lines, 0-based, `last` not included."""
        text = "\n".join(lines[first:last]).rstrip()
        if text and not text.isspace():
            self.items.append(Block(type, text, first + 1, first + 1 + text.count("\n"), language=language))

    def add_heading(self, level: int, title: str, text: str, first: int, last: int, anchor: str | None = None) -> None:
        """A heading on lines `first` to `last`, 1-based. Without a title it divides nothing, so it is none."""
        if title := short_title(title):
            self.items.append(Block(BlockType.PROSE, text, first, last, level, title, None, anchor))


def short_title(text: str) -> str:
    """A heading on one line, no longer than a name may be."""
    return _SPACES.sub(" ", text[: 4 * NAME_CHARS_MAX]).strip()[:NAME_CHARS_MAX].rstrip()


def indent_of(line: str) -> int:
    """Columns before the first character; a tab reaches to the next multiple of four."""
    if not line.startswith((" ", "\t")):
        return 0
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    return len(lead.expandtabs(4))
