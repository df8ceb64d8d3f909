"""Durable work: leased in the order it falls due, kept, and never lost with the one who leased it."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.clock import SECOND_US
from recollect.errors import ContentTooLarge
from recollect.store import jobs
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job


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
def store(database: Store) -> Store:
    return database


def enqueue(store: Store, kind: str = "k", payload: dict[str, Any] | None = None, **given: Any) -> int:
    return store.write(lambda tx: tx.jobs.enqueue(kind, payload or {}, **given))


def lease(store: Store, clock: Clock, owner: str = "me", *kinds: str) -> Job | None:
    return store.write(lambda tx: tx.jobs.lease(list(kinds or ("k",)), owner=owner, now=clock(), lease_s=60))


def states(store: Store) -> dict[str, int]:
    with store.read() as tx:
        return tx.jobs.counts()


# --- the queue ------------------------------------------------------------------------------------------------------


def test_jobs_are_leased_in_the_order_they_fall_due(store: Store, clock: Clock) -> None:
    late = enqueue(store, payload={"n": 1}, now=clock(), delay_s=10)
    first = enqueue(store, payload={"n": 2}, now=clock())
    second = enqueue(store, payload={"n": 3}, now=clock())
    assert [lease(store, clock).pk for _ in range(2)] == [first, second]
    assert lease(store, clock) is None
    clock.skip(10)
    job = lease(store, clock)
    assert (job.pk, job.kind, job.payload, job.attempts) == (late, "k", {"n": 1}, 1)


def test_only_the_kinds_asked_for_are_leased(store: Store, clock: Clock) -> None:
    enqueue(store, "other", now=clock())
    assert lease(store, clock) is None
    assert lease(store, clock, "me", "k", "other").kind == "other"


def test_a_leased_job_is_nobody_else_s_until_its_lease_runs_out(store: Store, clock: Clock) -> None:
    pk = enqueue(store, now=clock())
    assert lease(store, clock, "one").pk == pk
    clock.skip(59)
    assert lease(store, clock, "two") is None
    clock.skip(2)
    again = lease(store, clock, "two")
    assert (again.pk, again.attempts) == (pk, 2)


def test_extending_keeps_a_lease_and_a_lost_one_is_noticed(store: Store, clock: Clock) -> None:
    pk = enqueue(store, now=clock())
    lease(store, clock, "one")
    extend = lambda owner: store.write(  # noqa: E731
        lambda tx: tx.jobs.extend(pk, owner=owner, now=clock(), lease_s=60, progress=0.5)
    )
    clock.skip(50)
    assert extend("one") is True
    clock.skip(50)
    assert lease(store, clock, "two") is None
    clock.skip(11)
    assert lease(store, clock, "two").pk == pk
    assert extend("one") is False
    assert extend("two") is True


def test_what_was_done_long_ago_is_forgotten(store: Store, clock: Clock) -> None:
    for _ in range(2):
        pk = enqueue(store, now=clock())
        lease(store, clock, "one")
        store.write(lambda tx, pk=pk: tx.jobs.finish(pk, owner="one", now=clock()))
        assert states(store) == {"done": 1}
        clock.skip((jobs.DONE_KEPT_DAYS + 1) * 86_400)


def test_who_lost_the_lease_can_neither_finish_nor_fail_the_job(store: Store, clock: Clock) -> None:
    pk = enqueue(store, now=clock())
    lease(store, clock, "one")
    clock.skip(61)
    lease(store, clock, "two")
    store.write(lambda tx: tx.jobs.finish(pk, owner="one", now=clock()))
    store.write(lambda tx: tx.jobs.fail(pk, owner="one", now=clock(), code="E1", retry_in_s=None))
    store.write(lambda tx: tx.jobs.release(pk, owner="one", now=clock()))
    assert states(store) == {"running": 1}
    store.write(lambda tx: tx.jobs.finish(pk, owner="two", now=clock()))
    assert states(store) == {"done": 1}


def test_a_job_of_a_failed_write_never_existed(store: Store, clock: Clock) -> None:
    def work(tx: Tx) -> None:
        tx.jobs.enqueue("k", {}, now=clock())
        raise LookupError

    with pytest.raises(LookupError):
        store.write(work)
    assert lease(store, clock) is None


def test_one_waiting_job_of_a_kind_is_enough(store: Store, clock: Clock) -> None:
    once = lambda: store.write(lambda tx: tx.jobs.enqueue_once("k", now=clock()))  # noqa: E731
    once()
    once()
    assert states(store) == {"ready": 1}
    lease(store, clock)
    once()  # the running one may have looked already
    assert states(store) == {"ready": 1, "running": 1}


def test_a_payload_has_a_limit(store: Store, clock: Clock) -> None:
    with pytest.raises(ContentTooLarge):
        enqueue(store, payload={"text": "x" * 300_000}, now=clock())
    assert states(store) == {}
