"""Fusion: the union of what the sources found, in shares of the best possible score."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.index.base import Scored
from recollect.recall.ranking.fuse import fuse
from recollect.recall.sources.base import Ranking

WEIGHTS = {"text": 1.0, "vector": 2.0}


def ranking(source: str, *pks: int) -> Ranking:
    scores = np.linspace(1.0, 0.1, len(pks), dtype=np.float32)
    return Ranking(source, Scored(np.array(pks, dtype=np.int64), scores))


def fused(*rankings: Ranking, weights: dict[str, float] = WEIGHTS, k: int = 60) -> dict[int, float]:
    out = fuse(rankings, weights, k)
    return dict(zip(out.pks.tolist(), out.scores.tolist(), strict=True))


def test_first_everywhere_scores_one() -> None:
    assert fused(ranking("text", 7, 8), ranking("vector", 7, 9))[7] == pytest.approx(1.0)


def test_one_source_alone_keeps_its_order_and_its_first_scores_one() -> None:
    found = fused(ranking("text", 5, 3, 9))
    assert list(found) == [5, 3, 9]
    assert found[5] == pytest.approx(1.0)
    assert 1.0 > found[3] > found[9] > 0.0


def test_every_row_any_source_found_is_there_once() -> None:
    found = fused(ranking("text", 1, 2, 3), ranking("vector", 3, 4))
    assert sorted(found) == [1, 2, 3, 4]


def test_a_row_both_sources_know_beats_the_favourite_of_one() -> None:
    found = fused(ranking("text", 1, 2), ranking("vector", 3, 2), weights={"text": 1.0, "vector": 1.0})
    assert next(iter(found)) == 2


def test_weights_decide_between_the_favourites() -> None:
    assert list(fused(ranking("text", 1), ranking("vector", 2))) == [2, 1]
    assert list(fused(ranking("text", 1), ranking("vector", 2), weights={"text": 3.0, "vector": 1.0})) == [1, 2]


def test_a_source_that_found_nothing_does_not_lower_the_others() -> None:
    assert fused(ranking("text", 1), ranking("vector"))[1] == pytest.approx(1.0)


def test_nothing_found_is_nothing() -> None:
    assert fused() == fused(ranking("text"), ranking("vector")) == {}


def test_equal_scores_are_ordered_newest_first() -> None:
    assert list(fused(ranking("text", 1), ranking("vector", 2), weights={"text": 1.0, "vector": 1.0})) == [2, 1]


def test_a_small_k_favours_the_first_places() -> None:
    steep, flat = (fused(ranking("text", 1, 2), k=k) for k in (1, 1_000))
    assert steep[2] < 0.7
    assert flat[2] > 0.99


def test_a_space_being_built_weighs_like_the_active_one() -> None:
    found = fused(ranking("vector", 1), ranking("vector:new", 2))
    assert found[1] == pytest.approx(found[2]) == pytest.approx(0.5)


def test_a_source_without_weight_counts_for_nothing() -> None:
    found = fused(ranking("text", 1), ranking("vector", 2), weights={"text": 1.0, "vector": 0.0})
    assert found[1] == pytest.approx(1.0)
    assert found.get(2, 0.0) == 0.0


def test_what_each_source_put_in_adds_up_to_the_score() -> None:
    out = fuse([ranking("text", 4, 2, 7), ranking("vector", 7, 4), ranking("vector:new", 9, 7)], WEIGHTS, 60)
    assert np.sum(list(out.parts.values()), axis=0) == pytest.approx(out.scores)
    put_in = {pk: {name for name, part in out.parts.items() if part[i] > 0} for i, pk in enumerate(out.pks.tolist())}
    assert put_in == {7: {"text", "vector", "vector:new"}, 4: {"text", "vector"}, 9: {"vector:new"}, 2: {"text"}}
