"""The few places where a benchmark looks behind the facade."""

from __future__ import annotations

import time

from recollect.index.follow import Indexes
from recollect.memory import Memory

_POLL_S = 0.005
_WAIT_MAX_S = 1_800


def indexes_of(mem: Memory) -> Indexes:
    return mem._engine.indexes


def indexed(mem: Memory) -> int:
    """Rows that every index holds already."""
    indexes = indexes_of(mem)
    return min([indexes.columns.count(), *(index.count() for index in indexes.vectors.values())])


def wait_until_current(mem: Memory) -> None:
    """Until the indexes are warm and have followed every change. Only looks: the following is left to its thread."""
    indexes = indexes_of(mem)
    deadline = time.monotonic() + _WAIT_MAX_S
    while not indexes.warm or indexes.behind():
        if time.monotonic() > deadline:
            raise TimeoutError(f"the indexes are {indexes.behind()} changes behind after {_WAIT_MAX_S} s")
        time.sleep(_POLL_S)
