"""When writing is not possible: no space, no lock, no room in the queue, no store any more."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from properties.tables import (
    QUICK,
    assert_indexes_agree,
    assert_sound,
    counts,
    open_quick,
    visible_state,
    wait_until,
)

import recollect
from faults.processes import heard, started, told
from recollect.errors import DiskFull, Interrupted, RecollectError, StoreBusy, StoreClosed, UsageError
from recollect.memory import Memory
from recollect.wiring import open_memory

BIG = "tea " * 1900


@contextmanager
def full_disk(memory: Memory) -> Iterator[None]:
    """No page more than there are. The limit is the database's own, so that it needs no disk of a certain size."""

    def limit(pages: int) -> None:
        memory._engine.store.write(lambda tx: tx.sql.value(f"PRAGMA max_page_count = {pages}"))

    limit(1)  # SQLite takes the current size for anything smaller
    try:
        yield
    finally:
        limit(2**30)


def attempt(call: Callable[[], Any]) -> Any:
    """What a call answers, or the error it ends with."""
    try:
        return call()
    except RecollectError as error:
        return error


def in_threads(work: list[Callable[[], Any]]) -> list[Any]:
    """Results or errors of calls made at once."""
    barrier = threading.Barrier(len(work))

    def run(call: Callable[[], Any]) -> Any:
        barrier.wait()
        return attempt(call)

    with ThreadPoolExecutor(len(work)) as pool:
        return list(pool.map(run, work))


# --- no space -----------------------------------------------------------------------------------------------------


