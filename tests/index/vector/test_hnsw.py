"""The graph against the scan, its file, and searching while it grows."""

from __future__ import annotations

import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.config import LiveConfig
from recollect.config.storage import IndexSettings
from recollect.errors import StoreDamaged, StoreReadOnly
from recollect.index.base import BackendChoice
from recollect.index.columns import ColumnRow, Columns
from recollect.index.vector import hnsw
from recollect.index.vector.adaptive import AdaptiveVectors
from recollect.index.vector.flat import FlatVectors
from recollect.index.vector.hnsw import HnswVectors, Mirror
from recollect.index.vector.precision import widened
from recollect.index.vector.registry import IndexPlace, Registry

DIMENSIONS, COUNT = 64, 5_000
PKS = np.arange(1, COUNT + 1, dtype=np.int64)


def tailed(body: HnswVectors | None = None, flat_max: int = 2_000) -> AdaptiveVectors:
    """A graph behind a tail."""
    choice = BackendChoice("usearch", "f16")
    made = partial(HnswVectors, DIMENSIONS)
    return AdaptiveVectors(DIMENSIONS, choice=choice, make=made, portion=64, flat_max=flat_max, body=body)


@pytest.fixture(scope="module")
def clustered() -> NDArray[np.float32]:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(50, DIMENSIONS))
    rows = centres[rng.integers(0, 50, COUNT)] + 0.7 * rng.normal(size=(COUNT, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def columns() -> Columns:
    columns = Columns()
    columns.apply([ColumnRow(pk, pk % 2, "fact", "x", None, 0, None, None, "longterm") for pk in PKS.tolist()], [])
    return columns


@pytest.fixture(scope="module")
def graph(clustered: NDArray[np.float32]) -> HnswVectors:
    graph = HnswVectors(DIMENSIONS, settings=IndexSettings(scan_max=0))
    graph.apply((PKS, clustered), [])
    return graph


@pytest.fixture
def saved(graph: HnswVectors, tmp_path: Path) -> Path:
    path = tmp_path / "space.vectors"
    graph.save(path, space="test", watermark=42)
    return path


@pytest.mark.parametrize("scopes", [None, [1]])
def test_recall_against_the_scan(
    graph: HnswVectors, clustered: NDArray[np.float32], columns: Columns, scopes: list[int] | None
) -> None:
    oracle = FlatVectors(DIMENSIONS)
    oracle.apply((PKS, clustered), [])
    rng = np.random.default_rng(9)
    hits, among = 0, columns.select(scope_pks=scopes, now=0)
    for at in rng.choice(COUNT, 100):
        query = (clustered[at] + 0.03 * rng.normal(size=DIMENSIONS)).astype(np.float32)
        expected = oracle.search(query, limit=10, among=among).pks.tolist()
        hits += len(set(expected) & set(graph.search(query, limit=10, among=among).pks.tolist()))
    assert hits / 1000 >= 0.95


def test_a_view_answers_like_the_index_it_was_saved_from(
    graph: HnswVectors, clustered: NDArray[np.float32], columns: Columns, saved: Path
) -> None:
    view, stamp = HnswVectors.view(saved, space="test", dimensions=DIMENSIONS)
    assert (stamp.watermark, stamp.count, view.count()) == (42, COUNT, COUNT)
    for scopes in (None, [0]):
        among = columns.select(scope_pks=scopes, now=0)
        ours, theirs = (index.search(clustered[3], limit=10, among=among) for index in (graph, view))
        assert ours.pks.tolist() == theirs.pks.tolist()
    assert view.read_only
    with pytest.raises(StoreReadOnly):
        view.apply(None, [1])
    view.close()
    assert not list(saved.parent.glob("*.tmp"))


def test_a_loaded_index_goes_on(clustered: NDArray[np.float32], columns: Columns, saved: Path) -> None:
    loaded, _ = HnswVectors.load(saved, space="test", dimensions=DIMENSIONS)
    saved.unlink()
    index = tailed(body=loaded)
    index.apply((PKS[:1], clustered[1:2]), [2])
    assert index.count() == COUNT - 1
    among = columns.select(scope_pks=None, now=0)
    assert index.search(clustered[1], limit=1, among=among).pks.tolist() == [1]
    assert index.save(saved, space="test", watermark=43)
    assert HnswVectors.load(saved, space="test", dimensions=DIMENSIONS)[1].watermark == 43


def test_another_precision_is_loaded_by_no_index_but_can_be_searched_in_its_file(saved: Path) -> None:
    registry = Registry(LiveConfig({"index.backend": "usearch", "index.precision": "i8"}), IndexPlace(saved.parent, ""))
    with pytest.raises(StoreDamaged, match="holds hnsw/f16, and usearch/i8/cosine is chosen"):
        registry.load(saved, space="test", dimensions=DIMENSIONS)
    viewed, stamp = registry.view(saved, space="test", dimensions=DIMENSIONS)
    assert (viewed.count(), stamp.dtype) == (stamp.count, "f16")
    viewed.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: b"short",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:-1],
        lambda whole: whole + b"\0",
        lambda whole: whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:],
        lambda whole: whole.replace(b'"watermark": 42', b'"watermark": 43'),
        lambda whole: np.random.default_rng(0).bytes(len(whole)),
    ],
)
@pytest.mark.parametrize("way", [HnswVectors.view, HnswVectors.load])
def test_a_damaged_file_is_refused(damage: object, way: object, saved: Path) -> None:
    assert callable(damage)
    assert callable(way)
    saved.write_bytes(damage(saved.read_bytes()))
    with pytest.raises(StoreDamaged, match=r"space\.vectors"):
        way(saved, space="test", dimensions=DIMENSIONS)


