"""The vectors of a graph once more, as rows of a matrix: read many at once, compared many at once.

usearch hands out vectors one object a row; a store of some thousand rows spent a third of every search on that. Half a
kilobyte a row is little for few rows and much for many, so only a small graph is mirrored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Mask, Pks
from recollect.index.keys import among

Vectors = NDArray[np.float32]
Halves = NDArray[np.uint16]  # the bits of numbers in half precision

ROWS_MAX = 20_000
_GROWTH = 1.5
_SIGN_AND_NUMBER = np.int32(-0x70002000)  # the bits that a half has, once they lie where a single keeps them
_EXPONENT = np.float32(2.0**112)  # what the exponents of the two are apart


class _Rows(NamedTuple):
    """One moment: keys ascending, and for each the row of the matrix that holds its vector."""

    pks: Pks
    at: NDArray[np.int64]
    matrix: Halves
    used: int  # rows of the matrix that were given out; what was replaced or dropped is among them


class Mirror:
    """Vectors by key. One thread applies, any thread reads: rows that a reader may see are never written again."""

    def __init__(self, pks: Pks, vectors: Halves) -> None:
        order = np.argsort(pks, kind="stable")
        self._rows = _Rows(pks[order], order.astype(np.int64), vectors, len(pks))

    def apply(self, pks: Pks, vectors: Halves, deletes: Pks) -> None:
        """Insert or replace rows, each key once, and drop others."""
        rows = self._rows
        kept = ~among(rows.pks, np.concatenate([pks, deletes]))
        matrix, used = rows.matrix, rows.used
        if used + len(pks) > len(matrix):
            at = rows.at[kept]
            matrix = np.empty((int((len(at) + len(pks)) * _GROWTH) + 1, matrix.shape[1]), dtype=np.uint16)
            matrix[: len(at)] = rows.matrix[at]
            rows, used = rows._replace(pks=rows.pks[kept], at=np.arange(len(at))), len(at)
            kept = np.ones(len(at), dtype=np.bool_)
        matrix[used : used + len(pks)] = vectors
        held = np.concatenate([rows.pks[kept], pks])
        at = np.concatenate([rows.at[kept], np.arange(used, used + len(pks))])
        order = np.argsort(held, kind="stable")
        self._rows = _Rows(held[order], at[order], matrix, used + len(pks))

    def read(self, pks: Pks) -> tuple[Mask, Halves]:
        """Which of the keys are held, and their vectors one below the other."""
        rows = self._rows
        if not len(rows.pks):
            return np.zeros(len(pks), dtype=np.bool_), rows.matrix[:0]
        place = np.minimum(rows.pks.searchsorted(pks), len(rows.pks) - 1)
        known = rows.pks[place] == pks
        return known, rows.matrix[rows.at[place if known.all() else place[known]]]


def widened(halves: Halves) -> Vectors:
    """Half precision as single, exactly, of finite numbers: bits are moved and an exponent corrected, all at once.

    numpy's own cast takes one number after the other, seven times as long.
    """
    bits = halves.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _SIGN_AND_NUMBER
    wide = bits.view(np.float32)
    wide *= _EXPONENT
    return wide
