"""What relations find: towards causes, along turns, by what is named; the same in memory and from the disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from ticking import Ticking
from watched_searches import contents, looking, pk_of

from recollect import Memory
from recollect.config.belief import Graph
from recollect.index.base import Scored
from recollect.model.scope import Scope
from recollect.recall.question.routes import ROUTES, route_of
from recollect.recall.sources.base import Look, Ranking
from recollect.recall.sources.graph import Wakened, by_relations, seeds_of, told
from recollect.wiring import open_memory

SETTINGS = Graph()
both_ways = pytest.mark.parametrize("warm", [True, False], ids=["in memory", "from the disk"])


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def add(mem: Memory, text: str, **values: Any) -> str:
    return mem.add(text, **values).ids[0]


def found(look: Look, mem: Memory, seed: str, asks: str, **more: Any) -> Wakened:
    seeds = Scored(np.array([pk_of(mem, seed)], dtype=np.int64), np.ones(1, dtype=np.float32))
    return by_relations(look, seeds, route_of(asks), mem._engine.indexes, SETTINGS, **more)


@both_ways
def test_why_walks_from_an_effect_to_its_causes(mem: Memory, warm: bool) -> None:
    outage, full, logs, after = (add(mem, text) for text in ("outage", "disk full", "logs grew", "apology"))
    mem.relate(full, outage, "causes")
    mem.relate(full, logs, "caused_by")
    mem.relate(outage, after, "causes")
    with looking(mem, warm=warm) as look:
        wakened = found(look, mem, outage, "why", hops=3)
        assert contents(mem, wakened.ranking) == ["disk full", "logs grew", "apology"]
        assert wakened.ranking.found.scores.tolist() == pytest.approx([0.6, 0.36, 0.3])
        ways = told(look, wakened.activated, [pk_of(mem, logs)])
    assert ways[pk_of(mem, logs)] == f"via caused_by from {full}, via causes from {outage}"


@both_ways
def test_when_walks_along_the_turns(mem: Memory, warm: bool) -> None:
    turns = [{"role": "user", "content": f"turn {n}"} for n in range(5)]
    ids = mem.add(turns, session_id="s").ids
    with looking(mem, warm=warm) as look:
        assert sorted(contents(mem, found(look, mem, ids[2], "when", hops=1).ranking)) == ["turn 1", "turn 3"]
        assert contents(mem, found(look, mem, ids[2], "general").ranking) == []


@both_ways
def test_any_label_is_followed_when_nothing_special_is_asked(mem: Memory, warm: bool) -> None:
    ana, ben, weak = add(mem, "Ana"), add(mem, "Ben"), add(mem, "weak")
    mem.relate(ana, ben, "married_to", weight=3.0, confidence=0.9)
    mem.relate(ana, weak, "relates_to", weight=0.1)
    with looking(mem, warm=warm) as look:
        ranking = found(look, mem, ana, "general").ranking
    assert contents(mem, ranking) == ["Ben"]
    assert ranking.found.scores.tolist() == pytest.approx([0.6])  # strength counts up to 1


@both_ways
def test_what_a_reader_may_not_see_is_not_walked_through(mem: Memory, warm: bool) -> None:
    here, hidden, behind = add(mem, "here"), add(mem, "hidden", user_id="ana"), add(mem, "behind")
    mem.relate(here, hidden)
    mem.relate(hidden, behind)
    with looking(mem, warm=warm) as look:
        assert contents(mem, found(look, mem, here, "general").ranking) == []
    with looking(mem, warm=warm, scope=Scope(user_id="ana")) as look:
        assert contents(mem, found(look, mem, here, "general").ranking) == ["hidden", "behind"]


@both_ways
def test_criteria_of_the_search_hold_for_what_relations_find(mem: Memory, warm: bool) -> None:
    here, tagged, plain = add(mem, "here"), add(mem, "tagged", tags=["a"]), add(mem, "plain")
    mem.relate(here, tagged)
    mem.relate(here, plain)
    with looking(mem, warm=warm, tags=("a",)) as look:
        assert contents(mem, found(look, mem, here, "general").ranking) == ["tagged"]
    if warm:
        with looking(mem, tags=("a",)) as look:
            look.settled = False
            look.selection = mem._engine.indexes.columns.select(scope_pks=None, now=look.now)
            assert contents(mem, found(look, mem, here, "general").ranking) == ["tagged"]


def test_a_hub_in_memory_stays_in_bounds(mem: Memory) -> None:
    hub = add(mem, "hub")
    ids = mem.add([f"spoke {n}" for n in range(300)]).ids
    for one in ids:
        mem.relate(hub, one, "relates_to", weight=0.9)
    with looking(mem, limit=20) as look:
        assert len(found(look, mem, hub, "general").ranking.found.pks) <= 20


def test_the_past_is_not_walked(mem: Memory) -> None:
    here, there = add(mem, "here"), add(mem, "there")
    mem.relate(here, there)
    with looking(mem, warm=False, known_at=mem._engine.clock()) as look:
        assert len(found(look, mem, here, "general").ranking.found.pks) == 0
    assert look.missing == ["relations: earlier versions are found by their words only"]


def test_seeds_are_the_rows_on_which_sources_agree() -> None:
    words = Ranking("text", Scored(np.array([1, 2, 3]), np.array([8.0, 4.0, 2.0], dtype=np.float32)))
    meaning = Ranking("vector", Scored(np.array([2, 4]), np.array([0.5, 0.25], dtype=np.float32)))
    seeds = seeds_of([words, meaning, Ranking("time", Scored(np.empty(0, np.int64), np.empty(0, np.float32)))], 3)
    assert seeds.pks.tolist() == [2, 1, 4]
    assert seeds.scores.tolist() == pytest.approx([1.0, 2 / 3, 1 / 3])
    assert len(seeds_of([], 3).pks) == 0


def test_every_question_word_has_a_route() -> None:
    assert set(ROUTES) == {"why", "when", "who", "what", "general"}
    assert route_of("anything else") is ROUTES["general"]
