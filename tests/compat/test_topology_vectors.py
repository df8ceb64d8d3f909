"""The vectors that callers of RFC-014's store give their nodes, and the embedder they are asked with."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.compat.topology import MemoryNode, PositionType, SpatialContext, SpatialQuery, UnifiedMemoryStore
from recollect.errors import DimensionMismatch, UsageError
from recollect.providers.embedders.fake import FakeEmbedder

DIMS = 4


@pytest.fixture
def store(tmp_path: Path) -> Iterator[UnifiedMemoryStore]:
    with UnifiedMemoryStore(tmp_path / "unified", DIMS, embedder="fake") as opened:
        yield opened


def node(id: str, content: str = "", **more: Any) -> MemoryNode:
    return MemoryNode(id=id, content=content or f"what {id} says", **more)


def found(pairs: list[tuple[MemoryNode, float]]) -> dict[str, float]:
    return {each.id: round(score, 4) for each, score in pairs}


class ByTable:
    """An embedder as RFC-014 has it: one text, one vector."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.table = table

    def embed(self, text: str) -> Any:
        return self.table[text]


def with_vector(id: str, *vector: float, **more: Any) -> MemoryNode:
    return node(id, embedding=tuple(vector), **more)


def test_with_an_embedder_text_is_compared_by_meaning(store: UnifiedMemoryStore) -> None:
    store.add_nodes(
        [
            with_vector("near", 2, 0, 0, 0),
            with_vector("far", 0, 3, 0, 0),
            with_vector("half", 1, 1, 0, 0),
            node("none"),
        ]
    )
    store.set_embedder(ByTable({"q": [5.0, 0, 0, 0]}))
    assert found(store.query(text_query="q")) == {"near": 1.0, "half": pytest.approx(0.7071), "far": 0.0}
    assert found(store.query(text_query="q", limit=1)) == {"near": 1.0}
    store.set_embedder(None)
    assert set(found(store.query(text_query="near"))) == {"near"}


def test_an_embedder_without_any_vector_leaves_it_to_the_words(store: UnifiedMemoryStore) -> None:
    store.add_node(node("n", "plain words"))
    store.set_embedder(ByTable({"plain": [1.0, 0, 0, 0]}))
    assert found(store.query(text_query="plain")) == {"n": 0.8}


def test_vectors_rank_only_what_the_other_sides_left(store: UnifiedMemoryStore) -> None:
    here = SpatialContext(PositionType.DOCUMENT, section_path=("Design",))
    store.add_nodes([with_vector(f"n{i}", 1, 0, 0, 0) for i in range(20)])
    store.add_node(with_vector("only", 0.1, 1, 0, 0, spatial=here))
    store.set_embedder(ByTable({"q": np.array([1.0, 0, 0, 0])}))
    assert list(found(store.query(text_query="q", spatial_query=SpatialQuery(section_contains="Design"), limit=2))) == [
        "only"
    ]


def test_vectors_follow_what_happens_to_their_nodes(store: UnifiedMemoryStore) -> None:
    store.set_embedder(ByTable({"q": [1.0, 0, 0, 0]}))
    store.add_node(with_vector("a", 1, 0, 0, 0))
    assert found(store.query(text_query="q")) == {"a": 1.0}
    store.add_node(with_vector("a", 0, 1, 0, 0))
    store.add_node(with_vector("b", 1, 0, 0, 0))
    assert found(store.query(text_query="q")) == {"b": 1.0, "a": 0.0}
    with UnifiedMemoryStore(store.base_path, DIMS, embedder="fake") as other:
        other.add_node(with_vector("c", 1, 0, 0, 0))
    assert "c" in found(store.query(text_query="q"))
    record = next(each for each in store.memory.get_all() if each.content == "what b says")
    operation = store.memory.delete(record.id).operation
    assert "b" not in found(store.query(text_query="q"))
    store.memory.undo(operation)
    assert "b" in found(store.query(text_query="q"))


def test_an_embedder_of_recollect_will_do(tmp_path: Path) -> None:
    model = FakeEmbedder()
    with UnifiedMemoryStore(tmp_path, model.dimensions, embedder=None) as store:
        vector = model.embed(["Ana sails"])[0]
        store.add_node(node("n", "Ana sails", embedding=tuple(vector.tolist())))
        store.set_embedder(model)
        assert found(store.query(text_query="Ana sails")) == {"n": pytest.approx(1.0, abs=1e-3)}


def test_vectors_of_another_length_are_refused_or_left_out(tmp_path: Path) -> None:
    with UnifiedMemoryStore(tmp_path, DIMS, embedder="fake") as store:
        with pytest.raises(DimensionMismatch, match="3 numbers"):
            store.add_node(with_vector("n", 1, 2, 3))
        store.add_node(with_vector("n", 1, 2, 3, 4))
    with UnifiedMemoryStore(tmp_path, 2, embedder="fake") as store:
        store.set_embedder(ByTable({"what": [1.0, 0.0]}))
        with pytest.warns(RuntimeWarning, match="vectors of 4 numbers"):
            assert found(store.query(text_query="what")) == {"n": 0.8}
        kept = store.get_node("n")
        assert kept is not None
        assert kept.embedding == (1.0, 2.0, 3.0, 4.0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            store.query(text_query="what")


@pytest.mark.parametrize("answer", [[[1.0, 0.0]], "no vector", None])
def test_an_embedder_that_gives_no_vector_is_told_so(store: UnifiedMemoryStore, answer: Any) -> None:
    store.add_node(with_vector("n", 1, 0, 0, 0))
    store.set_embedder(ByTable({"q": answer}))
    with pytest.raises((UsageError, DimensionMismatch)):
        store.query(text_query="q")
    with pytest.raises(UsageError, match="embed"):
        store.set_embedder("a name")


def test_a_question_of_another_length_is_told_so(store: UnifiedMemoryStore) -> None:
    store.add_node(MemoryNode(id="a", content="tea", embedding=(1.0,) * store.embedding_dims))

    class Short:
        def embed(self, text: str) -> list[float]:
            return [1.0] * (store.embedding_dims - 1)

    store.set_embedder(Short())
    with pytest.raises(DimensionMismatch, match="opened for"):
        store.query(text_query="tea")
