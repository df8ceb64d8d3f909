"""Searching among some rows with a library that takes no filter, or takes only a short one."""

from __future__ import annotations

import math
from collections.abc import Callable

from recollect.index.base import Pks, Scored, Selection
from recollect.index.vector.flat import best

_MARGIN = 1.5
_GROWTH = 4


def hunted(
    limit: int,
    among: Selection,
    *,
    nearest: Callable[[int], Scored],
    compared: Callable[[Pks | None], Scored],
    worth: Callable[[int], bool],
) -> Scored:
    """More than is wanted is fetched and filtered, as long as that is `worth` it for so many; else the allowed rows
    are `compared` one by one, all rows where it is given None. A filter never costs a search its results."""
    filtered = among.count < among.total
    fetch = math.ceil(limit * _MARGIN * among.total / among.count) if filtered else limit
    while worth(fetch):
        found = nearest(fetch)
        if filtered:
            allowed = among.allows(found.pks)
            found = Scored(found.pks[allowed], found.scores[allowed])
        if len(found.pks) >= limit:
            return best(found.pks, found.scores, limit)
        fetch *= _GROWTH
    return compared(among.pks() if filtered else None)
