"""How often somebody may search, where `security.limit_searches` says that it matters.

Who may only ask can still find out what is stored by asking often enough and watching the scores. Searches of a model
count for its connection, those over HTTP for the token. The owner's own requests are never counted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from recollect.config import Config
from recollect.interfaces.quota import Quota, rate_limited

_CALLERS_MAX = 10_000  # sessions counted; whoever was silent longest begins anew
# The first argument of what looks for something; a read that takes an id or a name is no search.
QUESTIONS = frozenset({"query", "prompt", "question", "topic", "statement", "id_or_text"})


class Searches:
    """Counts by caller. Not for threads: the event loop is the only one that asks."""

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
        if len(self._sessions) > _CALLERS_MAX:
            self._sessions.pop(next(iter(self._sessions)))
