"""What the statements drawn from a turn say for it: a long turn may answer in a few of its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.providers.base import Vectors
from recollect.recall.ranking.lexical import WeighedQuestion, match

Array = NDArray[Any]

_DRAWN = ("derived_from",)
WORDS_SHARE = 0.5  # of a statement's vote; the rest is likeness of meaning


def stated(
    indexes: Indexes, pks: Pks, asked: WeighedQuestion, vectors_of: Callable[[Pks], Vectors], *, now: int
) -> Array:
    """The best vote of each candidate's statements, in [0, 1]: how much of the question one of them meets."""
    votes = np.zeros(len(pks))
    arcs = indexes.graph.hop(pks.tolist(), labels=_DRAWN, direction="in", at=now)
    if not len(arcs.start):
        return votes
    held = indexes.columns.select(scope_pks=None, now=now).allows(arcs.end)
    turns, statements = arcs.start[held], arcs.end[held]
    vote = WORDS_SHARE * _met(indexes, statements, asked)
    if asked.direction is not None:
        vote = vote + (1.0 - WORDS_SHARE) * np.maximum(vectors_of(statements) @ asked.direction, 0.0)
    np.maximum.at(votes, np.searchsorted(pks, turns), vote)
    return votes


def _met(indexes: Indexes, statements: Pks, asked: WeighedQuestion) -> Array:
    """The share of the question's words that each statement holds, rare ones counting more."""
    question = asked
    holds = np.zeros((len(statements), len(question.terms)))
    found, _ = match(indexes.forward, statements, question.ids)
    holds[found.row, found.term] = 1.0
    return np.asarray(holds @ question.worth / (float(question.worth.sum()) or 1.0))
