"""How work ended, who was set right, what happened for the first time: heard in words, noted beside them, felt."""

from __future__ import annotations

import pytest

import recollect
from recollect.perceive.traits.situation import Situation, outcome_noted, situation_of


@pytest.mark.parametrize(
    ("text", "role", "noted", "said"),
    [
        ("No, that's wrong: I said the second of May", "user", {}, Situation(corrected=True)),
        ("That’s not right, the server is called Atlas", None, {}, Situation(corrected=True)),
        ("No, that's wrong", "assistant", {}, Situation()),  # a machine corrects nobody
        ("That's a lovely house", "user", {}, Situation()),
        ("I flew for the first time in my life", "user", {}, Situation(novel=True)),
        ("3 failed, 2 passed", "tool", {}, Situation(outcome="failure")),
        ("all tests passed", "tool", {}, Situation(outcome="success")),
        ("all tests passed", "user", {}, Situation()),  # their words are felt already
        ("deployed", "agent", {"outcome": "partial"}, Situation(outcome="partial")),
        ("deployed", None, {"success": False}, Situation(outcome="failure")),
    ],
)
def test_a_situation_is_heard_or_noted(text: str, role: str | None, noted: dict[str, object], said: Situation) -> None:
    assert situation_of(text, role=role, noted=noted) == said


def test_an_outcome_in_other_words_is_one_of_the_four_and_a_sentence_is_none() -> None:
    assert outcome_noted({"outcome": "Error"}) == "failure"
    assert outcome_noted({"outcome": "the gateway was restarted"}) is None
    assert outcome_noted({}) is None


def test_outcomes_are_felt_as_they_are_set() -> None:
    with recollect.open(":memory:") as mem:
        felt = {
            outcome: mem.get(mem.add("The import ran", metadata={"outcome": outcome}).id).affect
            for outcome in ("success", "partial", "failure", "retry")
        }
    valences = {outcome: round(affect.valence, 2) for outcome, affect in felt.items()}
    intensities = {outcome: round(affect.intensity, 2) for outcome, affect in felt.items()}
    assert valences == {"success": 0.3, "partial": 0.1, "failure": -0.3, "retry": -0.15}
    assert intensities == {"success": 0.2, "partial": 0.0, "failure": 0.3, "retry": 0.15}


def test_a_tool_that_failed_and_a_correction_are_felt() -> None:
    with recollect.open(":memory:") as mem:
        said = [{"role": "tool", "name": "ship", "content": "exit 1", "is_error": True}]
        (failed,) = mem.add(said, session_id="s1").records
        fact = mem.remember("The gateway listens on port 8080").id
        right = mem.get(mem.correct(fact, "The gateway listens on port 9090").id)
    assert failed.affect.valence == pytest.approx(-0.3)
    assert failed.attributes["outcome"] == "failure"
    assert right.affect.intensity == pytest.approx(0.25)


def test_what_is_stated_was_felt_as_it_was_said() -> None:
    with recollect.open(":memory:") as mem:
        turn, stated = mem.add(
            [{"role": "user", "name": "Ana", "content": "I moved to Oslo, and I am so incredibly happy!!"}]
        ).records[:2]
    assert stated.affect == turn.affect
    assert stated.strength == turn.strength > 1.0


def test_a_task_says_how_it_ended() -> None:
    with recollect.open(":memory:") as mem:
        with mem.turn("ship it", caller="task", name="ship") as turn:
            turn.tool("deploy", "connection refused", failed=True)
            turn.tool("deploy", "shipped")
            turn.answer("Shipped at the second try.")
        kept = next(record for record in turn.receipt.records if record.category == "task_result")
    assert kept.attributes["outcome"] == "retry"
    assert kept.affect.intensity > 0.15
