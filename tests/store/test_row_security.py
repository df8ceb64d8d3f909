"""Row-level security as a second lock: a statement without the condition of its scopes sees no row of another."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from postgres_server import server

import recollect
from recollect.clock import Clock, now_us
from recollect.errors import StoreError, StoreReadOnly
from recollect.memory import Memory
from recollect.model.query import Criteria
from recollect.model.scope import Reach, Scope
from recollect.store.postgres import rows

ROLE = "recollect_scoped"
ANA, BEN = ({"user_id": name} for name in ("ana", "ben"))
OF_ANA = Criteria(scope=Scope(user_id="ana"), reach=Reach.OWN)
_WITH_SCOPES = "record session entity vector mention member edge mark operation journal scope near_1".split()


def ask(url: str, *statements: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as db:
        for statement in statements:
            cursor = db.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def url() -> str:
    made = server().new()
    with contextlib.suppress(psycopg.errors.DuplicateObject):
        ask(made, f"CREATE ROLE {ROLE} NOLOGIN")
    return made


def opened(url: str, clock: Clock = now_us, **config: Any) -> Memory:
    given = {"store.scoped_role": ROLE, "index.search": "database", **config}
    return recollect.open(url, embedder="wordllama", background=False, config=given, clock=clock)


def lived(mem: Memory) -> None:
    for who in (ANA, BEN):
        name = who["user_id"].title()
        mem.add(
            [
                {
                    "role": "user",
                    "content": f"I am {name} and I moved to Oslo. {name} Ruiz likes the harbour.",
                    "name": name,
                }
            ],
            session_id="s",
            **who,
        )
        notes = mem.add([f"{name} rows a boat", f"{name} sails a yacht"], tags=["water"], **who).ids
        mem.add({"content": f"{name} keeps a log", "place": {"file_path": f"{name}.md"}}, **who)
        mem.relate(*notes, "supports", **who)


@pytest.fixture
def mem(url: str) -> Iterator[Memory]:
    with opened(url) as memory:
        lived(memory)
        near = memory._engine.store.near
        assert near is not None
        near.keep(lambda: True)
        memory._engine.indexes.inside.step(1, lambda: True)
        yield memory


@pytest.mark.parametrize("table", _WITH_SCOPES)
def test_a_statement_without_its_condition_sees_only_its_own(mem: Memory, table: str) -> None:
    store = mem._engine.store
    count = f"SELECT count(*) FROM {table}"
    with store.read() as tx:
        every = tx.sql.value(count)
    with store.read(OF_ANA) as tx:
        mine = tx.sql.value(count)
    with store.read(Criteria(scope=Scope(user_id="nobody"), reach=Reach.OWN)) as tx:
        of_nobody = tx.sql.value(count)
    assert every > mine > 0
    assert of_nobody == 0


def test_a_forgotten_condition_shows_no_text_of_another(mem: Memory) -> None:
    with mem._engine.store.read(OF_ANA) as tx:
        texts = [row[0] for row in tx.sql.all("SELECT content FROM record")]
    assert texts
    assert not any("Ben" in text for text in texts)


def test_a_role_without_scopes_sees_nothing(mem: Memory, url: str) -> None:
    found = ask(url, f"SET ROLE {ROLE}", "SET search_path = recollect", "SELECT count(*) FROM record")
    assert found == [(0,)]


def test_what_is_no_read_of_records_is_not_granted(mem: Memory) -> None:
    for table in ("access_token", "meta", "job", "audit", "key_given"):
        with pytest.raises(StoreReadOnly, match="may not"), mem._engine.store.read(OF_ANA) as tx:
            tx.sql.value(f"SELECT count(*) FROM {table}")


def test_nothing_can_be_written_from_such_a_read(mem: Memory) -> None:
    with pytest.raises(StoreReadOnly), mem._engine.store.read(OF_ANA) as tx:
        tx.sql.run("DELETE FROM record")


def test_the_lock_ends_with_the_transaction(mem: Memory) -> None:
    store = mem._engine.store
    for _ in range(3):  # connections of the pool, taken again
        with store.read(OF_ANA) as tx:
            mine = tx.sql.value("SELECT count(*) FROM record")
        with store.read() as tx:
            assert tx.sql.value("SELECT count(*) FROM record") > mine
            assert tx.sql.value("SELECT current_setting('recollect.scopes', TRUE)") in (None, "")


def test_every_table_is_either_guarded_or_not_granted(mem: Memory, url: str) -> None:
    """A table that a later step makes and nobody thought of is not granted: a read that needs it fails, and says so."""
    bare = {
        row[0]
        for row in ask(
            url,
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'recollect'::REGNAMESPACE AND c.relkind IN "
            f"('r', 'p', 'v') AND has_table_privilege('{ROLE}', c.oid, 'SELECT') AND NOT EXISTS "
            "(SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid)",
        )
    }
    assert bare == set(rows._OPEN)


@pytest.mark.parametrize("where", ["database", "memory"])
def test_reads_answer_the_same_with_and_without(url: str, where: str) -> None:
    now = now_us()
    with opened(url) as mem:
        lived(mem)
    given = [{"store.scoped_role": role, "index.search": where} for role in (ROLE, "")]
    with opened(url, clock=lambda: now, **given[0]) as locked, opened(url, clock=lambda: now, **given[1]) as plain:
        for one, other in zip(asked(locked), asked(plain), strict=True):
            assert _without_times(one) == _without_times(other)


def asked(mem: Memory) -> list[Any]:
    first = mem.get_all(**ANA).records[-1]
    return [
        mem.search("who rows a boat?", **ANA).to_dict(),
        mem.search("who rows a boat?", known_at="2040-01-01", **ANA).to_dict()["results"],  # weighed by all rows else
        mem.search("", **ANA).to_dict(),
        mem.search("harbour", tags=["water"], filters={"actor": {"exists": False}}, **ANA).to_dict(),
        mem.search("yacht in Oslo", place="docs/*.md", **ANA).to_dict(),
        mem.get(first.id, **ANA).to_dict(),  # type: ignore[union-attr]
        mem.get_all(filters={"user_id": {"eq": "ana"}}, **ANA).to_dict(),
        mem.related(first.id, depth=2, **ANA).to_dict(),
        mem.timeline("boat", **ANA).to_dict(),
        re.sub(r":[0-9a-f]{12}", "", mem.context("where does Ana live?", **ANA).text),  # what guards it is drawn
    ]


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_times(each) for name, each in value.items() if name not in ("latency_ms", "stages_ms")}
    return [_without_times(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ((), "there is no role recollect_absent"),
        (("CREATE ROLE recollect_absent SUPERUSER",), "policies do not bind"),
        (("CREATE ROLE recollect_absent BYPASSRLS",), "policies do not bind"),
    ],
)
def test_a_role_that_locks_nothing_is_refused(url: str, made: tuple[str, ...], said: str) -> None:
    try:
        ask(url, "SELECT 1", *made)
        with pytest.raises(StoreError, match=said):
            opened(url, **{"store.scoped_role": "recollect_absent"})
    finally:
        ask(url, "DROP ROLE IF EXISTS recollect_absent")
