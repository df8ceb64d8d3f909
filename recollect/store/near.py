"""The nearest vectors by the database itself: for searches that have no index in memory.

Every database compares the vectors of the rows that a search may return, where these are few. One that has an index of
its own over vectors answers for many, too (`store.postgres.near`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.model.query import Criteria
from recollect.store.base import Group
from recollect.store.vectors import Space

COMPARED_MAX = 5_000  # rows whose vectors are read and compared one by one

Direction = NDArray[np.float32]


class NearRows(NamedTuple):
    """Rows best first with their cosines; `left_out` is how many of the newest were not looked at."""

    pks: NDArray[np.int64]
    cosines: NDArray[np.float32]
    left_out: int = 0


class NearSearch(Group):
    """Searches by meaning within one transaction."""

    def nearest(
        self, space: Space, direction: Direction, criteria: Criteria, *, now: int, limit: int
    ) -> NearRows | None:
        """The nearest rows that meet the criteria; None where they are too many to be compared one by one."""
        allowed = self.tx.records.matching(criteria, now=now, limit=COMPARED_MAX + 1)
        if len(allowed) > COMPARED_MAX:
            return None
        return self._compared(space, direction, allowed, limit)

    def _compared(self, space: Space, direction: Direction, pks: list[int], limit: int) -> NearRows:
        """These rows by their stored vectors."""
        found, rows = self.tx.vectors.load(space, pks)
        lengths = np.linalg.norm(rows, axis=1)
        cosines = np.asarray(rows @ direction / np.where(lengths > 0.0, lengths, 1.0), dtype=np.float32)
        order = np.lexsort((-found, -cosines))[:limit]
        return NearRows(found[order], cosines[order])


class NearKeeper(Protocol):
    """Keeps vectors where the database can search them: a table beside the one that holds them, filled from it and
    kept fresh by the change feed, as every index is. One process of a store does it at a time."""

    def lacks(self) -> str:
        """Why this database cannot search vectors, and what to do; '' if it can."""

    def keep(self, going_on: Callable[[], bool]) -> float:
        """Bring the tables in step, as far as nobody else does; how much of them is there, 1 when searches may ask."""

    def behind(self) -> int:
        """Entries of the feed that the tables do not hold yet: searches compare their rows one by one."""
