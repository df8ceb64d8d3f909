"""Who uses the store right now: background work makes way for them, and for a machine that is short of memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

LATELY_S = 1.0  # a verb called within this time is foreground work
PAUSE_MAX_S = 0.2  # between two portions
SHORT_OF_MEMORY = 0.05  # share of the machine's memory that is left
MEMORY_WAITS, MEMORY_WAIT_S = 20, 0.5
_MEMINFO = Path("/proc/meminfo")


class Activity:
    """The last call from outside. `note` is called by every verb and costs next to nothing."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        self._last = -LATELY_S
        self._sleep = sleep

    def note(self) -> None:
        self._last = time.monotonic()

    @property
    def idle_s(self) -> float:
        """How long nobody has called."""
        return time.monotonic() - self._last

    def give_way(self, worked_s: float) -> None:
        """After a portion: as long a pause as it took while somebody uses the store, none while nobody does."""
        if self.idle_s < LATELY_S:
            self._sleep(min(worked_s, PAUSE_MAX_S))
        for _ in range(MEMORY_WAITS):
            if memory_left() >= SHORT_OF_MEMORY:
                return
            self._sleep(MEMORY_WAIT_S)


def memory_left() -> float:
    """The share of the machine's memory that is free to use; 1 where that is not told."""
    try:
        lines = _MEMINFO.read_text(encoding="ascii").splitlines()
    except OSError:
        return 1.0
    figures = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest.split()}
    total = figures.get("MemTotal", 0)
    return figures.get("MemAvailable", total) / total if total else 1.0
