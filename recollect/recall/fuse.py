"""Reciprocal rank fusion over the union of what the sources found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks
from recollect.model.result import TraceStep
from recollect.recall.sources.base import Ranking


class Fused(NamedTuple):
    """Candidates best first; `scores` are shares of the best possible: 1 means first in every source that took part."""

    pks: Pks
    scores: NDArray[Any]


def fuse(rankings: Sequence[Ranking], weights: Mapping[str, float], k: int) -> Fused:
    """The union of the rankings. Equal scores are ordered newest first."""
    taking_part = [ranking for ranking in rankings if len(ranking.found.pks)]
    if not taking_part:
        return Fused(np.empty(0, dtype=np.int64), np.empty(0))
    shares = _shares(taking_part, weights, k)
    pks, where = np.unique(np.concatenate([ranking.found.pks for ranking in taking_part]), return_inverse=True)
    scores: NDArray[Any] = np.bincount(where, weights=np.concatenate(shares), minlength=len(pks))
    order = np.lexsort((-pks, -scores))
    return Fused(pks[order], scores[order])


def steps_of(pk: int, rankings: Sequence[Ranking], weights: Mapping[str, float], k: int) -> tuple[TraceStep, ...]:
    """What each source said of one candidate; the contributions add up to its score."""
    taking_part = [ranking for ranking in rankings if len(ranking.found.pks)]
    return tuple(
        TraceStep(
            source=ranking.source,
            rank=place + 1,
            score=float(ranking.found.scores[place]),
            contribution=float(shares[place]),
        )
        for ranking, shares in zip(taking_part, _shares(taking_part, weights, k), strict=True)
        for place in np.flatnonzero(ranking.found.pks == pk).tolist()
    )


def _shares(rankings: Sequence[Ranking], weights: Mapping[str, float], k: int) -> list[NDArray[Any]]:
    """What each place of each ranking is worth. `vector:name`, a space being built, weighs like `vector`."""
    weight_of = [weights[ranking.source.partition(":")[0]] for ranking in rankings]
    best = sum(weight_of) / (k + 1) or 1.0
    return [
        weight / (k + 1 + np.arange(len(ranking.found.pks))) / best
        for weight, ranking in zip(weight_of, rankings, strict=True)
    ]
