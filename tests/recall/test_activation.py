"""Spreading activation against its definition: the best walk from any seed, by trying them all."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index.base import Pks, Scored
from recollect.recall.sources.activation import NO_LINKS, Activated, Hop, Links, activate

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
