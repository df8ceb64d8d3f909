"""What words are worth among the records that are asked: rare ones say more, and only those that can be seen count."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recollect.clock import Clock
from recollect.index.follow import Indexes
from recollect.model.query import Criteria
from recollect.recall.ranking.asked import cold_question, question_of
from recollect.recall.ranking.lexical import WeighedQuestion, worth_of
from recollect.recall.select import select
from recollect.store.base import Store, Tx


@dataclass(frozen=True, slots=True)
class Worth:
    """What terms are worth here; `most` is that of a word which one record holds."""

    of: Mapping[str, float]
    most: float

    def total(self, terms: Collection[str]) -> float:
        return sum(self.of.get(term, self.most) for term in terms)

    def share(self, terms: Collection[str], held: Collection[str]) -> float:
        """How much of the terms is held, by what they are worth: 0 to 1."""
        total = self.total(terms)
        return self.total([term for term in terms if term in held]) / total if total else 0.0

    def rarity(self, terms: Collection[str]) -> float:
        """1 for a name that one record holds, less for one that stands everywhere."""
        return min(1.0, max((self.of.get(term, self.most) for term in terms), default=0.0) / self.most)


_PORTION = 8  # names whose words are counted at once: a question has a bound


class Weighing:
    """Counts words among the rows that criteria let through."""

    def __init__(self, store: Store, indexes: Indexes, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._clock = clock

    def worth(self, texts: Sequence[str], criteria: Criteria) -> Worth:
        """What the words of these texts are worth."""
        now = self._clock()
        warm = not criteria.needs_sql and self._indexes.current()
        portions = [" ".join(texts[at : at + _PORTION]) for at in range(0, len(texts), _PORTION)]
        with self._store.read() as tx:
            count = self._in_memory(tx, criteria, now) if warm else self._on_disk(tx, criteria, now)
            counted = [count(portion) for portion in portions]
        worth = {term: value for each in counted for term, value in zip(each.terms, each.worth.tolist(), strict=True)}
        rows = max((each.rows for each in counted), default=0)
        return Worth(worth, float(worth_of(np.array([1.0]), max(2, rows))[0]))

    def _in_memory(self, tx: Tx, criteria: Criteria, now: int) -> Callable[[str], WeighedQuestion]:
        among, _ = select(tx, self._indexes, criteria, now=now)
        index = self._indexes.text
        return lambda text: question_of(
            self._indexes.forward, text, among, lambda term: len(index.search([term], limit=1, among=among).pks) > 0
        )

    def _on_disk(self, tx: Tx, criteria: Criteria, now: int) -> Callable[[str], WeighedQuestion]:
        return lambda text: cold_question(tx, text, criteria, now=now)
