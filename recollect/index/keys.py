"""Sets of row keys as arrays.

numpy's own set functions take every shape and type. For the few hundred integers of one search they need three to six
times as long, and the first of them imports a part of numpy that costs a cold start as much as the search itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Mask

Keys = NDArray[Any]  # integers


def each_once(keys: Keys) -> Keys:
    """Each key once, ascending."""
    ordered = np.sort(keys)
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def among(keys: Keys, others: Keys) -> Mask:
    """Which of the keys are also among the others, in whatever order these are."""
    if not len(others):
        return np.zeros(len(keys), dtype=np.bool_)
    ordered = np.sort(others)
    return np.asarray(ordered.take(ordered.searchsorted(keys), mode="clip") == keys)
