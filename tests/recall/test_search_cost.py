"""What a search leaves undone because it cannot matter, and that leaving it undone changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config import LiveConfig
from recollect.index.graph import EdgeRow, GraphIndex
from recollect.recall import select
from recollect.recall.question.intent import IntentReader
from recollect.recall.question.recipes import Recipes, neutral_recipe, recipe_of
from recollect.recall.ranking.arrange import any_alike, varied
from recollect.store.records import Records
from recollect.wiring import open_memory

number = st.floats(-1, 1).filter(lambda x: abs(x) > 0.01)


def _unit(rows: list[list[float]]) -> np.ndarray:
    vectors = np.array(rows, dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(
    st.lists(
        st.lists(st.floats(-1, 1).filter(lambda x: abs(x) > 0.01), min_size=3, max_size=3), min_size=2, max_size=9
    ),
    st.integers(1, 9),
    st.sampled_from([0.5, 0.9, 0.97]),
)
def test_an_order_whose_first_rows_are_not_alike_is_varied_already(
    rows: list[list[float]], count: int, alike_min: float
) -> None:
    vectors = _unit(rows)
    scores = np.linspace(0.9, 0.1, len(vectors))
    order = varied(scores, vectors, count=count, relevance_share=0.7, alike_min=alike_min)
    if not any_alike(vectors[:count], alike_min):
        assert order.tolist() == list(range(len(vectors)))


def test_rows_that_repeat_each_other_are_alike() -> None:
    assert any_alike(_unit([[1, 0, 0], [0, 1, 0], [1, 0.01, 0]]), 0.97)
    assert not any_alike(_unit([[1, 0, 0], [0, 1, 0], [1, 1, 0]]), 0.97)
    assert not any_alike(_unit([[1, 0, 0]]), 0.97)


def test_recipes_are_those_of_the_intent_each_time() -> None:
    config = LiveConfig().current
    recipes, reader = Recipes(config), IntentReader(None, config.intent)
    questions = ["Why did the login break?", "When did Ana move?", "What is Ben's phone number?", "vim"]
    for question in questions * 2:
        assert recipes.of(reader.read(question)) == recipe_of(reader.read(question), config)
    assert recipes.neutral == neutral_recipe(config)


def test_a_graph_knows_which_labels_it_was_told() -> None:
    graph = GraphIndex()
    assert not graph.holds()
    members = [(1, True, False), (2, False, True)]
    graph.apply([EdgeRow(7, "follows", 1.0, False, None, None, members)], [])
    assert graph.holds()
    assert graph.holds(labels=("causes", "follows"))
    assert not graph.holds(labels=("causes",))
    assert not graph.holds(besides=("follows",))
    assert graph.holds(besides=("causes",))
    graph.apply([], [7])
    assert not graph.holds()


def test_a_wide_filter_over_a_large_store_is_not_listed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample says that it allows too many; a narrow one is listed all the same, and both find what they should."""
    listed: list[int] = []
    matching = Records.matching

    def noted(*given: object, limit: int = -1, **more: object) -> list[int]:
        listed.extend([limit] if limit > 0 else [])
        return matching(*given, limit=limit, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Records, "matching", noted)
    monkeypatch.setattr(select, "LISTED_MAX", 20)
    monkeypatch.setattr(select, "SAMPLED_FROM", 200)
    with open_memory(":memory:", embedder="fake") as mem:
        mem.add([{"content": f"tea {i}", "metadata": {"number": i}} for i in range(300)])
        wide = mem.search("tea", filters={"metadata.number": {"lt": 200}}, top_k=50)
        assert len(wide) == 50
        assert all(hit.metadata["number"] < 200 for hit in wide)
        assert listed == []
        narrow = mem.search("tea", filters={"metadata.number": {"lt": 5}}, top_k=50)
        assert {hit.metadata["number"] for hit in narrow} == set(range(5))
        assert listed == [21]
