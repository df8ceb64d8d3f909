"""The vectors that callers gave their nodes, searched in memory.

They are the caller's, of a model the store does not know: so they are in the attributes of their records rather than
in a space of the core, where `reembed` would drop them. Read at the first question, then followed by the change feed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from recollect.compat.topology.stored import unpacked
from recollect.store.base import Tx

Vector = NDArray[np.float32]
_CHANGES_MAX = 1_000  # entries of the feed up to which rows are read again one by one


class NodeVectors:
    """Vectors by the key of their record. Safe for many threads."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._seq: int | None = None
        self._rows: dict[int, Vector] = {}
        self._stacked: tuple[NDArray[np.int64], Vector] | None = None
        self._lock = Lock()
        self._warned = False

    def count(self, tx: Tx) -> int:
        """How many nodes have a vector of the store's length."""
        return len(self._current(tx)[0])

    def nearest(self, tx: Tx, vector: Vector, *, limit: int, among: Sequence[int] | None) -> list[tuple[int, float]]:
        """(key, cosine) of the nodes whose vectors are most like this one."""
        pks, rows = self._current(tx)
        if among is not None:
            kept = np.isin(pks, np.asarray(among, dtype=np.int64))
            pks, rows = pks[kept], rows[kept]
        scores = rows @ _unit(vector)
        best = np.lexsort((-pks, -scores))[:limit]
        return list(zip(pks[best].tolist(), scores[best].tolist(), strict=True))

    def _current(self, tx: Tx) -> tuple[NDArray[np.int64], Vector]:
        with self._lock:
            newest = tx.changes.newest()
            if self._seq != newest:
                self._follow(tx)
                self._seq = newest
            if self._stacked is None:
                pks = np.fromiter(self._rows, dtype=np.int64, count=len(self._rows))
                empty = np.empty((0, self._dimensions), dtype=np.float32)
                self._stacked = pks, np.stack(list(self._rows.values())) if self._rows else empty
            return self._stacked

    def _follow(self, tx: Tx) -> None:
        """Read what changed again, or everything if too much did or the feed does not reach back."""
        news = None
        if self._seq is not None and tx.changes.oldest() <= self._seq + 1:
            news = tx.changes.since(self._seq, _CHANGES_MAX + 1)
        if news is None or len(news) > _CHANGES_MAX:
            self._rows, self._stacked = {}, None
            self._take(tx.vectors.given())
            return
        for change in news:
            if change.topic == "record":
                span = range(change.first_pk, change.last_pk + 1)
                gone = [pk for pk in self._rows if pk in span]
                rows = tx.vectors.given((change.first_pk, change.last_pk))
                for pk in gone:
                    del self._rows[pk]
                self._take(rows)
                if gone or rows:
                    self._stacked = None

    def _take(self, rows: Iterable[tuple[int, str]]) -> None:
        taken: dict[int, Vector] = {}
        for pk, text in rows:
            vector = unpacked(text)
            if len(vector) == self._dimensions:
                taken[pk] = vector
            elif not self._warned:
                self._warned = True
                warnings.warn(
                    f"some nodes have vectors of {len(vector)} numbers, this store was opened for {self._dimensions}; "
                    "they are not searched by meaning: open it with their length, or store them again",
                    RuntimeWarning,
                    stacklevel=2,
                )
        if taken:  # lengths in one step
            stacked = np.stack(list(taken.values())).astype(np.float32)
            lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
            self._rows.update(zip(taken, stacked / np.where(lengths > 0, lengths, 1.0), strict=True))


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return (vector / length if length else vector).astype(np.float32)
