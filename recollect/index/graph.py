"""The graph in memory: who is one hop from whom.

Arcs, one for each ordered pair of members of an edge, in arrays sorted by where they start, so that the arcs of many
records are found by one binary search. New arcs go to a small second set that is merged into the large one now and
then; edges that changed or left are struck out until then. Readers work on a snapshot and never wait.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.clock import FOREVER_US
from recollect.index.base import Pks
from recollect.index.keys import among, each_once

_MERGE_MIN = 4_096  # arcs in the small set before it is merged
_MERGE_SHARE = 8  # … or this part of the large one


Column = NDArray[Any]


class EdgeRow(NamedTuple):
    """One live edge as the index sees it; members are (record pk, starts here, leads here)."""

    pk: int
    label: str
    strength: float  # weight times confidence
    symmetric: bool
    valid_from: int | None
    valid_until: int | None
    members: Sequence[tuple[int, bool, bool]]


class Arcs(NamedTuple):
    """Columns of one length. `forward`: along the relation's direction; symmetric relations have none against it."""

    start: Column
    edge: Column
    end: Column
    label: Column
    strength: Column
    forward: Column
    backward: Column
    valid_from: Column
    valid_until: Column

    def at(self, rows: Column) -> Arcs:
        return Arcs(*(column[rows] for column in self))


_DTYPES: tuple[type[np.generic], ...] = (
    np.int64,
    np.int64,
    np.int64,
    np.int32,
    np.float32,
    np.bool_,
    np.bool_,
    np.int64,
    np.int64,
)
_NO_ARCS = Arcs(*(np.empty(0, dtype=dtype) for dtype in _DTYPES))


class _GraphState(NamedTuple):
    """What a reader sees, all of one moment."""

    large: Arcs = _NO_ARCS
    small: Arcs = _NO_ARCS
    struck: Pks = _NO_ARCS.edge  # edges whose arcs in `large` no longer count, ascending
    edges: int = 0


class GraphIndex:
    """Adjacency of all live edges. `apply` belongs to one thread, `hop` to all."""

    def __init__(self) -> None:
        self._state = _GraphState()
        self._labels: dict[str, int] = {}
        self._known: set[int] = set()  # edge pks; only the feeding thread looks

    def count(self) -> int:
        """Edges held."""
        return self._state.edges

    def holds(self, *, labels: Sequence[str] | None = None, besides: Sequence[str] = ()) -> bool:
        """Whether any edge with such a label is, or was, held: what was never told need not be looked for."""
        if not self._state.edges:
            return False
        known = self._labels
        if labels is not None:
            return any(label in known and label not in besides for label in labels)
        return len(known) > sum(label in known for label in besides)

    def apply(self, puts: Sequence[EdgeRow], deletes: Collection[int]) -> None:
        """Insert or replace edges, drop others. Idempotent; an edge in both is put."""
        coming = {row.pk: row for row in puts}
        stale = np.array(sorted(self._known & {*coming, *deletes}), dtype=np.int64)
        self._known.difference_update(deletes)
        self._known.update(coming)
        state = self._state
        if len(stale):
            state = state._replace(
                small=state.small.at(~np.isin(state.small.edge, stale)),
                struck=np.union1d(state.struck, stale),
            )
        if coming:
            state = state._replace(small=_sorted(_joined(state.small, self._arcs(coming.values()))))
        if len(state.small.start) + len(state.struck) > max(_MERGE_MIN, len(state.large.start) // _MERGE_SHARE):
            kept = state.large.at(~np.isin(state.large.edge, state.struck))
            state = _GraphState(large=_sorted(_joined(kept, state.small)))
        self._state = state._replace(edges=len(self._known))

    def hop(
        self,
        pks: Sequence[int],
        *,
        labels: Sequence[str] | None = None,
        besides: Sequence[str] = (),
        direction: str = "both",
        at: int,
    ) -> Arcs:
        """Every arc from these records that holds at a time, strongest first; `besides` are labels left out."""
        state = self._state
        if not self.holds(labels=labels, besides=besides):
            return _NO_ARCS
        starts = each_once(np.array(pks, dtype=np.int64))
        old = _from(state.large, starts)
        if len(state.struck):
            old = old.at(~among(old.edge, state.struck))
        arcs = _joined(old, _from(state.small, starts))
        if not len(arcs.start):
            return _NO_ARCS
        keep = (arcs.valid_from <= at) & (arcs.valid_until > at)
        if direction != "both":
            keep &= arcs.forward if direction == "out" else arcs.backward
        if labels is not None:
            keep &= among(arcs.label, self._codes(labels))
        if besides:
            keep &= ~among(arcs.label, self._codes(besides))
        arcs = arcs.at(keep)
        return arcs.at(np.lexsort((-arcs.edge, -arcs.strength)))

    def _codes(self, labels: Sequence[str]) -> Column:
        return np.array([self._labels[label] for label in labels if label in self._labels], dtype=np.int32)

    def _arcs(self, rows: Collection[EdgeRow]) -> Arcs:
        """All ordered pairs of members of each edge."""
        columns: list[tuple[int, int, int, int, float, bool, bool, int, int]] = []
        for row in rows:
            label = self._labels.setdefault(row.label, len(self._labels))
            valid_from = -FOREVER_US if row.valid_from is None else row.valid_from
            valid_until = FOREVER_US if row.valid_until is None else row.valid_until
            for here, from_here, to_here in row.members:
                for there, from_there, to_there in row.members:
                    if here != there:
                        forward = row.symmetric or (from_here and to_there)
                        backward = row.symmetric or (to_here and from_there)
                        columns.append(
                            (here, row.pk, there, label, row.strength, forward, backward, valid_from, valid_until)
                        )
        if not columns:
            return _NO_ARCS
        made = zip(zip(*columns, strict=True), _DTYPES, strict=True)
        return Arcs(*(np.array(values, dtype=dtype) for values, dtype in made))


def _from(arcs: Arcs, starts: Pks) -> Arcs:
    """The arcs that start at one of these records (ascending)."""
    first = np.searchsorted(arcs.start, starts, "left")
    lengths = np.searchsorted(arcs.start, starts, "right") - first
    total = int(lengths.sum())
    if not total:
        return _NO_ARCS
    offsets = np.repeat(first - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    return arcs.at(offsets + np.arange(total))


def _joined(first: Arcs, second: Arcs) -> Arcs:
    if not len(second.start):
        return first
    if not len(first.start):
        return second
    return Arcs(*(np.concatenate(pair) for pair in zip(first, second, strict=True)))


def _sorted(arcs: Arcs) -> Arcs:
    return arcs.at(np.argsort(arcs.start, kind="stable"))
