"""The last word on order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.ranking.arrange import distinct, facts_first, varied


def test_the_same_text_is_one_answer() -> None:
    places, repeated = distinct(["a", "b", "a", "c", "b", "a"])
    assert places.tolist() == [0, 1, 3]
    assert repeated == {0: [2, 5], 1: [4]}
    assert distinct([])[0].tolist() == []


def test_a_fact_takes_the_place_of_its_turn() -> None:
    pks = np.array([10, 20, 30])
    places, scores = facts_first(pks, np.array([0.9, 0.6, 0.3]), facts=np.array([30]), turns=np.array([10]))
    assert pks[places].tolist() == [30, 20, 10]
    assert scores.tolist() == [0.9, 0.6, 0.6]


def test_several_facts_of_one_turn_all_stay() -> None:
    pks = np.array([10, 20, 30])
    places, _ = facts_first(pks, np.array([0.9, 0.6, 0.3]), facts=np.array([20, 30]), turns=np.array([10, 10]))
    assert pks[places].tolist() == [20, 30, 10]


def test_a_turn_without_its_fact_among_the_candidates_stays() -> None:
    pks = np.array([10, 20])
    places, scores = facts_first(pks, np.array([0.9, 0.6]), facts=np.array([99]), turns=np.array([10]))
    assert pks[places].tolist() == [10, 20]
    assert scores.tolist() == [0.9, 0.6]


TWINS = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def test_a_near_copy_makes_room_for_something_else() -> None:
    order = varied(np.array([0.9, 0.85, 0.7]), TWINS, count=2, relevance_share=0.7, alike_min=0.9)
    assert order.tolist() == [0, 2, 1]


def test_relevance_alone_keeps_the_order() -> None:
    order = varied(np.array([0.9, 0.85, 0.7]), TWINS, count=3, relevance_share=1.0, alike_min=0.0)
    assert order.tolist() == [0, 1, 2]


def test_rows_without_vectors_are_like_nothing() -> None:
    order = varied(np.array([0.9, 0.85, 0.7]), np.zeros((3, 2)), count=3, relevance_share=0.5, alike_min=0.0)
    assert order.tolist() == [0, 1, 2]


@given(st.lists(st.floats(0, 1), max_size=12), st.integers(0, 15), st.floats(0, 1), st.floats(0, 1))
def test_variety_reorders_and_loses_nothing(scores: list[float], count: int, share: float, alike: float) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(len(scores), 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    best_first = np.sort(np.array(scores))[::-1]
    order = varied(best_first, vectors, count=count, relevance_share=share, alike_min=alike)
    assert sorted(order.tolist()) == list(range(len(scores)))
    if len(scores) and count and share > 0:
        assert best_first[order[0]] == best_first[0]
