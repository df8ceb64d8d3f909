"""What may happen between a memory and its PostgreSQL: nothing acknowledged is lost, and errors say what to do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from postgres_server import another, server
from psycopg.conninfo import conninfo_to_dict

import recollect
from faults.slow_link import SlowLink
from recollect import errors
from recollect.config.storage import StoreSettings
from recollect.memory import Memory
from recollect.store.base import Tx
from recollect.store.postgres import migrate as of_migrate
from recollect.store.postgres import store as of_store
from recollect.store.postgres.connection import ServerOpening
from recollect.store.postgres.migrate import steps
from recollect.store.postgres.session import PostgresSession
from recollect.store.postgres.store import PostgresStore


@pytest.fixture
def url() -> str:
    return server().new()


def opened(url: str, **more: Any) -> Memory:
    return recollect.open(url, embedder="fake", background=False, **more)


def ask(url: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as db:
        cursor = db.execute(statement)
        return cursor.fetchall() if cursor.description else []


def cut_all(url: str) -> int:
    """End every connection to a database but this one; how many there were."""
    return len(
        ask(
            url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
    )


def put(key: str) -> Any:
    return lambda tx: tx.meta.note(key, "v")


def noted(store: PostgresStore) -> int:
    with store.read() as tx:
        return int(tx.sql.value("SELECT count(*) FROM meta WHERE key LIKE 'k%'"))


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    made = PostgresStore(ServerOpening.of(url, StoreSettings(busy_timeout_s=20)))
    yield made
    made.close()


# --- connections that are cut -----------------------------------------------------------------------------------------


def test_connections_that_were_cut_are_made_anew(url: str) -> None:
    with opened(url) as mem:
        mem.add("Ana likes tea")
        assert cut_all(url) >= 1
        mem.add("Ben likes coffee")
        cut_all(url)
        assert mem.search("coffee").hits[0].content == "Ben likes coffee"


def test_a_write_whose_connection_is_cut_is_done_once(url: str, store: PostgresStore) -> None:
    tries = []

    def work(tx: Tx) -> int:
        tries.append(1)
        put("k")(tx)
        if len(tries) == 1:
            cut_all(url)
        return tx.sql.run("UPDATE meta SET value = value || 'w' WHERE key = 'k'")

    assert store.write(work) == 1
    assert len(tries) == 2
    with store.read() as tx:
        assert tx.meta.text("k") == "vw"


@pytest.mark.parametrize("kept", [True, False])
def test_a_commit_that_is_not_answered_is_asked_about(
    url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """The server commits, or does not, and the answer is lost either way."""
    session = store._session
    really = PostgresSession.commit
    tries = []

    class Cut:
        def __init__(self, db: Any) -> None:
            self._db = db

        def execute(self, statement: str) -> None:
            if kept:
                self._db.execute(statement)
            self._db.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

        def __getattr__(self, name: str) -> Any:
            return getattr(self._db, name)

    def commit(self: PostgresSession) -> None:
        tries.append(1)
        if len(tries) == 1:
            self._db = Cut(self._db)  # type: ignore[assignment]
        really(self)

    monkeypatch.setattr(PostgresSession, "commit", commit)
    assert store.write(lambda tx: tx.sql.run("INSERT INTO meta VALUES ('k', 'v')")) == 1
    assert len(tries) == (1 if kept else 2)
    assert noted(store) == 1
    assert session is store._session


def test_what_was_acknowledged_is_there_however_often_connections_are_cut(url: str, store: PostgresStore) -> None:
    done: list[str] = []
    over = threading.Event()

    def write(name: str) -> None:
        for number in range(40):
            key = f"k{name}{number:03}"
            store.write(put(key))
            done.append(key)

    def cut() -> None:
        while not over.is_set():
            cut_all(url)
            time.sleep(0.05)

    cutting = threading.Thread(target=cut)
    cutting.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, "abcd"))
    finally:
        over.set()
        cutting.join()
    assert noted(store) == len(done) == 160


_WRITER = """
import sys
import recollect
with recollect.open(sys.argv[1], embedder="fake", background=False) as mem:
    for number in range(10_000):
        mem.add(f"Fact {number} of {sys.argv[2]}")
        print(number, flush=True)
