"""Sessions: registered at their first turn, with as many turns as are alive."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect import Memory
from recollect.clock import from_us
from recollect.model.scope import Scope
from recollect.model.session import Session
from recollect.store.sqlite.connection import Opening
from recollect.store.sqlite.store import SqliteStore


def key_of(memory: Memory, session_id: str = "s") -> int:
    with memory._engine.store.read() as tx:
        (pk,) = tx.sessions.keys(session_id, None)
    return pk


def loaded(memory: Memory, session_id: str = "s") -> Session:
    with memory._engine.store.read() as tx:
        session = tx.sessions.load(tx.sessions.keys(session_id, None)[0])
    assert session is not None
    return session


def turn(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def test_one_key_for_a_name_in_a_scope(tmp_path: Path) -> None:
    store = SqliteStore(Opening(path=str(tmp_path / "s.db")))
    try:
        mine, hers = store.write(lambda tx: [tx.scopes.ensure(s) for s in (Scope(), Scope(user_id="ana"))])
        first = store.write(lambda tx: tx.sessions.ensure("s", mine, at=20))
        assert store.write(lambda tx: tx.sessions.ensure("s", mine, at=50)) == first
        assert store.write(lambda tx: tx.sessions.ensure("s", mine, at=30)) == first
        other = store.write(lambda tx: tx.sessions.ensure("s", hers, at=5))
        with store.read() as tx:
            session = tx.sessions.load(first)
            assert session == Session(id="s", started_at=from_us(20), last_turn_at=from_us(50), turns=0)
            assert tx.sessions.keys("s", None) == [first, other]
            assert tx.sessions.keys("s", [hers]) == [other]
            assert tx.sessions.keys("s", []) == tx.sessions.keys("t", None) == []
            assert tx.sessions.load(99) is None
            theirs = tx.sessions.load(other)
            assert theirs is not None
            assert theirs.scope == Scope(user_id="ana")
    finally:
        store.close()


def test_turns_are_those_that_live(memory: Memory) -> None:
    receipt = memory.add([turn("one"), turn("two"), turn("three")], session_id="s")
    assert loaded(memory).turns == 3
    deleted = memory.delete(receipt.ids[1])
    assert loaded(memory).turns == 2
    memory.undo(deleted.operation)
    assert loaded(memory).turns == 3
    memory.update(receipt.ids[0], content="one again")
    assert loaded(memory).turns == 3, "an earlier version is no turn"


def test_what_is_noted_in_a_session_is_no_turn(memory: Memory) -> None:
    memory.add([turn("one")], session_id="s")
    memory.add("a fact that came up", session_id="s")
    assert loaded(memory).turns == 1


def test_the_last_turn_is_the_newest_that_lives(memory: Memory) -> None:
    receipt = memory.add([turn("one"), turn("two")], session_id="s")
    memory.add("a fact that came up", session_id="s")
    pk = key_of(memory)
    with memory._engine.store.read() as tx:
        last = tx.sessions.last_turn(pk)
        assert tx.sql.value("SELECT content FROM record WHERE pk = ?", (last,)) == "two"
    memory.delete(receipt.ids[1])
    with memory._engine.store.read() as tx:
        earlier = tx.sessions.last_turn(pk)
        assert tx.sql.value("SELECT content FROM record WHERE pk = ?", (earlier,)) == "one"
        assert tx.sessions.last_turn(99) is None


@pytest.mark.parametrize("scope", [{}, {"user_id": "ana"}])
def test_a_session_belongs_to_its_scope(scope: dict[str, str]) -> None:
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.add([turn("tea")], session_id="s", **scope)
        assert loaded(memory).scope == Scope(**scope)
