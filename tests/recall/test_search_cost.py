"""What a search leaves undone because it cannot matter, and that leaving it undone changes nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.config import LiveConfig
from recollect.index.graph import EdgeRow, GraphIndex
from recollect.recall.question.intent import IntentReader
from recollect.recall.question.recipes import Recipes, neutral_recipe, recipe_of
from recollect.recall.ranking.arrange import any_alike, varied

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
