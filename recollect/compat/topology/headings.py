"""A Markdown text by its headings: which lines stand under which."""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.structure import markdown

_LONE_RETURN = re.compile(r"\r(?!\n)")


class HeadingStretch(NamedTuple):
    """Lines from a heading to the one before the next, 1-based and inclusive; before the first heading level 0."""

    level: int
    title: str
    first: int
    last: int
    body: int  # the line after the heading


def one_line_end(content: str) -> str:
    """A text whose lines all end with a line feed: some files have carriage returns alone, and those end lines too."""
    return _LONE_RETURN.sub("\n", content)


def stretches(content: str) -> list[HeadingStretch]:
    """Every line of a text is in one stretch. Headings are those the core sees: none inside code or comments."""
    headings = [block for block in markdown.read(content).items if block.level]
    ends = [*(block.first - 1 for block in headings), content.count("\n") + 1]
    found = [HeadingStretch(0, "", 1, ends[0], 1)] if ends[0] else []
    for block, end in zip(headings, ends[1:], strict=True):
        found.append(HeadingStretch(block.level, block.title, block.first, end, block.last + 1))
    return found


def paths(found: list[HeadingStretch]) -> list[tuple[str, ...]]:
    """For each stretch the headings above it and its own, from the outermost."""
    out: list[tuple[str, ...]] = []
    above: list[HeadingStretch] = []
    for stretch in found:
        while above and above[-1].level >= stretch.level:
            above.pop()
        if stretch.level:
            above.append(stretch)
        out.append(tuple(each.title for each in above))
    return out
