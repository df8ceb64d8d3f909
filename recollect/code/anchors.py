"""Where in the code a record belongs, and whether that code still says what it said.

An anchor is a file, perhaps a symbol, and prints of the lines that were there when the record was written; never the
lines themselves. Held against the file of today, it is *fresh* (the lines are where they were), *moved* (the same lines
are elsewhere in the file: the anchor follows), *drifted* (the place is still there and its lines are others) or
*orphaned* (file and place are gone). Blanks and indentation do not count, so a formatter makes nothing drift.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

ATTRIBUTE = "anchor"  # under which a record's attributes hold it
LINES_MAX = 400  # of a piece of code that are held against the file
LIKE_MIN = 0.5  # share of the lines that must still be together for a place without a symbol to be the same place
_PRINT_CHARS = 8


class AnchorState(StrEnum):
    """How the code of an anchor stands to what it was."""

    FRESH = "fresh"
    MOVED = "moved"
    DRIFTED = "drifted"
    ORPHANED = "orphaned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A place in a file of a project. `prints` are of its lines that are not blank; lines count from 1."""

    path: str
    symbol: str = ""
    start: int = 1
    end: int = 1
    prints: tuple[str, ...] = ()

    @classmethod
    def at(cls, path: str, text: str, *, symbol: str = "", start: int | None = None, end: int | None = None) -> Self:
        """The anchor of some lines of a text, of the whole of it if none are named."""
        lines = text.splitlines()
        first = max(1, start or 1)
        last = min(len(lines), end or (first if start else len(lines)), first + LINES_MAX - 1)
        told = [(first - 1 + number, print_) for number, print_ in _prints(lines[first - 1 : last])]
        place = {"start": told[0][0], "end": told[-1][0]} if told else {"start": first, "end": first}
        return cls(path=path, symbol=symbol, **place, prints=tuple(print_ for _, print_ in told))

    @classmethod
    def of(cls, attributes: Mapping[str, Any]) -> Self | None:
        """The anchor that a record's attributes hold; None if there is none, or none that can be read."""
        kept = attributes.get(ATTRIBUTE)
        if not isinstance(kept, Mapping) or not isinstance(kept.get("path"), str):
            return None
        start, end, prints = kept.get("start"), kept.get("end"), kept.get("prints")
        if not isinstance(start, int) or not isinstance(end, int) or not isinstance(prints, str):
            return None
        cut = tuple(prints[at : at + _PRINT_CHARS] for at in range(0, len(prints), _PRINT_CHARS))
        return cls(path=kept["path"], symbol=str(kept.get("symbol", "")), start=start, end=end, prints=cut)

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {"path": self.path, "start": self.start, "end": self.end, "prints": "".join(self.prints)}
        return out | ({"symbol": self.symbol} if self.symbol else {})

    def held_against(
        self, text: str | None, symbols: Mapping[str, tuple[int, int]] | None = None
    ) -> tuple[AnchorState, Anchor]:
        """Its state in the file as it is now (None: the file is gone), and the anchor to go on with.

        `symbols` are the pieces of code in the file with their lines. A drifted anchor keeps its prints, so that code
        which comes back is fresh again.
        """
        if text is None:
            return AnchorState.ORPHANED, self
        told = _prints(text.splitlines())
        if not self.prints:
            return AnchorState.FRESH, self
        found = _nearest(self.prints, told, self.start)
        if found is not None:
            start, end = found
            same_place = start == self.start
            return (AnchorState.FRESH, self) if same_place else (AnchorState.MOVED, replace(self, start=start, end=end))
        place = (symbols or {}).get(self.symbol) if self.symbol else _alike(self.prints, told)
        if place is None:
            return AnchorState.ORPHANED, self
        return AnchorState.DRIFTED, replace(self, start=place[0], end=place[1])


def _prints(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The number and the print of each line that is not blank."""
    told = ((number, "".join(line.split())) for number, line in enumerate(lines, 1))
    return [(number, hashlib.sha256(line.encode()).hexdigest()[:_PRINT_CHARS]) for number, line in told if line]


def _nearest(prints: Sequence[str], told: Sequence[tuple[int, str]], start: int) -> tuple[int, int] | None:
    """The lines that have exactly these prints, those nearest to where they were."""
    size = len(prints)
    starts = (at for at, (_, print_) in enumerate(told) if print_ == prints[0])
    whole = [
        (told[at][0], told[at + size - 1][0])
        for at in starts
        if at + size <= len(told) and all(told[at + step][1] == prints[step] for step in range(1, size))
    ]
    return min(whole, key=lambda found: (abs(found[0] - start), found[0]), default=None)


def _alike(prints: Sequence[str], told: Sequence[tuple[int, str]]) -> tuple[int, int] | None:
    """The run of as many lines that has most of these; None if no run has half of them."""
    wanted, size = Counter(prints), len(prints)
    window: Counter[str] = Counter()
    shared = best = 0
    place = None
    for at, (_, print_) in enumerate(told):
        window[print_] += 1
        shared += window[print_] <= wanted[print_]
        if at >= size:
            gone = told[at - size][1]
            shared -= window[gone] <= wanted[gone]
            window[gone] -= 1
        if shared > best:
            best, place = shared, (told[max(0, at - size + 1)][0], told[at][0])
    return place if best >= LIKE_MIN * size else None
