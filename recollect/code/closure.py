"""Which files depend on which, up to three steps away, with a shortest path each.

Every file has one array of its dependents. A dependent's `via` is the file it depends on directly on its way, which is
a dependent one step nearer itself; so a path is found by going from `via` to `via`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recollect.code.packed import DEPENDENT

DEPTH = 3
Pairs = NDArray[np.int64]  # a file that depends on another, and that other one, by their places


class FileGraph:
    """Dependencies between files; places are those of files ordered by path."""

    def __init__(self, count: int, pairs: Pairs) -> None:
        self._count = count
        order = np.lexsort((pairs[:, 0], pairs[:, 1])) if len(pairs) else np.empty(0, dtype=np.int64)
        self._dependents = pairs[order, 0] if len(pairs) else np.empty(0, dtype=np.int64)
        counts = np.bincount(pairs[:, 1], minlength=count) if len(pairs) else np.zeros(count, dtype=np.int64)
        self._starts = np.concatenate(([0], np.cumsum(counts)))

    def dependents(self, place: int, depth: int = DEPTH) -> NDArray[np.void]:
        """All dependents of a file: nearest first, then by place. Of several ways the one by the first file counts."""
        seen = np.zeros(self._count, dtype=bool)
        seen[place] = True
        front = np.array([place], dtype=np.int64)
        found: list[NDArray[np.void]] = []
        for step in range(1, depth + 1):
            counts = self._starts[front + 1] - self._starts[front]
            if not counts.sum():
                break
            offsets = np.repeat(self._starts[front] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
            reached = self._dependents[np.arange(counts.sum()) + offsets]
            via = np.repeat(front, counts)
            fresh = ~seen[reached]
            reached, first = np.unique(reached[fresh], return_index=True)
            if not len(reached):
                break
            level = np.empty(len(reached), dtype=DEPENDENT)
            level["file"], level["via"], level["depth"] = reached, via[fresh][first], step
            found.append(level)
            seen[reached] = True
            front = reached
        return np.concatenate(found) if found else np.empty(0, dtype=DEPENDENT)