def test_a_full_disk_refuses_whole_writes_and_heals(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        kept = memory.add(["one", "two", "three"], infer=False).ids
        with full_disk(memory):
            while not isinstance(attempt(lambda: memory.add(BIG, infer=False)), DiskFull):
                """Use up what is free inside the file."""
            there = len(memory.get_all())
            before, rows = visible_state(path), counts(path)
            calls: list[Callable[[], Any]] = [
                lambda: memory.add(BIG, infer=False),
                lambda: memory.add([BIG] * 50, infer=False),
                lambda: memory.update(kept[0], content=BIG),
                lambda: memory.correct(kept[0], BIG),
            ]
            for call in calls:
                with pytest.raises(DiskFull) as caught:
                    call()
                assert caught.value.code == "E1003"
                assert visible_state(path) == before
                assert counts(path) == rows
            assert {hit.id for hit in memory.search("one two three", top_k=3)} == set(kept)
            assert isinstance(attempt(calls[0]), DiskFull)  # a small write of the background may just have found room
            health = memory.health()
            assert health["status"] == "attention"
            assert any("[E1003]" in warning for warning in health.warnings)
            assert isinstance(attempt(calls[0]), DiskFull)
            assert not next(each for each in memory.doctor() if each.check == "file").ok
        memory.add(BIG, infer=False)
        assert memory.health()["status"] == "ok"
        assert len(memory.get_all()) == there + 1
        assert_indexes_agree(memory)
    assert_sound(path)


def test_what_fits_is_written_beside_what_does_not(tmp_path: Path) -> None:
    """A group commit with one write too large: the others in the group are kept, the large one is refused."""
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        memory.add([f"warm up {number}" for number in range(20)])
        memory.delete_all(filters={"content": {"contains": "warm"}}, hard=True)  # leaves free pages inside the file
        with full_disk(memory):
            small: list[Callable[[], Any]] = [lambda n=n: memory.add(f"small {n}") for n in range(6)]  # type: ignore[misc]
            answers = in_threads([*small, lambda: memory.add([BIG] * 200, infer=False)])
            assert isinstance(answers[-1], DiskFull)
            written = [answer for answer in answers[:-1] if not isinstance(answer, RecollectError)]
            assert all(isinstance(answer, DiskFull) for answer in answers[:-1] if answer not in written)
            assert {record.id for record in memory.get_all()} == {answer.id for answer in written}
            assert written, "there was room for at least one"
    assert_sound(path)


def test_a_full_disk_does_not_stop_the_indexes(tmp_path: Path) -> None:
    """Counting accesses needs space too. When that fails, the indexes go on and the counts are not lost."""
    path = tmp_path / "m.db"
    config = {"index.poll_interval_s": 0.01}
    minutes = count(1_700_000_000_000_000, 60_000_000)  # one goes by between two looks at the clock
    with open_memory(path, embedder="fake", config={**QUICK, **config}, clock=lambda: next(minutes)) as m:
        found = m.add("tea in Rome").id
        failing = threading.Event()

        def refuse(work: Callable[[Any], Any]) -> Any:
            failing.set()
            raise DiskFull("no space left")

        access = m._engine.access
        store, access._store = access._store, _Refusing(refuse)  # type: ignore[assignment]
        assert m.search("tea")[0].id == found
        assert failing.wait(20), "the flush never came"
        access._store = store
        later = m.add("tea in Oslo").id
        indexes = m._engine.indexes
        wait_until(lambda: indexes._thread.is_alive() and indexes.behind() == 0, "the indexes to follow")
        assert m.search("Oslo").quality.level == "full"
        assert {hit.id for hit in m.search("tea")} == {found, later}
        access.flush()
        record = m.get(found)
        assert record is not None
        assert record.access_count >= 2


class _Refusing:
    def __init__(self, write: Callable[[Any], Any]) -> None:
        self.write = write


def test_close_finishes_though_the_disk_is_full(tmp_path: Path) -> None:
    others = set(threading.enumerate())
    memory = open_quick(tmp_path / "m.db")
    memory.add("tea in Rome")
    memory.search("tea")
    store = memory._engine.store
    write = store.write

    def refuse(work: Callable[[Any], Any]) -> Any:
        raise DiskFull("no space left")

    store.write = refuse  # type: ignore[method-assign]
    memory.close()
    store.write = write  # type: ignore[method-assign]
    with pytest.raises(StoreClosed):
        memory.add("too late")
    left = set(threading.enumerate()) - others
    assert not [thread.name for thread in left if thread.name.startswith("recollect")]
    assert_sound(tmp_path / "m.db")


# --- one bad write among many -------------------------------------------------------------------------------------


def test_one_poisoned_write_harms_no_other(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        store = memory._engine.store
        tables = counts(path)

        def poison(tx: Any) -> None:
            tx.sql.run("INSERT INTO meta VALUES ('half', 'written')")
            tx.sql.run("INSERT INTO scope (key) VALUES (NULL)")

        def strange(tx: Any) -> None:
            tx.sql.run("INSERT INTO meta VALUES ('half', 'written')")
            raise LookupError("not ours")

        def outcome(work: Any) -> BaseException | None:
            try:
                store.write(work)
            except (RecollectError, LookupError) as error:
                return error
            return None

        good: list[Callable[[], Any]] = [lambda n=n: memory.add(f"good {n}") for n in range(12)]  # type: ignore[misc]
        answers = in_threads([*good[:6], lambda: outcome(poison), lambda: outcome(strange), *good[6:]])
        assert isinstance(answers[6], RecollectError)
        assert isinstance(answers[7], LookupError)
        ids = {answer.id for at, answer in enumerate(answers) if at not in (6, 7)}
        assert {record.id for record in memory.get_all()} == ids
        assert counts(path)["meta"] == tables["meta"]
        assert_indexes_agree(memory)
    assert_sound(path)


def test_many_threads_many_writes_none_lost_none_twice(memory: Memory) -> None:
    def work(name: int) -> Callable[[], list[str]]:
        return lambda: [memory.add(f"thread {name} item {item}").id for item in range(25)]

    answers = in_threads([work(name) for name in range(8)])
    ids = [record_id for answer in answers for record_id in answer]
    assert len(ids) == len(set(ids)) == 200
    assert {record.id for record in memory.get_all(limit=1000)} == set(ids)
    assert_indexes_agree(memory)


# --- no lock ------------------------------------------------------------------------------------------------------


def test_a_held_lock_is_store_busy_for_everybody_at_once(tmp_path: Path) -> None:
    """Nobody waits longer than the timeout, however many wait; and afterwards all is well."""
    path = tmp_path / "m.db"
    with started("hold_the_lock.py", path) as holder:
        assert heard(holder) == "locked"
        with recollect.open(path, embedder="fake", config={"store.busy_timeout_s": 0.5}) as memory:
            start = time.monotonic()
            answers = in_threads([lambda n=n: memory.add(f"waiting {n}") for n in range(8)])  # type: ignore[misc]
            took = time.monotonic() - start
            assert [type(answer) for answer in answers] == [StoreBusy] * 8
            assert answers[0].retryable
            assert took < 3.0, f"eight writers waited {took:.1f} s for a timeout of 0.5 s"
            assert len(memory.get_all()) == 0  # reading goes on
            told(holder, "let go")
            assert heard(holder) == "released"
            memory.add("my turn")
            assert len(memory.get_all()) == 1
    assert_sound(path)


def test_a_lock_held_briefly_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with started("hold_the_lock.py", path) as holder:
        assert heard(holder) == "locked"
        with recollect.open(path, embedder="fake", config={"store.busy_timeout_s": 30.0}) as memory:
            with ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(memory.add, "patience")
                assert not waiting.done()
                told(holder, "let go")
                assert waiting.result(timeout=20).ids
            assert len(memory.get_all()) == 1


# --- no room, no store --------------------------------------------------------------------------------------------


@contextmanager
def stopped_writer(memory: Memory) -> Iterator[None]:
    """The writer is busy with a piece of work until the block ends."""
    entered, leave = threading.Event(), threading.Event()

    def hold(tx: Any) -> None:
        entered.set()
        assert leave.wait(30)

    thread = threading.Thread(target=lambda: memory._engine.store.write(hold))
    thread.start()
    assert entered.wait(10)
    try:
        yield
    finally:
        leave.set()
        thread.join()


def test_a_full_queue_makes_callers_wait_and_loses_nothing(tmp_path: Path) -> None:
    config = {"store.queue_max": 2, "store.group_max": 1}
    with open_quick(tmp_path / "m.db", config=config) as memory, ThreadPoolExecutor(20) as pool:
        with stopped_writer(memory):
            waiting = [pool.submit(memory.add, f"item {number}") for number in range(20)]
            wait_until(lambda: memory._engine.store.queue_depth == 2, "the queue to fill")  # type: ignore[attr-defined]
            assert not any(future.done() for future in waiting)
        ids = {future.result(timeout=20).id for future in waiting}
        assert len(ids) == 20
        assert {record.id for record in memory.get_all()} == ids


@pytest.mark.parametrize("queue_max", [1, 2, 1000])
def test_close_while_writers_wait(tmp_path: Path, queue_max: int) -> None:
    """Each waiting write is either stored and acknowledged, or refused and not stored; and close() comes back."""
    path = tmp_path / "m.db"
    memory = open_quick(path, config={"store.queue_max": queue_max})
    with ThreadPoolExecutor(16) as pool:
        with stopped_writer(memory):
            waiting = [pool.submit(memory.add, f"item {number}") for number in range(15)]
            depth = min(queue_max, 15)
            wait_until(lambda: memory._engine.store.queue_depth == depth, "writers to queue")  # type: ignore[attr-defined]
            closing = pool.submit(memory.close)
            wait_until(lambda: memory._engine.store._closed, "close to begin")  # type: ignore[attr-defined]
        closing.result(timeout=20)
        errors = [future.exception(timeout=20) for future in waiting]
        written = {future.result().id for future, error in zip(waiting, errors, strict=True) if error is None}
    assert all(isinstance(error, StoreClosed | Interrupted) for error in errors if error is not None)
    with open_quick(path) as again:
        assert {record.id for record in again.get_all()} == written
    assert_sound(path)


def test_close_twice_and_use_after(tmp_path: Path) -> None:
    memory = open_quick(tmp_path / "m.db")
    added = memory.add("one")
    memory.search("one")
    memory.close()
    memory.close()
    calls: list[Callable[[], Any]] = [
        lambda: memory.add("two"),
        lambda: memory.search("one"),
        lambda: memory.get(added.id),
        memory.get_all,
        lambda: memory.update(added.id, content="two"),
        lambda: memory.delete(added.id),
        lambda: memory.undo(added.operation or ""),
        lambda: memory.related(added.id),
        memory.operations,
        memory.stats,
        memory.health,
        memory.doctor,
    ]
    for call in calls:
        with pytest.raises(StoreClosed):
            call()


def test_a_write_from_inside_a_write_is_refused(memory: Memory) -> None:
    store = memory._engine.store
    with pytest.raises((StoreClosed, UsageError)):
        store.write(lambda tx: store.write(lambda inner: None))
    assert memory.add("still works").ids


# --- fork ---------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_is_told_to_open_its_own(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        kept = memory.add("before the fork").id
        memory.search("fork")
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:  # pragma: no cover - seen by its exit code only
            code = _in_the_child(memory, path, kept)
            os.write(writer, code.encode())
            os._exit(0)
        os.close(writer)
        _, status = os.waitpid(child, 0)
        said = os.read(reader, 1000).decode()
        os.close(reader)
        assert (status, said) == (0, "ok")
        later = memory.add("after the fork").id
        assert {record.id for record in memory.get_all()} > {kept, later}
        assert_indexes_agree(memory)
    assert_sound(path)


def _in_the_child(memory: Memory, path: Path, kept: str) -> str:  # pragma: no cover
    """What a child may do: nothing with what it inherited, everything with what it opens."""
    calls: list[Callable[[], Any]] = [
        lambda: memory.add("from the child"),
        lambda: memory.search("fork"),
        lambda: memory.get(kept),
        memory.get_all,
    ]
    for call in calls:
        try:
            call()
        except StoreClosed as error:
            if "fork" not in str(error):
                return f"wrong words: {error}"
        except BaseException as error:
            return f"{type(error).__name__}: {error}"
        else:
            return "an inherited memory was used"
    try:
        memory.close()  # must neither hang nor harm
        with open_quick(path) as own:
            own.add("from the child's own")
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "ok"
