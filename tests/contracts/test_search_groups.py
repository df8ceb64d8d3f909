"""What a store tells searches and indexes: rows as answers show them, candidates, spans of keys, uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from contracts.store_backends import BACKENDS

from recollect.clock import DAY_US, from_us
from recollect.ids import new_id
from recollect.model.columns import RecordRow
from recollect.model.query import Criteria
from recollect.model.record import Kind
from recollect.model.scope import Reach, Scope
from recollect.store.base import Store, Tx
from recollect.store.edges import pair
from recollect.store.rows import content_hash, to_json
from recollect.store.shown import Facts

NOW = 1_000 * DAY_US
ALL = Criteria(reach=Reach.ALL)
T = TypeVar("T")


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    bench = BACKENDS[request.param](tmp_path)
    yield bench.open()
    bench.close()


def record(tx: Tx, content: str, **columns: Any) -> int:
    scope = tx.scopes.ensure(Scope(user_id="ana"))
    given = {"scope_pk": scope, "created_at": NOW, "updated_at": NOW, "recorded_at": NOW, **columns}
    row = RecordRow(id=new_id(), content=content, content_hash=content_hash(content), **given)
    return tx.records.insert(tx.journal.begin("add", at=NOW), [row], [content.split()])[0]


def relate(tx: Tx, start: int, end: int, label: str, **values: Any) -> int:
    (edge_id,) = tx.edges.insert(tx.journal.begin("relate", at=NOW), [pair(start, end, label, **values)])
    return tx.edges.find_pk(edge_id)


def told(store: Store, ask: Callable[[Tx], T]) -> T:
    with store.read() as tx:
        return ask(tx)


def test_an_answer_shows_what_the_record_holds(store: Store) -> None:
    def work(tx: Tx) -> int:
        session = tx.sessions.ensure("s1", tx.scopes.ensure(Scope(user_id="ana")), at=NOW)
        return record(
            tx, "I like tea", kind="episodic", session_pk=session, tags=to_json(["a"]), metadata=to_json({"n": 1})
        )

    pk = store.write(work)
    whole, shown = told(store, lambda tx: tx.records.load([pk])[pk]), told(store, lambda tx: tx.shown.load([pk, 99]))
    assert list(shown) == [pk]
    assert all(getattr(shown[pk], name) == getattr(whole, name) for name in shown[pk]._fields)
    assert (shown[pk].session_id, shown[pk].tags, shown[pk].created_at) == ("s1", ("a",), from_us(NOW))
    assert shown[pk].kind is Kind.EPISODIC


def test_what_other_records_say_of_one(store: Store) -> None:
    def work(tx: Tx) -> tuple[int, int]:
        fact, turn, other, against = (record(tx, f"tea {n}") for n in range(4))
        relate(tx, fact, turn, "derived_from")
        relate(tx, other, fact, "supports")
        relate(tx, fact, against, "contradicts")
        return fact, turn

    fact, turn = store.write(work)
    found = told(store, lambda tx: tx.shown.facts([fact, turn], now=NOW, visible=ALL))
    assert found == {fact: Facts(rests_on=1, supported_by=1, contradicted=True)}
    elsewhere = Criteria(scope=Scope(user_id="ben"))
    assert told(store, lambda tx: tx.shown.facts([fact], now=NOW, visible=elsewhere)) == {}


def test_candidates_come_with_the_turns_beside_them(store: Store) -> None:
    def work(tx: Tx) -> list[int]:
        session = tx.sessions.ensure("s1", tx.scopes.ensure(Scope(user_id="ana")), at=NOW)
        turns = [record(tx, f"turn {n}", kind="episodic", session_pk=session) for n in range(4)]
        return [*turns, record(tx, "alone", event_time=NOW - DAY_US, importance=0.9, category="gotcha")]

    first, second, third, fourth, alone = store.write(work)
    with store.read() as tx:
        rows = tx.candidates.with_neighbours([second, alone])
        assert [row.pk for row in rows] == [first, second, third, alone]
        assert [row.session_pk is None for row in rows] == [False, False, False, True]
        assert tx.candidates.event_times([first, alone]) == {first: NOW, alone: NOW - DAY_US}
        assert tx.candidates.last_pk() == alone
        assert tx.candidates.newest(ALL, now=NOW, limit=2) == [alone, fourth]
        assert tx.candidates.most_important(ALL, now=NOW, limit=9) == [alone]
        assert tx.candidates.of_categories([first, alone], ["gotcha"]) == [alone]
        assert tx.candidates.heads([first]) == {first: first}
        assert tx.candidates.of_ids(list(tx.candidates.ids([alone]).values())) == tx.candidates.ids([alone])
        assert tx.candidates.stored_at(first) == NOW
        assert [row.pk for row in tx.candidates.files([alone])] == [alone]


def test_what_a_store_never_held_is_known(store: Store) -> None:
    assert not any(told(store, lambda tx: tx.candidates.holdings()))
    store.write(lambda tx: relate(tx, record(tx, "a", subject="Ana"), record(tx, "b"), "supports"))
    assert [bool(each) for each in told(store, lambda tx: tx.candidates.holdings())] == [True, False, True, False]


def test_indexes_see_what_is_live(store: Store) -> None:
    def work(tx: Tx) -> tuple[list[int], int]:
        pks = [record(tx, f"tea {n}") for n in range(3)]
        edge = relate(tx, pks[0], pks[1], "supports", weight=0.5)
        tx.records.retire(tx.journal.begin("forget", at=NOW), [pks[2]])
        return pks, edge

    assert not told(store, lambda tx: tx.indexed.any_record())
    pks, edge = store.write(work)
    with store.read() as tx:
        assert [(row.pk, row.content) for row in tx.indexed.records(1, 100)] == [(pks[0], "tea 0"), (pks[1], "tea 1")]
        (found,) = tx.indexed.edges(1, 100)
        assert (found.pk, found.label, found.strength) == (edge, "supports", 0.5)
        assert sorted(pk for pk, _ in found.members) == pks[:2]
        assert tx.indexed.last_edge() == edge
        assert tx.indexed.any_record()
        assert tx.indexed.kept([*pks, 99]) == 3, "what was forgotten is kept, what was never there is not"
        assert tx.edges.strengths([edge]) == {edge: 0.5}
        assert tx.edges.strengths([edge], besides=["supports"]) == {}
        assert tx.edges.labels([edge]) == {edge: "supports"}
        assert tx.edges.told_by([edge]) == {}


def test_uses_are_counted_once_a_session(store: Store) -> None:
    pk = store.write(lambda tx: record(tx, "tea"))
    for at, session in ((NOW, 7), (NOW + 1, 7), (NOW + 2, 8)):
        store.write(lambda tx, at=at: tx.accesses.count({pk: 2}, now=at))
        store.write(
            lambda tx, at=at, session=session: tx.accesses.count_sessions([(pk, session)], now=at, since=NOW - DAY_US)
        )
    columns = told(store, lambda tx: tx.records.columns_of(pk))
    assert columns is not None
    assert (columns["access_count"], columns["access_sessions"], columns["last_access"]) == (6, 2, NOW + 2)
