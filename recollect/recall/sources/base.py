"""What every source of candidates is given and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ProviderError
from recollect.index.base import Mask, Pks, Scored, Selection
from recollect.index.keys import among
from recollect.limits import CANDIDATES_MAX
from recollect.model.query import Criteria
from recollect.store.base import Tx
from recollect.store.candidates import Holdings
from recollect.store.vectors import Space

_WIDEN = 4


class Ahead(NamedTuple):
    """The question's vector by a model that is asked before the read, or why there is none. Neither: asked later."""

    vector: NDArray[np.float32] | None = None
    error: ProviderError | None = None


NOT_YET = Ahead()
NOTHING = Scored(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


class SourceRanking(NamedTuple):
    """One source's answer: rows best first."""

    source: str
    found: Scored


@dataclass(slots=True, kw_only=True)
class Look:
    """One search as the sources see it: a snapshot of the tables, what counts, and how many to bring.

    `selection` is what the indexes in memory may return; None means that they cannot answer (cold, far behind, or
    asked about the past) and the source has to ask the disk. `settled` says that it decides everything; otherwise
    what an index finds is checked against the tables. `missing` collects what a source could not do.
    """

    tx: Tx
    criteria: Criteria
    now: int
    limit: int
    top_k: int
    selection: Selection | None
    settled: bool = True
    inside: bool = False  # the database searches: nothing is missing where there is no selection
    semantic: bool = False  # whether vectors took part
    ahead: Ahead = NOT_YET
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _holds: Holdings | None = None
    _spaces: list[Space] | None = None
    _visible: tuple[list[int] | None] | None = None

    def visible(self) -> list[int] | None:
        """Keys of the scopes that the search may see, None for all of them; read once."""
        if self._visible is None:
            self._visible = (self.tx.scopes.visible(self.criteria.scope, self.criteria.reach),)
        return self._visible[0]

    def holds(self) -> Holdings:
        """What the store holds at all; read once."""
        if self._holds is None:
            self._holds = self.tx.candidates.holdings()
        return self._holds

    def spaces(self) -> list[Space]:
        """The spaces that are searched, active ones first; read once."""
        if self._spaces is None:
            self._spaces = self.tx.vectors.spaces()
        return self._spaces

    def best(self, search: Callable[[int], Scored], limit: int | None = None) -> Scored:
        """The best rows of an index that count. `search(n)` gives its best n; it is widened until enough remain."""
        limit = self.limit if limit is None else limit
        if self.settled:
            return search(limit)
        wide = limit * _WIDEN
        while True:
            found = search(wide)
            keep = self.meets(found.pks)
            if keep.sum() >= limit or len(found.pks) < wide or wide >= CANDIDATES_MAX:
                return Scored(found.pks[keep][:limit], found.scores[keep][:limit])
            wide = min(wide * _WIDEN, CANDIDATES_MAX)

    def counts(self, pks: Pks) -> Mask:
        """Which rows the search may return: by the columns in memory where they decide, by the tables where not."""
        if self.selection is None:
            return self.meets(pks)
        counts = self.selection.allows(pks)
        if not self.settled and counts.any():
            counts[counts] = self.meets(pks[counts])
        return counts

    def meets(self, pks: Pks) -> Mask:
        """Which of these rows meet the criteria, by the tables."""
        allowed = self.tx.records.matching(self.criteria, now=self.now, among=pks.tolist())
        return among(pks, np.array(allowed, dtype=np.int64))


def best_first(pks: Pks, scores: NDArray[np.floating], limit: int) -> Scored:
    """The best rows first; equal scores: the newest first."""
    order = np.lexsort((-pks, -scores))[:limit]
    return Scored(pks[order], scores[order].astype(np.float32))