"""


def test_processes_on_one_database_of_which_one_is_killed(url: str) -> None:
    with opened(url) as mem:
        running = [
            subprocess.Popen(
                [sys.executable, "-c", _WRITER, url, name], stdout=subprocess.PIPE, text=True, env={**os.environ}
            )
            for name in ("one", "other")
        ]
        told: list[list[str]] = [[], []]
        for process, lines in zip(running, told, strict=True):
            assert process.stdout is not None
            lines += [process.stdout.readline() for _ in range(8)]
        running[0].send_signal(signal.SIGKILL)
        told[0] += running[0].communicate()[0].splitlines()
        mem.add("Written while the others are killed")  # the lock went with the process
        running[1].kill()
        running[1].communicate(timeout=20)
        contents = {record.content for record in _all(mem)}
        assert {f"Fact {number} of one" for number in range(len(told[0]))} <= contents
        assert {f"Fact {number} of other" for number in range(8)} <= contents


def _all(mem: Memory) -> list[Any]:
    found, cursor = [], None
    while True:
        page = mem.get_all(limit=100, cursor=cursor, reach="all")
        found += list(page)
        cursor = page.cursor
        if cursor is None:
            return found


@pytest.mark.slow
def test_a_server_that_stops_and_starts_loses_nothing_acknowledged() -> None:
    own = another()
    done: list[int] = []
    with recollect.open(own.get_uri(), embedder="fake", background=False) as mem:

        def write() -> None:
            for number in range(60):
                mem.add(f"Fact {number} of the day")
                done.append(number)
                time.sleep(0.05)

        with ThreadPoolExecutor(1) as other:
            writing = other.submit(write)
            time.sleep(1)
            own.stop()
            time.sleep(1)
            own.ensure_postgres_running()
            writing.result()
        contents = {record.content for record in _all(mem)}
        assert {f"Fact {number} of the day" for number in done} <= contents
        assert len(done) == len(contents) == 60  # none refused, and none written twice


def test_indexes_of_another_process_see_every_write(url: str) -> None:
    """The feed has no holes: what anybody wrote is found at once by everybody."""
    with opened(url) as one, opened(url) as other:
        for number in range(10):
            writer, reader = (one, other) if number % 2 else (other, one)
            writer.add(f"The code word of day {number} is zebra{number}")
            assert reader.search(f"zebra{number}").hits[0].content.endswith(f"zebra{number}")


# --- locks, pools, time -----------------------------------------------------------------------------------------------


def test_a_write_that_waits_too_long_for_another_is_told_so(url: str, store: PostgresStore) -> None:
    hurried = PostgresStore(ServerOpening.of(url, StoreSettings(busy_timeout_s=0.3)))
    held, go = threading.Event(), threading.Event()

    def hold(tx: Tx) -> None:
        held.set()
        go.wait(10)

    thread = threading.Thread(target=store.write, args=(hold,))
    thread.start()
    try:
        assert held.wait(10)
        with pytest.raises(errors.StoreBusy, match="try again") as caught:
            hurried.write(put("k"))
        assert caught.value.retryable
    finally:
        go.set()
        thread.join()
    hurried.write(put("k"))
    hurried.close()


def test_a_full_pool_is_an_error_that_says_so(url: str) -> None:
    small = PostgresStore(ServerOpening.of(url, StoreSettings(busy_timeout_s=0.5, readers=1)))
    with small.read(), ThreadPoolExecutor(1) as other, pytest.raises(errors.StoreBusy, match=r"store\.readers"):
        other.submit(noted, small).result()
    assert noted(small) == 0
    small.close()


def test_a_read_while_the_server_is_away_says_that_and_not_that_the_pool_is_full(url: str) -> None:
    link = SlowLink(url)
    store = PostgresStore(ServerOpening.of(link.url, StoreSettings(busy_timeout_s=0.5)))
    link.close()
    with pytest.raises(errors.StoreUnavailable, match="cannot be reached") as caught:
        noted(store)
    assert caught.value.retryable
    store.close()


def test_a_store_whose_connection_is_cut_while_it_is_opened_is_opened(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever starts just when a server fails over need not be started again."""
    really = of_store.migrate
    tries = []

    def cut(db: Any, opening: ServerOpening) -> int:
        tries.append(1)
        if len(tries) <= 2:
            cut_all(url)
        return really(db, opening)

    monkeypatch.setattr(of_store, "migrate", cut)
    store = PostgresStore(ServerOpening.of(url, StoreSettings()))
    assert noted(store) == 0
    assert len(tries) == 3
    store.close()


