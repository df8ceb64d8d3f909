"""The worker: each job once, tried again ever later, taken over when its process died."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.clock import SECOND_US
from recollect.config import LiveConfig
from recollect.errors import EmbeddingFailed
from recollect.store.jobs import Job, Jobs
from recollect.store.sqlite.connection import Opening
from recollect.store.sqlite.store import SqliteStore
from recollect.upkeep.jobs.worker import Handler, JobWorker, Progress


class Clock:
    def __init__(self) -> None:
        self.now = 1_000 * SECOND_US

    def __call__(self) -> int:
        return self.now

    def skip(self, seconds: float) -> None:
        self.now += int(seconds * SECOND_US)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(Opening(path=str(tmp_path / "s.db")))
    yield store
    store.close()


@pytest.fixture
def worker(store: SqliteStore, clock: Clock) -> Callable[..., JobWorker]:
    settings = LiveConfig({"jobs.lease_s": 60, "jobs.attempts_max": 3, "jobs.backoff_s": 2.0})

    def make(**handlers: Handler) -> JobWorker:
        return JobWorker(store, settings, clock, handlers)

    return make


def enqueue(store: SqliteStore, kind: str = "k", payload: dict[str, Any] | None = None, **given: Any) -> int:
    return store.write(lambda tx: tx.jobs.enqueue(kind, payload or {}, **given))


def lease(store: SqliteStore, clock: Clock, owner: str = "me", *kinds: str) -> Job | None:
    return store.write(lambda tx: tx.jobs.lease(list(kinds or ("k",)), owner=owner, now=clock(), lease_s=60))


def states(store: SqliteStore) -> dict[str, int]:
    with store.read() as tx:
        return tx.jobs.counts()


def test_a_worker_does_what_is_due_and_leaves_the_rest(
    store: SqliteStore, clock: Clock, worker: Callable[..., JobWorker]
) -> None:
    seen: list[Any] = []
    for number in range(3):
        enqueue(store, payload={"n": number}, now=clock(), delay_s=5.0 * number)
    mine = worker(k=lambda job, progress: seen.append(job.payload["n"]))
    clock.skip(5)
    assert mine.run_pending() == 2
    assert seen == [0, 1]
    assert states(store) == {"done": 2, "ready": 1}


def test_asking_for_all_work_to_be_done_waits_for_a_job_that_the_thread_has_leased(
    store: SqliteStore, clock: Clock, worker: Callable[..., JobWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    leased = threading.Event()
    lease_now = Jobs.lease

    def slowly(tx: Jobs, kinds: list[str], **given: Any) -> Job | None:
        job = lease_now(tx, kinds, **given)
        leased.set()
        return job

    def work(job: Job, progress: Progress) -> None:
        time.sleep(0.2)
        seen.append(job.pk)

    monkeypatch.setattr(Jobs, "lease", slowly)
    enqueue(store, now=clock())
    mine = worker(k=work)
    mine.poke()
    assert leased.wait(10)
    mine.run_pending()
    assert len(seen) == 1
    mine.close()


def test_a_failure_is_tried_again_ever_later_and_at_last_set_aside(
    store: SqliteStore, clock: Clock, worker: Callable[..., JobWorker]
) -> None:
    tries: list[int] = []

    def fail(job: Job, progress: Progress) -> None:
        tries.append(clock() // SECOND_US - 1_000)
        raise EmbeddingFailed("no")

    enqueue(store, now=clock())
    mine = worker(k=fail)
    for _ in range(20):
        mine.run_pending()
        clock.skip(1)
    assert tries == [0, 2, 6]  # after 2 s, then after 4 s; three attempts are all
    assert states(store) == {"failed": 1}
    with store.read() as tx:
        assert tx.sql.one("SELECT error, attempts FROM job") == ("E3002", 3)


def test_a_failure_keeps_its_code_and_no_content(
    store: SqliteStore, clock: Clock, worker: Callable[..., JobWorker]
) -> None:
    def fail(job: Job, progress: Progress) -> None:
        raise RuntimeError("the secret is 1234")

    enqueue(store, now=clock())
    worker(k=fail).run_pending()
    with store.read() as tx:
        assert tx.sql.value("SELECT error FROM job") == "RuntimeError"


def test_one_failing_job_does_not_keep_the_others(
    store: SqliteStore, clock: Clock, worker: Callable[..., JobWorker]
) -> None:
    def handler(job: Job, progress: Progress) -> None:
        if job.payload["n"] == 0:
            raise ValueError

    for number in range(3):
        enqueue(store, payload={"n": number}, now=clock())
    worker(k=handler).run_pending()
    assert states(store) == {"done": 2, "ready": 1}


def test_two_workers_never_do_one_job_twice(store: SqliteStore, clock: Clock, worker: Callable[..., JobWorker]) -> None:
    seen: list[tuple[str, int]] = []
    two = worker(k=lambda job, progress: seen.append(("two", job.pk)))

    def first(job: Job, progress: Progress) -> None:
        seen.append(("one", job.pk))
        two.run_pending()  # the other one looks while this job is held

    pks = [enqueue(store, now=clock()) for _ in range(4)]
    worker(k=first).run_pending()
    assert sorted(pk for _, pk in seen) == pks
    assert {name for name, _ in seen} == {"one", "two"}


def test_a_job_whose_worker_died_is_taken_over(
    store: SqliteStore, clock: Clock, worker: Callable[..., JobWorker]
) -> None:
    done: list[int] = []
    pk = enqueue(store, now=clock())
    assert lease(store, clock, "a process that died") is not None
    mine = worker(k=lambda job, progress: done.append(job.pk))
    assert mine.run_pending() == 0
    clock.skip(61)
    assert mine.run_pending() == 1
    assert done == [pk]


def test_progress_is_kept_and_extends_the_lease(
    store: SqliteStore, clock: Clock, worker: Callable[..., JobWorker]
) -> None:
    told: list[tuple[bool, float]] = []

    def handler(job: Job, progress: Progress) -> None:
        for share in (0.25, 0.75):
            clock.skip(50)
            held = progress(share)
            with store.read() as tx:
                told.append((held, tx.sql.value("SELECT progress FROM job")))

    enqueue(store, now=clock())
    worker(k=handler).run_pending()
    assert told == [(True, 0.25), (True, 0.75)]
    assert states(store) == {"done": 1}


def test_a_job_interrupted_by_closing_is_due_at_once_and_costs_no_attempt(
    store: SqliteStore, clock: Clock, worker: Callable[..., JobWorker]
) -> None:
    """However often a program is closed upon a long job, the job is never given up for that."""
    for _ in range(10):
        mine: list[JobWorker] = []

        def handler(job: Job, progress: Progress, mine: list[JobWorker] = mine) -> None:
            mine[0].close()
            if not progress(0.5):
                raise InterruptedError

        mine.append(worker(k=handler))
        with_job = enqueue(store, now=clock()) if states(store) == {} else None
        mine[0].run_pending()
        assert states(store) == {"ready": 1}, with_job
    done: list[int] = []
    assert worker(k=lambda job, progress: done.append(job.attempts)).run_pending() == 1
    assert done == [1]


def test_work_that_needs_the_indexes_reads_them_up_where_no_thread_does(tmp_path: Path) -> None:
    """Without background work a process that stores more than a search takes in would have them fail for ever."""
    config = {"index.catch_up_rows": 10}
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, config=config) as memory:
        memory.add([f"tea number {number} is green" for number in range(50)])
        memory.settle()
        assert memory.health()["jobs"].get("failed", 0) == 0
        assert memory.health()["jobs"].get("ready", 0) == 0
        assert memory.health()["index_lag"] == 0
