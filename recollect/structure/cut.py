"""Blocks that are too large for one piece, cut where it hurts least.

Prose is cut between sentences, then between words; lists and code between lines, and there before the line that is
indented least, after a blank one if possible; tables between rows, each part with the table's head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.language.sentences import ROUGH_END
from recollect.structure.blocks import Block, indent_of
from recollect.structure.piece import BlockType, PieceSizes

_SENTENCE_END = re.compile(rf"{ROUGH_END}|\n[ \t]*\n")  # the lines of a paragraph go on
_TABLE_HEAD = re.compile(r"[\s|:+=-]+")
_TABLE_HEAD_LINES = 3
_HEAD_SHARE = 0.5  # of a piece that a repeated head may fill


def cut(block: Block, sizes: PieceSizes) -> Iterator[Block]:
    """Parts of a block, none larger than allowed, that know their own lines."""
    if sizes.of(block.text) <= sizes.ascii_chars_max:
        yield block
    elif block.type is BlockType.PROSE:
        yield from _cut_prose(block, _chars_max(block.text, sizes))
    elif block.type is BlockType.TABLE:
        yield from _cut_table(block, sizes)
    else:
        yield from _cut_lines(block, sizes)


def line_spans(lines: Sequence[str], chars_max: int) -> Iterator[tuple[int, int]]:
    """Where to cut lines into runs of at most so many characters: (first, end). A longer line is a run by itself."""
    start = 0
    while start < len(lines):
        size, end = len(lines[start]), start + 1
        while end < len(lines) and size + 1 + len(lines[end]) <= chars_max:
            size += 1 + len(lines[end])
            end += 1
        if end < len(lines):
            end = _best_cut(lines, start, end)
        yield start, end
        start = end


def _best_cut(lines: Sequence[str], start: int, end: int) -> int:
    """The best line to begin the next run with, in the second half of what fits."""
    best, best_rank = end, (1 << 30, True)
    for at in range(end, start + (end - start + 1) // 2, -1):
        if lines[at] and not lines[at].isspace():
            rank = (indent_of(lines[at]), bool(lines[at - 1].strip()))
            if rank < best_rank:
                best, best_rank = at, rank
    return best


def split_sentences(text: str, chars_max: int) -> Iterator[tuple[int, int]]:
    """Spans of a text of at most so many characters, each of whole sentences; then of words, then of characters."""
    start = 0
    while len(text) - start > chars_max:
        end = start + chars_max
        half = start + chars_max // 2
        cuts = [found.end() for found in _SENTENCE_END.finditer(text, half, end)]
        if cuts:
            end = cuts[-1]
        else:
            space = max(text.rfind(" ", half, end), text.rfind("\n", half, end))
            end = space + 1 if space > 0 else end
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _chars_max(text: str, sizes: PieceSizes) -> int:
    """So many characters of this text fit, whichever they are."""
    widest = len(max(text).encode("utf-8", "replace"))
    return min(sizes.chars_max, sizes.bytes_max // widest)


def _cut_prose(block: Block, chars_max: int) -> Iterator[Block]:
    line, counted = block.first, 0
    for start, end in split_sentences(block.text, chars_max):
        part = block.text[start:end]
        text = part.strip()
        if text:
            first = start + part.index(text[0])
            line += block.text.count("\n", counted, first)
            counted = first
            yield block._replace(text=text, first=line, last=min(block.last, line + text.count("\n")))


def _cut_lines(block: Block, sizes: PieceSizes) -> Iterator[Block]:
    lines = block.text.split("\n")
    chars_max = _chars_max(block.text, sizes)
    for start, end in line_spans(lines, chars_max):
        part = block._replace(text="\n".join(lines[start:end]).rstrip(), first=block.first + start)
        part = part._replace(last=part.first + part.text.count("\n"))
        if len(part.text) > chars_max:
            yield from _cut_prose(part, chars_max)
        elif part.text.strip():
            yield part


def _cut_table(block: Block, sizes: PieceSizes) -> Iterator[Block]:
    head = _head_of(block.text)
    chars_max = _chars_max(block.text, sizes)
    room = chars_max - len(head) - 1
    if not head or room < chars_max * _HEAD_SHARE:
        yield from _cut_lines(block, sizes)
        return
    rows = block.text[len(head) + 1 :].split("\n")
    line = block.first + head.count("\n") + 1
    first = True
    for start, end in line_spans(rows, room):
        body = Block(BlockType.TABLE, "\n".join(rows[start:end]), line + start, line + end - 1)
        for part in _cut_prose(body, room) if len(body.text) > room else [body]:
            yield block._replace(
                text=f"{head}\n{part.text}", first=block.first if first else part.first, last=part.last
            )
            first = False


def _head_of(text: str) -> str:
    """The lines up to the rule below a table's head, the first if there is no rule."""
    lines = text.split("\n", _TABLE_HEAD_LINES + 1)
    for count in range(1, min(len(lines), _TABLE_HEAD_LINES)):
        if _TABLE_HEAD.fullmatch(lines[count]):
            return "\n".join(lines[: count + 1])
    return lines[0] if len(lines) > 1 else ""
