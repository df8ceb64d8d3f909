"""What every vector index promises, whatever is behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.config.storage import IndexSettings
from recollect.index.base import VectorIndex
from recollect.index.columns import ColumnRow, Columns, ColumnSelection
from recollect.index.vector.adaptive import AdaptiveVectors
from recollect.index.vector.flat import FlatVectors
from recollect.index.vector.hnsw import HnswVectors

DIMENSIONS = 16

BACKENDS: dict[str, Callable[[], VectorIndex]] = {
    "flat": lambda: FlatVectors(DIMENSIONS),
    "hnsw": lambda: HnswVectors(DIMENSIONS),
    "hnsw-graph-only": lambda: HnswVectors(DIMENSIONS, settings=IndexSettings(scan_max=0)),
    "hnsw-i8": lambda: HnswVectors(DIMENSIONS, settings=IndexSettings(hnsw_dtype="i8")),
    "hnsw-i8-graph-only": lambda: HnswVectors(DIMENSIONS, settings=IndexSettings(hnsw_dtype="i8", scan_max=0)),
    "adaptive": lambda: AdaptiveVectors(DIMENSIONS, settings=IndexSettings(flat_max=50)),
}


@pytest.fixture(params=BACKENDS)
def index(request: pytest.FixtureRequest) -> Iterator[VectorIndex]:
    index = BACKENDS[request.param]()
    yield index
    index.close()


def units(count: int, seed: int = 0) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def pks(*values: int) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def rows_of(count: int, **filters: Any) -> ColumnSelection:
    """A selection among the rows 1..count: scope pk % 10, kind entity for every hundredth."""
    columns = Columns()
    columns.apply(
        [
            ColumnRow(pk, pk % 10, "fact" if pk % 100 else "entity", "x", None, 0, None, None, "longterm")
            for pk in range(1, count + 1)
        ],
        [],
    )
    return columns.select(**({"scope_pks": None, "now": 0} | filters))


def test_nothing_in_nothing_out(index: VectorIndex) -> None:
    query = units(1)[0]
    assert len(index.search(query, limit=5, among=rows_of(10)).pks) == 0
    index.apply((pks(1), units(1)), [])
    assert len(index.search(query, limit=0, among=rows_of(10)).pks) == 0
    assert len(index.search(np.zeros_like(query), limit=5, among=rows_of(10)).pks) == 0
    assert len(index.search(np.full_like(query, np.nan), limit=5, among=rows_of(10)).pks) == 0
    assert len(index.search(query, limit=5, among=rows_of(10, scope_pks=[77])).pks) == 0
    assert index.vectors(pks()).shape == (0, DIMENSIONS)
    index.apply(None, [])
    assert (index.count(), index.dimensions) == (1, DIMENSIONS)


def test_the_nearest_comes_first_with_its_cosine(index: VectorIndex) -> None:
    rows = units(40)
    index.apply((np.arange(1, 41), rows), [])
    found = index.search(rows[6] * 3.0, limit=40, among=rows_of(40))
    assert found.pks[0] == 7
    assert np.allclose(found.scores, (rows @ rows[6])[found.pks - 1], atol=5e-3)
    assert np.all(np.diff(found.scores) <= 0)
    assert sorted(found.pks.tolist()) == list(range(1, 41))
    assert (found.pks.dtype, found.scores.dtype) == (np.int64, np.float32)


def test_replacing_deleting_and_doing_it_again(index: VectorIndex) -> None:
    rows = units(6)
    index.apply((pks(1, 2, 3), rows[:3]), [])
    for _ in range(2):
        index.apply((pks(2, 9), rows[4:6]), [3, 9, 1000])  # 9 is in both: put
        assert index.count() == 3
        assert np.allclose(index.vectors(pks(9, 3, 2, 1)), [rows[5], np.zeros(DIMENSIONS), rows[4], rows[0]], atol=5e-3)
    assert index.search(rows[4], limit=1, among=rows_of(10)).pks.tolist() == [2]
    index.apply((pks(1, 1), rows[1:3]), [])  # the last counts
    assert np.allclose(index.vectors(pks(1))[0], rows[2], atol=5e-3)


def test_every_allowed_row_with_a_vector_can_be_had(index: VectorIndex) -> None:
    """The allowed may be few, far from the query or without a vector; the number found is still right."""
    rows = units(600)
    index.apply((np.arange(1, 601), rows), [])
    index.apply(None, [100, 200])
    held = {pk for pk in range(1, 601) if pk not in (100, 200)}
    for filters in ({}, {"scope_pks": [3]}, {"kinds": ["entity"]}, {"pks": pks(5, 100, 590, 640)}):
        among = rows_of(700, **filters)
        allowed = held & set(among.pks().tolist())
        for limit in (1, 10, 1000):
            found = index.search(rows[0], limit=limit, among=among).pks.tolist()
            assert len(found) == len(set(found)) == min(limit, len(allowed))
            assert set(found) <= allowed


def test_filtered_results_are_the_nearest_of_the_allowed(index: VectorIndex) -> None:
    rows = units(500, seed=4)
    index.apply((np.arange(1, 501), rows), [])
    oracle = FlatVectors(DIMENSIONS)
    oracle.apply((np.arange(1, 501), rows), [])
    hits = 0
    for query in units(20, seed=5):
        among = rows_of(500, scope_pks=[1, 2, 3])
        expected = oracle.search(query, limit=10, among=among).pks.tolist()
        hits += len(set(expected) & set(index.search(query, limit=10, among=among).pks.tolist()))
    assert hits >= 195


def test_growing_over_many_batches_loses_nothing(index: VectorIndex) -> None:
    rows = units(300)
    for start in range(0, 300, 7):
        at = slice(start, start + 7)
        index.apply((np.arange(1, 301)[at], rows[at]), [])
    assert index.count() == 300
    assert np.allclose(index.vectors(np.arange(1, 301)), rows, atol=5e-3)
