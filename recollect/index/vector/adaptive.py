"""A scan while there are few vectors, a back end once there are many, and a scanned tail of the newest before it.

Adding to a graph or a database takes a fraction of a millisecond a row, which a search that finds a thousand new rows
cannot wait for. New rows therefore go to the tail, where they are found at once, and are settled into the back end, the
body, by the feeding thread in its own time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from recollect.index.base import BackendChoice, Pks, Scored, Selection, VectorBody
from recollect.index.vector.flat import FlatVectors, Vectors, best


class AdaptiveVectors:
    """The `GrowingVectors`. It never goes back to a scan: rows that left usually come again.

    A row may for a moment be in the tail and in the body; the tail's is the newer one. One thread applies and settles,
    any thread searches.
    """

    def __init__(
        self,
        dimensions: int,
        *,
        choice: BackendChoice,
        make: Callable[[], VectorBody],
        portion: int,
        flat_max: int,
        body: VectorBody | None = None,
    ) -> None:
        """`make` makes the body when rows are first settled; `body` is one that was opened from its file."""
        self.choice = choice
        self.portion = portion
        self.searches = 0
        self._dimensions = dimensions
        self._make = make
        self._flat_max = flat_max
        self._tail = FlatVectors(dimensions)
        self._body = body

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def small(self) -> bool:
        return self._body is None

    def count(self) -> int:
        return self._tail.count() + (self._body.count() if self._body is not None else 0)

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        self._tail.apply(puts, deletes)
        if self._body is not None:
            stale = [*deletes, *(puts[0].tolist() if puts is not None else ())]
            self._body.apply(None, stale)

    def unsettled(self) -> int:
        """Rows of the tail that belong into the body."""
        few = self._body is None and self._tail.count() <= self._flat_max
        return 0 if few else self._tail.count()

    def settle(self, rows_max: int | None = None) -> None:
        """Move rows from the tail into the body, all of them or the oldest few; for the feeding thread."""
        if not self.unsettled():
            return
        if self._body is None:
            self._body = self._make()  # small stores never load a library
        pks, vectors = self._tail.rows()
        self._body.apply((pks[:rows_max], vectors[:rows_max]), ())
        self._tail.apply(None, pks[:rows_max].tolist())

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        self.searches += 1  # two threads may count one: it only says how much this is used
        tail = self._tail.snapshot()  # before the body: rows move from here to there
        body = self._body
        if body is not None and not tail.count():
            return body.search(query, limit=limit, among=among)
        newest = tail.search(query, limit=limit, among=among)
        if body is None:
            return newest
        older = body.search(query, limit=limit, among=among)
        if not len(newest.pks):
            return older
        fresh = np.isin(older.pks, tail.rows()[0], invert=True)
        return best(
            np.concatenate([newest.pks, older.pks[fresh]]), np.concatenate([newest.scores, older.scores[fresh]]), limit
        )

    def vectors(self, pks: Pks) -> Vectors:
        if self._body is not None and not self._tail.count():
            return self._body.vectors(pks)
        found = self._tail.vectors(pks)
        if self._body is not None:
            missing = ~found.any(axis=1)
            if missing.any():
                found[missing] = self._body.vectors(pks[missing])
        return found

    def relieve(self) -> None:
        if self._body is not None:
            self._body.relieve()

    def close(self) -> None:
        self._tail.close()
        if self._body is not None:
            self._body.close()

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        """Write the body for the next start. False: there is none yet, and a scan needs no file, or it keeps none."""
        self.settle()
        return self._body is not None and self._body.save(path, space=space, watermark=watermark)