def test_a_foreign_or_missing_file_is_refused(saved: Path) -> None:
    with pytest.raises(StoreDamaged, match="not other"):
        HnswVectors.view(saved, space="other", dimensions=DIMENSIONS)
    with pytest.raises(StoreDamaged):
        HnswVectors.view(saved, space="test", dimensions=DIMENSIONS * 2)
    with pytest.raises(StoreDamaged):
        HnswVectors.view(saved.with_name("absent"), space="test", dimensions=DIMENSIONS)


def test_searching_while_it_grows(clustered: NDArray[np.float32], columns: Columns) -> None:
    """Across the change from scan to graph and bulk adds: always the right number, never a long wait."""
    index, among = (
        tailed(flat_max=500),
        columns.select(scope_pks=None, now=0),
    )
    index.apply((PKS[:100], clustered[:100]), [])
    done, faults, longest_s = threading.Event(), list[str](), 0.0

    def watch() -> None:
        nonlocal longest_s
        while not done.is_set():
            begin = time.perf_counter()
            found = index.search(clustered[7], limit=10, among=among)
            longest_s = max(longest_s, time.perf_counter() - begin)
            if len(found.pks) != 10 or found.pks[0] != 8:
                faults.append(str(found))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for start in range(100, 3_000, 290):
            index.apply((PKS[start : start + 290], clustered[start : start + 290]), [])
    finally:
        done.set()
        watcher.join()
    assert faults == []
    assert longest_s < 1.0  # a few milliseconds in truth; a busy machine is not a failure
    index.close()


def test_small_stores_stay_without_a_graph(clustered: NDArray[np.float32], tmp_path: Path) -> None:
    index = tailed()
    index.apply((PKS[:10], clustered[:10]), [])
    assert not index.save(tmp_path / "none", space="test", watermark=1)
    assert not (tmp_path / "none").exists()


# --- the copy of a small graph: the same vectors, bit by bit, whatever was put and dropped ---------------------------

SMALL = 8  # dimensions


def some(rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, SMALL)).astype(np.float32)


def unit(rows: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((rows, SMALL)).astype(np.float32)
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
    index = HnswVectors(SMALL)
    pks = np.arange(1, 301)
    index.apply((pks, unit(300)), ())
    index.apply((pks[10:20], unit(10, seed=1)), [5, 6, 300])
    index.save(tmp_path / "vectors", space="s", watermark=1)
    again, _ = HnswVectors.load(tmp_path / "vectors", space="s", dimensions=SMALL)
    for one in (index, again):
        assert one._mirror is not None
        by_graph, by_mirror = one._held(pks), one._mirror.read(pks)
        assert np.array_equal(by_graph[0], by_mirror[0])
        assert np.array_equal(widened(by_graph[1]), by_mirror[1])


def test_a_graph_that_grows_large_gives_its_mirror_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "MIRRORED_MAX", 50)
    index = HnswVectors(SMALL)
    vectors = unit(60)
    index.apply((np.arange(1, 51), vectors[:50]), ())
    mirrored = index.vectors(np.arange(0, 51))
    index.apply((np.arange(51, 61), vectors[50:]), ())
    assert index._mirror is None
    assert np.array_equal(index.vectors(np.arange(0, 51)), mirrored)
