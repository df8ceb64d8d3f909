"""Waiting for the indexes to take in what was stored."""

from __future__ import annotations

import time

from recollect.errors import NoIndex
from recollect.index.follow import Indexes
from recollect.upkeep.jobs.worker import Progress

_WAIT_S, _WAITS = 0.05, 600


def await_indexes(indexes: Indexes, progress: Progress) -> None:
    """Candidates come from the indexes; while these are cold or take in a bulk load there is time."""
    for _ in range(_WAITS):
        if indexes.current():
            return
        time.sleep(_WAIT_S)
        if not progress(0.0):
            raise InterruptedError("stopped before the end")
    raise NoIndex("the indexes do not catch up; what rests on them is done later")
