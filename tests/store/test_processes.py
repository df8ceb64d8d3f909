"""Processes on one PostgreSQL: they hear of each other's writes, and take jobs without waiting for each other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from postgres_server import server

import recollect
from recollect.config.storage import StoreSettings
from recollect.store.base import Tx
from recollect.store.postgres import listening
from recollect.store.postgres.connection import ServerOpening
from recollect.store.postgres.store import PostgresStore


def until(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def told(tx: Tx) -> None:
    tx.changes.announce("record", 1, 1)


@pytest.fixture
def url() -> str:
    return server().new()


@pytest.fixture
def two(url: str) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    both = tuple(PostgresStore(ServerOpening.of(url, StoreSettings())) for _ in range(2))
    yield both  # type: ignore[misc]
    for store in both:
        store.close()


def test_a_write_is_heard_and_silence_is_silence(two: tuple[PostgresStore, PostgresStore]) -> None:
    one, other = two
    one.listen()
    assert until(lambda: one._listener.hears)
    assert until(lambda: not one.stirred())
    other.write(told)
    assert until(one.stirred)
    assert not one.stirred()
    other.write(lambda tx: tx.meta.note("k", "v"))  # tells the feed nothing
    time.sleep(0.2)
    assert not one.stirred()


def test_who_does_not_listen_looks_each_time(two: tuple[PostgresStore, PostgresStore]) -> None:
    assert all(two[0].stirred() for _ in range(3))


def test_a_pooler_that_drops_words_is_noticed(
    two: tuple[PostgresStore, PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In transaction mode a pooler takes LISTEN and hands on nothing: the first word never comes."""
    monkeypatch.setattr(listening, "_TRIAL_S", 0.2)
    store = two[0]
    monkeypatch.setattr(store._listener, "_ask", lambda statement: None)
    store.listen()
    time.sleep(1.2)
    assert not store._listener.hears
    assert all(store.stirred() for _ in range(3))


def test_a_listener_that_was_cut_off_is_not_relied_on(
    url: str, two: tuple[PostgresStore, PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "_AGAIN_S", 0.3)
    store = two[0]
    store.listen()
    assert until(lambda: store._listener.hears)
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    assert until(lambda: not store._listener.hears)
    assert until(lambda: store._listener.hears), "it listens again"
    assert until(lambda: not store.stirred())


def test_an_idle_process_follows_without_asking(url: str) -> None:
    config: dict[str, Any] = {"index.poll_interval_s": 0.02}
    with recollect.open(url, embedder="fake", config=config) as reader, recollect.open(url, embedder="fake") as writer:
        store, indexes = reader._engine.store, reader._engine.indexes
        assert isinstance(store, PostgresStore)
        assert until(lambda: store._listener.hears)
        writer.add("Ana likes tea")
        assert until(lambda: indexes.behind() == 0 and indexes.columns.count() > 0)
        assert until(lambda: not indexes._stirred)
        asked = []
        really = store.change_seq
        store.change_seq = lambda: asked.append(1) or really()  # type: ignore[method-assign, func-returns-value]
        time.sleep(0.5)
        assert len(asked) <= 1, "some twenty looks went by"
        before = indexes.columns.count()
        writer.add("Ben likes coffee")
        assert until(lambda: indexes.columns.count() > before)


def test_notify_can_be_switched_off(url: str) -> None:
    with recollect.open(url, embedder="fake", config={"store.notify": False}) as mem:
        store = mem._engine.store
        assert isinstance(store, PostgresStore)
        assert not store._listener._thread.runs
        mem.add("Ana likes tea")
        assert mem.search("tea")[0].content == "Ana likes tea"


# --- jobs -------------------------------------------------------------------------------------------------------------


def lease(store: PostgresStore, owner: str) -> Any:
    return store.aside(lambda tx: tx.jobs.lease(["k"], owner=owner, now=10, lease_s=60))


def test_many_workers_do_each_job_once(two: tuple[PostgresStore, PostgresStore]) -> None:
    two[0].write(lambda tx: [tx.jobs.enqueue("k", {"n": n}, now=0) for n in range(200)])
    with ThreadPoolExecutor(8) as pool:

        def all_of(worker: int) -> list[int]:
            mine = []
            while job := lease(two[worker % 2], str(worker)):
                mine.append(job.pk)
            return mine

        done = [pk for each in pool.map(all_of, range(8)) for pk in each]
    assert len(done) == len(set(done)) == 200


def test_a_job_is_leased_while_somebody_writes(two: tuple[PostgresStore, PostgresStore]) -> None:
    """A long write holds the lock of all writes; who takes a job waits neither for it nor for others that take one."""
    one, other = two
    one.write(lambda tx: [tx.jobs.enqueue("k", {"n": n}, now=0) for n in range(2)])
    began, end = threading.Event(), threading.Event()

    def long(tx: Tx) -> None:
        tx.meta.note("k", "v")
        began.set()
        assert end.wait(20)

    writing = threading.Thread(target=one.write, args=(long,))
    writing.start()
    assert began.wait(10)
    with psycopg.connect(one.opening.conninfo) as db:  # another worker, just taking the first
        first = db.execute(
            "SELECT pk FROM recollect.job ORDER BY run_after, pk LIMIT 1 FOR UPDATE SKIP LOCKED"
        ).fetchone()
        assert first is not None
        job = lease(other, "b")
        assert job is not None
        assert job.pk != first[0]
    end.set()
    writing.join()


def test_work_that_was_asked_for_once_is_not_lost_to_a_worker_that_just_took_it(
    two: tuple[PostgresStore, PostgresStore],
) -> None:
    """A write that finds its job queued relies on it: nobody may take and end that job before the write is there."""
    one, other = two
    one.write(lambda tx: tx.jobs.enqueue_once("k", now=0))
    began, end = threading.Event(), threading.Event()

    def relying(tx: Tx) -> None:
        assert not tx.jobs.enqueue_once("k", now=0)
        began.set()
        assert end.wait(20)

    writing = threading.Thread(target=one.write, args=(relying,))
    writing.start()
    assert began.wait(10)
    assert lease(other, "b") is None
    end.set()
    writing.join()
    assert lease(other, "b") is not None
    assert one.write(lambda tx: tx.jobs.enqueue_once("k", now=0)), "the one at work may have looked already"
