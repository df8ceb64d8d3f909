"""Which of several candidates about one thing is the later word on it.

Two turns about one thing are alike, and where a question asks how things are the later one holds. How alike two turns
are and how well the other one meets the question say how far a candidate goes on from an older one, and how far a newer
one goes on from it. Nothing is decided here: both are parts of a score, weighed like all others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Mask

Array = NDArray[Any]

UNRELATED = 0.2  # how alike two turns of one person are that have nothing to do with each other
COMPARED_MAX = 64  # best candidates that are compared with each other


class Succession(NamedTuple):
    """Shares from 0 to 1, one for each candidate: something older is on the same, something newer is."""

    later: Array
    earlier: Array


def succession(vectors: Array, relevance: Array, times_us: Array, speaking: Mask) -> Succession:
    """How each candidate stands to those about the same. `speaking` are the ones whose word counts: people's.

    `vectors` have length 1, or are zero; candidates come in the order in which they were stored.
    """
    count = len(relevance)
    later, earlier = np.zeros(count), np.zeros(count)
    best = float(relevance.max(initial=0.0))
    if best <= 0.0:
        return Succession(later, earlier)
    rows = np.argsort(-relevance, kind="stable")[:COMPARED_MAX]
    order = np.empty(count, dtype=np.int64)
    order[np.lexsort((np.arange(count), times_us))] = np.arange(count)
    among, place = vectors[rows], order[rows]
    weight = np.maximum((among @ among.T - UNRELATED) / (1.0 - UNRELATED), 0.0) * (
        relevance[rows] / best * speaking[rows]
    )
    newer = place[None, :] > place[:, None]
    earlier[rows] = np.where(newer, weight, 0.0).max(axis=1)
    later[rows] = np.where(newer.T, weight, 0.0).max(axis=1) * speaking[rows]
    return Succession(later, earlier)
