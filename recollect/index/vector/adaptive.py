"""A scan while there are few vectors, a graph once there are many, and a scanned tail of the newest before the graph.

Adding to the graph takes a fraction of a millisecond a row, which a search that finds a thousand new rows cannot wait
for. New rows therefore go to the tail, where they are found at once, and are settled into the graph by the feeding
thread in its own time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from recollect.config.storage import IndexSettings
from recollect.index.base import Pks, Scored, Selection, Stamp
from recollect.index.vector.flat import FlatVectors, Vectors, best

if TYPE_CHECKING:
    from recollect.index.vector.hnsw import HnswVectors


class AdaptiveVectors:
    """The `VectorIndex` that grows. It never goes back to a scan: rows that left usually come again.

    A row may for a moment be in the tail and in the graph; the tail's is the newer one. One thread applies and settles,
    any thread searches.
    """

    def __init__(self, dimensions: int, *, settings: IndexSettings = IndexSettings()) -> None:
        self._dimensions = dimensions
        self._settings = settings
        self._tail = FlatVectors(dimensions)
        self._graph: HnswVectors | None = None

    @classmethod
    def over(cls, graph: HnswVectors, *, settings: IndexSettings = IndexSettings()) -> AdaptiveVectors:
        """Go on with a graph loaded from its file."""
        index = cls(graph.dimensions, settings=settings)
        index._graph = graph
        return index

    @classmethod
    def load(cls, path: Path, *, space: str, dimensions: int, settings: IndexSettings) -> tuple[AdaptiveVectors, Stamp]:
        """Go on from a file; `StoreDamaged` unless it is whole and of this space."""
        from recollect.index.vector.hnsw import HnswVectors

        graph, stamp = HnswVectors.load(path, space=space, dimensions=dimensions, settings=settings)
        return cls.over(graph, settings=settings), stamp

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def count(self) -> int:
        return self._tail.count() + (self._graph.count() if self._graph is not None else 0)

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        self._tail.apply(puts, deletes)
        if self._graph is not None:
            stale = [*deletes, *(puts[0].tolist() if puts is not None else ())]
            self._graph.apply(None, stale)

    def unsettled(self) -> int:
        """Rows of the tail that belong into the graph."""
        few = self._graph is None and self._tail.count() <= self._settings.flat_max
        return 0 if few else self._tail.count()

    def settle(self, rows_max: int | None = None) -> None:
        """Move rows from the tail into the graph, all of them or the oldest few; for the feeding thread."""
        if not self.unsettled():
            return
        if self._graph is None:
            from recollect.index.vector.hnsw import HnswVectors  # small stores never load the library

            self._graph = HnswVectors(self._dimensions, settings=self._settings)
        pks, vectors = self._tail.rows()
        self._graph.apply((pks[:rows_max], vectors[:rows_max]), ())
        self._tail.apply(None, pks[:rows_max].tolist())

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        tail = self._tail.snapshot()  # before the graph: rows move from here to there
        graph = self._graph
        if graph is not None and not tail.count():
            return graph.search(query, limit=limit, among=among)
        newest = tail.search(query, limit=limit, among=among)
        if graph is None:
            return newest
        older = graph.search(query, limit=limit, among=among)
        if not len(newest.pks):
            return older
        fresh = np.isin(older.pks, tail.rows()[0], invert=True)
        return best(
            np.concatenate([newest.pks, older.pks[fresh]]), np.concatenate([newest.scores, older.scores[fresh]]), limit
        )

    def vectors(self, pks: Pks) -> Vectors:
        if self._graph is not None and not self._tail.count():
            return self._graph.vectors(pks)
        found = self._tail.vectors(pks)
        if self._graph is not None:
            missing = ~found.any(axis=1)
            if missing.any():
                found[missing] = self._graph.vectors(pks[missing])
        return found

    def close(self) -> None:
        self._tail.close()
        if self._graph is not None:
            self._graph.close()

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        """Write the graph for the next start. False: there is none yet, and a scan needs no file."""
        self.settle()
        if self._graph is None:
            return False
        self._graph.save(path, space=space, watermark=watermark)
        return True
