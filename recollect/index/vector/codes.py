"""Vectors in very few bytes, to tell which of many are worth a closer look.

Codes lie column by column, so that a comparison reads one short run of memory after the other.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.index.vector.precision import Vectors

Codes = NDArray[Any]  # one column a vector

BINARY, PRODUCT = "binary", "pq"
_WORD_BITS = 64
_PART = 4  # numbers that share a byte of a product code
_CENTRES = 256
_ROUNDS = 6
TRAINING_ROWS = 8_192
_SEED = 1


class Coding(Protocol):
    """A way to code vectors. Distances are comparable among themselves: less is nearer."""

    height: int  # rows of the codes
    dtype: type[np.generic]
    rescored_min: int  # how many of the nearest by their codes hold the ten nearest, of a hundred thousand

    @property
    def ready(self) -> bool:
        """Whether it has seen enough vectors to code any."""

    def train(self, sample: Vectors) -> None: ...

    def encode(self, vectors: Vectors) -> Codes: ...

    def distances(self, query: Vectors, codes: Codes) -> Codes: ...

    def learned(self) -> Vectors:
        """What training found, to be given to `learn` of another one."""

    def learn(self, learned: Vectors) -> None: ...


class BinaryCoding:
    """The sign of each number: a thirty-second of the bytes. Compared by how many signs differ."""

    dtype: type[np.generic] = np.uint64
    rescored_min = 800

    @property
    def ready(self) -> bool:
        return True

    def __init__(self, dimensions: int) -> None:
        self.height = -(-dimensions // _WORD_BITS)

    def train(self, sample: Vectors) -> None: ...

    def encode(self, vectors: Vectors) -> Codes:
        bits = np.packbits(vectors > 0, axis=1)
        whole = np.zeros((len(vectors), self.height * _WORD_BITS // 8), dtype=np.uint8)
        whole[:, : bits.shape[1]] = bits
        return np.ascontiguousarray(whole.view(np.uint64).T)

    def distances(self, query: Vectors, codes: Codes) -> Codes:
        differing = np.zeros(codes.shape[1], dtype=np.uint16)
        for column, word in zip(codes, self.encode(query[None])[:, 0], strict=True):
            differing += np.bitwise_count(column ^ word)
        return differing

    def learned(self) -> Vectors:
        return np.empty((0, 0), dtype=np.float32)

    def learn(self, learned: Vectors) -> None: ...


class ProductCoding:
    """Every four numbers as the nearest of 256 fours that are typical: a sixteenth of the bytes, and nearer the truth
    than signs are. Compared by looking up what each typical four contributes to the product with the question."""

    dtype: type[np.generic] = np.uint8
    rescored_min = 200

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self.height = -(-dimensions // _PART)
        self._centres = np.empty((0, _CENTRES, _PART), dtype=np.float32)

    @property
    def ready(self) -> bool:
        return len(self._centres) > 0

    def train(self, sample: Vectors) -> None:
        parts = self._parts(sample)
        pick = np.random.default_rng(_SEED)  # the same vectors give the same codes
        self._centres = np.stack([_typical(part, pick) for part in parts])

    def encode(self, vectors: Vectors) -> Codes:
        parts = zip(self._parts(vectors), self._centres, strict=True)
        return np.stack([_nearest(part, centres) for part, centres in parts]).astype(np.uint8)

    def distances(self, query: Vectors, codes: Codes) -> Codes:
        contributed = np.einsum("pcn,pn->pc", self._centres, self._parts(query[None])[:, 0])
        total = np.zeros(codes.shape[1], dtype=np.float32)
        for worth, column in zip(contributed, codes, strict=True):
            total -= worth.take(column)
        return total

    def learned(self) -> Vectors:
        return self._centres

    def learn(self, learned: Vectors) -> None:
        self._centres = learned.reshape(-1, _CENTRES, _PART)

    def _parts(self, vectors: Vectors) -> Vectors:
        """One array of fours for each part, the last filled up with nothing."""
        whole = np.zeros((len(vectors), self.height * _PART), dtype=np.float32)
        whole[:, : self._dimensions] = vectors
        return np.ascontiguousarray(whole.reshape(len(vectors), self.height, _PART).transpose(1, 0, 2))


def coding(name: str, dimensions: int) -> Coding:
    """The coding of that name."""
    return BinaryCoding(dimensions) if name == BINARY else ProductCoding(dimensions)


def _nearest(points: Vectors, centres: Vectors) -> NDArray[np.intp]:
    far = np.einsum("ij,ij->i", centres, centres) - 2 * points @ centres.T
    return np.asarray(far.argmin(axis=1))


def _typical(points: Vectors, pick: np.random.Generator) -> Vectors:
    """Centres of these points, by k-means."""
    centres = points[pick.choice(len(points), _CENTRES, replace=len(points) < _CENTRES)]
    for _ in range(_ROUNDS):
        nearest = _nearest(points, centres)
        counts = np.bincount(nearest, minlength=_CENTRES)
        sums = np.stack([np.bincount(nearest, points[:, axis], _CENTRES) for axis in range(_PART)], axis=1)
        centres = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres).astype(np.float32)
    return centres
