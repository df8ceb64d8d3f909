"""Spreading activation against its definition: the best walk from any seed, by trying them all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ticking import Ticking

from recall.watched_searches import contents, looking, pk_of
from recollect import Memory
from recollect.config.keeping import GraphSettings
from recollect.index.base import Pks, Scored
from recollect.model.scope import Scope
from recollect.recall.question.routes import ROUTES, route_of
from recollect.recall.sources.base import Look, SourceRanking
from recollect.recall.sources.relations import (
    NO_LINKS,
    Activated,
    Hop,
    Links,
    Wakened,
    activate,
    by_relations,
    seeds_of,
    told,
)
from recollect.wiring import open_memory

Arc = tuple[int, int, float]
arcs = st.lists(
    st.tuples(st.integers(1, 8), st.integers(1, 8), st.sampled_from((0.3, 0.6, 1.0, 2.0))).filter(
        lambda arc: arc[0] != arc[1]
    ),
    max_size=24,
)
levels = st.dictionaries(st.integers(1, 8), st.sampled_from((0.05, 0.3, 0.7, 1.0)), min_size=1, max_size=4)


def hop_over(arcs: list[Arc]) -> Hop:
    def hop(starts: Pks) -> Links:
        found = [(a, b, at, strength) for at, (a, b, strength) in enumerate(arcs, start=1) if a in starts]
        found.sort(key=lambda link: -link[3])
        if not found:
            return NO_LINKS
        start, end, edge, strength = (np.array(column) for column in zip(*found, strict=True))
        return Links(start, end, edge, strength)

    return hop


def scored(levels: dict[int, float]) -> Scored:
    return Scored(np.array(list(levels), dtype=np.int64), np.array(list(levels.values()), dtype=np.float32))


def as_dict(activated: Activated) -> dict[int, float]:
    return dict(zip(activated.pks.tolist(), activated.levels.tolist(), strict=True))


def best_walks(arcs: list[Arc], seed: int, level: float, hops: int, decay: float, least: float) -> dict[int, float]:
    """The strongest activation that one seed alone brings to each record."""
    best, frontier = {seed: level}, {seed: level} if level >= least else {}
    for _ in range(hops):
        reached: dict[int, float] = {}
        for start, end, strength in arcs:
            brought = frontier.get(start, 0.0) * min(strength, 1.0) * decay
            if brought >= least and brought > reached.get(end, 0.0):
                reached[end] = brought
        frontier = {pk: brought for pk, brought in reached.items() if brought > best.get(pk, 0.0)}
        best |= frontier
    return {pk: brought for pk, brought in best.items() if pk != seed}


@given(arcs=arcs, seeds=levels, hops=st.integers(0, 4))
def test_each_record_takes_the_strongest_walk_from_a_seed(arcs: list[Arc], seeds: dict[int, float], hops: int) -> None:
    found = as_dict(activate(hop_over(arcs), scored(seeds), hops=hops, decay=0.6, threshold=0.1))
    walks = [best_walks(arcs, pk, float(np.float32(level)), hops, 0.6, 0.1) for pk, level in seeds.items()]
    for pk in range(1, 9):
        expected = max((walk.get(pk, 0.0) for walk in walks), default=0.0)
        if pk in seeds:
            assert found.get(pk, 0.0) <= expected + 1e-9
        else:
            assert found.get(pk, 0.0) == pytest.approx(expected)


@given(arcs=arcs, seeds=levels, hops=st.integers(1, 4))
def test_a_chain_leads_from_a_seed_to_its_record(arcs: list[Arc], seeds: dict[int, float], hops: int) -> None:
    activated = activate(hop_over(arcs), scored(seeds), hops=hops)
    for pk in activated.pks.tolist():
        chain = activated.chain(pk)
        assert chain[-1][2] == pk
        assert len(chain) <= hops
        for start, edge, end in chain:
            assert (start, end) == arcs[edge - 1][:2]
        assert all(before[2] == after[0] for before, after in pairwise(chain))
    assert activated.chain(99) == []


def test_two_steps_lose_as_the_formula_says() -> None:
    found = activate(hop_over([(1, 2, 0.9), (2, 3, 0.5), (3, 4, 1.0)]), scored({1: 1.0}), hops=2)
    assert as_dict(found) == {2: pytest.approx(0.54), 3: pytest.approx(0.162)}
    assert found.hops.tolist() == [1, 2]


def test_it_takes_the_strongest_and_not_the_sum() -> None:
    found = activate(hop_over([(1, 9, 1.0), (2, 9, 1.0), (3, 9, 1.0)]), scored({1: 0.5, 2: 0.4, 3: 0.3}), hops=1)
    assert as_dict(found) == {9: pytest.approx(0.3)}


def test_a_circle_does_not_light_its_own_seed() -> None:
    found = activate(hop_over([(1, 2, 1.0), (2, 1, 1.0)]), scored({1: 1.0}), hops=4)
    assert as_dict(found) == {2: pytest.approx(0.6)}


def test_seeds_that_are_related_speak_for_each_other() -> None:
    found = activate(hop_over([(1, 2, 1.0), (2, 1, 1.0)]), scored({1: 1.0, 2: 0.5}), hops=1)
    assert as_dict(found) == {2: pytest.approx(0.6), 1: pytest.approx(0.3)}


def test_a_hub_does_not_flood() -> None:
    """What is related to ten thousand records says nothing about any of them."""
    hub = [(1, end, 1.0) for end in range(2, 10_002)]
    assert len(activate(hop_over(hub), scored({1: 1.0}), hops=1).pks) == 0
    some = activate(hop_over(hub[:100]), scored({1: 1.0}), hops=1, fan_max=50)
    assert len(some.pks) == 50
    assert some.levels.max() == pytest.approx(0.6 / (1 + np.log(2)))
    assert activate(hop_over(hub[:50]), scored({1: 1.0}), hops=1, fan_max=50).levels.min() == pytest.approx(0.6)


def test_the_strongest_relations_of_a_hub_are_the_ones_it_keeps() -> None:
    links = [(1, end, 0.5) for end in range(2, 40)] + [(1, 99, 1.0)]
    assert activate(hop_over(links), scored({1: 1.0}), hops=1, fan_max=20).pks[0] == 99


def test_work_is_bounded_however_dense_the_graph() -> None:
    asked: list[int] = []
    dense = np.arange(1, 401)

    def hop(starts: Pks) -> Links:
        asked.append(len(starts))
        start, end = np.repeat(starts, len(dense)), np.tile(dense, len(starts))
        return Links(start, end, start * 1000 + end, np.full(len(start), 0.99)).at(start != end)

    begun = time.perf_counter()
    activate(hop, scored(dict.fromkeys(range(1, 51), 1.0)), hops=5, fan_max=400, frontier_max=60)
    assert max(asked) <= 60
    assert time.perf_counter() - begun < 1.0


SETTINGS = GraphSettings()
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
    words = SourceRanking("text", Scored(np.array([1, 2, 3]), np.array([8.0, 4.0, 2.0], dtype=np.float32)))
    meaning = SourceRanking("vector", Scored(np.array([2, 4]), np.array([0.5, 0.25], dtype=np.float32)))
    seeds = seeds_of([words, meaning, SourceRanking("time", Scored(np.empty(0, np.int64), np.empty(0, np.float32)))], 3)
    assert seeds.pks.tolist() == [2, 1, 4]
    assert seeds.scores.tolist() == pytest.approx([1.0, 2 / 3, 1 / 3])
    assert len(seeds_of([], 3).pks) == 0


def test_every_question_word_has_a_route() -> None:
    assert set(ROUTES) == {"why", "when", "who", "what", "general"}
    assert route_of("anything else") is ROUTES["general"]
