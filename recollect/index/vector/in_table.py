"""Vectors in a database of their own (`store.vector_table`): next to no memory, and a scan of a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from recollect.index.base import Pks, Scored, Selection
from recollect.index.vector.filtering import hunted
from recollect.index.vector.flat import NOTHING, Vectors, best, last_of_each, unit
from recollect.index.vector.precision import PRECISIONS
from recollect.store.vector_table import NEAREST_MAX, VectorDatabase

_NARROW = 20_000  # keys of allowed rows that are handed to the query
_BINARY = "binary"


class TableVectors:
    """The back end `sqlite-vec`. One thread applies, any thread searches, one at a time."""

    def __init__(self, dimensions: int, *, precision: str, metric: str, folder: Path | None) -> None:
        self._dimensions, self._precision = dimensions, precision
        # Rows are of length 1: the nearest by product or by distance are the nearest by angle.
        self._measure = "hamming" if precision == _BINARY else "l2" if metric == "l2" else "cosine"
        width = -(-dimensions // 8) * 8 if precision == _BINARY else dimensions
        self._table = VectorDatabase(width, precision=precision, measure=self._measure, folder=folder)
        self._count = 0

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def count(self) -> int:
        return self._count

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        pks, vectors = last_of_each(puts, self._dimensions)
        coming = pks.tolist()
        self._table.apply(zip(coming, self._coded(vectors), strict=True), [*deletes, *coming])
        self._count = self._table.count()

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        direction = unit(query)
        if direction is None or limit <= 0 or not among.count or not self._count:
            return NOTHING
        narrow = among.count < among.total and among.count <= _NARROW
        return hunted(
            limit,
            among,
            nearest=partial(self._nearest, direction),
            compared=partial(self._compared, direction, limit),
            worth=lambda fetch: not narrow and fetch <= NEAREST_MAX,
        )

    def _nearest(self, direction: Vectors, count: int, among: Sequence[int] | None = None) -> Scored:
        rows = self._table.nearest(self._coded(direction[None])[0], count, among)
        pks = np.array([pk for pk, _ in rows], dtype=np.int64)
        return best(pks, self._cosines(np.array([far for _, far in rows], dtype=np.float32)), count)

    def _compared(self, direction: Vectors, limit: int, pks: Pks | None) -> Scored:
        if pks is not None and len(pks) <= _NARROW and limit <= NEAREST_MAX:
            return self._nearest(direction, limit, pks.tolist())
        pks = np.array(self._table.keys(), dtype=np.int64) if pks is None else pks
        rows = self.vectors(pks)
        held = rows.any(axis=1)
        return best(pks[held], rows[held] @ direction, limit)

    def _cosines(self, distances: Vectors) -> Vectors:
        """The cosines that distances stand for."""
        if self._measure == "hamming":
            return np.cos(np.pi * distances / self._dimensions).astype(np.float32)
        near = 1.0 - (distances**2 / 2 if self._measure == "l2" else distances)
        return np.asarray(near, dtype=np.float32)

    def vectors(self, pks: Pks) -> Vectors:
        out = np.zeros((len(pks), self._dimensions), dtype=np.float32)
        found = self._table.load(pks.tolist())
        if found:
            rows = dict(zip(found, self._decoded(b"".join(found.values()), len(found)), strict=True))
            for at, pk in enumerate(pks.tolist()):
                if pk in rows:
                    out[at] = rows[pk]
        return out

    def _coded(self, vectors: Vectors) -> list[bytes]:
        if self._precision == _BINARY:
            return [row.tobytes() for row in np.packbits(vectors > 0, axis=1)]
        return [row.tobytes() for row in PRECISIONS[self._precision].encode(vectors)]

    def _decoded(self, data: bytes, count: int) -> Vectors:
        if self._precision == _BINARY:
            bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8).reshape(count, -1), axis=1)
            signs = bits[:, : self._dimensions].astype(np.float32) * 2 - 1
            return np.asarray(signs / np.sqrt(np.float32(self._dimensions)))
        numbers = PRECISIONS[self._precision]
        return numbers.decode(np.frombuffer(data, dtype=numbers.bits).reshape(count, self._dimensions))

    def relieve(self) -> None:
        self._table.relieve()

    def close(self) -> None:
        self._table.close()

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        return False
