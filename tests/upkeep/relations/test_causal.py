"""What happened because of what: found by words, within a session, and not more pairs a night than allowed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_llm import Answering, broken
from properties.tables import open_quick, visible_state
from upkeep.upkeep_runs import Crash, abandon, dying_at, embedding_of, run_steps, table

from recollect.memory import Memory
from recollect.upkeep.relations.causal import CausesStep, SessionTurn, causes_in
from recollect.upkeep.relations.infer import InferStep


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with open_quick(path) as opened:
        yield opened


def infer(memory: Memory, **more: object) -> dict[str, int]:
    return dict(run_steps(memory, InferStep(embedding_of(memory)), **more).counts)


TALK = [
    "We upgraded the database cluster last night",
    "The weather in Porto was lovely",
    "After the database cluster upgrade the search page broke",
    "So we rolled the search page back",
    "Why did nobody notice the alarm?",
    "Because the alarm was muted",
]


def causes(path: Path) -> set[tuple[str, str]]:
    sql = (
        "SELECT a.content AS a, b.content AS b FROM edge e JOIN member m ON m.edge_pk = e.pk AND m.role = 'cause' "
        "JOIN record a ON a.pk = m.record_pk JOIN member n ON n.edge_pk = e.pk AND n.role = 'effect' "
        "JOIN record b ON b.pk = n.record_pk WHERE e.retired_at IS NULL AND e.label = 'causes'"
    )
    return {(TALK.index(row["a"]), TALK.index(row["b"])) for row in table(path, sql)}


def talk(memory: Memory, session: str = "s", **scope: str) -> None:
    memory.add([{"role": "user", "name": "Ana", "content": said} for said in TALK], session_id=session, **scope)


def test_words_that_say_why_lead_to_the_turn_they_mean(memory: Memory, path: Path) -> None:
    talk(memory)
    before = visible_state(path)
    report = run_steps(memory, CausesStep())
    assert causes(path) == {(0, 2), (2, 3), (5, 4)}
    assert run_steps(memory, CausesStep()).counts == {}
    memory.undo(str(report.operation))
    assert visible_state(path) == before


def test_a_session_is_not_the_cause_of_another(memory: Memory, path: Path) -> None:
    memory.add([{"role": "user", "content": TALK[0]}], session_id="one")
    memory.add([{"role": "user", "content": TALK[2]}], session_id="two")
    run_steps(memory, CausesStep())
    assert causes(path) == set()


def test_no_more_pairs_than_allowed_are_looked_at_in_a_night(path: Path) -> None:
    with open_quick(path, config={"upkeep.causal_pairs_max": 1}) as memory:
        talk(memory)
        for night in (1, 2, 3):
            run_steps(memory, CausesStep())
            assert len(causes(path)) == night


def test_later_is_not_because() -> None:
    said = ["We painted the kitchen wall", "After we painted the kitchen wall we had dinner"]
    assert list(causes_in([SessionTurn(at, str(at), 1, text) for at, text in enumerate(said)])) == []


def test_a_model_may_say_no(memory: Memory, path: Path) -> None:
    talk(memory)
    run_steps(memory, CausesStep(Answering(lambda prompt: "no")))
    assert causes(path) == set()


@pytest.mark.parametrize("say", [broken, lambda prompt: "the moon is made of cheese"])
def test_a_model_that_makes_no_sense_is_not_heard(memory: Memory, path: Path, say: object) -> None:
    talk(memory)
    run_steps(memory, CausesStep(Answering(say)))  # type: ignore[arg-type]
    assert causes(path) == {(0, 2), (2, 3), (5, 4)}


def test_a_process_that_dies_looks_again(memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(memory)
    with dying_at(monkeypatch, 0), pytest.raises(Crash):
        run_steps(memory, CausesStep())
    abandon(path)
    run_steps(memory, CausesStep())
    assert causes(path) == {(0, 2), (2, 3), (5, 4)}


UNSAID = [
    "The disk of the build server filled up on Friday",
    "The nightly build on the build server produced nothing on Saturday",
    "Ben plays the cello in a quartet",
]


def test_a_model_is_asked_of_turns_in_a_row_that_do_not_say_why(memory: Memory) -> None:
    memory.add([{"role": "user", "name": "Ana", "content": said} for said in UNSAID], session_id="s")
    asked = Answering(lambda prompt: "yes")
    report = run_steps(memory, CausesStep(asked))
    assert report.counts["linked"] == 1
    assert len(asked.asked) == 1  # the cello shares nothing with what was said before
    (item,) = report.items
    assert "neither turn says why" in item.reason
    assert run_steps(memory, CausesStep(asked)).counts.get("linked", 0) == 0
    assert len(asked.asked) == 1  # they were looked at


@pytest.mark.parametrize("say", [lambda prompt: "no", lambda prompt: "perhaps", broken])
def test_what_nobody_says_is_no_cause_unless_the_model_is_sure(memory: Memory, say: object) -> None:
    memory.add([{"role": "user", "name": "Ana", "content": said} for said in UNSAID], session_id="s")
    assert run_steps(memory, CausesStep(Answering(say))).counts.get("linked", 0) == 0  # type: ignore[arg-type]


def test_no_more_guesses_than_allowed(memory: Memory) -> None:
    for number in range(4):
        memory.add([{"role": "user", "name": "Ana", "content": said} for said in UNSAID], session_id=f"s{number}")
    asked = Answering(lambda prompt: "yes")
    memory._engine.config.change({"upkeep.causal_unsaid_max": 2})
    assert run_steps(memory, CausesStep(asked)).counts["linked"] == 2
    assert len(asked.asked) == 2
