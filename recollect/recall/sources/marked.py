"""Rows by their marks: how a place or a sort of text, asked for as a filter, becomes candidates and decides on others.

A filter is groups of marks, one of each to be had. Where the marks cannot say all (lines, an authority, which persona
is the main one), what the row itself says decides; rows that other sources found are always held to that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks, Scored
from recollect.index.keys import among
from recollect.recall.sources.base import Look
from recollect.recall.sources.counting import best, counting
from recollect.store import marks

HOLDERS_MAX = 5_000  # rows of one group of marks that are looked at, newest first
READ_MAX = 2_000  # rows whose own words are read for one search
_PORTION = 4  # times the wanted number that are looked at together
_CHECKED_MARKS_MAX = 8  # a group of so many marks is checked row by row, a larger one by reading the row
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkFilter:
    """Marks that narrow a search, and how well what a row says in `column` meets the question behind them."""

    column: str
    groups: tuple[tuple[str, ...], ...]
    score: Callable[[str], float]
    decided: bool = False  # a row with a mark of each group meets the filter in full
    whole: bool = True  # no mark that would do is missing from the groups
    read: dict[str, float] = field(default_factory=dict)

    def score_of(self, text: str) -> float:
        """Many rows say the same: each text is read once."""
        found = self.read.get(text)
        if found is None:
            found = self.read[text] = self.score(text)
        return found


class Listing(NamedTuple):
    """Rows that meet a filter, newest first, with their scores. `whole`: no other row that counts meets it."""

    pks: Pks
    scores: Scores
    whole: bool

    def best(self, limit: int) -> Scored:
        return best(self.pks, self.scores, limit)


class _Narrowed(NamedTuple):
    """Rows that may meet a filter, newest first."""

    pks: Pks
    whole: bool  # none is missing
    unchecked: tuple[tuple[str, ...], ...]  # groups of marks of which they may have none


def listing(look: Look, wanted: MarkFilter, *, enough: int) -> Listing:
    """Rows that count and meet the filter: the best `enough` of them at least, as far as a search may read."""
    pks, whole, unchecked = _narrowed(look, wanted)
    pks = pks[counting(look, pks)] if len(pks) else pks
    checked = [group for group in unchecked if len(group) <= _CHECKED_MARKS_MAX]
    reads = not wanted.decided or len(checked) < len(unchecked)
    scores = np.zeros(len(pks), dtype=np.float32)
    at, rows_read, portion = 0, 0, enough * _PORTION
    while at < len(pks) and rows_read < READ_MAX and np.count_nonzero(scores == 1.0) < enough:
        rows = np.arange(at, min(at + portion, len(pks)))
        for group in checked:
            held = marks.holding(look.tx, group, pks[rows].tolist())
            rows = rows[among(pks[rows], np.array(held, dtype=np.int64))]
        scores[rows] = scores_of(look, wanted, pks[rows]) if reads else 1.0
        rows_read += len(rows) if reads else 0
        at += portion
    met = scores > 0
    return Listing(pks[met], scores[met], wanted.whole and whole and at >= len(pks))


def scores_of(look: Look, wanted: MarkFilter, pks: Pks) -> Scores:
    """How well each of these rows meets the filter; 0 leaves it out. Exact, whoever found the row."""
    scores = np.zeros(len(pks), dtype=np.float32)
    found = marks.texts(look.tx, wanted.column, pks.tolist()) if len(pks) else []
    if found:
        order = np.argsort(pks)
        at = order[np.searchsorted(pks, [pk for pk, _ in found], sorter=order)]
        scores[at] = [wanted.score_of(text) for _, text in found]
    return scores


def _narrowed(look: Look, wanted: MarkFilter) -> _Narrowed:
    """What is in every group whose rows can be listed; failing that what the reader sees, or the newest of a group."""
    held = [_holders(look, group) for group in wanted.groups]
    listed = [pks for pks in held if len(pks) <= HOLDERS_MAX]
    if listed:
        common = (group for group, pks in zip(wanted.groups, held, strict=True) if len(pks) > HOLDERS_MAX)
        return _Narrowed(reduce(np.intersect1d, listed)[::-1], True, tuple(common))
    if look.selection is not None and look.selection.count <= HOLDERS_MAX:
        return _Narrowed(look.selection.pks()[::-1], True, wanted.groups)
    rarest = min(range(len(held)), key=lambda at: int(held[at][0]))  # as many rows reach furthest back there
    others = (*wanted.groups[:rarest], *wanted.groups[rarest + 1 :])
    return _Narrowed(held[rarest][::-1], False, others)


def _holders(look: Look, group: Sequence[str]) -> Pks:
    """The newest rows with one of these marks, ascending; one too many says that there are more."""
    return np.array(marks.newest(look.tx, group, limit=HOLDERS_MAX + 1)[::-1], dtype=np.int64)
