"""Records that were no help are left out of answers to questions like that, for a while, and of no others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from ticking import Ticking

from recollect import Memory
from recollect.recall.ranking.suppress import suppressed
from recollect.store import feedback, records
from recollect.store.feedback import Context
from recollect.wiring import open_memory

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
        pks = np.array([records.find_pk(tx, one, now=now) for one in ids])
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
        pks = np.array([records.find_pk(tx, added.id, now=engine.clock())])
        assert not suppressed(tx, pks, asked, now=engine.clock(), settings=mem.config.recall).any()
        assert not suppressed(tx, pks[:0], asked, now=engine.clock(), settings=mem.config.recall).any()


def test_vectors_of_two_models_are_never_compared(clock: Ticking) -> None:
    """What one model kept, a store opened with another recognises by its words."""
    with open_memory(":memory:", embedder="fake", clock=clock) as memory:
        vim = memory.add("Ana uses vim").id
        memory.feedback(vim, helpful=False, query=EDITOR)
        engine = memory._engine
        with engine.store.read() as tx:
            pks = np.array([records.find_pk(tx, vim, now=engine.clock())])
            for question, expected in ((EDITOR, True), ("when does the train to Rome leave?", False)):
                other = feedback.context_of(question, "other:model", np.ones(3, dtype=np.float32))
                found = suppressed(tx, pks, lambda o=other: o, now=engine.clock(), settings=memory.config.recall)
                assert found.tolist() == [expected]
