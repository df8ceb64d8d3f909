"""What every store promises, whatever database is behind it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from contracts.store_backends import BACKENDS, Bench

from recollect.errors import RecollectError, StoreClosed
from recollect.store.base import Store, Tx

pytestmark = pytest.mark.creates_stores


@pytest.fixture(params=BACKENDS)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    bench = BACKENDS[request.param](tmp_path)
    yield bench
    bench.close()


@pytest.fixture
def store(bench: Bench) -> Store:
    return bench.open()


def put(key: str, value: str = "v") -> Callable[[Tx], int]:
    return lambda tx: tx.sql.run("INSERT INTO meta (key, value) VALUES (?, ?)", (key, value))


def keys(store: Store) -> list[str]:
    with store.read() as tx:
        return [row[0] for row in tx.sql.all("SELECT key FROM meta ORDER BY key")]


def announce(tx: Tx) -> None:
    tx.changes.announce("record", 1, 1)


# --- statements -----------------------------------------------------------------------------------------------------


def test_the_ways_to_ask(store: Store) -> None:
    store.write(lambda tx: tx.sql.many("INSERT INTO meta VALUES (?, ?)", [("a", "1"), ("b", "2"), ("c", "3")]))
    with store.read() as tx:
        sql = "SELECT key, value FROM meta WHERE key >= ? ORDER BY key"
        assert tx.sql.all(sql, ("b",)) == [("b", "2"), ("c", "3")]
        assert list(tx.sql.each(sql, ("b",))) == [("b", "2"), ("c", "3")]
        assert tx.sql.one(sql, ("b",)) == ("b", "2")
        assert tx.sql.value(sql, ("b",)) == "b"
        assert tx.sql.all(sql, ("x",)) == []
        assert tx.sql.one(sql, ("x",)) is None
        assert tx.sql.value(sql, ("x",)) is None


def test_values_are_bound_never_part_of_the_statement(store: Store) -> None:
    evil = "x'); DROP TABLE meta; --"
    store.write(put(evil))
    assert keys(store) == [evil]


def test_run_counts_rows_and_insert_gives_the_key(store: Store) -> None:
    insert = "INSERT INTO scope (key) VALUES (?)"
    first, second = store.write(lambda tx: (tx.sql.insert(insert, ("a",)), tx.sql.insert(insert, ("b",))))
    assert second == first + 1
    assert store.write(lambda tx: tx.sql.run("DELETE FROM scope WHERE pk >= ?", (first,))) == 2
    assert store.write(lambda tx: tx.sql.run("DELETE FROM scope WHERE pk >= ?", (first,))) == 0


@pytest.mark.parametrize("count", [0, 1, 3, 10_000])
def test_many_keys_are_bound_as_one_list(store: Store, count: int) -> None:
    store.write(lambda tx: tx.sql.many("INSERT INTO scope (pk, key) VALUES (?, ?)", ((i, str(i)) for i in range(1, 6))))
    with store.read() as tx:
        sql = "SELECT pk FROM scope WHERE pk IN KEYS(?) ORDER BY pk"
        assert [row[0] for row in tx.sql.all(sql, (tx.sql.keys(range(1, count + 1)),))] == list(
            range(1, min(count, 5) + 1)
        )


# --- writing --------------------------------------------------------------------------------------------------------


def test_what_was_written_is_read_by_anyone_at_once(store: Store) -> None:
    assert store.write(put("a")) == 1
    assert keys(store) == ["a"]
    with ThreadPoolExecutor(1) as other:
        assert other.submit(keys, store).result() == ["a"]


def test_a_write_sees_what_it_wrote_itself(store: Store) -> None:
    def work(tx: Tx) -> object:
        put("a")(tx)
        return tx.sql.value("SELECT value FROM meta WHERE key = 'a'")

    assert store.write(work) == "v"


def test_a_failing_write_leaves_nothing_and_its_error_comes_back(store: Store) -> None:
    def half(tx: Tx) -> None:
        put("half")(tx)
        raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        store.write(half)
    assert keys(store) == []
    store.write(put("next"))
    assert keys(store) == ["next"]


def test_what_the_database_refuses_is_an_error_of_ours(store: Store) -> None:
    store.write(put("a"))
    for sql in ("INSERT INTO meta VALUES ('a', 'again')", "SELECT * FROM nowhere", "not even SQL"):
        with pytest.raises(RecollectError):
            store.write(lambda tx, sql=sql: tx.sql.run(sql))
        with pytest.raises(RecollectError), store.read() as tx:
            tx.sql.all(sql if sql.startswith("SELECT") else "SELECT broken FROM meta")
    assert keys(store) == ["a"]


def test_writes_queued_together_do_not_share_their_failures(store: Store) -> None:
    """The writer is held up, so that everything that waits ends in one group."""
    held, go = threading.Event(), threading.Event()

    def hold(tx: Tx) -> None:
        held.set()
        go.wait(10)

    def work(number: int) -> Callable[[Tx], int]:
        def inner(tx: Tx) -> int:
            put(f"k{number:03}")(tx)
            if number % 3 == 0:
                raise ValueError(number)
            return number

        return inner

    with ThreadPoolExecutor(31) as pool:
        first = pool.submit(store.write, hold)
        assert held.wait(10)
        waiting = [pool.submit(store.write, work(number)) for number in range(30)]
        go.set()
        first.result()
        for number, outcome in enumerate(waiting):
            if number % 3 == 0:
                assert isinstance(outcome.exception(), ValueError)
            else:
                assert outcome.result() == number
    assert keys(store) == [f"k{number:03}" for number in range(30) if number % 3]


def test_each_thread_s_writes_are_applied_in_the_order_given(store: Store) -> None:
    def sequence(name: str) -> None:
        for number in range(20):
            row = (f"{name}{number:02}", name)
            store.write(lambda tx, row=row: tx.sql.run("INSERT INTO scope (key, user_id) VALUES (?, ?)", row))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(sequence, "abcd"))
    with store.read() as tx:
        for name in "abcd":
            rows = tx.sql.all("SELECT key FROM scope WHERE user_id = ? ORDER BY pk", (name,))
            assert [row[0] for row in rows] == [f"{name}{number:02}" for number in range(20)]


def test_the_order_of_the_queue_is_the_order_of_the_commits(store: Store) -> None:
    held, go = threading.Event(), threading.Event()
    done: list[int] = []

    def hold(tx: Tx) -> None:
        held.set()
        go.wait(10)

    threads = [threading.Thread(target=store.write, args=(hold,))]
    threads[0].start()
    assert held.wait(10)
    for number in range(8):
        thread = threading.Thread(target=store.write, args=(lambda tx, n=number: done.append(n),))
        thread.start()
        threads.append(thread)
        while store.queue_depth < number + 1:  # type: ignore[attr-defined]
            time.sleep(0.001)
    go.set()
    for thread in threads:
        thread.join(10)
    assert done == list(range(8))


def test_a_write_from_inside_a_write_is_refused_and_does_not_hang(store: Store) -> None:
    with pytest.raises(RecollectError):
        store.write(lambda tx: store.write(put("inner")))
    store.write(put("after"))
    assert keys(store) == ["after"]


@pytest.mark.timeout(20)
def test_a_write_from_inside_a_read_happens_or_is_refused_but_never_hangs(store: Store, bench: Bench) -> None:
    with store.read() as tx:
        assert tx.sql.value("SELECT count(*) FROM meta") == 0
        if bench.keeps_readers_apart:
            store.write(put("a"))
        else:
            with pytest.raises(RecollectError, match="inside a read"):
                store.write(put("a"))
    store.write(put("b"))
    assert "b" in keys(store)


# --- reading --------------------------------------------------------------------------------------------------------


def test_a_read_is_one_snapshot_however_much_is_written_meanwhile(store: Store, bench: Bench) -> None:
    store.write(put("a"))
    with ThreadPoolExecutor(1) as other:
        with store.read() as tx:
            before = tx.sql.value("SELECT count(*) FROM meta")
            waiting = other.submit(store.write, put("b"))
            if bench.keeps_readers_apart:
                waiting.result(10)
            assert tx.sql.value("SELECT count(*) FROM meta") == before == 1
        waiting.result(10)
    assert keys(store) == ["a", "b"]


def test_a_read_inside_a_read_works(store: Store) -> None:
    store.write(put("a"))
    with store.read() as outer:
        assert keys(store) == ["a"]
        with store.read() as inner:
            assert inner.sql.value("SELECT count(*) FROM meta") == 1
        assert outer.sql.value("SELECT count(*) FROM meta") == 1
    store.write(put("b"))
    assert keys(store) == ["a", "b"]


def test_an_error_inside_a_read_ends_the_read_and_nothing_else(store: Store) -> None:
    for _ in range(10):  # more often than there are readers in the pool
        with pytest.raises(LookupError), store.read():
            raise LookupError
    assert keys(store) == []


def test_many_readers_at_once(store: Store) -> None:
    store.write(put("a"))
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(lambda _: keys(store), range(200))) == [["a"]] * 200


# --- the change feed ------------------------------------------------------------------------------------------------


def test_the_feed_grows_with_every_announcement_and_never_goes_back(store: Store) -> None:
    assert store.change_seq() == 0
    seen = []
    for _ in range(3):
        store.write(announce)
        seen.append(store.change_seq())
    assert seen == sorted(set(seen))
    store.write(put("silent"))
    assert store.change_seq() == seen[-1]
    store.write(lambda tx: tx.changes.trim(1))
    store.write(announce)
    assert store.change_seq() == seen[-1] + 1


def test_an_announcement_of_a_failed_write_is_never_seen(store: Store) -> None:
    def work(tx: Tx) -> None:
        announce(tx)
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        store.write(work)
    assert store.change_seq() == 0


def test_another_store_object_on_the_same_data_sees_writes_and_their_announcements(bench: Bench) -> None:
    if not bench.shared:
        pytest.skip("a store in memory is nobody else's")
    one, other = bench.open(), bench.open()
    for number in range(3):
        writer, reader = (one, other) if number % 2 else (other, one)
        writer.write(lambda tx, n=number: (put(f"k{n}")(tx), announce(tx)))
        assert reader.change_seq() == number + 1
        assert f"k{number}" in keys(reader)


# --- life -----------------------------------------------------------------------------------------------------------


def test_closing_finishes_what_was_queued_and_may_be_repeated(bench: Bench) -> None:
    store = bench.open()
    held, go = threading.Event(), threading.Event()

    def hold(tx: Tx) -> None:
        held.set()
        go.wait(10)

    with ThreadPoolExecutor(12) as pool:
        first = pool.submit(store.write, hold)
        assert held.wait(10)
        waiting = [pool.submit(store.write, put(f"k{number}")) for number in range(9)]
        while store.queue_depth < 9:  # type: ignore[attr-defined]
            time.sleep(0.001)
        closing = pool.submit(store.close)
        go.set()
        closing.result(10)
        first.result(10)
        assert [outcome.result(10) for outcome in waiting] == [1] * 9
    store.close()
    if bench.shared:
        assert len(keys(bench.open())) == 9


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    uses: list[Callable[[], object]] = [lambda: store.write(put("a")), store.change_seq, lambda: keys(store)]
    for use in uses:
        with pytest.raises(StoreClosed):
            use()


def test_what_was_acknowledged_is_there_after_reopening(bench: Bench) -> None:
    if not bench.shared:
        pytest.skip("a store in memory ends with its process")
    first = bench.open()
    first.write(put("a"))
    first.checkpoint()
    first.write(put("b"))
    first.close()
    assert keys(bench.open()) == ["a", "b"]


def test_size_is_told_and_grows(store: Store) -> None:
    before = store.size_bytes()
    store.write(put("big", random.Random(1).randbytes(100_000).hex()))  # which cannot be compressed
    assert store.size_bytes() >= before + 150_000


def test_a_store_that_spares_memory_reads_and_writes_as_before(store: Store) -> None:
    for readers, pages in ((True, False), (True, True), (False, False)):
        store.spare(readers, pages)
        store.write(put(f"{readers}{pages}"))
        assert f"{readers}{pages}" in keys(store)
