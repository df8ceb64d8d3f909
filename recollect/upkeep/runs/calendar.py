"""When which run is due: told from the settings, the clock, and what the store says was run and is waiting.

Nothing is remembered here, so it is the same for every process that looks. Clocks jump, and local time has days of 23
and of 25 hours: the nightly run is due once a local day, and no date in the future keeps anything from running.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple

from recollect.clock import DAY_US, SECOND_US, Clock, from_us
from recollect.config import LiveConfig
from recollect.store import runs, sessions
from recollect.store.base import Store, Tx
from recollect.store.sessions import Waiting

NIGHTLY, CONSOLIDATE, REPLAY = "maintain", "consolidate", "replay"


class Due(NamedTuple):
    """A run whose time has come. `sessions` are the ended ones that call for it, and how far each is."""

    verb: str
    sessions: frozenset[Waiting] = frozenset()


class Calendar:
    """When runs are due. `zone` is whose night it is; None is the machine's own."""

    def __init__(self, store: Store, live: LiveConfig, clock: Clock, zone: tzinfo | None = None) -> None:
        self._store = store
        self._live = live
        self._clock = clock
        self._zone = zone

    def due(self, *, idle_s: float, known: Callable[[Due], bool] = lambda due: False) -> Due | None:
        """The run to begin now, the most urgent first. `known` passes over what was tried already."""
        now = self._clock()
        with self._store.read() as tx:
            candidates = (self._nightly(tx, now), self._ended(tx, now), self._interval(tx, now))
            found = next((each for each in candidates if each is not None and not known(each)), None)
            return found or (self._replay(tx, now) if idle_s >= self._live.current.replay.idle_s else None)

    def next(self) -> dict[str, datetime]:
        """When each kind of run comes next, as far as the clock tells; a replay also waits for the store to be idle."""
        now, settings = self._clock(), self._live.current
        with self._store.read() as tx:
            night = self._night(now)
            missed = self._nightly(tx, now) is not None
            times = {
                NIGHTLY: night if missed else self._night(now, days=1),
                CONSOLIDATE: self._after(tx, CONSOLIDATE, settings.upkeep.interval_s, now),
                REPLAY: self._after(tx, REPLAY, settings.replay.interval_s, now),
            }
        return {verb: from_us(max(at, now)) for verb, at in times.items()}

    def _nightly(self, tx: Tx, now: int) -> Due | None:
        """A run that ended in what is the future by now may be today's by a clock that was wrong; by a day at most."""
        last = runs.last_finished(tx, NIGHTLY, until=now + DAY_US)
        return Due(NIGHTLY) if last is None or last < self._night(now) else None

    def _ended(self, tx: Tx, now: int) -> Due | None:
        found = self._waiting(tx, now)
        return Due(CONSOLIDATE, frozenset(found)) if found else None

    def _interval(self, tx: Tx, now: int) -> Due | None:
        """What was said outside any session is gone over now and then, and so is what was in the way before."""
        late = self._after(tx, CONSOLIDATE, self._live.current.upkeep.interval_s, now) <= now
        return Due(CONSOLIDATE) if late and (sessions.apart(tx, None) or self._waiting(tx, now)) else None

    def _waiting(self, tx: Tx, now: int) -> list[Waiting]:
        return sessions.ended(tx, None, now, int(self._live.current.upkeep.session_idle_s * SECOND_US))

    def _replay(self, tx: Tx, now: int) -> Due | None:
        return Due(REPLAY) if self._after(tx, REPLAY, self._live.current.replay.interval_s, now) <= now else None

    def _after(self, tx: Tx, verb: str, pause_s: float, now: int) -> int:
        """A pause after the last run of a verb; now, if there was none or it lies in the future."""
        last = runs.last_finished(tx, verb)
        return now if last is None or last > now else last + int(pause_s * SECOND_US)

    def _night(self, now: int, *, days: int = 0) -> int:
        """The last time that it was the hour of the nightly run, or so many days later."""
        hour = self._live.current.upkeep.nightly_hour
        today = datetime.fromtimestamp(now // SECOND_US, self._zone).date()
        tonight = self._moment(today, hour)
        first = today if tonight <= now else today - timedelta(days=1)
        return self._moment(first + timedelta(days=days), hour)

    def _moment(self, day: date, hour: int) -> int:
        """That hour of a local day: the first of two, the one after the gap where there is none."""
        local = datetime(day.year, day.month, day.day, hour, tzinfo=self._zone)
        return int(local.timestamp()) * SECOND_US
