"""Who uses the store right now: background work makes way for them, and for a machine that is short of memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

LATELY_S = 1.0  # a verb called within this time is foreground work
REST = 2.0  # times as long as it worked a run rests while callers use the store
REST_MAX_S = 0.5
SHORT_OF_MEMORY = 0.05  # share of the machine's memory that is left
MEMORY_WAITS, MEMORY_WAIT_S = 20, 0.5
_MEMINFO = Path("/proc/meminfo")


class Activity:
    """The last call from outside. `note` is called by every verb and costs next to nothing."""

    def __init__(self, sleep: Callable[[float], object] | None = None) -> None:
        self._opened = self._last = time.monotonic()
        self._closing = threading.Event()
        self._sleep = self._closing.wait if sleep is None else sleep

    def note(self) -> None:
        self._last = time.monotonic()

    @property
    def idle_s(self) -> float:
        """Seconds since the last call; since the store was opened if there was none."""
        return time.monotonic() - self._last

    @property
    def lately(self) -> bool:
        """Whether a call came a moment ago. Opening the store is no call."""
        return self._last > self._opened and self.idle_s < LATELY_S

    def give_way(self, worked_s: float) -> None:
        """After some work: a longer rest than it took while callers use the store, none otherwise."""
        if self.lately:
            self._sleep(min(REST * worked_s, REST_MAX_S))
        for _ in range(MEMORY_WAITS):
            if self._closing.is_set() or memory_left() >= SHORT_OF_MEMORY:
                return
            self._sleep(MEMORY_WAIT_S)

    def close(self) -> None:
        """Work that pauses goes on at once: the store is about to be closed."""
        self._closing.set()


def memory_left() -> float:
    """The share of the machine's memory that is free to use; 1 where that is not told."""
    try:
        lines = _MEMINFO.read_text(encoding="ascii").splitlines()
    except OSError:
        return 1.0
    figures = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest.split()}
    total = figures.get("MemTotal", 0)
    return figures.get("MemAvailable", total) / total if total else 1.0
