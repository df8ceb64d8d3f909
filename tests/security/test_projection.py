"""Vectors under a secret rotation: as near to each other as before, of no use to who knows the encoder alone."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.security.keys import MasterKey, Purpose
from recollect.security.projection import Projections, orthogonal, quantised

KEY = MasterKey(bytes(range(32))).derived(Purpose.PROJECTION)


def _unit_rows(count: int, dimensions: int, seed: int = 7) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("dimensions", [2, 7, 64, 256, 384])
def test_the_matrix_is_orthogonal(dimensions: int) -> None:
    matrix = orthogonal(KEY, dimensions).astype(np.float64)
    assert np.allclose(matrix @ matrix.T, np.eye(dimensions), atol=1e-5)


def test_lengths_and_cosines_stay_as_they_were() -> None:
    vectors, projections = _unit_rows(200, 256), Projections(KEY)
    turned = projections.project(vectors)
    assert turned.dtype == np.float32
    assert np.allclose(turned @ turned.T, vectors @ vectors.T, atol=1e-5)
    assert np.allclose(projections.project(vectors[3]), turned[3], atol=1e-6), "one vector as well as many"


def test_a_turned_vector_is_far_from_what_it_was() -> None:
    vectors = _unit_rows(200, 256)
    cosines = np.sum(vectors * Projections(KEY).project(vectors), axis=1)
    assert np.abs(cosines).max() < 0.3, "as two vectors that have nothing to do with each other"


def test_the_same_key_turns_alike_and_another_key_does_not() -> None:
    vectors = _unit_rows(20, 64)
    once, again = Projections(KEY).project(vectors), Projections(bytes(KEY)).project(vectors)
    assert np.array_equal(once, again)
    other = Projections(MasterKey(bytes(32)).derived(Purpose.PROJECTION)).project(vectors)
    assert not np.allclose(once, other, atol=0.05)


def test_a_matrix_is_the_same_on_every_machine_and_in_every_release() -> None:
    """Projected vectors are stored: a matrix drawn in another way would make them worthless without a word."""
    known = [[-0.1602, -0.0993, -0.9821], [0.9782, 0.1174, -0.1715], [-0.1323, 0.9881, -0.0783]]
    assert np.allclose(orthogonal(KEY, 3), known, atol=1e-3)


def test_rotations_of_different_sizes_have_nothing_in_common() -> None:
    small, large = orthogonal(KEY, 64), orthogonal(KEY, 128)[:64, :64]
    assert abs(np.corrcoef(small.ravel(), large.ravel())[0, 1]) < 0.1


def test_no_direction_is_preferred() -> None:
    """QR without its correction of signs gives matrices whose diagonal is negative more often than not."""
    traces = [float(np.trace(orthogonal(bytes([n]) * 32, 16))) for n in range(200)]
    assert abs(float(np.mean(traces))) < 0.3, "the mean of a trace under Haar's measure is 0, its deviation 1"
    assert 0.8 < float(np.std(traces)) < 1.2


def test_who_has_the_key_turns_back() -> None:
    vectors, projections = _unit_rows(10, 256), Projections(KEY)
    assert np.allclose(projections.unproject(projections.project(vectors)), vectors, atol=1e-5)


def test_a_wiped_projection_says_so_and_keeps_no_matrix() -> None:
    projections = Projections(KEY)
    matrix = projections.matrix(8)
    projections.wipe()
    assert not matrix.any()
    with pytest.raises(AssertionError, match="gone"):
        projections.matrix(8)


def test_the_key_is_in_no_repr() -> None:
    projections = Projections(KEY)
    projections.matrix(4)
    assert repr(projections) == "Projections(dimensions=[4])"


def test_quantised_vectors_have_255_steps_and_are_nearly_where_they_were() -> None:
    vectors = _unit_rows(50, 256)
    coarse = quantised(vectors)
    steps = coarse / (np.abs(coarse).max(axis=1, keepdims=True) / 127)
    assert np.allclose(steps, np.rint(steps), atol=1e-3)
    lengths = np.linalg.norm(coarse, axis=1)
    assert (np.sum(coarse * vectors, axis=1) / lengths).min() > 0.999
    assert not np.array_equal(coarse, vectors)
    assert not quantised(np.zeros((1, 8), np.float32)).any(), "a row without a direction stays one"
