"""Which phase a session is in: by permission mode, prompts, tests and errors; and that a caller's word wins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import client
from sessions import ClaudeCode, hook, repository, told

import recollect
from recollect.clock import SECOND_US, now_us
from recollect.hook import shell
from recollect.hook.phases import PHASES, asked_for
from recollect.memory import Memory
from recollect.recall.ranking import weigh


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake", background=False) as found:
        yield found


class Session:
    """Events of one session, each a second after the one before."""

    def __init__(self, memory: Memory) -> None:
        self.memory, self.count, self.began = memory, 0, now_us() - 1_000 * SECOND_US

    def event(self, kind: str, **fields: Any) -> Session:
        self.count += 1
        at = self.began + self.count * SECOND_US
        event = {"session_id": "s1", "type": kind, "id": f"e{self.count}", "at": at, **fields}
        done = self.memory.observe(event, project="shop")
        assert done.taken == 1, done
        return self

    def prompt(self, text: str, **fields: Any) -> Session:
        return self.event("prompt", prompt=text, **fields)

    def edit(self, path: str = "src/a.py") -> Session:
        return self.event("tool", tool="Edit", input={"file_path": path, "old_string": "x", "new_string": "y"})

    def run(self, command: str, error: str | None = None) -> Session:
        kind, more = ("tool", {}) if error is None else ("tool_failed", {"error": error})
        return self.event(kind, tool="Bash", input={"command": command}, **more)

    @property
    def phase(self) -> str | None:
        return self.memory.observed(session_id="s1", project="shop")[0].phase


def test_the_phases_of_hooks_are_those_that_searches_weigh() -> None:
    assert PHASES == weigh.PHASES


@pytest.mark.parametrize(
    ("prompt", "phase"),
    [
        ("Implement retries in the mail queue", "coding"),
        ("please rename Queue to MailQueue everywhere", "coding"),
        ("Plan how to add retries", "planning"),
        ("Write a plan for the migration", "planning"),
        ("write a parser for dates", "coding"),
        ("Fix the crash in login", "debugging"),
        ("The build is broken since yesterday, add whatever is missing", "debugging"),
        ("Why does the login fail with an error?", "debugging"),
        ("Explain how the scheduler works", "insights"),
        ("where is the cache cleared?", "insights"),
        ("Review the last commit", "qa_review"),
        ("Verify that the fix holds", "qa_review"),
        ("Draft the requirements for exports", "spec"),
        ("continue", None),
        ("", None),
        ("日本語のプロンプト", None),
    ],
)
def test_a_prompt_says_what_is_asked_for(prompt: str, phase: str | None) -> None:
    assert asked_for(prompt) == phase


@pytest.mark.parametrize(
    ("command", "tests"),
    [
        ("pytest -q tests", True),
        ("cd src && .venv/bin/python -m pytest -x", True),
        ("uv run --frozen pytest", True),
        ("go test ./...", True),
        ("npm run test:unit", True),
        ("cargo nextest run", True),
        ("make check", True),
        ("npx jest src", True),
        ("grep -rn pytest .", False),
        ("echo pytest", False),
        ("cat tests/test_a.py", False),
        ("go build ./...", False),
        ("npm install jest-dom", False),
        ("", False),
    ],
)
def test_commands_that_run_tests_are_known(command: str, tests: bool) -> None:
    assert shell.runs_tests(command) is tests


def test_a_session_goes_from_plan_to_code_to_errors_to_review(memory: Memory) -> None:
    session = Session(memory)
    session.event("session_start")
    assert session.phase is None
    session.prompt("Implement retries", mode="plan")
    assert session.phase == "planning"
    session.event("plan", tool="ExitPlanMode", input={"plan": "…"})
    assert session.phase == "coding"
    session.edit()
    assert session.phase == "coding"
    session.run("pytest", "AssertionError: 1 != 2")
    assert session.phase == "debugging"
    session.edit()
    assert session.phase == "debugging"
    session.run("pytest")
    assert session.phase == "qa_review"
    session.prompt("now add a test for zero")
    assert session.phase == "coding"


def test_a_review_that_edits_is_coding_and_one_failure_that_is_no_test_is_no_debugging(memory: Memory) -> None:
    session = Session(memory).prompt("Review the queue")
    assert session.phase == "qa_review"
    session.run("ls nowhere", "No such file or directory")
    assert session.phase == "qa_review"
    session.edit()
    assert session.phase == "coding"
    session.run("ls nowhere", "No such file or directory")
    assert session.phase == "debugging"  # the same error twice
    session.run("ls nowhere")
    assert session.phase == "coding"


def test_a_callers_word_wins_until_another_is_said(memory: Memory) -> None:
    session = Session(memory).prompt("Fix the crash", phase="spec")
    assert session.phase == "spec"
    session.edit()
    assert session.phase == "spec"
    session.event("prompt", prompt="Fix the crash", phase="planning")
    assert session.phase == "planning"
    refused = memory.observe({"session_id": "s1", "type": "prompt", "phase": "lunch"}, project="shop").refused
    assert [each.reason for each in refused] == ["unknown phase"]


def test_what_a_prompt_said_is_not_kept(memory: Memory) -> None:
    Session(memory).prompt("Fix the crash of the harbour crane")
    with memory._engine.store.read() as tx:
        (event,) = tx.observed.events(1)
    assert event.detail["asks"] == "debugging"
    assert "harbour" not in repr(event)


def test_the_search_for_a_prompt_is_weighed_by_the_phase_unless_that_is_off(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", a__py="x = 1\n")
    question = "how is the release cut from harbour?"
    for config, first in (({}, "gotcha"), ({"observe.phases": False}, None)):
        with client(tmp_path / f"{first}.db", config=config) as rest:
            memory = rest.memory  # type: ignore[attr-defined]
            agent = ClaudeCode(shop)
            rest.post("/v1/hooks/claude-code", json=agent.start())
            for category in ("requirement", "gotcha"):
                memory.confirm(
                    memory.add(f"The release is cut from harbour: {category}", category=category, project="shop").id
                )
            orders = []
            for number, phase in enumerate(("planning", "coding")):
                payload = ClaudeCode(shop, f"s{number}").prompt(question)
                said = told(rest.post("/v1/hooks/claude-code", json=payload, params={"phase": phase}).text)
                orders.append(said.index("harbour: gotcha") < said.index("harbour: requirement"))
            assert (orders == [False, True]) is (first is not None)
            assert memory.observed(session_id="s0")[0].phase == "planning"


def test_whoever_starts_an_agent_may_say_its_phase_to_its_hooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, store = repository(tmp_path / "shop", a__py="x = 1\n"), tmp_path / "m.db"
    monkeypatch.setenv("RECOLLECT_PHASE", "planning")
    hook(ClaudeCode(shop).prompt("Fix the crash"), store)
    monkeypatch.setenv("RECOLLECT_PHASE", "lunch")
    hook(ClaudeCode(shop, "s2").prompt("Fix the crash"), store)
    with recollect.open(store, embedder="fake", background=False) as memory:
        assert {each.id: each.phase for each in memory.observed()} == {"s1": "planning", "s2": "debugging"}
