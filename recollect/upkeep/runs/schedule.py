"""A thread that begins runs when they are due: one at a time, out of everybody's way (docs/adr/0016).

What is due is in the store, and a run is leased there: several processes may each have a scheduler, and whoever comes
first does it. So nothing is lost with a process, and nothing has to be planned ahead.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from recollect.config import LiveConfig
from recollect.errors import RecollectError, StoreBusy, StoreClosed
from recollect.model.run import RunReport
from recollect.store.sessions import Waiting
from recollect.upkeep.runs.activity import Activity
from recollect.upkeep.runs.calendar import Calendar, Due

_log = logging.getLogger(__name__)
_TRIED_MAX = 10_000
_RETRY_MAX_S = 3_600.0

# Runs the steps of a verb over the whole store for as long as it is told that it may go on.
Begin = Callable[[str, Callable[[float], bool]], RunReport]


class Scheduler:
    """Looks every `jobs.tick_s` for a run that is due and does it. `begin` is how one is run.

    `poke` wakes whoever does the queued jobs: those of a process that ended before it could do them.
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
        self._thread: threading.Thread | None = None
        self._tried: set[Waiting] = set()  # sessions as they were when they were last gone over
        self._failures: dict[str, int] = {}
        self._not_before: dict[str, float] = {}  # by a clock that does not jump

    def start(self) -> None:
        """Begin to look, after a while in which whoever opened the store has it for themselves."""
        self._thread = threading.Thread(target=self._loop, name="recollect-upkeep", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop. A run that is under way ends with its portion, and the next scheduler does the rest."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

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

    def _known(self, due: Due) -> bool:
        """Whether this was tried already: the same sessions as they are, or a verb that failed a moment ago."""
        if time.monotonic() < self._not_before.get(due.verb, 0.0):
            return True
        return bool(due.sessions) and due.sessions <= self._tried

    def _defer(self) -> None:
        """Somebody is in the middle of something: let them finish, but do not wait for ever."""
        settings = self._live.current.jobs
        if self._activity.lately:
            self._closing.wait(settings.defer_s)

    def _done(self, due: Due, report: RunReport) -> None:
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
