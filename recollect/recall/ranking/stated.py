"""What the statements drawn from a turn say for it: a long turn may answer in a few of its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.index.keys import each_once
from recollect.model.query import Criteria
from recollect.providers.base import Vectors
from recollect.recall.ranking.asked import in_terms_of
from recollect.recall.ranking.ground import cold_ground
from recollect.recall.ranking.lexical import WeighedQuestion, match
from recollect.recall.sources.base import Look
from recollect.recall.sources.relations import linked

Array = NDArray[Any]

_DRAWN = ("derived_from",)
WORDS_SHARE = 0.5  # of a statement's vote; the rest is likeness of meaning


def stated(
    look: Look, indexes: Indexes, pks: Pks, asked: WeighedQuestion, vectors_of: Callable[[Pks], Vectors]
) -> Array:
    """The best vote of each candidate's statements, in [0, 1]: how much of the question one of them meets."""
    votes = np.zeros(len(pks))
    turns, statements = _statements(look, indexes, pks)
    if not len(turns):
        return votes
    vote = WORDS_SHARE * _met(look, indexes, statements, asked)
    if asked.direction is not None:
        vote = vote + (1.0 - WORDS_SHARE) * np.maximum(vectors_of(statements) @ asked.direction, 0.0)
    np.maximum.at(votes, np.searchsorted(pks, turns), vote)
    return votes


def _statements(look: Look, indexes: Indexes, pks: Pks) -> tuple[Pks, Pks]:
    """Turns among these rows, and for each a statement drawn from it that holds now, whoever may see it."""
    if look.selection is None:
        among = replace(look, criteria=Criteria(scope=look.criteria.scope, reach=look.criteria.reach, drawn=True))
        found = linked(among, indexes, pks, _DRAWN, "in")
        return found.start, found.end
    found = linked(look, indexes, pks, _DRAWN, "in")
    held = indexes.columns.select(scope_pks=None, now=look.now).allows(found.end)
    return found.start[held], found.end[held]


def _met(look: Look, indexes: Indexes, statements: Pks, asked: WeighedQuestion) -> Array:
    """The share of the question's words that each statement holds, rare ones counting more."""
    forward, ids, keys, rows = indexes.forward, asked.ids, statements, np.arange(len(statements))
    if look.selection is None:
        ground = cold_ground(look.tx, each_once(statements))
        forward, ids, keys = ground.forward, in_terms_of(asked, ground.forward).ids, ground.keys
        rows = np.searchsorted(ground.pks, statements)
    holds = np.zeros((len(keys), len(asked.terms)))
    found, _ = match(forward, keys, ids)
    holds[found.row, found.term] = 1.0
    return np.asarray(holds[rows] @ asked.worth / (float(asked.worth.sum()) or 1.0))
