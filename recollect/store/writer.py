"""One thread that writes, fed by a bounded queue, committing what waits together in one transaction.

Back-pressure, never loss: a full queue makes callers wait. A caller gets its answer after the commit that holds
its work is durable. When one piece of work fails, its savepoint is rolled back and the others go on; when the
whole transaction fails (no space, a damaged page), each piece is tried once more on its own, so that only the
ones that cannot be written see the error.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from recollect.errors import Interrupted, RecollectError, StoreBusy, StoreClosed, StoreError
from recollect.model.audit import CALLING
from recollect.outage import Outage
from recollect.store.audit import AuditSeal
from recollect.store.base import Tx

T = TypeVar("T")


class WriteSession(Protocol):
    """How a database's one writing connection begins, keeps and takes back. Used by the writer's thread alone."""

    @property
    def tx(self) -> Tx:
        """What work is done with: of the transaction at hand, or of none for bare work."""

    def alone(self) -> AbstractContextManager[object]:
        """Held from before a transaction begins until it has ended."""

    def begin(self) -> None:
        """Begin, with the write lock; `StoreBusy` if others do not let go of it in time."""

    def mark(self) -> None:
        """A point in the transaction to which it can be taken back."""

    def back_to_mark(self) -> None: ...
    def forget_mark(self) -> None: ...
    def commit(self) -> None:
        """Return when everything is durable."""

    def roll_back(self) -> None:
        """Leave nothing of the transaction, if there still is one."""

    def ends_all(self, error: BaseException) -> bool:
        """Whether an error of one piece of work leaves nothing of the transaction to go on with."""

    def translated(self, error: BaseException) -> BaseException:
        """The error of our tree for one of the database's; others as they are."""

    def contradicts(self, error: BaseException) -> bool:
        """Whether what was written contradicts itself: that is the caller's fault, not the store's."""

    def again(self, failure: BaseException, attempt: int) -> bool:
        """Whether a group that failed as a whole is worth another attempt as it is, after this many."""


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
    """Owns the writing session, and runs on it what callers hand over."""

    def __init__(
        self,
        session: WriteSession,
        *,
        queue_max: int,
        group_max: int,
        after_commit: Callable[[], None] = lambda: None,
    ) -> None:
        self._session = session
        self._group_max = group_max
        self._after_commit = after_commit
        self._queue: queue.Queue[_Job | None] = queue.Queue(queue_max)
        self._closing = False
        self._ending = False
        self.audit_seal: AuditSeal | None = None
        self.written = False  # whether anything was committed
        self.refused: Outage[RecollectError] = Outage()  # of writes, by a fault of the store
        self._submitting = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="recollect-writer", daemon=True)
        self._thread.start()

    def use(self, session: WriteSession) -> None:
        """Go on with another session. For bare work on the writer's own thread, which closed the one before."""
        self._session = session

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
        failure, attempt = self._transaction(jobs), 1
        while failure is not None and self._session.again(failure, attempt):
            for job in jobs:
                job.result, job.error = None, None
            failure, attempt = self._transaction(jobs), attempt + 1
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
        with self._session.alone():
            try:
                job.result = job.work(self._session.tx)
            except BaseException as error:
                job.error = self._as_ours(error)

    def _transaction(self, jobs: list[_Job]) -> BaseException | None:
        """One transaction. Returns the error if nothing of it was kept."""
        session = self._session
        with session.alone():
            try:
                session.begin()
                if len(jobs) == 1:  # alone, the transaction itself is what is rolled back
                    self._work(jobs[0])
                else:
                    for job in jobs:
                        self._attempt(job)
                session.commit()
            except BaseException as error:
                session.roll_back()
                failure = session.translated(error)
                if isinstance(failure, StoreError) and not session.contradicts(error):
                    self.refused.begins(failure)
                return failure
        self.refused.ends()
        self.written = True
        return None

    def _work(self, job: _Job) -> None:
        tx = self._session.tx
        tx.call, tx.audit_seal = job.call, self.audit_seal
        try:
            job.result = job.work(tx)
        except BaseException:
            if job.call is not None:
                job.call.noted = False  # that goes with the rest of it
            raise

    def _attempt(self, job: _Job) -> None:
        """Run one piece of work behind a mark. Errors that end the whole transaction are raised."""
        self._session.mark()
        try:
            self._work(job)
        except BaseException as error:
            if self._session.ends_all(error):
                raise
            self._session.back_to_mark()
            job.error = self._as_ours(error)
            return
        self._session.forget_mark()

    def _as_ours(self, error: BaseException) -> BaseException:
        ours = self._session.translated(error)
        if ours is not error:
            ours.__cause__ = error
        return ours
