"""Doubtful changes are asked about, a few in a session, and the answer is taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from changed_lives import ChangedLife
from upkeep.upkeep_runs import run_steps

from recollect.errors import NotFound, UsageError
from recollect.model.question import Question, QuestionKind
from recollect.upkeep.consolidation.consolidate import ConsolidateStep
from recollect.upkeep.knowledge.gaps import GapsStep

RUNS, KNEE = "Ana runs ten", "Ana's knee hurts"
PAIRS = ((KNEE, RUNS), ("Ana quit the bakery", "Ana works at the bakery"), ("Zed opens Ana's", "Ana has been on Helix"))


@pytest.fixture
def life(tmp_path: Path) -> Iterator[ChangedLife]:
    opened = ChangedLife(tmp_path / "m.db")
    yield opened
    opened.memory.close()


def asked(life: ChangedLife, session: str) -> list[Question]:
    return [
        each for each in life.memory.questions(session_id=session, user_id="ana") if each.kind is QuestionKind.CHANGE
    ]


def test_consolidating_a_session_asks_about_what_it_put_in_doubt(life: ChangedLife) -> None:
    life.doubt(KNEE, RUNS, probability=0.6)
    life.clock.skip(1)
    report = run_steps(life.memory, ConsolidateStep())
    assert [item.reason for item in report.items if item.did == "asked"] == ["change"]
    (question,) = asked(life, "next")
    assert question.text == (
        "I have noted “Ana runs ten kilometres every Sunday”, and later “Ana's knee hurts, so no running for Ana”. "
        "Does the second take the place of the first?"
    )
    assert question.records == (life.record(RUNS).id, life.record(KNEE).id)
    assert run_steps(life.memory, ConsolidateStep()).operation is None, "it is asked once"


def test_at_most_two_are_asked_in_a_session(life: ChangedLife) -> None:
    for newer, older in PAIRS:
        life.doubt(newer, older)
    run_steps(life.memory, GapsStep())
    assert len(asked(life, "next")) == 2
    assert asked(life, "next") == []
    assert len(asked(life, "the one after")) == 1


def test_a_yes_ends_the_earlier_statement(life: ChangedLife) -> None:
    life.doubt(KNEE, RUNS)
    run_steps(life.memory, GapsStep())
    (question,) = asked(life, "next")
    receipt = life.memory.answer(question.id, changed=True)
    assert not life.hit("does Ana run", "I run ten").current
    (ending,) = life.memory.explain(life.record(RUNS).id).ended_by
    assert (ending.by.value, ending.probability, ending.reason) == ("person", 1.0, "the answer to a question")
    with pytest.raises(NotFound):
        life.memory.answer(question.id, changed=True)
    life.memory.undo(receipt)
    hit = life.hit("does Ana run", "I run ten")
    assert hit.current
    assert hit.may_have_changed
    life.memory.answer(question.id, changed=False)


def test_a_no_removes_the_doubt_for_good(life: ChangedLife) -> None:
    life.doubt(KNEE, RUNS)
    run_steps(life.memory, GapsStep())
    (question,) = asked(life, "next")
    life.memory.answer(question.id, changed=False)
    hit = life.hit("does Ana run", "I run ten")
    assert hit.current
    assert hit.may_have_changed == ()
    life.doubt(KNEE, RUNS)
    life.end(KNEE, RUNS)
    run_steps(life.memory, GapsStep())
    assert life.hit("does Ana run", "I run ten").standing == ""
    assert asked(life, "the one after") == []


def test_what_was_decided_otherwise_is_not_asked(life: ChangedLife) -> None:
    for newer, older in PAIRS:
        life.doubt(newer, older)
    run_steps(life.memory, GapsStep())
    life.end(KNEE, RUNS)
    life.memory.delete(life.record("I quit the bakery").id)
    (edge,) = life.memory.related(life.record("Zed opens Ana's").id, labels=["may_replace"]).edges
    life.memory.unrelate(edge.id)
    assert asked(life, "next") == []


def test_a_question_of_another_kind_takes_no_yes_or_no(life: ChangedLife) -> None:
    life.memory.relate(life.record(KNEE).id, life.record(RUNS).id, "contradicts")
    run_steps(life.memory, GapsStep())
    question = life.memory.questions(session_id="next", user_id="ana")[0]
    assert question.kind is QuestionKind.CONTRADICTION
    with pytest.raises(UsageError, match="takes no yes or no"):
        life.memory.answer(question.id, changed=True)
