"""A scan while there are few vectors, a graph once there are many."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.index.base import Pks, Scored, Selection
from recollect.index.vector.flat import FlatVectors, Vectors

if TYPE_CHECKING:
    from recollect.index.vector.hnsw import HnswVectors

FLAT_MAX = 2_000


class AdaptiveVectors:
    """The `VectorIndex` that grows. It never goes back: rows that left usually come again.

    A search works on whichever index was current when it began; the change from one to the other is a single
    assignment, made when the graph holds all that the scan held.
    """

    def __init__(self, dimensions: int, *, flat_max: int = FLAT_MAX, dtype: str = "f16") -> None:
        self._flat_max = flat_max
        self._dtype = dtype
        self._current: FlatVectors | HnswVectors = FlatVectors(dimensions)

    @classmethod
    def over(cls, graph: HnswVectors) -> AdaptiveVectors:
        """Go on with a graph loaded from its file."""
        index = cls(graph.dimensions)
        index._current = graph
        return index

    @property
    def dimensions(self) -> int:
        return self._current.dimensions

    def count(self) -> int:
        return self._current.count()

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        current = self._current
        coming = 0 if puts is None else len(puts[0])
        if isinstance(current, FlatVectors) and current.count() + coming > self._flat_max:
            self._current = self._grown(current)
        self._current.apply(puts, deletes)

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        return self._current.search(query, limit=limit, among=among)

    def vectors(self, pks: Pks) -> Vectors:
        return self._current.vectors(pks)

    def close(self) -> None:
        self._current.close()

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        """Write the graph for the next start. False: there is none yet, and a scan needs no file."""
        if isinstance(self._current, FlatVectors):
            return False
        self._current.save(path, space=space, watermark=watermark)
        return True

    def _grown(self, flat: FlatVectors) -> HnswVectors:
        from recollect.index.vector.hnsw import HnswVectors  # small stores never load the library

        graph = HnswVectors(flat.dimensions, dtype=self._dtype)
        graph.apply(flat.rows(), ())
        return graph
