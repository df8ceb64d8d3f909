"""How often somebody may call: a bucket for each that fills evenly and holds a minute's worth."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from recollect.errors import RateLimited

_CALLERS_MAX = 10_000  # buckets kept; whoever was silent longest loses a full one


class Quota:
    """Buckets by name. Not for threads: the event loop is the only one that asks."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._buckets: dict[str, tuple[float, float]] = {}  # what is left, and when that was so

    def take(self, who: str, per_minute: int, *, what: str = "calls") -> None:
        """Count one call; `RateLimited` says when the next one may come. 0 is no limit."""
        if not per_minute:
            return
        left, now = self._filled(who, per_minute)
        if left < 1.0:
            wait_s = math.ceil((1.0 - left) * 60.0 / per_minute)
            message = f"more than {per_minute} {what} in a minute; wait {wait_s} s, or ask for a higher limit"
            raise rate_limited(message, wait_s)
        self._keep(who, left - 1.0, now)

    def left(self, who: str, per_minute: int) -> float:
        """How many calls are left just now."""
        return self._filled(who, per_minute)[0]

    def _filled(self, who: str, per_minute: int) -> tuple[float, float]:
        now = self._seconds()
        before, at = self._buckets.get(who, (float(per_minute), now))
        return min(float(per_minute), before + (now - at) * per_minute / 60.0), now

    def _keep(self, who: str, left: float, now: float) -> None:
        self._buckets.pop(who, None)  # to the end: the first in the dictionary is the longest silent
        self._buckets[who] = (left, now)
        if len(self._buckets) > _CALLERS_MAX:
            self._buckets.pop(next(iter(self._buckets)))


def rate_limited(message: str, wait_s: int) -> RateLimited:
    """The error with the time after which the next call may come."""
    error = RateLimited(message)
    error.retry_s = wait_s  # type: ignore[attr-defined]
    return error
