"""A vector index that is not trusted: a service elsewhere, a plugin of somebody's. It learns as little as it can.

It gets vectors that are turned by a key it does not have (`projection`) and told in 8 bits a dimension, questions as
well as records. It is told no scopes: what a caller may not see is taken out here, after it has answered. It is asked
so many questions in a minute and no more. And what it answers is held against what it may answer: rows that it was
never given, rows twice, and scores that are none are dropped.

It still learns how many rows there are, in which order they came, which of them lie near each other and near which
questions, and when they are asked for. It can leave out what it likes. Code of a plugin that runs in this process can
read all of its memory: for that no wrapper helps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from recollect.index.base import Mask, Pks, Scored, Selection, VectorIndex
from recollect.index.vector.flat import NOTHING, best, unit
from recollect.security.projection import Projections, Vectors, quantised
from recollect.security.quota import Quota

if TYPE_CHECKING:
    from recollect.config.guarding import SecuritySettings

_MORE = 4  # times as many rows as are wanted, at first and whenever too few of them may be seen
_BACK_END = "searches of an untrusted vector back end"


class UntrustedVectors:
    """A `VectorIndex`, growing or not, between us and one that is not trusted."""

    def __init__(self, inner: VectorIndex, turning: Projections, settings: Callable[[], SecuritySettings]) -> None:
        self._inner = inner
        self._turning = turning
        self._settings = settings
        self._quota = Quota()
        self._given = np.empty(0, dtype=np.int64)  # the rows that it has from us, ascending

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def count(self) -> int:
        return len(self._given)

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        """Hand rows on, as it may see them."""
        shown = None if puts is None else (puts[0], self._told(puts[1]))
        gone = np.asarray(deletes, dtype=np.int64)
        new = np.empty(0, dtype=np.int64) if puts is None else np.asarray(puts[0], dtype=np.int64)
        self._inner.apply(shown, deletes)
        self._given = np.union1d(np.setdiff1d(self._given, gone), new)

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        """The nearest of the rows that may be seen, as far as it tells the truth. `RateLimited` past the limit."""
        direction = unit(query)
        if direction is None or limit <= 0 or not len(self._given):
            return NOTHING
        self._quota.take(_BACK_END, self._settings().plugin_searches_per_minute, what=_BACK_END)
        asked, told = min(limit * _MORE, len(self._given)), self._told(direction)
        while True:
            found = self._sound(self._inner.search(told, limit=asked, among=_Everything(self._given)))
            allowed = among.allows(found.pks)
            seen = Scored(found.pks[allowed], found.scores[allowed])
            if len(seen.pks) >= limit or asked >= len(self._given):
                return best(seen.pks, seen.scores, limit)
            asked = min(asked * _MORE, len(self._given))

    def vectors(self, pks: Pks) -> Vectors:
        """The rows turned back, as near as 8 bits tell them; a zero row where it has none, or gives nonsense."""
        rows = np.asarray(self._inner.vectors(pks), dtype=np.float32)
        if rows.shape != (len(pks), self.dimensions):
            return np.zeros((len(pks), self.dimensions), dtype=np.float32)
        rows = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, np.float32(0.0))
        return self._turning.unproject(rows)

    def unsettled(self) -> int:
        settle = getattr(self._inner, "unsettled", None)
        return int(settle()) if settle is not None else 0

    def settle(self, rows_max: int | None = None) -> None:
        if (settle := getattr(self._inner, "settle", None)) is not None:
            settle(rows_max)

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        """Nothing of it is kept beside the store."""
        return False

    def close(self) -> None:
        self._inner.close()

    def _told(self, vectors: Vectors) -> Vectors:
        return quantised(self._turning.project(vectors))

    def _sound(self, found: Scored) -> Scored:
        """What of an answer can be one: rows that we gave it, once each, with scores that are cosines."""
        pks, scores = np.asarray(found.pks, dtype=np.int64), np.asarray(found.scores, dtype=np.float32)
        if pks.shape != scores.shape or pks.ndim != 1:
            return NOTHING
        real = np.isfinite(scores) & np.isin(pks, self._given)
        pks, scores = pks[real], scores[real]
        _, first = np.unique(pks, return_index=True)
        return Scored(pks[first], np.clip(scores[first], -1.0, 1.0))


class _Everything:
    """A selection of all rows: it tells nothing about who asks."""

    scope_pks = None

    def __init__(self, pks: Pks) -> None:
        self._pks = pks

    @property
    def count(self) -> int:
        return len(self._pks)

    total = count

    def allows(self, pks: Pks) -> Mask:
        return np.ones(len(pks), dtype=np.bool_)

    def pks(self) -> Pks:
        return self._pks
