"""Prints of the code that a record is about, and whether a file of today still says the same.

An anchor is a file, perhaps a symbol, and prints of the lines that were there when the record was written; never the
lines themselves. Held against the file of today, it is *fresh* (the lines are where they were), *moved* (the same lines
are elsewhere in the file: the anchor follows), *drifted* (the place is still there and its lines are others) or
*orphaned* (file and place are gone). Blanks and indentation do not count, so a formatter makes nothing drift.

An anchor of a whole file keeps a sample of its lines, and is fresh while half of them are there: a record about a file
is not outdated by every edit.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from recollect.model.anchor import AnchorState, is_kept

LINES_MAX = 200  # of a piece of code that are held against the file
SAMPLE_MAX = 32  # lines of a whole file
LIKE_MIN = 0.5  # share of the lines that must still be together for a place without a symbol to be the same place
_PRINT_CHARS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A place in a file of a project. `prints` are of its lines that are not blank; lines count from 1.

    Of a whole file `start` and `end` are 0, and `prints` are those of some lines in no order. `size` and `mtime_ns` are
    those of the file when it was looked at.
    """

    path: str
    symbol: str = ""
    start: int = 1
    end: int = 1
    prints: tuple[str, ...] = ()
    project: str = ""  # its name
    size: int = -1
    mtime_ns: int = -1

    @classmethod
    def at(cls, path: str, text: str, *, symbol: str = "", start: int = 1, end: int | None = None) -> Self:
        """The anchor of some lines of a text."""
        lines = text.splitlines()
        first = max(1, start)
        last = min(len(lines), end or first, first + LINES_MAX - 1)
        told = [(first - 1 + number, print_) for number, print_ in _prints(lines[first - 1 : last])]
        start, end = (told[0][0], told[-1][0]) if told else (first, first)
        return cls(path=path, symbol=symbol, start=start, end=end, prints=tuple(print_ for _, print_ in told))

    @classmethod
    def of_file(cls, path: str, text: str) -> Self:
        """The anchor of a whole file: the lines with the smallest prints, which are the same ones every time."""
        sample = sorted({print_ for _, print_ in _prints(text.splitlines())})[:SAMPLE_MAX]
        return cls(path=path, start=0, end=0, prints=tuple(sample))

    @classmethod
    def of(cls, kept: Any) -> Self | None:
        """The anchor that was kept as plain values; None if it cannot be read, or names no place inside a project."""
        if not is_kept(kept):
            return None
        prints = kept["prints"]
        cut = tuple(prints[at : at + _PRINT_CHARS] for at in range(0, len(prints), _PRINT_CHARS))
        size, mtime_ns = (kept[name] if isinstance(kept.get(name), int) else -1 for name in ("size", "mtime_ns"))
        return cls(
            path=kept["path"],
            symbol=str(kept.get("symbol", "")),
            start=kept["start"],
            end=kept["end"],
            prints=cut,
            project=str(kept.get("project", "")),
            size=size,
            mtime_ns=mtime_ns,
        )

    @property
    def is_whole(self) -> bool:
        return self.start == 0

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {"path": self.path, "start": self.start, "end": self.end, "prints": "".join(self.prints)}
        out |= {"size": self.size, "mtime_ns": self.mtime_ns} if self.size >= 0 else {}
        return out | {name: value for name in ("symbol", "project") if (value := getattr(self, name))}

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
        if self.is_whole:
            kept = len(set(self.prints) & {print_ for _, print_ in told})
            return (AnchorState.FRESH if kept >= LIKE_MIN * len(self.prints) else AnchorState.DRIFTED), self
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
