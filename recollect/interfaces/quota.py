"""How often somebody may call, and how often search: buckets that fill evenly and hold a minute's worth."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from recollect.config import Config
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


_SESSIONS_MAX = 10_000  # sessions counted; whoever was silent longest begins anew
# The first argument of what looks for something; a read that takes an id or a name is no search.
QUESTIONS = frozenset({"query", "prompt", "question", "topic", "statement", "id_or_text"})


class Searches:
    """Searches by caller, where `security.limit_searches` says that it matters.

    Who may only ask can still find out what is stored by asking often enough and watching the scores. Searches of a
    model count for its connection, those over HTTP for the token. The owner's own requests are never counted.

    Not for threads: the event loop is the only one that asks.
    """

    def __init__(self, config: Callable[[], Config], seconds: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._seconds = seconds
        self._quota = Quota(seconds)
        self._sessions: dict[str, tuple[int, float]] = {}  # searches of a session, and when the last one was

    def take(self, who: str) -> None:
        """Count one search; `RateLimited` if it is one too many for this minute or this session."""
        config, limits, now = self._config(), self._config().security, self._seconds()
        if not limits.limit_searches:
            return
        count, at = self._sessions.pop(who, (0, now))
        if now - at > config.upkeep.session_idle_s:
            count = 0
        self._keep(who, count, at)
        if count >= limits.searches_per_session:
            wait_s = math.ceil(config.upkeep.session_idle_s - (now - at))
            raise rate_limited(
                f"this session has made its {limits.searches_per_session} searches (security.searches_per_session); "
                f"go on with what was found, a new session begins after {wait_s} s of silence",
                wait_s,
            )
        self._quota.take(who, limits.searches_per_minute, what="searches")
        self._keep(who, count + 1, now)

    def _keep(self, who: str, count: int, at: float) -> None:
        self._sessions.pop(who, None)
        self._sessions[who] = (count, at)
        if len(self._sessions) > _SESSIONS_MAX:
            self._sessions.pop(next(iter(self._sessions)))
