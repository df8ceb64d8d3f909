"""What a language model notes of a session: kept once, resting on its turn, within its budget; rules do the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from consolidated_stories import opened, sessions, tell
from fake_llm import Answering, broken
from ticking import Ticking
from upkeep.upkeep_runs import embedding_of, run_steps

from recollect.memory import Memory
from recollect.upkeep.consolidation.consolidate import ConsolidateStep
from recollect.upkeep.jobs.worker import JobWorker


@pytest.fixture(autouse=True)
def nothing_happens_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)


TURNS = ("To deploy Atlas we run make release, then we tag it.", "Thanks, that helps a lot!")


def modelled(path: Path, say: Callable[[str], str], **config: Any) -> tuple[Memory, Ticking, Answering, Any]:
    memory, clock = opened(path, config=config)
    llm = Answering(say)
    tell(memory, clock, TURNS)
    return memory, clock, llm, run_steps(memory, ConsolidateStep(llm, embedding_of(memory)))


def noting(*notes: dict[str, Any]) -> Callable[[str], str]:
    return lambda prompt: json.dumps({"notes": list(notes)}) if "make release" in prompt else '{"notes": []}'


GOOD = {
    "kind": "procedure",
    "turn": 1,
    "quote": "we run make release",
    "content": "To deploy Atlas, run make release",
    "subject": "Atlas",
}


def test_what_the_model_notes_is_kept_once_and_rests_on_its_turn(tmp_path: Path) -> None:
    memory, _, llm, report = modelled(tmp_path / "m.db", noting(GOOD))
    with memory:
        assert report.counts["made"] == 1
        (made,) = memory.get_all(user_id="ana", kinds=["procedural"])
        assert made.content == "To deploy Atlas, run make release"
        assert made.session_id == "s0"
        asked = len(llm.asked)
        again = run_steps(memory, ConsolidateStep(llm, embedding_of(memory), session_id="s0"))
        assert (again.counts, len(llm.asked)) == ({}, asked)
        before_undo = memory.get_all(user_id="ana")
        memory.undo(report.operation)
        assert len(list(memory.get_all(user_id="ana"))) == len(list(before_undo)) - 1


@pytest.mark.parametrize(
    "note",
    [
        {**GOOD, "turn": 99},
        {**GOOD, "turn": "1"},
        {**GOOD, "turn": True},
        {**GOOD, "quote": "we never said this"},
        {**GOOD, "content": ""},
        {**GOOD, "content": None},
        {"turn": 1},
    ],
)
def test_what_names_no_turn_or_no_words_of_it_is_dropped(tmp_path: Path, note: dict[str, Any]) -> None:
    memory, _, _, report = modelled(tmp_path / "m.db", noting(note))
    with memory:
        assert report.counts == {}
        assert report.problems == ()


@pytest.mark.parametrize("answer", ["I cannot help with that.", "{", '{"notes": 3}', "[]", ""])
def test_nonsense_leaves_it_to_the_rules(tmp_path: Path, answer: str) -> None:
    path = tmp_path / "m.db"
    memory, _, _, report = modelled(path, lambda prompt: answer)
    with memory:
        assert report.state == "done"
        assert report.problems
        assert all(done for _, done in sessions(path))


def test_a_model_that_does_not_come_back(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory:
        tell(memory, clock)
        llm = Answering(broken)
        report = run_steps(memory, ConsolidateStep(llm, embedding_of(memory)))
        assert report.counts == {"merged": 3, "retired": 3, "linked": 1}
        assert any("did not answer" in problem for problem in report.problems)
        assert len(llm.asked) == 3  # it is not asked for ever


def test_the_budget_holds(tmp_path: Path) -> None:
    config = {"perceive.model_day_tokens": 100}
    memory, _, llm, report = modelled(tmp_path / "m.db", noting(GOOD), **config)
    with memory:
        assert llm.asked == []
        assert any("budget" in problem for problem in report.problems)
