"""Exact nearest neighbours by scanning a matrix: quickest for a few thousand rows, and the oracle in tests.

A snapshot of keys and matrix is replaced whole by each change, so that searches need no lock. That makes a
change cost as much as the matrix is large, which is why `adaptive` moves on to a graph.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks, Scored, Selection
from recollect.index.keys import among as among_keys

Vectors = NDArray[np.float32]

_MANY = 4

NOTHING = Scored(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


class FlatVectors:
    """The `VectorIndex` without an index. One thread applies, any thread searches."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._rows: tuple[Pks, Vectors] = (
            np.empty(0, dtype=np.int64),
            np.empty((0, dimensions), dtype=np.float32),
        )

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def count(self) -> int:
        return len(self._rows[0])

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        new_pks, new = last_of_each(puts, self._dimensions)
        pks, matrix = self._without(np.concatenate([new_pks, np.array(deletes, dtype=np.int64)]))
        if len(new_pks):
            newest = not len(pks) or pks[-1] < new_pks[0]
            pks, matrix = np.concatenate([pks, new_pks]), np.concatenate([matrix, new])
            if not newest:
                order = np.argsort(pks, kind="stable")
                pks, matrix = pks[order], matrix[order]
        self._rows = pks, matrix

    def _without(self, leaving: Pks) -> tuple[Pks, Vectors]:
        """The rows but these: nearly always none, or the first, which a graph takes over; then nothing is copied."""
        pks, matrix = self._rows
        gone = among_keys(pks, leaving)
        count = int(np.count_nonzero(gone))
        if not count:
            return pks, matrix
        if count == len(pks):
            return np.empty(0, dtype=np.int64), np.empty((0, self._dimensions), dtype=np.float32)
        return (pks[count:], matrix[count:]) if gone[:count].all() else (pks[~gone], matrix[~gone])

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        direction = unit(query)
        if direction is None or limit <= 0:
            return NOTHING
        pks, matrix = self._rows
        if among.count < among.total:
            allowed = among.allows(pks)
            pks, matrix = pks[allowed], matrix[allowed]
        return best(pks, matrix @ direction, limit)

    def vectors(self, pks: Pks) -> Vectors:
        out = np.zeros((len(pks), self._dimensions), dtype=np.float32)
        held, matrix = self._rows
        if len(held):
            at = np.minimum(np.searchsorted(held, pks), len(held) - 1)
            known = held[at] == pks
            out[known] = matrix[at[known]]
        return out

    def rows(self) -> tuple[Pks, Vectors]:
        """Everything, ascending by pk: what a larger index is built from. Not to be written to."""
        return self._rows

    def snapshot(self) -> FlatVectors:
        """The rows of this moment, whatever happens to these."""
        copy = FlatVectors(self._dimensions)
        copy._rows = self._rows
        return copy

    def close(self) -> None:
        self._rows = (self._rows[0][:0], self._rows[1][:0])


def unit(query: Vectors) -> Vectors | None:
    """The query's direction, or None if it has none: a zero or broken vector is near nothing."""
    length = float(np.linalg.norm(query))
    if not np.isfinite(length) or length == 0.0:
        return None
    return np.asarray(query / length, dtype=np.float32)


def last_of_each(puts: tuple[Pks, Vectors] | None, dimensions: int) -> tuple[Pks, Vectors]:
    """The puts ascending by pk, of several for one pk the last."""
    if puts is None:
        return np.empty(0, dtype=np.int64), np.empty((0, dimensions), dtype=np.float32)
    pks, vectors = puts
    assert vectors.shape == (len(pks), dimensions), f"{vectors.shape} does not hold {len(pks)} x {dimensions}"
    distinct, from_end = np.unique(pks[::-1], return_index=True)
    return distinct.astype(np.int64), np.asarray(vectors[len(pks) - 1 - from_end], dtype=np.float32)


def best(pks: Pks, scores: Vectors, limit: int) -> Scored:
    """The best by score, the newest first among equals."""
    if len(scores) > _MANY * limit > 0:  # most are out of question: to sort them all took most of a scan
        keep = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
        pks, scores = pks[keep], scores[keep]
    order = np.lexsort((-pks, -scores))[:limit]
    return Scored(pks[order], scores[order])
