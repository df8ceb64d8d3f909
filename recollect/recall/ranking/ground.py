"""What ranking stands on: the words, neighbours and dates of the candidates.

Warm, they are at hand in the indexes. Cold, or asked about the past, the few candidates are read from the tables and
put into a small forward index of their own, so that one way of ranking serves both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.index.forward import Forward, ForwardRow, asks
from recollect.index.keys import among
from recollect.language.passages import passages_of
from recollect.language.terms import telling, terms_of
from recollect.model.labels import label_terms
from recollect.store.base import Tx

Array = NDArray[Any]


class Ground:
    """Candidates, ascending, and what is known of each: the turns beside it, its speaker, its length, its time.

    `keys` is what `forward` calls them: their own keys if warm, numbers from 1 if cold. `every` is the row behind each
    key, neighbours included, where that is another; `alone` says that none of them has a turn beside it.
    """

    __slots__ = ("after", "alone", "before", "every", "forward", "keys", "lengths", "pks", "speakers", "times_us")

    def __init__(self, forward: Forward, pks: Pks, keys: Pks, times_us: Array, every: Pks | None = None) -> None:
        self.forward = forward
        self.pks = pks
        self.keys = keys
        self.times_us = times_us
        self.every = every
        self.before, self.after = forward.before(keys), forward.after(keys)
        self.speakers = forward.spoken_by(keys)
        self.lengths = forward.lengths(keys)
        self.alone = not (self.before.any() or self.after.any())

    def rows(self, keys: Pks) -> Pks:
        """The rows behind keys of `forward`; 0 where there is none."""
        if self.every is None:
            return keys
        return np.where(keys > 0, self.every[np.maximum(keys, 1) - 1], 0)


def warm_ground(indexes: Indexes, candidates: Pks) -> Ground:
    """Candidates as the indexes hold them."""
    return Ground(indexes.forward, candidates, candidates, indexes.columns.event_times(candidates))


def cold_ground(tx: Tx, candidates: Pks) -> Ground:
    """Candidates as the tables hold them."""
    found = tx.candidates.with_neighbours(candidates.tolist())
    forward = Forward()
    forward.apply(
        [
            ForwardRow(
                key,
                _passages(row.content, label_terms(row.category, row.tags, row.metadata)),
                row.speaker,
                row.session_pk,
                asks(row.content),
            )
            for key, row in enumerate(found, start=1)
        ],
        [],
    )
    every = np.array([row.pk for row in found], dtype=np.int64)
    keys = np.flatnonzero(among(every, candidates)) + 1
    times = np.array([row.event_time for row in found], dtype=np.int64)
    return Ground(forward, every[keys - 1], keys, times[keys - 1], every)


def _passages(content: str, labels: list[str]) -> list[list[str]]:
    """Telling terms by passage; what a record is filed under stands at its end."""
    passages = [telling(terms_of(part)) for part in passages_of(content)]
    passages[-1].extend(labels)
    return passages
