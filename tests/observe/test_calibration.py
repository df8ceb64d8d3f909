"""How plans compared with what was done is told to who plans, from three samples on, by module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sessions import ClaudeCode, hook, repository, told

import recollect
from recollect.hook.plans import planned
from recollect.memory import Memory
from recollect.observe.calibration import PlanFigures, plan_figures
from recollect.store.agent_work import PlanEvent


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", a__py="x = 1\n")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as found:
        yield found


def session(memory: Memory, root: Path, name: str, planned: int, actual: int, path: str = "src/a.py") -> None:
    def todos(count: int, state: str) -> dict[str, Any]:
        return {"todos": [{"content": f"step {each}", "status": state} for each in range(count)]}

    given = [("TodoWrite", todos(planned, "pending")), ("Edit", {"file_path": str(root / path)})]
    given += [("TodoWrite", todos(actual, "completed"))]
    calls = [
        {"type": "tool", "id": f"{at}", "tool": tool, "input": each, "at": 1_700_000_000 + at}
        for at, (tool, each) in enumerate(given)
    ]
    common = {"session_id": name, "cwd": str(root)}
    end = {"type": "session_end", "id": "end", "at": 1_700_000_009}
    memory.observe([{**common, **each} for each in (*calls, end)])


def told_to(memory: Memory, phase: str | None, **more: Any) -> str:
    parts = memory.sessions.brief(project="shop", phase=phase, **more).parts
    return next((part.text for part in parts if part.name == "calibration"), "")


@pytest.fixture
def clocked(tmp_path: Path) -> Iterator[Memory]:
    clock = lambda: 1_700_000_100_000_000  # noqa: E731
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, clock=clock) as found:
        yield found


def test_from_three_plans_on_a_planner_is_told_how_they_came_out(clocked: Memory, shop: Path) -> None:
    session(clocked, shop, "s1", 4, 6)
    session(clocked, shop, "s2", 2, 4)
    assert told_to(clocked, "planning") == ""
    session(clocked, shop, "s3", 3, 8)
    text = told_to(clocked, "planning")
    assert "src: 3 plans had 3.0 steps at first and 6.0 in the end, 2.0 times as many." in text
    assert "the whole project: 3 plans" in text
    assert told_to(clocked, "coding") == told_to(clocked, None) == ""
    assert "src" not in told_to(clocked, "planning", near="docs/x.md").replace("whole", "")


def test_it_can_be_switched_off(tmp_path: Path, shop: Path) -> None:
    config = {"observe.calibrate": False}
    clock = lambda: 1_700_000_100_000_000  # noqa: E731
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, config=config, clock=clock) as memory:
        for number in range(3):
            session(memory, shop, f"s{number}", 2, 4)
        assert told_to(memory, "planning") == ""


def test_hooks_tell_it_in_plan_mode(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "h.db"
    hook(ClaudeCode(shop, "s").start(), store)
    clock = lambda: 1_700_000_100_000_000  # noqa: E731
    with recollect.open(store, embedder="fake", background=False, clock=clock) as memory:
        for number in range(3):
            session(memory, shop, f"s{number}", 2, 4)
    assert "plans had" not in told(hook(ClaudeCode(shop, "n1").start(), store))
    assert "plans had" in told(hook({**ClaudeCode(shop, "n2").start(), "permission_mode": "plan"}, store))
    monkeypatch.setenv("RECOLLECT_PHASE", "planning")
    assert "plans had" in told(hook(ClaudeCode(shop, "n3").start(), store))


def test_a_plan_is_counted_before_its_first_step_is_done_and_at_the_end() -> None:
    def todo(done: int, left: int) -> PlanEvent:
        return PlanEvent("TodoWrite", {"completed": done, "pending": left}, None)

    assert plan_figures([todo(0, 3), todo(0, 4), todo(1, 5), todo(7, 0)]) == PlanFigures(4, 7)
    assert plan_figures([todo(0, 3), todo(0, 4)]) is None
    assert plan_figures([PlanEvent("ExitPlanMode", {"planned": 2}, None), todo(0, 3), todo(3, 0)]) == PlanFigures(2, 3)
    tasks = [PlanEvent("TaskCreate", {}, (str(each), "open")) for each in range(3)]
    done = PlanEvent("TaskUpdate", {}, ("0", "done"))
    assert plan_figures([*tasks[:2], done, tasks[2]]) == PlanFigures(2, 3)
    assert plan_figures([]) is None


def test_plans_of_all_clients_are_read() -> None:
    assert planned("update_plan", {"plan": [{"step": "a", "status": "completed"}]}, None) == {
        "figures": {"completed": 1},
        "plan": [["a", "done"]],
    }
    assert planned("write_todos", {"todos": [{"description": "b", "status": "in_progress"}]}, None)["plan"] == [
        ["b", "going"]
    ]
    text = "# Plan\n\n1. First\n   - detail\n2. Second\n"
    assert planned("ExitPlanMode", {"plan": text}, None) == {
        "figures": {"planned": 2},
        "plan": [["First", "open"], ["Second", "open"]],
    }
    assert planned("TaskUpdate", {"taskId": "3", "status": "completed"}, None)["task"] == ["3", "done"]
    for bad in (None, [], {"plan": 3}, {"todos": ["x"]}, {"todos": [{"status": 5}]}, {"taskId": {"a": 1}}):
        assert planned("TodoWrite", bad, None)["figures"] == {}
        assert planned("TaskUpdate", bad, "x") is not None
