"""When runs are due, and a thread that begins them: one at a time, out of the way of callers (docs/adr/0016).

What is due follows from the store, and a run is leased there: several processes may each have a scheduler, and the
first one does the run. So nothing is lost with a process, and nothing has to be planned ahead.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple

from recollect.clock import DAY_US, SECOND_US, Clock, from_us
from recollect.config import LiveConfig
from recollect.errors import RecollectError, StoreBusy, StoreClosed
from recollect.model.run import RunReport
from recollect.one_thread import OneThread
from recollect.store.base import Store, Tx
from recollect.store.sessions import WaitingSession
from recollect.upkeep.runs.activity import Activity

NIGHTLY, CONSOLIDATE, REPLAY = "maintain", "consolidate", "replay"


class DueRun(NamedTuple):
    """A run whose time has come. `sessions` are the ended ones that call for it, and how far each is."""

    verb: str
    sessions: frozenset[WaitingSession] = frozenset()


class Calendar:
    """When which run is due, told from the settings, the clock, and what the store says was run and is waiting.

    A calendar remembers nothing, so it is the same in every process. Clocks jump, and local time has days of 23 and of
    25 hours: the nightly run is due once a local day, and no date in the future keeps anything from running. `zone` is
    the time zone of the night; None is the machine's own.
    """

    def __init__(self, store: Store, live: LiveConfig, clock: Clock, zone: tzinfo | None = None) -> None:
        self._store = store
        self._live = live
        self._clock = clock
        self._zone = zone

    def due(self, *, idle_s: float, known: Callable[[DueRun], bool] = lambda due: False) -> DueRun | None:
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

    def _nightly(self, tx: Tx, now: int) -> DueRun | None:
        """A run that ended in what is the future by now may be today's by a clock that was wrong; by a day at most."""
        last = tx.runs.last_finished(NIGHTLY, until=now + DAY_US)
        return DueRun(NIGHTLY) if last is None or last < self._night(now) else None

    def _ended(self, tx: Tx, now: int) -> DueRun | None:
        found = self._waiting(tx, now)
        return DueRun(CONSOLIDATE, frozenset(found)) if found else None

    def _interval(self, tx: Tx, now: int) -> DueRun | None:
        """What was said outside any session is gone over now and then, and so is what was in the way before."""
        late = self._after(tx, CONSOLIDATE, self._live.current.upkeep.interval_s, now) <= now
        return DueRun(CONSOLIDATE) if late and (tx.sessions.apart(None) or self._waiting(tx, now)) else None

    def _waiting(self, tx: Tx, now: int) -> list[WaitingSession]:
        return tx.sessions.ended(None, now, int(self._live.current.upkeep.session_idle_s * SECOND_US))

    def _replay(self, tx: Tx, now: int) -> DueRun | None:
        return DueRun(REPLAY) if self._after(tx, REPLAY, self._live.current.replay.interval_s, now) <= now else None

    def _after(self, tx: Tx, verb: str, pause_s: float, now: int) -> int:
        """A pause after the last run of a verb; now, if there was none or it lies in the future."""
        last = tx.runs.last_finished(verb)
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


_log = logging.getLogger(__name__)
_TRIED_MAX = 10_000
_RETRY_MAX_S = 3_600.0

# Runs the steps of a verb over the whole store for as long as it is told that it may go on.
Begin = Callable[[str, Callable[[float], bool]], RunReport]


class Scheduler:
    """Looks every `jobs.tick_s` for a run that is due and does it. `begin` is how one is run.

    `poke` wakes the worker, for queued jobs of a process that ended before it could do them.
    """

    def __init__(
        self,
        calendar: Calendar,
        begin: Begin,
        live: LiveConfig,
        activity: Activity,
        poke: Callable[[], None] = lambda: None,
    ) -> None:
        self._poke = poke
        self._calendar = calendar
        self._begin = begin
        self._live = live
        self._activity = activity
        self._closing = threading.Event()
        self._thread = OneThread(self._loop, "recollect-upkeep")
        self._tried: set[WaitingSession] = set()  # sessions as they were when they were last gone over
        self._failures: dict[str, int] = {}
        self._not_before: dict[str, float] = {}  # by a clock that does not jump

    def start(self) -> None:
        """Begin to look, after `jobs.start_delay_s`: the caller who opened the store comes first."""
        self._thread.begin()

    def close(self) -> None:
        """Stop. A run that is under way ends with its portion, and the next scheduler does the rest.

        It is waited for `store.close_timeout_s` at most: a model that it asked may take minutes to answer.
        """
        self._closing.set()
        self._thread.end(self._live.current.store.close_timeout_s)

    def run_due(self) -> RunReport | None:
        """Do what is most urgent now, if anything is; None also when another process has something in hand."""
        due = self._calendar.due(idle_s=self._activity.idle_s, known=self._known)
        if due is None:
            return None
        self._defer()
        try:
            report = self._begin(due.verb, lambda share: not self._closing.is_set())
        except StoreBusy:
            return None
        except StoreClosed:
            raise
        except Exception as error:
            code = error.code if isinstance(error, RecollectError) else type(error).__name__
            _log.warning("scheduled %s failed: %s", due.verb, code)
            self._put_off(due.verb)
            return None
        self._done(due, report)
        return report

    def _loop(self) -> None:
        if not self._closing.wait(self._live.current.jobs.start_delay_s):
            self._poke()
        while not self._closing.is_set():
            try:
                while self.run_due() is not None and not self._closing.is_set():
                    pass
            except StoreClosed:
                return
            except RecollectError as error:  # a busy or full store passes
                _log.warning("nothing could be scheduled: %s", error.code)
            self._closing.wait(self._live.current.jobs.tick_s)

    def _known(self, due: DueRun) -> bool:
        """Whether this was tried already: the same sessions as they are, or a verb that failed a moment ago."""
        if time.monotonic() < self._not_before.get(due.verb, 0.0):
            return True
        return bool(due.sessions) and due.sessions <= self._tried

    def _defer(self) -> None:
        """Calls are coming in: let them pass, but do not wait for ever."""
        settings = self._live.current.jobs
        if self._activity.lately:
            self._closing.wait(settings.defer_s)

    def _done(self, due: DueRun, report: RunReport) -> None:
        if len(self._tried) > _TRIED_MAX:
            self._tried.clear()
        self._tried |= due.sessions
        if report.state == "done":
            self._failures.pop(due.verb, None)
        else:
            self._put_off(due.verb)

    def _put_off(self, verb: str) -> None:
        """What failed is tried again, each time after a longer pause."""
        self._failures[verb] = self._failures.get(verb, 0) + 1
        pause_s = self._live.current.jobs.tick_s * 2 ** min(self._failures[verb], 20)
        self._not_before[verb] = time.monotonic() + min(pause_s, _RETRY_MAX_S)
