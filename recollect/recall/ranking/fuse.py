"""Reciprocal rank fusion over the union of what the sources found: for when only places are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from recollect.index.keys import each_once
from recollect.recall.ranking.rank import Array, Ranked
from recollect.recall.sources.base import Ranking


def fuse(rankings: Sequence[Ranking], weights: Mapping[str, float], k: int) -> Ranked:
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
