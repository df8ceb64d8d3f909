"""Candidates whose texts are withheld: found by their vectors, which are turned by a key, and by nothing else.

They lie apart from all other vectors, in no index and no file. A search of somebody who may see such a record turns its
question by the same key and compares. They are few: all of them are compared, and kept in memory between searches.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

import numpy as np

from recollect.index.base import Pks, Scored
from recollect.providers.base import Vectors
from recollect.recall.sources.base import Look, best_first
from recollect.security.projection import Projections
from recollect.store.base import Tx
from recollect.store.vectors import Space


class _Held(NamedTuple):
    """The vectors of one space as they were at a moment of the feed."""

    at: int
    turning: Projections
    pks: Pks
    rows: Vectors  # turned, of length 1


class WithheldVectors:
    """The vectors of withheld texts. `turning` is None where the store has no key: then nothing of them is found."""

    def __init__(self, turning: Callable[[], Projections | None]) -> None:
        self._turning = turning
        self._held: dict[int, _Held] = {}
        self._lock = Lock()

    def found(self, look: Look, space: Space, query: Vectors, others: Scored | None) -> Scored | None:
        """The nearest rows of a space, those whose texts are withheld among the others."""
        held = self._of(look.tx, space)
        if held is None or not len(held.pks):
            return others
        near = held.rows @ held.turning.project(_unit(query))
        best = best_first(held.pks, near, look.limit)
        keep = look.counts(best.pks)
        mine = Scored(best.pks[keep], best.scores[keep])
        if others is None or not len(others.pks):
            return mine
        pks, scores = np.concatenate([others.pks, mine.pks]), np.concatenate([others.scores, mine.scores])
        return best_first(pks, scores, max(len(others.pks), len(mine.pks)))

    def filled(self, look: Look, pks: Pks, space: Space, vectors: Vectors) -> Vectors:
        """The vectors of candidates, with those of withheld texts in their places."""
        held = self._of(look.tx, space)
        if held is None or not len(held.pks):
            return vectors
        at = np.minimum(np.searchsorted(held.pks, pks), len(held.pks) - 1)
        mine = np.flatnonzero(held.pks[at] == pks)
        if len(mine):
            vectors = vectors.copy()
            vectors[mine] = held.turning.unproject(held.rows[at[mine]])
        return vectors

    def _of(self, tx: Tx, space: Space) -> _Held | None:
        if not tx.sealed.any_vector():
            return None
        turning = self._turning()
        if turning is None:
            return None
        now = tx.changes.newest()
        with self._lock:
            held = self._held.get(space.pk)
            if held is None or held.at != now or held.turning is not turning:
                rows = tx.sealed.vectors(space)
                pks = np.fromiter((pk for pk, _ in rows), dtype=np.int64, count=len(rows))
                held = self._held[space.pk] = _Held(now, turning, pks, _unit(space.decode([data for _, data in rows])))
            return held


def _unit(vectors: Vectors) -> Vectors:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0), dtype=np.float32)
