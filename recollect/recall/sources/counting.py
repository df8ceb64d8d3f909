"""Which of the rows that a source came upon count in this search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Mask, Pks, Scored
from recollect.recall.sources.base import Look


def counting(look: Look, pks: Pks) -> Mask:
    """The rows that the search may return: by the columns in memory where they decide, by the tables where not."""
    if look.selection is None:
        return look.meets(pks)
    counts = look.selection.allows(pks)
    if not look.settled and counts.any():
        counts[counts] = look.meets(pks[counts])
    return counts


def best(pks: Pks, scores: NDArray[np.floating], limit: int) -> Scored:
    """The best rows first; equal scores: the newest first."""
    order = np.lexsort((-pks, -scores))[:limit]
    return Scored(pks[order], scores[order].astype(np.float32))
