"""Spreading activation: what was found wakes what it is related to, less with every step (Engram §5).

    level(end) = level(start) × strength × decay

A record takes the strongest activation that reaches it, never the sum, so that a circle cannot feed itself. Weak
activation ends. A record with very many relations passes on along its strongest ones only, and less the more it
has: what is related to everything says little about anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks, Scored
from recollect.index.keys import each_once

Levels = NDArray[np.float64]
Counts = NDArray[np.int64]
Column = NDArray[Any]


class Links(NamedTuple):
    """One step from some records to others: columns of one length, the strongest of each start first.

    `edge` is the key of a relation; a negative one is that of an entity which both ends mention.
    """

    start: Column
    end: Column
    edge: Column
    strength: Column

    def at(self, rows: Column) -> Links:
        return Links(*(column[rows] for column in self))


Hop = Callable[[Pks], Links]  # every step that may be taken from these records, which come strongest first

_NONE = np.empty(0, dtype=np.int64)
NO_LINKS = Links(_NONE, _NONE, _NONE, np.empty(0))


class Activated(NamedTuple):
    """Records that activation reached, the strongest first; seeds among them only if others reached them.

    `came_from` and `edge` are the last step to each, `hops` the number of steps from its seed.
    """

    pks: Pks
    levels: Levels
    hops: Counts
    came_from: Pks
    edge: Pks

    def chain(self, pk: int) -> list[tuple[int, int, int]]:
        """The steps (from, edge, to) that led to a record, its seed first; empty if it was not reached."""
        steps: list[tuple[int, int, int]] = []
        at = {reached: row for row, reached in enumerate(self.pks.tolist())}
        row = at.get(pk)
        while row is not None:
            here, hops = int(self.pks[row]), int(self.hops[row])
            steps.append((int(self.came_from[row]), int(self.edge[row]), here))
            before = at.get(int(self.came_from[row]))
            row = before if before is not None and hops > 1 and self.hops[before] < hops else None
        return steps[::-1]


NOTHING_ACTIVATED = Activated(_NONE, np.empty(0), _NONE, _NONE, _NONE)


class _Lit(NamedTuple):
    """What is lit so far, ascending by key: `level` is what a record passes on, `arrived` what others gave it."""

    pks: Column
    level: Column
    arrived: Column
    hops: Column
    came_from: Column
    edge: Column
    origin: Column  # the seed whose activation it passes on


def activate(
    hop: Hop,
    seeds: Scored,
    *,
    hops: int,
    decay: float = 0.6,
    threshold: float = 0.1,
    fan_max: int = 50,
    frontier_max: int = 200,
) -> Activated:
    """Spread from the seeds, whose scores are levels from 0 to 1, for a number of steps."""
    lit = _seeded(seeds)
    frontier = _strongest(lit.pks, lit.level, threshold, frontier_max)
    for step in range(1, hops + 1):
        if not len(frontier):
            break
        links = hop(frontier)
        if not len(links.start):
            break
        reached = _reached(lit, _fanned(links, fan_max), decay, threshold)
        lit, risen = _merged(lit, reached, step)
        frontier = _strongest(lit.pks[risen], lit.level[risen], threshold, frontier_max)
    rows = np.flatnonzero(lit.arrived > 0)
    rows = rows[np.lexsort((-lit.pks[rows], -lit.arrived[rows]))]
    return Activated(lit.pks[rows], lit.arrived[rows], lit.hops[rows], lit.came_from[rows], lit.edge[rows])


def _seeded(seeds: Scored) -> _Lit:
    order = np.argsort(seeds.pks, kind="stable")
    pks = seeds.pks[order]
    none = np.zeros(len(pks), dtype=np.int64)
    level = np.clip(seeds.scores[order].astype(np.float64), 0.0, 1.0)
    return _Lit(pks, level, np.zeros(len(pks)), none, none.copy(), none.copy(), pks.copy())


def _strongest(pks: Pks, level: Levels, threshold: float, limit: int) -> Pks:
    """The liveliest records, strongest first."""
    lively = np.flatnonzero(level >= threshold)
    return pks[lively[np.argsort(-level[lively], kind="stable")[:limit]]]


def _fanned(links: Links, fan_max: int) -> Links:
    """The strongest links of each start, weakened where there are more: by a tenth for each tenth more, at first."""
    order = np.argsort(links.start, kind="stable")  # within a start the strongest stays first
    _, first, which, fan = np.unique(links.start[order], return_index=True, return_inverse=True, return_counts=True)
    place = np.arange(len(order)) - first[which]
    damped = 1.0 / (1.0 + np.log(np.maximum(1.0, fan / fan_max)))
    links = links.at(order)._replace(strength=np.minimum(links.strength[order], 1.0) * damped[which])
    return links.at(place < fan_max)


def _reached(lit: _Lit, links: Links, decay: float, threshold: float) -> Links:
    """The best link to each record that is strong enough, `strength` now the level it brings."""
    start = np.searchsorted(lit.pks, links.start)
    links = links._replace(strength=lit.level[start] * links.strength * decay)
    links = links.at((links.strength >= threshold) & (links.end != lit.origin[start]))  # no seed lights itself
    order = np.lexsort((-links.strength, links.end))
    _, best = np.unique(links.end[order], return_index=True)
    return links.at(order[best])


def _merged(lit: _Lit, reached: Links, step: int) -> tuple[_Lit, Counts]:
    """What is lit afterwards, and the rows that pass on more than before."""
    pks = each_once(np.concatenate([lit.pks, reached.end]))
    old, new = np.searchsorted(pks, lit.pks), np.searchsorted(pks, reached.end)
    grown = _Lit(pks, *(_spread_out(column, old, len(pks)) for column in lit[1:]))
    origin = grown.origin[np.searchsorted(pks, reached.start)]
    better = reached.strength > grown.arrived[new]
    rows = new[better]
    grown.arrived[rows] = reached.strength[better]
    grown.hops[rows] = step
    grown.came_from[rows] = reached.start[better]
    grown.edge[rows] = reached.edge[better]
    rises = reached.strength > grown.level[new]
    grown.level[new[rises]] = reached.strength[rises]
    grown.origin[new[rises]] = origin[rises]
    return grown, new[rises]


def _spread_out(column: Column, at: Column, size: int) -> Column:
    out = np.zeros(size, dtype=column.dtype)
    out[at] = column
    return out
