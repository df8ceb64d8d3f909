"""The last word on order: what says the same is said once, a fact before its source, variety before repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks

Array = NDArray[Any]

_ROUNDING = 1e-4  # of a cosine in half precision, whatever the order it is added up in


def distinct(contents: Sequence[str]) -> tuple[Array, dict[int, list[int]]]:
    """Places of the first of each content, in order, and the places of its repetitions: the same text is one answer."""
    first: dict[str, int] = {}
    repeated: dict[int, list[int]] = {}
    for place, content in enumerate(contents):
        if first.setdefault(content, place) != place:
            repeated.setdefault(first[content], []).append(place)
    return np.fromiter(first.values(), dtype=np.int64, count=len(first)), repeated


def facts_first(pks: Pks, scores: Array, facts: Pks, turns: Pks) -> tuple[Array, Array]:
    """A new order of places, and the scores in it, when `facts[i]` was drawn from `turns[i]`.

    A fact stands for the turn it came from: it takes the better of the two scores, and the turn, which the hit names as
    its source, comes after all that has something else to say.
    """
    place = {pk: at for at, pk in enumerate(pks.tolist())}
    raised = scores.copy()
    told = np.zeros(len(pks), dtype=np.bool_)
    for fact, turn in zip(facts.tolist(), turns.tolist(), strict=True):
        if fact in place and turn in place and fact != turn:
            raised[place[fact]] = max(raised[place[fact]], scores[place[turn]])
            told[place[turn]] = True
    order = np.lexsort((-raised, told))
    return order, falling(raised[order])


def falling(scores: Array) -> Array:
    """Scores for an order that is not theirs: none is above the one before it."""
    return np.minimum.accumulate(scores)


def any_alike(vectors: Array, alike_min: float) -> bool:
    """Whether any two of these rows repeat each other. If not of the first rows of a falling order, it is varied."""
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, 0.0)
    return bool(likeness.max(initial=0.0) >= alike_min - _ROUNDING)


def varied(scores: Array, vectors: Array, *, count: int, relevance_share: float, alike_min: float) -> Array:
    """Places of the `count` best by maximal marginal relevance, then the rest as they were.

    Each next one is worth `relevance_share` of its score less the remaining share of its likeness to the nearest one
    chosen before it. Likeness below `alike_min` counts as none: turns about one topic are no repetition.
    """
    likeness = np.maximum(vectors @ vectors.T - alike_min, 0.0) / max(1e-9, 1.0 - alike_min)
    np.fill_diagonal(likeness, 0.0)
    repeating = np.asarray(likeness.any(axis=1))
    nearest = np.zeros(len(scores))
    worth = relevance_share * scores
    left = np.ones(len(scores), dtype=np.bool_)
    chosen: list[int] = []
    for _ in range(min(count, len(scores))):
        best = int(worth.argmax())
        chosen.append(best)
        left[best] = False
        if repeating[best]:  # most are like no other, and change nothing for those that are left
            np.maximum(nearest, likeness[best], out=nearest)
            worth = np.where(left, relevance_share * scores - (1.0 - relevance_share) * nearest, -np.inf)
        else:
            worth[best] = -np.inf
    return np.concatenate([np.array(chosen, dtype=np.int64), np.flatnonzero(left)])
