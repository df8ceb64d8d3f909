"""Which vectors lie close together, and groups of a wanted size."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.upkeep.knowledge import cluster
from recollect.upkeep.knowledge.cluster import Vectors, clusters, connected, groups, near_pairs, nearness


def around(middles: int, each: int, *, spread: float = 0.3, dimensions: int = 64, seed: int = 1) -> Vectors:
    """Unit vectors around so many directions, those of one direction next to each other."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(rng.normal(size=(middles, dimensions)), each, axis=0)
    rows = rows + rng.normal(size=rows.shape) * spread
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def test_what_points_the_same_way_is_a_cluster() -> None:
    vectors = around(5, 4)
    assert [rows.tolist() for rows in clusters(vectors, least=0.75, size_min=3)] == [
        list(range(start, start + 4)) for start in range(0, 20, 4)
    ]


def test_rows_of_another_kind_are_not_put_together() -> None:
    vectors = around(1, 6)
    kinds = np.array([0, 0, 0, 1, 1, 1])
    assert [rows.tolist() for rows in clusters(vectors, least=0.75, size_min=3, kinds=kinds)] == [[0, 1, 2], [3, 4, 5]]


def test_too_few_are_no_cluster_and_rows_without_a_direction_are_in_none() -> None:
    vectors = np.concatenate([around(2, 2), np.zeros((5, 64), dtype=np.float32)])
    assert clusters(vectors, least=0.75, size_min=3) == []
    assert clusters(vectors[:0], least=0.75, size_min=3) == []


def test_a_chain_does_not_make_ends_alike() -> None:
    angles = np.radians(np.arange(0, 180, 15))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    (found,) = clusters(vectors, least=0.75, size_min=3)
    assert nearness(vectors, found).min() >= 0.75 - 0.1  # measured from the middle of those that stayed
    assert len(found) < len(vectors)


@given(
    st.integers(1, 30).flatmap(
        lambda count: st.tuples(
            st.just(count), st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=40)
        )
    )
)
def test_connected_is_what_walking_finds(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, pairs = graph
    left, right = (np.array([pair[at] for pair in pairs], dtype=np.int64) for at in (0, 1))
    lowest = connected(count, left, right)
    for start in range(count):
        seen, front = {start}, [start]
        while front:
            here = front.pop()
            for one, two in pairs:
                for other in {one: [two], two: [one]}.get(here, []):
                    if other not in seen:
                        seen.add(other)
                        front.append(other)
        assert lowest[start] == min(seen)


def test_cells_find_what_comparing_all_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = around(400, 8, spread=0.4)
    all_of_them = near_pairs(vectors, least=0.75)
    monkeypatch.setattr(cluster, "EXACT_MAX", 100)
    found = near_pairs(vectors, least=0.75)
    exact = set(zip(all_of_them.left.tolist(), all_of_them.right.tolist(), strict=True))
    approximate = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    assert len(exact & approximate) >= 0.98 * len(exact)
    assert (found.left < found.right).all()
    assert (np.einsum("ij,ij->i", vectors[found.left], vectors[found.right]) >= 0.749).all()


@given(st.integers(0, 300), st.integers(2, 6), st.integers(0, 5))
def test_groups_hold_every_row_once_in_the_wanted_size(count: int, size_min: int, seed: int) -> None:
    size_max = 3 * size_min
    vectors = around(max(1, count), 1, seed=seed)[:count]
    found = groups(vectors, size_min=size_min, size_max=size_max)
    assert sorted(row for rows in found for row in rows.tolist()) == list(range(count))
    assert all(len(rows) <= size_max for rows in found)
    assert count < size_min or all(len(rows) >= size_min for rows in found)


def test_groups_begin_at_the_seeds() -> None:
    vectors = around(6, 10, spread=0.2)
    middles = np.array([vectors[at * 10 : at * 10 + 10].mean(axis=0) for at in range(6)], dtype=np.float32)
    found = groups(vectors, size_min=5, size_max=15, seeds=middles)
    assert sorted(rows.tolist() for rows in found) == [list(range(start, start + 10)) for start in range(0, 60, 10)]


def test_many_rows_take_seconds() -> None:
    vectors = around(2_500, 8, spread=0.4, dimensions=256)
    begin = time.perf_counter()
    found = clusters(vectors, least=0.75, size_min=3)
    assert time.perf_counter() - begin < 20  # 1.2 s on a quiet machine
    assert sum(map(len, found)) > 0.95 * len(vectors)
    begin = time.perf_counter()
    together = groups(vectors, size_min=5, size_max=20)
    assert time.perf_counter() - begin < 20
    assert sum(map(len, together)) == len(vectors)
