"""Names in a question: resolved under any of their forms, within what the reader may see, at next to no cost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from ticking import Ticking

from recall.watched_searches import WatchedStatements, contents, looking, pk_of
from recollect import Memory
from recollect.config.keeping import GraphSettings
from recollect.index.base import Scored
from recollect.language.terms import query_terms
from recollect.model.entity import EntityType
from recollect.model.scope import Scope
from recollect.recall.question.routes import route_of
from recollect.recall.sources.entity import NamedEntities, by_entity, named_in
from recollect.recall.sources.relations import by_relations, told
from recollect.store.base import Tx
from recollect.wiring import open_memory

both_ways = pytest.mark.parametrize("warm", [True, False], ids=["in memory", "from the disk"])


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def know(mem: Memory, name: str, *aliases: str, records: tuple[str, ...] = (), user_id: str | None = None) -> None:
    """An entity, and records that name it."""
    pks = [pk_of(mem, one) for one in records]

    def work(tx: Tx) -> None:
        scope_pk = tx.scopes.ensure(Scope(user_id=user_id))
        op = tx.journal.begin("add", at=mem._engine.clock(), scope_pk=scope_pk)
        entity_pk = tx.entities.ensure(op, name, EntityType.PERSON, scope_pk, aliases)
        for pk in pks:
            tx.entities.mention(op, pk, entity_pk)

    mem._engine.store.write(work)


def names(mem: Memory, question: str, **scope: str) -> set[str]:
    with looking(mem, scope=Scope(**scope)) as look:
        return set(named_in(look, question, aliases_max=3).pks)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Where does Ana live?", {"ana"}),
        ("ANA?", {"ana"}),
        ("What is Ana's dog called?", {"ana"}),
        ("Has “Ana Ruiz” called?", {"ana ruiz"}),
        ("did Ana  Ruiz, or Ana, call", {"ana ruiz", "ana"}),
        ("who is Annie", {"annie"}),
        ("Does the Acme Inc. office use C++?", {"acme inc.", "c++"}),
        ("what will he do", set()),
        ("what did Will do", {"will"}),
        ("Anagram", set()),
        ("田中さんはどこ", {"田中"}),
        ("", set()),
        ("?!", set()),
        ("word " * 4_000, set()),
    ],
)
def test_names_in_a_question(mem: Memory, question: str, found: set[str]) -> None:
    for name, *aliases in (["Ana", "Annie"], ["Ana Ruiz"], ["Acme Inc."], ["C++"], ["Will"], ["田中"]):
        know(mem, name, *aliases)
    assert names(mem, question) == found


def test_a_name_is_known_only_where_it_may_be_seen(mem: Memory) -> None:
    know(mem, "Ana", user_id="ben")
    assert names(mem, "Ana") == set()
    assert names(mem, "Ana", user_id="ben") == {"ana"}


@both_ways
def test_rows_that_name_most_come_first_then_the_newest(mem: Memory, warm: bool) -> None:
    first, both, last = mem.add(["she sings", "they met", "she paints"]).ids
    know(mem, "Ana Ruiz", "Ana", records=(first, both, last))
    know(mem, "Ben", records=(both,))
    with looking(mem, warm=warm) as look:
        ranking = by_entity(look, named_in(look, "Did Ana meet Ben?", aliases_max=3))
    assert contents(mem, ranking) == ["they met", "she paints", "she sings"]
    assert ranking.found.scores[0] == pytest.approx(0.8)
    assert 0 < ranking.found.scores[1] < 0.4


@both_ways
def test_a_record_about_somebody_stands_above_one_that_names_them(mem: Memory, warm: bool) -> None:
    mem.add({"content": "plays the cello", "subject": "Ana Ruiz"})
    named = mem.add("a letter").ids[0]
    know(mem, "Ana Ruiz", "Ana", records=(named,))
    with looking(mem, warm=warm) as look:
        assert contents(mem, by_entity(look, named_in(look, "ana?", aliases_max=3))) == ["plays the cello", "a letter"]


def test_subjects_are_names_where_nobody_is_known(mem: Memory) -> None:
    mem.add({"content": "is written in Rust", "subject": "Atlas"})
    mem.add({"content": "of another", "subject": "Atlas"}, user_id="ben")
    with looking(mem) as look:
        named = named_in(look, "what is atlas made of", aliases_max=3)
        assert named.pks == {"atlas": ()}
        assert contents(mem, by_entity(look, named)) == ["is written in Rust"]


@both_ways
def test_what_the_reader_may_not_see_is_not_found_by_a_name(mem: Memory, warm: bool) -> None:
    private, public = mem.add("private", user_id="ben").ids[0], mem.add("public").ids[0]
    gone = mem.add("gone").ids[0]
    know(mem, "Ana", records=(private, public, gone))
    mem.delete(gone)
    with looking(mem, warm=warm) as look:
        assert contents(mem, by_entity(look, named_in(look, "Ana", aliases_max=3))) == ["public"]


def test_other_names_widen_the_words(mem: Memory) -> None:
    know(mem, "Kubernetes", "k8s", "kube cluster", "K")
    with looking(mem) as look:
        named = named_in(look, "how do we deploy to k8s?", aliases_max=2)
    assert named.others == {"k8s": ("Kubernetes", "kube cluster")}
    assert named.expanded_terms(query_terms("how do we deploy to k8s?")) == ["kubernet", "kube", "cluster"]


def test_a_store_that_knows_nobody_is_asked_once(mem: Memory) -> None:
    mem.add("Ana sings", infer=False)
    with looking(mem) as look:
        assert named_in(look, "Ana", aliases_max=3) == NamedEntities()
        assert len(by_entity(look, NamedEntities()).found.pks) == 0
        assert isinstance(look.tx.sql, WatchedStatements)
        assert len(look.tx.sql.asked) == 1


@both_ways
def test_who_walks_to_records_that_name_the_same(mem: Memory, warm: bool) -> None:
    one, two, other = mem.add(["Ana paints", "her sister sings", "unrelated"]).ids
    know(mem, "Ana", records=(one, two))
    seeds = Scored(np.array([pk_of(mem, one)], dtype=np.int64), np.ones(1, dtype=np.float32))
    with looking(mem, warm=warm) as look:
        wakened = by_relations(look, seeds, route_of("who"), mem._engine.indexes, GraphSettings())
        assert contents(mem, wakened.ranking) == ["her sister sings"]
        assert (
            len(by_relations(look, seeds, route_of("why"), mem._engine.indexes, GraphSettings()).ranking.found.pks) == 0
        )
    assert pk_of(mem, other) not in wakened.activated.pks


def test_a_name_that_stands_everywhere_leads_nowhere(mem: Memory) -> None:
    ids = mem.add([f"Ana again {n}" for n in range(60)]).ids
    know(mem, "Ana", records=tuple(ids))
    seeds = Scored(np.array([pk_of(mem, ids[0])], dtype=np.int64), np.ones(1, dtype=np.float32))
    with looking(mem) as look:
        assert (
            len(by_relations(look, seeds, route_of("who"), mem._engine.indexes, GraphSettings()).ranking.found.pks) == 0
        )
        wide = by_relations(look, seeds, route_of("who"), mem._engine.indexes, GraphSettings(activation_fan=100))
        assert len(wide.ranking.found.pks) == 59
        assert told(look, wide.activated, [2]) == {2: f"via mention from {ids[0]}"}
