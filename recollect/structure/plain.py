"""Plain text: paragraphs, and what people write as headings without any markup.

A heading is a line by itself that is underlined, or stands between blank lines and is numbered (`2.1 Setup`), named
(`Chapter 4`) or in capitals. Items of a list are numbered too: a lone numbered line that another follows at once is an
item, not a heading.
"""

from __future__ import annotations

import re

from recollect.structure.blocks import Blocks, indent_of
from recollect.structure.piece import BlockType

TITLE_CHARS_MAX = 80
_UNDERLINE = re.compile(r"(?P<mark>[=\-~^#*])(?P=mark){2,}\s*$")
_UNDERLINE_LEVELS = {"=": 1, "#": 1, "*": 1, "-": 2, "~": 3, "^": 3}
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,9})[.)]?[ \t]+(?=\S*[^\W\d_])")
_NAMED = re.compile(
    r"(?:part|chapter|appendix|section|kapitel|teil|chapitre)[ \t]+(?:\d{1,4}|[ivxlc]{1,7}|[a-z])\b", re.I
)
_ITEM = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)])\s+\S")
_CODE_INDENT = 4


def read(text: str) -> Blocks:
    """The blocks of a plain text."""
    lines = text.split("\n")
    out = Blocks()
    paragraphs = _paragraphs(lines)
    for at, (start, end) in enumerate(paragraphs):
        following = lines[paragraphs[at + 1][0]] if at + 1 < len(paragraphs) else ""
        body = start + _add_heading(lines, start, end, following, out)
        if body < end:
            out.add(_type_of(lines, body, end), lines, body, end)
    return out


def _add_heading(lines: list[str], start: int, end: int, following: str, out: Blocks) -> int:
    """Adds the heading a paragraph begins with; the number of its lines."""
    line = lines[start]
    if end - start >= 2 and (found := _UNDERLINE.match(lines[start + 1])) and _is_short(line):
        level = _UNDERLINE_LEVELS[found["mark"]]
        out.add_heading(level, line, f"{line}\n{lines[start + 1]}", start + 1, start + 2)
        return 2
    if end - start == 1 and following and (level := _heading_level(line)) and not _next_number(line, following):
        out.add_heading(level, line, line.strip(), start + 1, start + 1)
        return 1
    return 0


def _paragraphs(lines: list[str]) -> list[tuple[int, int]]:
    """Runs of lines that are not blank, 0-based, end exclusive."""
    out: list[tuple[int, int]] = []
    start = -1
    for at, line in enumerate(lines):
        if not line or line.isspace():
            if start >= 0:
                out.append((start, at))
            start = -1
        elif start < 0:
            start = at
    if start >= 0:
        out.append((start, len(lines)))
    return out


def _heading_level(line: str) -> int:
    """The level of a line that reads like a heading, or 0."""
    text = line.strip()
    if not _is_short(text) or indent_of(line) >= _CODE_INDENT:
        return 0
    if found := _NUMBERED.match(text):
        return found[1].count(".") + 1
    if _NAMED.match(text):
        return 1
    letters = [char for char in text if char.isalpha()]
    return 1 if len(letters) >= 4 and text.isupper() and not text.startswith(("-", "*")) else 0


def _is_short(line: str) -> bool:
    text = line.strip()
    return 0 < len(text) <= TITLE_CHARS_MAX and text[-1] not in ".,;:!?"


def _next_number(line: str, following: str) -> bool:
    """Whether two lines are items 1 and 2 of a list."""
    one, two = _NUMBERED.match(line.strip()), _NUMBERED.match(following.strip())
    return bool(one and two and one[1].count(".") == two[1].count("."))


def _type_of(lines: list[str], start: int, end: int) -> BlockType:
    rows = lines[start:end]
    if all(row.lstrip().startswith(">") for row in rows):
        return BlockType.QUOTE
    if all(_ITEM.match(row) or indent_of(row) >= 2 for row in rows) and _ITEM.match(rows[0]):
        return BlockType.LIST
    if all(indent_of(row) >= _CODE_INDENT for row in rows):
        return BlockType.CODE
    return BlockType.PROSE