def test_a_peer_that_is_gone_without_a_word_is_noticed_soon_unless_the_url_says_otherwise(url: str) -> None:
    given = conninfo_to_dict(ServerOpening.of(url, StoreSettings()).conninfo)
    assert (given["keepalives_idle"], given["tcp_user_timeout"]) == ("15", "30000")
    own = conninfo_to_dict(ServerOpening.of(f"{url}&tcp_user_timeout=5000", StoreSettings()).conninfo)
    assert own["tcp_user_timeout"] == "5000"


def test_a_statement_that_takes_too_long_is_stopped(url: str) -> None:
    store = PostgresStore(ServerOpening.of(url, StoreSettings(statement_timeout_s=1)))
    with pytest.raises(errors.StoreBusy, match="statement_timeout_s"), store.read() as tx:
        tx.sql.value("SELECT pg_sleep(5)")
    assert noted(store) == 0
    store.close()


# --- what is given wrong ----------------------------------------------------------------------------------------------


def _with(url: str, **parts: str) -> str:
    split = urlsplit(url)
    return urlunsplit(split._replace(**parts))


def test_there_is_no_server() -> None:
    with pytest.raises(errors.StoreUnavailable, match="try again") as caught:
        opened("postgresql://ana:hush@127.0.0.1:1/db")
    assert "hush" not in str(caught.value)


def test_there_is_no_such_database(url: str) -> None:
    with pytest.raises(errors.StoreError, match="createdb") as caught:
        opened(_with(url, path="/nowhere"))
    assert caught.value.code == "E1005"  # not E2005, which stands for a store that the first write makes


