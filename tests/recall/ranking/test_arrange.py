"""The last word on order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ticking import Ticking

from recollect import Memory
from recollect.index.base import Scored
from recollect.recall.ranking.arrange import distinct, facts_first, fuse, suppressed, varied
from recollect.recall.sources.base import SourceRanking
from recollect.store import feedback
from recollect.store.feedback import Context
from recollect.wiring import open_memory


def test_the_same_text_is_one_answer() -> None:
    places, repeated = distinct(["a", "b", "a", "c", "b", "a"])
    assert places.tolist() == [0, 1, 3]
    assert repeated == {0: [2, 5], 1: [4]}
    assert distinct([])[0].tolist() == []


def test_a_fact_takes_the_place_of_its_turn() -> None:
    pks = np.array([10, 20, 30])
    places, scores = facts_first(pks, np.array([0.9, 0.6, 0.3]), facts=np.array([30]), turns=np.array([10]))
    assert pks[places].tolist() == [30, 20, 10]
    assert scores.tolist() == [0.9, 0.6, 0.6]


def test_several_facts_of_one_turn_all_stay() -> None:
    pks = np.array([10, 20, 30])
    places, _ = facts_first(pks, np.array([0.9, 0.6, 0.3]), facts=np.array([20, 30]), turns=np.array([10, 10]))
    assert pks[places].tolist() == [20, 30, 10]


def test_a_turn_without_its_fact_among_the_candidates_stays() -> None:
    pks = np.array([10, 20])
    places, scores = facts_first(pks, np.array([0.9, 0.6]), facts=np.array([99]), turns=np.array([10]))
    assert pks[places].tolist() == [10, 20]
    assert scores.tolist() == [0.9, 0.6]


TWINS = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def test_a_near_copy_makes_room_for_something_else() -> None:
    order = varied(np.array([0.9, 0.85, 0.7]), TWINS, count=2, relevance_share=0.7, alike_min=0.9)
    assert order.tolist() == [0, 2, 1]


def test_relevance_alone_keeps_the_order() -> None:
    order = varied(np.array([0.9, 0.85, 0.7]), TWINS, count=3, relevance_share=1.0, alike_min=0.0)
    assert order.tolist() == [0, 1, 2]


def test_rows_without_vectors_are_like_nothing() -> None:
    order = varied(np.array([0.9, 0.85, 0.7]), np.zeros((3, 2)), count=3, relevance_share=0.5, alike_min=0.0)
    assert order.tolist() == [0, 1, 2]


@given(st.lists(st.floats(0, 1), max_size=12), st.integers(0, 15), st.floats(0, 1), st.floats(0, 1))
def test_variety_reorders_and_loses_nothing(scores: list[float], count: int, share: float, alike: float) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(len(scores), 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    best_first = np.sort(np.array(scores))[::-1]
    order = varied(best_first, vectors, count=count, relevance_share=share, alike_min=alike)
    assert sorted(order.tolist()) == list(range(len(scores)))
    if len(scores) and count and share > 0:
        assert best_first[order[0]] == best_first[0]


WEIGHTS = {"text": 1.0, "vector": 2.0}


def ranking(source: str, *pks: int) -> SourceRanking:
    scores = np.linspace(1.0, 0.1, len(pks), dtype=np.float32)
    return SourceRanking(source, Scored(np.array(pks, dtype=np.int64), scores))


def fused(*rankings: SourceRanking, weights: dict[str, float] = WEIGHTS, k: int = 60) -> dict[int, float]:
    out = fuse(rankings, weights, k)
    return dict(zip(out.pks.tolist(), out.scores.tolist(), strict=True))


def test_first_everywhere_scores_one() -> None:
    assert fused(ranking("text", 7, 8), ranking("vector", 7, 9))[7] == pytest.approx(1.0)


def test_one_source_alone_keeps_its_order_and_its_first_scores_one() -> None:
    found = fused(ranking("text", 5, 3, 9))
    assert list(found) == [5, 3, 9]
    assert found[5] == pytest.approx(1.0)
    assert 1.0 > found[3] > found[9] > 0.0


def test_every_row_any_source_found_is_there_once() -> None:
    found = fused(ranking("text", 1, 2, 3), ranking("vector", 3, 4))
    assert sorted(found) == [1, 2, 3, 4]


def test_a_row_both_sources_know_beats_the_favourite_of_one() -> None:
    found = fused(ranking("text", 1, 2), ranking("vector", 3, 2), weights={"text": 1.0, "vector": 1.0})
    assert next(iter(found)) == 2


def test_weights_decide_between_the_favourites() -> None:
    assert list(fused(ranking("text", 1), ranking("vector", 2))) == [2, 1]
    assert list(fused(ranking("text", 1), ranking("vector", 2), weights={"text": 3.0, "vector": 1.0})) == [1, 2]


def test_a_source_that_found_nothing_does_not_lower_the_others() -> None:
    assert fused(ranking("text", 1), ranking("vector"))[1] == pytest.approx(1.0)


def test_nothing_found_is_nothing() -> None:
    assert fused() == fused(ranking("text"), ranking("vector")) == {}


def test_equal_scores_are_ordered_newest_first() -> None:
    assert list(fused(ranking("text", 1), ranking("vector", 2), weights={"text": 1.0, "vector": 1.0})) == [2, 1]


def test_a_small_k_favours_the_first_places() -> None:
    steep, flat = (fused(ranking("text", 1, 2), k=k) for k in (1, 1_000))
    assert steep[2] < 0.7
    assert flat[2] > 0.99


def test_a_space_being_built_weighs_like_the_active_one() -> None:
    found = fused(ranking("vector", 1), ranking("vector:new", 2))
    assert found[1] == pytest.approx(found[2]) == pytest.approx(0.5)


def test_a_source_without_weight_counts_for_nothing() -> None:
    found = fused(ranking("text", 1), ranking("vector", 2), weights={"text": 1.0, "vector": 0.0})
    assert found[1] == pytest.approx(1.0)
    assert found.get(2, 0.0) == 0.0


def test_what_each_source_put_in_adds_up_to_the_score() -> None:
    out = fuse([ranking("text", 4, 2, 7), ranking("vector", 7, 4), ranking("vector:new", 9, 7)], WEIGHTS, 60)
    assert np.sum(list(out.parts.values()), axis=0) == pytest.approx(out.scores)
    put_in = {pk: {name for name, part in out.parts.items() if part[i] > 0} for i, pk in enumerate(out.pks.tolist())}
    assert put_in == {7: {"text", "vector", "vector:new"}, 4: {"text", "vector"}, 9: {"vector:new"}, 2: {"text"}}


EDITOR = "which editor does Ana use now?"


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture(params=["wordllama", None], ids=["by meaning", "by words"])
def mem(request: pytest.FixtureRequest, clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder=request.param, clock=clock) as memory:
        yield memory


def left_out(memory: Memory, question: str, *ids: str) -> list[bool]:
    engine = memory._engine
    now = engine.clock()
    context, _ = engine.judging.context_of(question)
    assert context is not None
    with engine.store.read() as tx:
        pks = np.array([tx.records.find_pk(one, now=now) for one in ids])
        return list(suppressed(tx, pks, lambda: context, now=now, settings=memory.config.recall).tolist())


def test_what_was_no_help_is_left_out_of_questions_like_that_and_of_no_others(mem: Memory) -> None:
    vim, helix = mem.add("Ana uses vim").id, mem.add("Ana moved to Helix").id
    mem.feedback(vim, helpful=False, query=EDITOR)
    assert left_out(mem, EDITOR, vim, helix) == [True, False]
    assert left_out(mem, "what editor is Ana using?", vim, helix) == [True, False]
    assert left_out(mem, "what did people learn at school?", vim, helix) == [False, False]


def test_feedback_without_a_question_is_about_the_record_not_about_a_context(mem: Memory) -> None:
    vim = mem.add("Ana uses vim").id
    mem.feedback(vim, helpful=False)
    assert left_out(mem, EDITOR, vim) == [False]


def test_it_is_forgotten_after_a_while(mem: Memory, clock: Ticking) -> None:
    vim = mem.add("Ana uses vim").id
    mem.feedback(vim, helpful=False, query=EDITOR)
    clock.skip(89)
    assert left_out(mem, EDITOR, vim) == [True]
    clock.skip(2)
    assert left_out(mem, EDITOR, vim) == [False]


def test_the_newest_word_counts(mem: Memory) -> None:
    vim = mem.add("Ana uses vim").id
    mem.feedback(vim, helpful=False, query=EDITOR)
    mem.feedback(vim, helpful=True, query=EDITOR)
    assert left_out(mem, EDITOR, vim) == [False]
    mem.feedback(vim, helpful=False, query=EDITOR)
    assert left_out(mem, EDITOR, vim) == [True]


def test_undo_takes_it_back_and_forth(mem: Memory) -> None:
    vim = mem.add("Ana uses vim").id
    newest = mem.feedback(vim, helpful=False, query=EDITOR)
    for expected in (False, True, False, True):
        newest = mem.undo(newest.operation or "")
        assert left_out(mem, EDITOR, vim) == [expected]


def test_a_correction_with_its_question_counts_as_feedback(mem: Memory) -> None:
    vim = mem.add("Ana uses vim").id
    helix = mem.correct(vim, "Ana uses Helix", query=EDITOR).id
    assert left_out(mem, EDITOR, vim, helix) == [True, False]


def test_without_feedback_the_question_is_not_even_looked_at(mem: Memory) -> None:
    def asked() -> Context:
        raise AssertionError("nothing was said about these records")

    added = mem.add("Ana uses vim")
    mem.feedback(mem.add("Ben uses emacs").id, helpful=False, query=EDITOR)
    engine = mem._engine
    with engine.store.read() as tx:
        pks = np.array([tx.records.find_pk(added.id, now=engine.clock())])
        assert not suppressed(tx, pks, asked, now=engine.clock(), settings=mem.config.recall).any()
        assert not suppressed(tx, pks[:0], asked, now=engine.clock(), settings=mem.config.recall).any()


def test_vectors_of_two_models_are_never_compared(clock: Ticking) -> None:
    """What one model kept, a store opened with another recognises by its words."""
    with open_memory(":memory:", embedder="fake", clock=clock) as memory:
        vim = memory.add("Ana uses vim").id
        memory.feedback(vim, helpful=False, query=EDITOR)
        engine = memory._engine
        with engine.store.read() as tx:
            pks = np.array([tx.records.find_pk(vim, now=engine.clock())])
            for question, expected in ((EDITOR, True), ("when does the train to Rome leave?", False)):
                other = feedback.context_of(question, "other:model", np.ones(3, dtype=np.float32))
                found = suppressed(tx, pks, lambda o=other: o, now=engine.clock(), settings=memory.config.recall)
                assert found.tolist() == [expected]
