"""Another back end takes over while the store is open: searches go on, and nothing that comes meanwhile is missed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect.errors import ConfigInvalid, MissingExtra, ProviderUnavailable
from recollect.index.vector import registry
from recollect.index.vector.qdrant import QdrantVectors

COUNT = 300
SMALL = {"index.flat_max": 50, "index.poll_interval_s": 0.01}


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


def held_by(memory: recollect.Memory) -> set[str]:
    return {index.choice.backend for index in memory._engine.indexes.vectors.values() if not index.small}


@pytest.mark.parametrize("backend", ["usearch", "mapped", "sqlite-vec", "faiss", "qdrant"])
def test_searches_and_writes_go_on_while_back_ends_change(backend: str, tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake", config=SMALL) as memory:
        memory.add([f"note number {number} about tea" for number in range(COUNT)], infer=False)
        until(lambda: held_by(memory) == {"flat"})
        done, faults = threading.Event(), list[str]()

        def search() -> None:
            while not done.is_set():
                found = memory.search("note number 7 about tea", top_k=5)
                if len(found) != 5 or any("vectors" in each for each in found.missing):
                    faults.append(str(found.missing))

        searcher = threading.Thread(target=search)
        searcher.start()
        try:
            memory._engine.config.change({"index.backend": backend})
            late = [memory.add(f"later note {number}", infer=False).id for number in range(20)]
            memory.delete(late.pop())
            until(lambda: held_by(memory) == {backend})
        finally:
            done.set()
            searcher.join()
        assert faults == []
        until(lambda: memory.health()["index_lag"] == 0)
        for index in memory._engine.indexes.vectors.values():
            until(lambda index=index: index.count() == COUNT + 19)  # type: ignore[misc]
        for id_ in late[:3]:
            content = memory.get(id_).content
            assert memory.search(content, top_k=1)[0].id == id_
        memory._engine.config.change({"index.backend": "auto"})
        until(lambda: held_by(memory) == {"flat"})
        assert memory.search("later note 3", top_k=1)[0].content == "later note 3"
    assert sorted(path.name for path in tmp_path.glob("recollect-*")) == []


def test_what_cannot_be_changed_to_is_told_and_the_old_one_stays(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake", config=SMALL) as memory:
        memory.add([f"note number {number}" for number in range(60)], infer=False)
        until(lambda: held_by(memory) == {"flat"})
        memory._engine.config.change({"index.backend": "qdrant", "index.qdrant_url": "http://127.0.0.1:9"})
        until(lambda: any("Qdrant at http://127.0.0.1:9" in each for each in memory.health().warnings))
        assert held_by(memory) == {"flat"}
        assert len(memory.search("note number 7", top_k=5)) == 5


def test_a_mistake_is_told_on_opening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigInvalid, match="usearch has"):
        recollect.open(tmp_path / "m.db", embedder="fake", config={"index.backend": "usearch", "index.precision": "pq"})
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"recollect\[faiss\]"):
        recollect.open(tmp_path / "m.db", embedder="fake", config={"index.backend": "faiss"})


def test_a_search_does_without_a_server_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = {**SMALL, "index.backend": "qdrant"}
    with recollect.open(tmp_path / "m.db", embedder="fake", config=config) as memory:
        memory.add([f"note number {number}" for number in range(60)], infer=False)
        until(lambda: held_by(memory) == {"qdrant"})

        def gone(*_: object, **__: object) -> np.ndarray:
            raise ProviderUnavailable("no server")

        monkeypatch.setattr(QdrantVectors, "search", gone)
        monkeypatch.setattr(QdrantVectors, "vectors", gone)
        found = memory.search("note number 7", top_k=3)
        assert found[0].content == "note number 7"
        assert any("qdrant did not answer (E3001)" in each for each in found.missing)
