"""What happens to a store as a whole, for whoever listens: it is ready, how it is, its disk is full.

    ready      its indexes are in memory: searches answer with all there is
    health     the figures of `health`, every `upkeep.health_period_s`
    disk-full  a write was refused for want of space, or hardly any is left

Nobody looks while nobody listens: whoever waits for events calls `look`, and hears what came since the last that it has
seen. Figures alone are told, never content.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from recollect.config import LiveConfig
from recollect.errors import DiskFull, RecollectError
from recollect.insight.degraded import FREE_BYTES_MIN

if TYPE_CHECKING:
    from recollect.index.follow import Indexes
    from recollect.insight.health import Figures
    from recollect.store.base import Store

LOOK_EVERY_S = 0.5
KEPT = 64  # events, for listeners that are slow
READY, HEALTH, DISK_FULL = "ready", "health", "disk-full"


@dataclass(frozen=True, slots=True, kw_only=True)
class VitalEvent:
    """One thing that happened; `number` counts them since the store was opened."""

    number: int
    topic: str
    data: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {"topic": self.topic, **self.data}


class Vitals:
    """Safe to ask from many threads: one of them looks, all of them hear."""

    def __init__(
        self,
        store: Store,
        indexes: Callable[[], Indexes],
        figures: Callable[[], Figures],
        config: LiveConfig,
        *,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._figures = figures
        self._config = config
        self._seconds = seconds
        self._lock = Lock()
        self._events: deque[VitalEvent] = deque(maxlen=KEPT)
        self._number = 0
        self._looked_at = self._told_at = float("-inf")
        self._ready = self._full = False

    def look(self, after: int | None = None) -> list[VitalEvent]:
        """What happened after a number. Without one, for who begins to listen: how things stand now."""
        with self._lock:
            now = self._seconds()
            if now - self._looked_at >= LOOK_EVERY_S:
                self._looked_at = now
                self._look(now)
            if after is not None:
                return [event for event in self._events if event.number > after]
            newest: dict[str, VitalEvent] = {event.topic: event for event in self._events}
            if not self._full:
                newest.pop(DISK_FULL, None)
            return sorted(newest.values(), key=lambda event: event.number)

    def _look(self, now: float) -> None:
        if not self._ready and self._indexes().warm:
            self._ready = True
            self._tell(READY, {"index_warm_percent": 100.0})
        free = self._store.free_bytes()
        full = isinstance(self._store.trouble, DiskFull) or (free is not None and free < FREE_BYTES_MIN)
        if full and not self._full:
            self._tell(DISK_FULL, {"free_bytes": free, "code": DiskFull.code})
        self._full = full
        if now - self._told_at >= self._config.current.upkeep.health_period_s:
            self._told_at = now
            try:
                self._tell(HEALTH, self._figures().health().to_dict())
            except RecollectError as error:  # a store that is busy or gone: the code says which
                self._tell(HEALTH, {"status": "attention", "code": error.code})

    def _tell(self, topic: str, data: dict[str, Any]) -> None:
        self._number += 1
        self._events.append(VitalEvent(number=self._number, topic=topic, data=data))
