"""What ranking stands on: the words, neighbours and dates of the candidates.

Warm, they are at hand in the indexes. Cold, or asked about the past, the few candidates are read from the tables and
put into a small forward index of their own, so that one way of ranking serves both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.index.forward import Forward, ForwardRow, asks
from recollect.index.keys import among
from recollect.language.passages import passages_of
from recollect.language.terms import query_terms, telling, terms_of
from recollect.model.labels import label_terms
from recollect.recall.ranking.lexical import Question, worth_of
from recollect.store.base import Tx
from recollect.store.criteria import Clause

Array = NDArray[Any]

_NEIGHBOUR = (
    "(SELECT n.pk FROM record n WHERE n.session_pk = r.session_pk AND n.pk {0} r.pk AND n.kind = 'episodic' "
    "AND LIVE(n) ORDER BY n.pk {1} LIMIT 1)"
)
_NEIGHBOURS = (
    f"SELECT {_NEIGHBOUR.format('<', 'DESC')}, {_NEIGHBOUR.format('>', 'ASC')} FROM record r "
    "WHERE r.pk IN KEYS(?) AND r.session_pk IS NOT NULL AND r.kind = 'episodic'"
)
_ROWS = (
    "SELECT pk, content, coalesce(speaker, role), CASE kind WHEN 'episodic' THEN session_pk END, "
    "coalesce(event_time, created_at), category, tags, metadata FROM record WHERE pk IN KEYS(?) ORDER BY pk"
)


@dataclass(frozen=True, slots=True)
class Ground:
    """Candidates, ascending. `keys` is what `forward` calls them: their own keys if warm, numbers from 1 if cold."""

    forward: Forward
    pks: Pks
    keys: Pks
    times_us: Array
    every: Pks | None = None  # cold: the row behind each key, neighbours included

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
    beside = {
        pk for pair in tx.sql.all(_NEIGHBOURS, (tx.sql.keys(candidates.tolist()),)) for pk in pair if pk is not None
    }
    found = tx.sql.all(_ROWS, (tx.sql.keys(sorted(beside.union(candidates.tolist()))),))
    forward = Forward()
    forward.apply(
        [
            ForwardRow(key, _passages(content, label_terms(*labels)), speaker, session_pk, asks(content))
            for key, (_, content, speaker, session_pk, _, *labels) in enumerate(found, start=1)
        ],
        [],
    )
    every = np.array([row[0] for row in found], dtype=np.int64)
    keys = np.flatnonzero(among(every, candidates)) + 1
    times = np.array([row[4] for row in found], dtype=np.int64)
    return Ground(forward, every[keys - 1], keys, times[keys - 1], every)


def _passages(content: str, labels: list[str]) -> list[list[str]]:
    """Telling terms by passage; what a record is filed under stands at its end."""
    passages = [telling(terms_of(part)) for part in passages_of(content)]
    passages[-1].extend(labels)
    return passages


def cold_question(tx: Tx, text: str, clause: Clause) -> Question:
    """A question weighed by the text index on disk, which counts earlier versions too.

    A word that stands in none of the rows that are asked counts as met nowhere: an answer must not tell that others
    have used it.
    """
    terms = tuple(query_terms(text))
    counts = tx.text.holders(terms)
    unseen = tx.text.unseen(counts, clause)
    holders = np.array([0 if term in unseen else counts.get(term, 0) for term in terms], dtype=np.float64)
    rows = max(1, int(tx.sql.value("SELECT max(pk) FROM record") or 0))
    return Question(terms, np.full(len(terms), -1, dtype=np.int64), worth_of(holders, rows), rows)


def in_terms_of(question: Question, forward: Forward) -> Question:
    """The same question with the codes its terms have in an index."""
    return replace(question, ids=forward.term_ids(question.terms))
