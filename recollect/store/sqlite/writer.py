"""One thread that writes, fed by a bounded queue, committing what waits together in one transaction.

Back-pressure, never loss: a full queue makes callers wait. A caller gets its answer after the commit that holds
its work is durable. When one piece of work fails, its savepoint is rolled back and the others go on; when the
whole transaction fails (no space, a damaged page), each piece is tried once more on its own, so that only the
ones that cannot be written see the error.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import apsw

from recollect.errors import Interrupted, RecollectError, StoreBusy, StoreClosed, StoreError
from recollect.model.audit import CALLING
from recollect.store.audit import AuditSeal
from recollect.store.base import Tx
from recollect.store.sqlite.connection import SqliteStatements
from recollect.store.sqlite.errors import translate

T = TypeVar("T")
_BUSY_PAUSE_S = 0.002


class _Job:
    """A piece of work and, later, its outcome."""

    __slots__ = ("bare", "call", "done", "error", "result", "work")

    def __init__(self, work: Callable[[Tx], Any], *, bare: bool = False) -> None:
        self.work = work
        self.call = CALLING.get()
        self.bare = bare  # outside any transaction, and not together with others
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = threading.Lock()
        self.done.acquire()

    def finish(self) -> None:
        self.done.release()


class Writer:
    """Owns the writing connection. `guard` is held during a transaction (a store in memory shares it with readers)."""

    def __init__(
        self,
        db: apsw.Connection,
        *,
        queue_max: int,
        group_max: int,
        busy_timeout_s: float,
        guard: Any,
        check: Callable[[], None],
        before_commit: Callable[[Tx], None],
        after_commit: Callable[[], None],
    ) -> None:
        self._db = db
        self._tx = Tx(SqliteStatements(db))
        self._group_max = group_max
        self._busy_timeout_s = busy_timeout_s
        self._guard = guard
        self._check = check  # raises when what is written would be lost
        self._before_commit = before_commit
        self._after_commit = after_commit
        self._queue: queue.Queue[_Job | None] = queue.Queue(queue_max)
        self._closing = False
        self._ending = False
        self.audit_seal: AuditSeal | None = None
        self.trouble: RecollectError | None = None  # why the newest write failed, if it was the store's fault
        self._submitting = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="recollect-writer", daemon=True)
        self._thread.start()

    def use(self, db: apsw.Connection, check: Callable[[], None]) -> None:
        """Go on with another connection. For bare work on the writer's own thread, which closed the one before."""
        self._db, self._tx, self._check = db, Tx(SqliteStatements(db)), check

    @property
    def depth(self) -> int:
        """How many pieces of work wait."""
        return self._queue.qsize()

    def submit(self, work: Callable[[Tx], T], *, bare: bool = False) -> T:
        """Queue the work, wait until it is durable, return its result or raise its error.

        `bare` work runs outside any transaction, for statements that cannot be in one.
        """
        job = _Job(work, bare=bare)
        if self._closing or threading.current_thread() is self._thread:
            raise StoreClosed("this memory is closed, or a write was started from inside a write")
        self._wait_for_room(job)
        while not job.done.acquire(timeout=1.0):
            if not self._thread.is_alive():  # only after close() raced with us; never drops acknowledged work
                if job.done.acquire(blocking=False):
                    break  # it was the last thing the thread did
                raise Interrupted("the memory was closed while this write waited; it did not happen")
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    def _wait_for_room(self, job: _Job) -> None:
        while True:
            try:
                self._queue.put(job, timeout=1.0)
                return
            except queue.Full:
                if not self._thread.is_alive():
                    raise Interrupted("the memory was closed while this write waited; it did not happen") from None

    def close(self) -> None:
        """Refuse new work, finish what is queued, end the thread."""
        with self._submitting:
            if self._closing:
                return
            self._closing = True
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (jobs := self._take()) is not None:
            if jobs:
                self._commit(jobs)
                for job in jobs:
                    job.finish()
                self._after_commit()

    def _take(self) -> list[_Job] | None:
        """The next group: wait for one, then take what has gathered meanwhile. None: time to stop."""
        first = None if self._ending else self._queue.get()
        if first is None:
            return None
        jobs = [first]
        while len(jobs) < self._group_max:
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                break
            if job is None:  # finish this group first, then stop
                self._ending = True
                break
            jobs.append(job)
        return jobs

    def _commit(self, jobs: list[_Job]) -> None:
        """Write a group; where the group as a whole fails, write its members one by one."""
        for job in [job for job in jobs if job.bare]:
            self._run_bare(job)
        jobs = [job for job in jobs if not job.bare]
        if not jobs:
            return
        failure = self._transaction(jobs)
        if failure is None:
            return
        if len(jobs) == 1 or isinstance(
            failure, StoreBusy
        ):  # nobody waits for the lock once more for each of the others
            for job in jobs:
                job.error = job.error or failure
            return
        for job in jobs:
            job.result, job.error = None, None
            job.error = self._transaction([job]) or job.error

    def _run_bare(self, job: _Job) -> None:
        with self._guard:
            try:
                job.result = job.work(self._tx)
            except BaseException as error:
                job.error = _as_ours(error)

    def _transaction(self, jobs: list[_Job]) -> BaseException | None:
        """One BEGIN…COMMIT. Returns the error if nothing of it was kept."""
        with self._guard:
            try:
                self._check()
                self._begin()
                if len(jobs) == 1:  # alone, the transaction itself is what is rolled back
                    self._work(jobs[0])
                else:
                    for job in jobs:
                        self._attempt(job)
                self._before_commit(self._tx)
                self._db.execute("COMMIT")
                self._check()
            except BaseException as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                failure = translate(error) if isinstance(error, apsw.Error) else error
                if isinstance(failure, StoreError) and not isinstance(error, apsw.ConstraintError):
                    self.trouble = failure  # of the store; what contradicts itself is the caller's
                return failure
        self.trouble = None
        return None

    def _work(self, job: _Job) -> None:
        self._tx.call, self._tx.audit_seal = job.call, self.audit_seal
        try:
            job.result = job.work(self._tx)
        except BaseException:
            if job.call is not None:
                job.call.noted = False  # that goes with the rest of it
            raise

    def _begin(self) -> None:
        """Take the write lock, waiting while other processes hold it.

        SQLite's own busy handler already sleeps and retries; it gives up at once in a few states (a checkpoint
        restarting the log), so the deadline is kept here as well.
        """
        deadline = time.monotonic() + self._busy_timeout_s
        while True:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                return
            except apsw.BusyError:
                if time.monotonic() >= deadline:
                    raise StoreBusy(
                        f"another process held the write lock for {self._busy_timeout_s:g} s; try again"
                    ) from None
                time.sleep(_BUSY_PAUSE_S)

    def _attempt(self, job: _Job) -> None:
        """Run one piece of work in a savepoint. Errors that end the whole transaction are raised."""
        self._db.execute("SAVEPOINT work")
        try:
            self._work(job)
        except BaseException as error:
            if not self._db.in_transaction or isinstance(error, apsw.FullError | apsw.IOError | apsw.CorruptError):
                raise
            self._db.execute("ROLLBACK TO work")
            self._db.execute("RELEASE work")
            job.error = _as_ours(error)
            return
        self._db.execute("RELEASE work")


def _as_ours(error: BaseException) -> BaseException:
    if isinstance(error, RecollectError) or not isinstance(error, apsw.Error):
        return error
    ours = translate(error)
    ours.__cause__ = error
    return ours
