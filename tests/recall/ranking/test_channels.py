"""Models side by side: what each sees, and how the best rows so far speak for others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.ranking.channels import FADING, Array, ModelView, nearness_to_seeds

EAST, NORTH, WEST, NOTHING = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 0.0]


def channel(*rows: list[float]) -> ModelView:
    return ModelView(np.array(EAST), np.array(rows), np.array(rows).any(axis=1))


def test_a_row_without_a_vector_is_taken_at_another_s_word() -> None:
    near = channel(EAST, NORTH, NOTHING).nearness(np.array([0.5, 0.5, 0.5]))
    assert near.tolist() == [1.0, 0.0, 0.5]


def test_what_points_the_other_way_is_not_near_and_no_less_than_that() -> None:
    assert channel(WEST).nearness(np.array([0.0])).tolist() == [0.0]


def test_a_better_seed_is_heard_louder() -> None:
    seen = channel(EAST, NORTH, EAST, NORTH)
    near = nearness_to_seeds([seen], np.array([0, 1]), np.array([0.9, 0.9 - FADING]))
    assert near[2] > near[3] > 0
    level = nearness_to_seeds([seen], np.array([0, 1]), np.array([0.9, 0.9]))
    assert level[2] == pytest.approx(level[3])


def test_no_seed_vouches_for_itself() -> None:
    assert nearness_to_seeds([channel(EAST, NORTH)], np.array([0]), np.array([1.0])).tolist() == [0.0, 0.0]
    near = nearness_to_seeds([channel(EAST, NORTH, EAST)], np.array([0, 1]), np.array([1.0, 1.0]))
    assert near[0] == near[1] == pytest.approx(0.0)
    assert near[2] > 0.5


def test_channels_have_an_equal_say() -> None:
    one, other = channel(EAST, EAST, NORTH), channel(EAST, NORTH, EAST)
    near = nearness_to_seeds([one, other], np.array([0]), np.array([1.0]))
    assert near[1:].tolist() == [0.5, 0.5]


def test_a_seed_that_no_model_has_read_says_nothing() -> None:
    near = nearness_to_seeds([channel(NOTHING, EAST)], np.array([0]), np.array([1.0]))
    assert near.tolist() == [0.0, 0.0]


def test_no_candidates_no_seeds() -> None:
    empty = ModelView(np.array(EAST), np.zeros((0, 2)))
    assert len(nearness_to_seeds([empty], np.zeros(0, dtype=np.int64), np.zeros(0))) == 0


@given(rows=st.integers(1, 8), seed=st.integers(0, 99))
def test_nearness_stays_between_nothing_and_all(rows: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(rows, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    seen = ModelView(vectors[0], vectors)
    first = random.uniform(0, 1, rows)
    seeds: Array = np.argsort(-first)[:3]
    near = nearness_to_seeds([seen, seen], seeds, first[seeds])
    assert np.all((near >= 0) & (near <= 1 + 1e-9))
    assert np.all(np.isfinite(near))
