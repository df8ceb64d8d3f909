"""Procedures: what is done the same way three times, counting on, and gone with its turns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from properties.tables import open_quick, visible_state
from upkeep.upkeep_runs import embedding_of, run_steps, table

from recollect.memory import Memory
from recollect.upkeep.consolidation.procedures import ProceduresStep


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with open_quick(path) as opened:
        yield opened


DEPLOY = [("terminal", "run tests"), ("terminal", "build image"), ("deployer", "push to staging")]


def works(memory: Memory, session: str, outcome: str = "success", **scope: str) -> None:
    messages = [
        {"role": "tool", "content": f"{action}: finished in {session}", "metadata": {"tool": tool, "action": action}}
        for tool, action in DEPLOY
    ]
    messages[-1]["metadata"]["outcome"] = outcome  # type: ignore[index]
    memory.add(messages, session_id=session, **scope)


def procedures_in(path: Path) -> list[dict[str, object]]:
    sql = (
        "SELECT id, content, attributes ->> '$.steps' AS steps, attributes ->> '$.tools' AS tools, "
        "attributes ->> '$.successes' AS successes, attributes ->> '$.failures' AS failures FROM record "
        "WHERE kind = 'procedural' AND retired_at IS NULL AND head_pk IS NULL"
    )
    return table(path, sql)


def test_what_is_done_three_times_is_a_procedure(memory: Memory, path: Path) -> None:
    for session, outcome in (("one", "success"), ("two", "failure"), ("three", "success")):
        works(memory, session, outcome)
    assert dict(run_steps(memory, ProceduresStep(embedding_of(memory))).counts) == {"made": 1}
    (found,) = procedures_in(path)
    assert found["steps"] == '["terminal run tests","terminal build image","deployer push to staging"]'
    assert found["tools"] == '["terminal","deployer"]'
    assert (found["successes"], found["failures"]) == (2, 1)
    assert run_steps(memory, ProceduresStep(embedding_of(memory))).counts == {}


def test_a_procedure_counts_on_and_goes_with_its_turns(memory: Memory, path: Path) -> None:
    for session in ("one", "two", "three"):
        works(memory, session)
    run_steps(memory, ProceduresStep(embedding_of(memory)))
    before = visible_state(path)
    works(memory, "four")
    report = run_steps(memory, ProceduresStep(embedding_of(memory)))
    assert report.counts == {"updated": 1}
    assert procedures_in(path)[0]["successes"] == 4
    memory.undo(str(report.operation))
    assert procedures_in(path)[0]["successes"] == 3
    assert before.keys() <= visible_state(path).keys()
    memory.delete_all(session_id="one")
    memory.delete_all(session_id="two")
    assert run_steps(memory, ProceduresStep(embedding_of(memory))).counts == {"retired": 1}
    assert procedures_in(path) == []


def test_procedures_of_two_scopes_are_two_people_s(memory: Memory, path: Path) -> None:
    works(memory, "one", user_id="ana")
    works(memory, "two", user_id="ana")
    works(memory, "three", user_id="ben")
    run_steps(memory, ProceduresStep(embedding_of(memory)))
    assert procedures_in(path) == []


def test_orders_that_are_given_in_the_same_order_are_a_procedure(memory: Memory, path: Path) -> None:
    for session in ("one", "two", "three"):
        for said in ("Run the test suite", "Check the coverage report", "Push the branch to staging"):
            memory.add([{"role": "user", "content": said}], session_id=session)
    run_steps(memory, ProceduresStep(embedding_of(memory)))
    (found,) = procedures_in(path)
    assert found["content"] == (
        "Usual steps: 1. Run the test suite; 2. Check the coverage report; 3. Push the branch to staging"
    )