def test_a_command_on_a_database_that_is_not_there_fails(url: str) -> None:
    asked = subprocess.run(
        [sys.executable, "-m", "recollect.interfaces.cli", "--db", _with(url, path="/nowhere"), "search", "tea"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 1
    assert "E1005" in asked.stderr
    assert "recollect add" not in asked.stderr


def test_a_login_that_is_refused_says_what_to_check() -> None:
    guarded = another()
    rules = guarded.pgdata / "pg_hba.conf"
    rules.write_text("local all ana scram-sha-256\nlocal all shut_out reject\n" + rules.read_text())
    address = guarded.get_uri()
    ask(address, "CREATE ROLE ana LOGIN PASSWORD 'hush'")
    ask(address, "GRANT CREATE ON DATABASE postgres TO ana")
    ask(address, "CREATE ROLE shut_out LOGIN")
    ask(address, "SELECT pg_reload_conf()")
    for login, said in (
        ("ana:guess", "password authentication failed"),
        ("ana", "no password"),
        ("shut_out", "rejects"),
        ("stranger", "does not exist"),
    ):
        with pytest.raises(errors.StoreLocked, match=said) as caught:
            opened(_with(address, netloc=f"{login}@"))
        assert "pg_hba.conf" in str(caught.value)
        assert "guess" not in str(caught.value)
        assert not caught.value.retryable
    with opened(_with(address, netloc="ana:hush@")) as mem:
        assert mem.add("Ana likes tea").ids


def test_an_old_server_is_refused_with_the_version_that_is_needed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_migrate, "VERSION_MIN", 990_000)  # so that the one at hand is an old one
    with pytest.raises(errors.StoreError, match="Recollect needs 99 or newer"):
        opened(f"{url}&schema=elsewhere")
    assert ask(url, "SELECT to_regnamespace('elsewhere')") == [(None,)]


@pytest.mark.parametrize("bad", ["schema=A%20b", "schema=pg_x", "nonsense=1"])
def test_a_url_that_means_nothing_is_refused(url: str, bad: str) -> None:
    with pytest.raises(errors.UsageError):
        opened(f"{url}&{bad}")


def test_a_schema_of_a_newer_program_is_not_touched(url: str) -> None:
    ask(url, "INSERT INTO recollect.migration VALUES (9999, 'future', 0)")
    with pytest.raises(errors.StoreNewer, match="upgrade recollect"):
        opened(url)


def test_a_schema_of_another_program_is_not_touched(url: str) -> None:
    ask(url, "CREATE SCHEMA theirs; CREATE TABLE theirs.thing (x INT)")
    with pytest.raises(errors.StoreDamaged, match="another program"):
        opened(f"{url}&schema=theirs")
    assert ask(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'theirs'") == [("thing",)]


def test_a_database_that_is_only_to_be_read_says_so(url: str) -> None:
    name = urlsplit(url).path[1:]
    with opened(url) as mem:
        mem.add("Ana likes tea")
    ask(url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with opened(url) as mem:
        assert mem.search("tea").hits
        with pytest.raises(errors.StoreReadOnly, match="primary"):
            mem.add("Ben likes coffee")


def test_a_role_without_rights_is_told_so(url: str) -> None:
    role = f"guest_{os.getpid()}"
    ask(url, f"DROP ROLE IF EXISTS {role}")
    ask(url, f"CREATE ROLE {role} LOGIN")
    try:
        with pytest.raises(errors.StoreReadOnly, match=r"docs/postgres\.md"):
            opened(_with(url, netloc=f"{role}@{urlsplit(url).netloc.rpartition('@')[2]}") + "&schema=mine")
    finally:
        ask(url, f"DROP ROLE {role}")


def test_a_key_is_refused_with_what_to_do_instead(url: str) -> None:
    with pytest.raises(errors.UsageError, match="disk of the server"):
        opened(url, key=bytes(32))


def test_tenants_in_schemas_of_one_database_see_nothing_of_each_other(url: str) -> None:
    with opened(f"{url}&schema=one") as one, opened(f"{url}&schema=other") as other:
        one.add("The secret of one is a zebra")
        assert other.search("zebra").hits == ()
        assert one.search("zebra").hits


def test_many_processes_make_the_schema_at_once() -> None:
    url = server().new(empty=True)
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: PostgresStore(ServerOpening.of(url, StoreSettings())), range(6)))
    for each in stores:
        each.close()
    assert ask(url, "SELECT count(*) FROM recollect.migration")[0][0] == len(steps())


def test_statements_need_no_session(url: str, tmp_path: Path) -> None:
    """Behind a pooler each transaction may meet another server: nothing that is set outlives one."""
    with opened(url, config={"store.prepared_statements": False}) as mem:
        mem.add("Ana likes tea")
        with mem._engine.store.read() as tx:
            before = tx.sql.value("SELECT count(*) FROM pg_prepared_statements")
        assert before == 0
        store = mem._engine.store
        assert isinstance(store, PostgresStore)
        with store._pool.connection() as db:
            assert db.execute("SHOW search_path").fetchone() == ('"$user", public',)
            assert db.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone() == (0,)
