"""How often somebody may call, search and write: buckets that fill evenly and hold a minute's worth, and sessions.

Who is counted is said by the handle that a call ends at, which has it from a token, a connection or the program that
made it. A name that a call brings along, such as a `session_id`, begins no new count.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from recollect.config import Config
from recollect.errors import RateLimited

_CALLERS_MAX = 10_000  # buckets kept, and sessions; whoever was silent longest loses a full one
# The first argument of what looks for something; a read that takes an id or a name is no search.
QUESTIONS = frozenset({"query", "prompt", "question", "topic", "statement", "id_or_text"})


class Quota:
    """Buckets by name, for many threads."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._buckets: dict[str, tuple[float, float]] = {}  # what is left, and when that was so
        self._counting = threading.Lock()

    def take(self, who: str, per_minute: int, *, what: str = "calls") -> None:
        """Count one call; `RateLimited` says when the next one may come. 0 is no limit."""
        if not per_minute:
            return
        with self._counting:
            left, now = self._filled(who, per_minute)
            if left >= 1.0:
                self._keep(who, left - 1.0, now)
                return
        wait_s = math.ceil((1.0 - left) * 60.0 / per_minute)
        raise RateLimited(
            f"more than {per_minute} {what} in a minute; wait {wait_s} s, or ask for a higher limit", after_s=wait_s
        )

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


class _Allowed(NamedTuple):
    """What one caller may do of one sort of call."""

    what: str  # searches, writes
    per_minute: int
    per_session: int


class CallLimits:
    """Searches and writes by caller, where `security.limit_searches` and `security.limit_writes` say that it matters.

    Who may only ask can still find out what is stored by asking often enough and watching the scores; who may only
    write can still bury what is stored. The owner's own calls are never counted. A session is a caller's calls until
    a pause of `upkeep.session_idle_s`.

    Models that call tools over the network are counted by default, at figures that no agent meets which waits for its
    answers (`serve.tool_searches_per_minute`, `serve.tool_writes_per_minute`).
    """

    def __init__(self, config: Callable[[], Config], seconds: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._seconds = seconds
        self._quota = Quota(seconds)
        self._sessions: dict[str, tuple[int, float]] = {}  # calls of a session, and when the last one was
        self._counting = threading.Lock()

    def search(self, who: str) -> None:
        """Count one search; `RateLimited` if it is one too many for this minute or this session."""
        limits = self._config().security
        if limits.limit_searches:
            self._take(who, _Allowed("searches", limits.searches_per_minute, limits.searches_per_session))

    def write(self, who: str) -> None:
        """The same for a call that changes something."""
        limits = self._config().security
        if limits.limit_writes:
            self._take(who, _Allowed("writes", limits.writes_per_minute, limits.writes_per_session))

    def tool(self, who: str, *, writes: bool) -> None:
        """Count a tool that a model calls over the network."""
        serve = self._config().serve
        what, per_minute = (
            ("writes", serve.tool_writes_per_minute) if writes else ("searches", serve.tool_searches_per_minute)
        )
        self._quota.take(f"tool {what} {who}", per_minute, what=what)

    def _take(self, who: str, allowed: _Allowed) -> None:
        key, idle_s = f"{allowed.what} {who}", self._config().upkeep.session_idle_s
        with self._counting:
            now = self._seconds()
            count, at = self._sessions.get(key, (0, now))
            if now - at > idle_s:
                count = 0
            self._keep(key, count, at)
            if count >= allowed.per_session:
                wait_s = math.ceil(idle_s - (now - at))
                raise RateLimited(
                    f"this session has made its {allowed.per_session} {allowed.what} "
                    f"(security.{allowed.what}_per_session); go on with what there is, a new session begins after "
                    f"{wait_s} s of silence",
                    after_s=wait_s,
                )
            self._quota.take(key, allowed.per_minute, what=allowed.what)
            self._keep(key, count + 1, now)

    def _keep(self, key: str, count: int, at: float) -> None:
        self._sessions.pop(key, None)
        self._sessions[key] = (count, at)
        if len(self._sessions) > _CALLERS_MAX:
            self._sessions.pop(next(iter(self._sessions)))
