"""Which earlier records a new text is compared with: those nearest in meaning, and those that share its rare words."""

from __future__ import annotations

import numpy as np

from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.language.terms import query_terms
from recollect.store.stretches import TOLD, ToldRecord

TERMS_MAX = 16  # of a text that earlier ones are looked for by
LATER_MAX = 128  # more that are fetched at most because later ones may be among them


class EarlierRecords:
    """The records of one scope that were told, for a run of comparisons."""

    def __init__(self, indexes: Indexes, scope_pk: int, now: int) -> None:
        self._indexes = indexes
        self._among = indexes.columns.select(scope_pks=[scope_pk], kinds=TOLD, drawn=False, now=now)
        self._rows = self._among.pks()

    def nearest(self, said: ToldRecord, limit: int) -> list[int]:
        """At most `limit` keys of records stored before this one, best first: by turns by meaning and by words.

        What was stored before it may have been said after it; which of two is the newer one is the caller's to see.
        """
        before = int(np.searchsorted(self._rows, said.pk))
        if not before:
            return []
        fetched = limit + min(len(self._rows) - before, LATER_MAX)
        lists = [*self._by_meaning(said, fetched), self._by_words(said, fetched)]
        found: dict[int, None] = {}
        for place in range(fetched):
            for ranked in lists:
                if place < len(ranked) and ranked[place] < said.pk and len(found) < limit:
                    found[int(ranked[place])] = None
        return list(found)

    def _by_meaning(self, said: ToldRecord, limit: int) -> list[Pks]:
        row = np.array([said.pk], dtype=np.int64)
        found = []
        for index in list(self._indexes.vectors.values()):
            own = index.vectors(row)[0]
            if own.any():
                found.append(index.search(own, limit=limit, among=self._among).pks)
        return found

    def _by_words(self, said: ToldRecord, limit: int) -> Pks:
        terms = query_terms(said.content)[:TERMS_MAX]
        return self._indexes.text.search(terms, limit=limit, among=self._among).pks
