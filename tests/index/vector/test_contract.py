"""What every vector index promises, whatever is behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.config import LiveConfig
from recollect.config.storage import IndexSettings
from recollect.errors import ConfigInvalid, StoreDamaged
from recollect.index.base import BackendChoice, GrowingVectors, Pressure, VectorIndex
from recollect.index.columns import ColumnRow, Columns, ColumnSelection
from recollect.index.vector.flat import FlatVectors
from recollect.index.vector.hnsw import HnswVectors
from recollect.index.vector.registry import BACKENDS, IndexPlace, Registry

DIMENSIONS = 16
TOLERANCE = 1.5e-2  # eight bits, in this few dimensions; FAISS spreads them over all vectors at once

PLAIN: dict[str, Callable[[IndexPlace], VectorIndex]] = {
    "scan": lambda _: FlatVectors(DIMENSIONS),
    "graph-only": lambda _: HnswVectors(DIMENSIONS, settings=IndexSettings(scan_max=0)),
    "graph-only-i8": lambda _: HnswVectors(DIMENSIONS, settings=IndexSettings(scan_max=0), dtype="i8"),
}
# Every back end in every precision, as its row of the registry makes it, and behind a tail as searches meet it.
CHOICES = {
    f"{name}-{precision}": BackendChoice(name, precision, "cosine")
    for name, backend in BACKENDS.items()
    for precision in backend.capabilities.precisions
}
EXACT = {name for name in CHOICES if not name.endswith(("pq", "binary"))} | {"flat-pq", "flat-binary"}
TAILED = [f"{name}-tailed" for name in ("flat-binary", "flat-i8", "usearch-f16", "mapped-i8", "sqlite-vec-f32")]


def made(name: str, place: IndexPlace) -> VectorIndex:
    if name in PLAIN:
        return PLAIN[name](place)
    if name.endswith("-tailed"):
        return growing(CHOICES[name.removesuffix("-tailed")], place)
    choice = CHOICES[name]
    return BACKENDS[choice.backend].make(choice, DIMENSIONS, IndexSettings(), place)


def growing(choice: BackendChoice, place: IndexPlace) -> GrowingVectors:
    return Registry(LiveConfig({"index.flat_max": 50}), place).make(choice, "model", DIMENSIONS)


@pytest.fixture(params=[*PLAIN, *(name for name in CHOICES if name in EXACT), *TAILED])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorIndex]:
    index = made(request.param, IndexPlace(tmp_path, "store"))
    yield index
    index.close()


def units(count: int, seed: int = 0) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def pks(*values: int) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


@cache
def columns_of(count: int) -> Columns:
    columns = Columns()
    columns.apply(
        [
            ColumnRow(pk, pk % 10, "fact" if pk % 100 else "entity", "x", None, 0, None, None, "longterm")
            for pk in range(1, count + 1)
        ],
        [],
    )
    return columns


def rows_of(count: int, **filters: Any) -> ColumnSelection:
    """A selection among the rows 1..count: scope pk % 10, kind entity for every hundredth."""
    columns = columns_of(count)
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
    assert np.allclose(found.scores, (rows @ rows[6])[found.pks - 1], atol=TOLERANCE)
    assert np.all(np.diff(found.scores) <= 0)
    assert sorted(found.pks.tolist()) == list(range(1, 41))
    assert (found.pks.dtype, found.scores.dtype) == (np.int64, np.float32)


def test_replacing_deleting_and_doing_it_again(index: VectorIndex) -> None:
    rows = units(6)
    index.apply((pks(1, 2, 3), rows[:3]), [])
    for _ in range(2):
        index.apply((pks(2, 9), rows[4:6]), [3, 9, 1000])  # 9 is in both: put
        assert index.count() == 3
        expected = [rows[5], np.zeros(DIMENSIONS), rows[4], rows[0]]
        assert np.allclose(index.vectors(pks(9, 3, 2, 1)), expected, atol=TOLERANCE)
    assert index.search(rows[4], limit=1, among=rows_of(10)).pks.tolist() == [2]
    index.apply((pks(1, 1), rows[1:3]), [])  # the last counts
    assert np.allclose(index.vectors(pks(1))[0], rows[2], atol=TOLERANCE)


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
    assert np.allclose(index.vectors(np.arange(1, 301)), rows, atol=TOLERANCE)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "faiss-pq" else []) for name in CHOICES]
)
def test_every_back_end_finds_most_of_the_nearest(name: str, tmp_path: Path) -> None:
    """Of vectors that lie in groups, as those of texts do. Signs or typical fours alone find fewer; with a closer look
    nobody misses many."""
    count = 8_300 if name == "flat-pq" else 4_200 if name.startswith("faiss") else 1_200  # enough to learn from
    pick = np.random.default_rng(6)
    rows = pick.normal(size=(60, 64))[pick.integers(60, size=count)] + pick.normal(size=(count, 64))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    choice = CHOICES[name]
    body = BACKENDS[choice.backend].make(choice, 64, IndexSettings(), IndexPlace(tmp_path, "store"))
    for start in range(0, count, 1_000):
        body.apply((np.arange(start + 1, min(start + 1_000, count) + 1), rows[start : start + 1_000]), [])
    body.apply(None, list(range(1, 11)))
    oracle = FlatVectors(64)
    oracle.apply((np.arange(11, count + 1), rows[10:]), [])
    assert body.count() == count - 10
    hits = 0
    for query in rows[20:40]:
        for among in (rows_of(count), rows_of(count, scope_pks=list(range(7))), rows_of(count, scope_pks=[7])):
            expected = oracle.search(query, limit=10, among=among).pks.tolist()
            found = body.search(query, limit=10, among=among).pks.tolist()
            assert len(found) == 10
            hits += len(set(expected) & set(found))
    assert hits >= {"sqlite-vec-binary": 180, "faiss-pq": 330}.get(name, 560), hits
    body.close()


@pytest.mark.parametrize("name", sorted(BACKENDS))
@pytest.mark.parametrize("metric", ["cosine", "dot", "l2", "hamming"])
def test_scores_are_cosines_by_whatever_metric(name: str, metric: str, tmp_path: Path) -> None:
    config = LiveConfig({"index.backend": name, "index.metric": metric})
    registry = Registry(config, IndexPlace(tmp_path, "store"))
    if metric not in BACKENDS[name].capabilities.metrics:
        with pytest.raises(ConfigInvalid, match=r"index\.metric"):
            registry.choose("model", rows=9)
        return
    choice = registry.choose("model", rows=9)
    index = BACKENDS[name].make(choice, DIMENSIONS, config.current.index, IndexPlace(tmp_path, "store"))
    rows = units(5_000, seed=8)
    index.apply((np.arange(1, 5_001), rows), [])
    found = index.search(rows[4], limit=5, among=rows_of(5_000))
    assert found.pks[0] == 5
    near = (rows @ rows[4])[found.pks - 1]
    assert np.allclose(found.scores, near, atol=0.7 if metric == "hamming" else TOLERANCE)  # 16 signs tell little
    index.close()


@pytest.mark.parametrize("name", [name for name in CHOICES if BACKENDS[CHOICES[name].backend].capabilities.saved])
def test_what_is_saved_is_opened_as_it_was(name: str, tmp_path: Path) -> None:
    choice, place = CHOICES[name], IndexPlace(tmp_path, "store")
    config = LiveConfig({"index.backend": choice.backend, "index.precision": choice.precision})
    body = BACKENDS[choice.backend].make(choice, DIMENSIONS, config.current.index, place)
    count = 9_000 if choice.backend == "flat" else 6_000
    rows = units(count, seed=9)
    body.apply((np.arange(1, count + 1), rows), [])
    body.apply((pks(7, 9_500), rows[:2]), [3])
    path = tmp_path / "vectors"
    assert body.save(path, space="store/model", watermark=17)
    body.close()
    registry = Registry(config, place)
    opened = [registry.load(path, space="store/model", dimensions=DIMENSIONS)]
    opened.append(registry.view(path, space="store/model", dimensions=DIMENSIONS))  # type: ignore[arg-type]
    for index, stamp in opened:
        assert (stamp.watermark, stamp.count, index.count()) == (17, count, count)
        assert np.allclose(index.vectors(pks(7, 3, 9_500, 8)), [rows[0], rows[0] * 0, rows[1], rows[7]], atol=TOLERANCE)
        assert index.search(rows[7], limit=1, among=rows_of(9_600)).pks.tolist() == [8]
    index = opened[0][0]
    index.apply((pks(8, 20_000), rows[5_000:5_002]), [9])  # a row of the file moves, one comes, one goes
    index.settle()
    index.relieve()
    assert index.count() == count
    assert index.search(rows[5_000], limit=2, among=rows_of(20_000)).pks.tolist() in ([8, 5_001], [5_001, 8])
    assert index.save(path, space="store/model", watermark=18)
    index.close()
    again, stamp = registry.load(path, space="store/model", dimensions=DIMENSIONS)
    assert (stamp.watermark, again.count()) == (18, count)
    assert not again.vectors(pks(9)).any()
    again.close()


def test_a_file_of_another_back_end_is_made_anew(tmp_path: Path) -> None:
    place = IndexPlace(tmp_path, "store")
    body = made("usearch-f16", place)
    body.apply((np.arange(1, 100), units(99)), [])
    assert body.save(tmp_path / "vectors", space="store/model", watermark=1)  # type: ignore[attr-defined]
    for settings in ({"index.backend": "flat"}, {"index.backend": "usearch", "index.precision": "i8"}):
        with pytest.raises(StoreDamaged, match="is chosen"):
            Registry(LiveConfig(settings), place).load(tmp_path / "vectors", space="store/model", dimensions=DIMENSIONS)


def test_no_file_is_left_beside_the_store(tmp_path: Path) -> None:
    for name in CHOICES:
        body = made(name, IndexPlace(tmp_path, "store"))
        body.apply((np.arange(1, 601), units(600)), [])
        body.relieve()  # type: ignore[attr-defined]
        assert list(tmp_path.iterdir()) == [], name
        body.close()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"index.backend": "usearch", "index.precision": "pq"}, "usearch has f16, i8, f32, not pq"),
        ({"index.metric": "hamming", "index.precision": "i8"}, "goes with binary, not with i8"),
        ({"index.spaces": "model=annoy"}, "no back end 'annoy'"),
        ({"index.spaces": "model=flat/f8"}, "flat has"),
    ],
)
def test_what_does_not_go_together_is_refused(settings: dict[str, str], said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match=said):
        Registry(LiveConfig(settings), IndexPlace(tmp_path, "store")).choose("model:a", rows=1)


def test_the_choice_goes_by_size_use_and_memory(tmp_path: Path) -> None:
    def chosen(settings: dict[str, str], **facts: Any) -> str:
        return str(Registry(LiveConfig(settings), IndexPlace(tmp_path, "store")).choose("minilm:a", **facts))

    assert chosen({}, rows=100_000, searches=10**6) == "flat/binary/cosine"
    assert chosen({}, rows=1_000_000, searches=10) == "flat/binary/cosine"
    assert chosen({}, rows=1_000_000, searches=10**6) == "usearch/i8/cosine"
    assert chosen({}, rows=1_000_000, searches=10**6, pressure=Pressure.ELEVATED) == "flat/binary/cosine"
    assert chosen({"index.precision": "f16"}, rows=9) == "flat/f16/cosine"
    assert chosen({"index.backend": "usearch"}, rows=9) == "usearch/f16/cosine"
    assert chosen({"index.backend": "usearch"}, rows=9, pressure=Pressure.CRITICAL) == "flat/binary/cosine"
    assert chosen({"index.backend": "mapped"}, rows=9, pressure=Pressure.CRITICAL) == "mapped/i8/cosine"
    assert chosen({"index.spaces": "other=faiss, minilm=usearch/i8/dot"}, rows=9) == "usearch/i8/dot"
