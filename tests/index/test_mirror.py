"""The mirror of a small graph: the same vectors, bit by bit, whatever was put and dropped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index.vector import hnsw
from recollect.index.vector.hnsw import HnswVectors, Mirror, widened

DIMENSIONS = 8


def some(rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, DIMENSIONS)).astype(np.float32)


def unit(rows: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((rows, DIMENSIONS)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def test_every_finite_half_is_widened_exactly() -> None:
    every = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    finite = np.isfinite(every.view(np.float16))
    assert np.array_equal(widened(every)[finite], every.view(np.float16).astype(np.float32)[finite])


@given(
    st.lists(st.tuples(st.sets(st.integers(1, 30), max_size=6), st.sets(st.integers(1, 30), max_size=6)), max_size=8)
)
def test_any_history_leaves_the_last_vector_of_each_key(history: list[tuple[set[int], set[int]]]) -> None:
    mirror, expected = Mirror(np.empty(0, dtype=np.int64), some(0)), dict[int, bytes]()
    for step, (puts, gone) in enumerate(history):
        pks, vectors = np.array(sorted(puts), dtype=np.int64), some(len(puts), seed=step)
        dropped = np.array(sorted(gone - puts), dtype=np.int64)
        mirror.apply(pks, vectors, dropped)
        expected = {pk: vector for pk, vector in expected.items() if pk not in gone}
        expected |= {pk: row.tobytes() for pk, row in zip(pks.tolist(), vectors, strict=True)}
    asked = np.arange(0, 32)
    known, rows = mirror.read(asked)
    found = {pk: row.tobytes() for pk, row in zip(asked[known].tolist(), rows, strict=True)}
    assert found == expected


def test_what_a_reader_took_is_not_written_to() -> None:
    mirror = Mirror(np.array([1, 2]), some(2))
    before = mirror._rows
    held = before.matrix[before.at].copy()
    for step in range(5):
        mirror.apply(np.array([2, 3 + step]), some(2, seed=step), np.array([1]))
    assert np.array_equal(before.matrix[before.at], held)


def test_graph_and_mirror_hold_the_same(tmp_path: Path) -> None:
    index = HnswVectors(DIMENSIONS)
    pks = np.arange(1, 301)
    index.apply((pks, unit(300)), ())
    index.apply((pks[10:20], unit(10, seed=1)), [5, 6, 300])
    index.save(tmp_path / "vectors", space="s", watermark=1)
    again, _ = HnswVectors.load(tmp_path / "vectors", space="s", dimensions=DIMENSIONS)
    for one in (index, again):
        assert one._mirror is not None
        by_graph, by_mirror = one._held(pks), one._mirror.read(pks)
        assert np.array_equal(by_graph[0], by_mirror[0])
        assert np.array_equal(widened(by_graph[1]), by_mirror[1])


def test_a_graph_that_grows_large_gives_its_mirror_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "MIRRORED_MAX", 50)
    index = HnswVectors(DIMENSIONS)
    vectors = unit(60)
    index.apply((np.arange(1, 51), vectors[:50]), ())
    mirrored = index.vectors(np.arange(0, 51))
    index.apply((np.arange(51, 61), vectors[50:]), ())
    assert index._mirror is None
    assert np.array_equal(index.vectors(np.arange(0, 51)), mirrored)
