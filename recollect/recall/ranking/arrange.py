"""The last word on order: what says the same is said once, a fact before its source, variety before repetition.

Beside that: the order by places in the sources alone, and which records were no help for a question like this one. A
record may be wrong in one context and right in another: "Ana uses vim" is no answer to which editor she uses now, and a
good one to which tools she knows. So a judgement counts where the question resembles the one it was given for, for a
while, and the newest one decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.clock import DAY_US
from recollect.config.reading import RecallSettings
from recollect.index.base import Mask, Pks
from recollect.index.keys import among, each_once
from recollect.recall.ranking.rank import Ranked
from recollect.recall.sources.base import SourceRanking
from recollect.store.base import Tx
from recollect.store.feedback import Context

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


def fuse(rankings: Sequence[SourceRanking], weights: Mapping[str, float], k: int) -> Ranked:
    """The union of the rankings; 1 means first in every source that took part. Equal scores: newest first.

    `vector:name`, a space being built, weighs like `vector`.
    """
    taking_part = [ranking for ranking in rankings if len(ranking.found.pks)]
    if not taking_part:
        return Ranked(np.empty(0, dtype=np.int64), np.empty(0), {})
    weight_of = [weights[ranking.source.partition(":")[0]] for ranking in taking_part]
    best = sum(weight_of) / (k + 1) or 1.0
    pks = each_once(np.concatenate([ranking.found.pks for ranking in taking_part]))
    parts: dict[str, Array] = {}
    for weight, ranking in zip(weight_of, taking_part, strict=True):
        shares = weight / (k + 1 + np.arange(len(ranking.found.pks))) / best
        parts[ranking.source] = np.zeros(len(pks))
        np.add.at(parts[ranking.source], np.searchsorted(pks, ranking.found.pks), shares)
    scores = np.sum(list(parts.values()), axis=0)
    order = np.lexsort((-pks, -scores))
    return Ranked(pks[order], scores[order], {name: part[order] for name, part in parts.items()})


def suppressed(tx: Tx, pks: Pks, asked: Callable[[], Context], *, now: int, settings: RecallSettings) -> Mask:
    """Which of these records were judged unhelpful in a context like this.

    `asked` makes the question ready for comparison, and is called only if something was said about one of them. For
    searches of the past it is the wrong thing to ask.
    """
    out = np.zeros(len(pks), dtype=np.bool_)
    said = tx.feedback.judgements(pks.tolist(), since=now - int(settings.feedback_days * DAY_US))
    if not said:
        return out
    here = asked()
    helpful: dict[int, bool] = {}
    for judgement in said:  # newest first
        if judgement.record_pk not in helpful and alike(here, judgement.context, settings):
            helpful[judgement.record_pk] = judgement.helpful
    unhelpful = [pk for pk, helped in helpful.items() if not helped]
    return among(pks, np.array(unhelpful, dtype=np.int64))


def alike(one: Context, other: Context, settings: RecallSettings) -> bool:
    """Whether two questions are asked in the same context: by meaning where one model saw both, else by their words."""
    if one.vector is not None and other.vector is not None and one.model == other.model:
        return float(one.vector @ other.vector) > settings.feedback_similarity
    common = len(np.intersect1d(one.terms, other.terms, assume_unique=True))
    return common > 0 and common / (len(one.terms) + len(other.terms) - common) >= settings.feedback_overlap
