"""Runs durable jobs on a thread, one at a time, retrying with patience."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from recollect.clock import DAY_US, SECOND_US, Clock
from recollect.config import LiveConfig
from recollect.errors import NoIndex, ProviderUnavailable, RecollectError, StoreClosed
from recollect.ids import new_id
from recollect.one_thread import OneThread
from recollect.store import jobs
from recollect.store.base import Store
from recollect.store.jobs import Job

if TYPE_CHECKING:
    from recollect.index.follow import Indexes
    from recollect.upkeep.runs.run import Run

_log = logging.getLogger(__name__)
_IDLE_S = 1.0
_BUSY_S = 0.02
_GIVE_WAY_S = 5.0
_DOUBLINGS_MAX = 20
_WAIT_S, _WAITS = 0.05, 600  # for the indexes
AWAY_S_MAX = 60.0  # between two looks for a model that is away

# Reports how far the job is (0..1) and keeps its lease; False means: stop, someone else has it or we are closing.
Progress = Callable[[float], bool]
Handler = Callable[[Job, Progress], None]


class ModelAway(ProviderUnavailable):
    """Raised by a handler whose language model cannot be had, or does not answer in the form it is asked for."""


class JobWorker:
    """Leases jobs of the kinds it has handlers for. Several processes may run one each."""

    def __init__(
        self,
        store: Store,
        config: LiveConfig,
        clock: Clock,
        handlers: dict[str, Handler],
        crowded: Callable[[], bool] = lambda: False,
        elsewhere: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._elsewhere = elsewhere  # kinds that other processes are to do
        self._crowded = crowded  # whether callers use the store right now, and would have to share the processor
        self._store = store
        self._config = config
        self._clock = clock
        self._handlers = handlers
        self._owner = f"{os.getpid()}:{new_id()}"
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._thread = OneThread(self._run, "recollect-jobs")
        self._deadline: float | None = None  # of a job that is done briefly
        # Held from before a job is leased until it is set down: who asks for all work to be done waits here for a job
        # that the other thread has leased and not begun yet.
        self._one_at_a_time = threading.RLock()

    @property
    def _closing(self) -> bool:
        return self._ended.is_set()

    def poke(self) -> None:
        """There may be work: start the thread if it is not running, wake it if it sleeps."""
        self._thread.begin()
        self._wake.set()

    def run_pending(self, *, ahead_s: float = 0.0) -> int:
        """Do what is due now, or within so many seconds, on this thread; how many jobs were done.

        A job that the worker's own thread is busy with is waited for. One whose model is away is tried once.
        """
        done = 0
        away: set[str] = set()
        while not self._closing and self._run_one(ahead_s, away):
            done += 1
        return done

    def run_briefly(self, kind: str, *, seconds: float) -> None:
        """Do a job of a kind that is due, on this thread and for about so long; what is left of it stays queued."""
        with self._one_at_a_time:
            self._deadline = time.monotonic() + seconds
            try:
                if not self._closing:
                    self._done_one(0.0, set(self._handlers) - {kind})
            finally:
                self._deadline = None

    def close(self) -> None:
        """Stop after the step in hand, waiting `store.close_timeout_s` at most: a model may take minutes to answer.

        A thread that is left behind finds the store closed, and its job comes again when its lease has run out.
        """
        self._ended.set()
        self._wake.set()
        self._thread.end(self._config.current.store.close_timeout_s)

    def _run(self) -> None:
        while not self._closing:
            self._give_way()
            try:
                busy = self._run_one()
            except StoreClosed:
                return
            except RecollectError as error:  # a busy or full store passes; the jobs are still there
                _log.warning("could not take a job from the queue: %s", error.code)
                busy = False
            if not busy:
                self._wake.wait(_IDLE_S)
                self._wake.clear()

    def rest(self) -> None:
        """For a handler between two portions: lets a burst of calls pass, unless a caller waits for the job itself."""
        if self._thread.is_this:
            self._give_way()

    def _give_way(self) -> None:
        """Let a burst of calls pass before the next job, but not for ever."""
        until = time.monotonic() + _GIVE_WAY_S
        while self._crowded() and time.monotonic() < until and not self._closing:
            self._wake.wait(_BUSY_S)
            self._ended.wait(_BUSY_S)

    def _run_one(self, ahead_s: float = 0.0, away: set[str] | None = None) -> bool:
        """Do the next job; False if none is due. Kinds whose model turns out to be away are noted in `away`."""
        with self._one_at_a_time:
            return not self._closing and self._done_one(ahead_s, set() if away is None else away)

    def _done_one(self, ahead_s: float, away: set[str]) -> bool:
        settings = self._config.current.jobs
        kinds = [kind for kind in self._handlers if kind not in away and kind not in self._elsewhere()]
        ahead = int(ahead_s * SECOND_US)
        with self._store.read() as tx:  # looking costs the writers nothing
            if not kinds or not tx.jobs.due(kinds, now=self._clock(), ahead=ahead):
                return False
        job = self._store.aside(
            lambda tx: tx.jobs.lease(kinds, owner=self._owner, now=self._clock(), lease_s=settings.lease_s, ahead=ahead)
        )
        if job is None:
            return False
        try:
            self._handlers[job.kind](job, lambda share: self._progress(job, share))
        except StoreClosed:
            raise
        except InterruptedError:  # told to stop: a long job may be closed upon any number of times
            self._store.write(lambda tx: tx.jobs.release(job.pk, owner=self._owner, now=self._clock()))
        except KeyboardInterrupt:  # the caller who waited gives up; the next caller need not wait for the lease
            self._store.write(lambda tx: tx.jobs.release(job.pk, owner=self._owner, now=self._clock()))
            raise
        except Exception as error:  # a handler's failure is the job's, never the thread's
            if isinstance(error, ProviderUnavailable):
                away.add(job.kind)
            self._give_back(job, error)
        else:
            self._store.write(lambda tx: tx.jobs.finish(job.pk, owner=self._owner, now=self._clock()))
        return True

    def _progress(self, job: Job, share: float) -> bool:
        lease_s = self._config.current.jobs.lease_s
        held = self._store.write(
            lambda tx: tx.jobs.extend(job.pk, owner=self._owner, now=self._clock(), lease_s=lease_s, progress=share)
        )
        late = self._deadline is not None and time.monotonic() > self._deadline
        return held and not self._closing and not late

    def _give_back(self, job: Job, error: Exception) -> None:
        """To be tried again, `jobs.attempts_max` times. A job that waits for a model is never given up."""
        settings = self._config.current.jobs
        code = error.code if isinstance(error, RecollectError) else type(error).__name__
        _log.warning("job %s (%s) failed, attempt %d: %s", job.pk, job.kind, job.attempts, code)
        pause_s = settings.backoff_s * 2.0 ** min(job.attempts - 1, _DOUBLINGS_MAX)
        again: float | None = pause_s
        if isinstance(error, ProviderUnavailable):
            again = min(pause_s, AWAY_S_MAX)
        elif job.attempts >= settings.attempts_max:
            again = None
        self._store.write(
            lambda tx: tx.jobs.fail(job.pk, owner=self._owner, now=self._clock(), code=code, retry_in_s=again)
        )


def await_indexes(indexes: Indexes, progress: Progress) -> None:
    """Candidates come from the indexes; while these are cold or take in a bulk load there is time."""
    for _ in range(_WAITS):
        if indexes.current():
            return
        if indexes.inside.ready:
            raise NoIndex("searches look in the database here: a process with index.search=memory does this step")
        indexes.read_up()
        time.sleep(_WAIT_S)
        if not progress(0.0):
            raise InterruptedError("stopped before the end")
    raise NoIndex("the indexes are still catching up; this job is tried again later")


class HousekeepingStep:
    """Deletes jobs that were done or given up long ago and what logs keep no longer, and tries embedding again.

    Nothing of it is to be undone.
    """

    name = "housekeeping"

    def run(self, run: Run) -> None:
        if not run.dry_run:
            before = run.clock() - jobs.DONE_KEPT_DAYS * DAY_US
            run.store.write(lambda tx: tx.jobs.revive(kind=jobs.EMBED))
            run.store.write(lambda tx: tx.jobs.clear_away(before=before))
            audit, now = run.config.audit, run.clock()
            oldest = now - audit.days * DAY_US
            run.store.write(lambda tx: tx.audit.cut(at=now, before=oldest, rows_max=audit.rows_max))
            seen = run.config.observe
            expired = now - int(seen.log_days * DAY_US)
            run.store.write(lambda tx: tx.observed.trim(rows_max=seen.log_rows, before=expired))
            told = now - int(run.config.bus.kept_days * DAY_US)
            run.store.write(lambda tx: tx.bus.trim(before=told))
