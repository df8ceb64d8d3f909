"""What a stage of work stored is handed to the next one: tagged when it ends, told once, to nobody else, and undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sessions import ClaudeCode, hook, repository, told

import recollect
from recollect.memory import Memory


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = repository(tmp_path / "shop", a__py="x = 1\n")
    (root / ".git" / "HEAD").write_text("ref: refs/heads/login\n")
    return root


@pytest.fixture
def memory(store: Path) -> Iterator[Memory]:
    with recollect.open(store, embedder="fake", background=False) as found:
        yield found


def stage(memory: Memory, root: Path, session: str = "plan", phase: str | None = "planning", **more: Any) -> str | None:
    """A session that stores a record and ends; the id."""
    common = {"session_id": session, "cwd": str(root), **more, **({"phase": phase} if phase else {})}
    memory.observe([{**common, "type": "session_start", "id": "1"}])
    kept = memory.add(f"Tokens of {session} go to Redis", category="decision", project="shop", session_id=session)
    memory.observe([{**common, "type": "session_end", "id": "9"}])
    return kept.id


def relayed(memory: Memory, **asked: Any) -> str:
    parts = memory.sessions.brief(project="shop", **asked).parts
    return next((part.text for part in parts if part.name == "relay"), "")


def test_what_a_planner_stored_is_tagged_and_told_to_the_next_stage(memory: Memory, shop: Path) -> None:
    id_ = stage(memory, shop)
    assert memory.get(id_).tags == ("planner_relay", "spec_login")
    assert "[PLANNER] What planning for login left for you:" in relayed(memory)
    assert "Redis" in relayed(memory, phase="coding")


def test_the_task_has_a_name_where_somebody_gives_it_one(memory: Memory, shop: Path) -> None:
    id_ = stage(memory, shop, spec="014-login")
    assert "spec_014-login" in memory.get(id_).tags
    assert "Redis" in relayed(memory, spec="014-login")
    assert relayed(memory, spec="015-search") == ""
    assert relayed(memory) == ""


def test_another_branch_is_told_nothing(memory: Memory, shop: Path) -> None:
    stage(memory, shop)
    (shop / ".git" / "HEAD").write_text("ref: refs/heads/other\n")
    assert relayed(memory) == ""


def test_neither_the_stage_itself_nor_one_of_the_same_phase_is_told(memory: Memory, shop: Path) -> None:
    stage(memory, shop)
    assert relayed(memory, session_id="plan") == ""
    assert relayed(memory, phase="planning") == ""


def test_any_stage_hands_on_whose_phase_somebody_named_and_no_other(memory: Memory, shop: Path) -> None:
    stage(memory, shop, session="qa", phase="qa_review")
    assert "What qa_review for login left" in relayed(memory, phase="coding")
    edit = {"session_id": "free", "cwd": str(shop), "type": "tool", "id": "5", "tool": "Edit"}
    memory.observe({**edit, "input": {"file_path": str(shop / "a.py")}})
    id_ = stage(memory, shop, session="free", phase=None)
    assert memory.get(id_).tags == ()


def test_what_was_shown_to_another_session_is_told_no_more(memory: Memory, shop: Path) -> None:
    id_ = stage(memory, shop)
    assert relayed(memory)
    shown = {"session_id": "code", "cwd": str(shop), "type": "shown", "message": f"#{id_[:8]} Tokens", "id": "x"}
    memory.observe(shown)
    assert relayed(memory) == ""


def test_twenty_at_most_are_handed_on_and_ten_told_the_best_first(memory: Memory, shop: Path) -> None:
    common = {"session_id": "plan", "cwd": str(shop), "phase": "planning"}
    memory.observe({**common, "type": "session_start", "id": "1"})
    for number in range(25):
        memory.add(
            f"Step {number:02} is about file{number}.py",
            category="decision",
            project="shop",
            session_id="plan",
            importance=number / 25,
        )
    memory.observe({**common, "type": "session_end", "id": "9"})
    tagged = [each for each in memory.get_all(reach="all", limit=100) if "planner_relay" in each.tags]
    assert len(tagged) == 20
    told_ = relayed(memory)
    assert told_.count("\n#") == 10
    assert told_.index("Step 24") < told_.index("Step 23")
    assert "Step 14" not in told_


def test_it_is_undone_with_the_session_it_was_concluded_with(memory: Memory, shop: Path) -> None:
    id_ = stage(memory, shop)
    (operation,) = [each for each in memory.operations(limit=20) if each.verb == "observe"]
    memory.undo(operation.id)
    assert memory.get(id_).tags == ()
    assert relayed(memory) == ""


def test_observed_again_nothing_is_handed_on_twice(memory: Memory, shop: Path) -> None:
    id_ = stage(memory, shop)
    before = memory.get(id_)
    memory.observe({"session_id": "plan", "cwd": str(shop), "type": "session_end", "id": "10", "phase": "planning"})
    assert memory.get(id_).attributes == before.attributes
    assert memory.get(id_).tags == before.tags


def test_it_can_be_switched_off(store: Path, shop: Path) -> None:
    with recollect.open(store, embedder="fake", background=False, config={"observe.relay": False}) as memory:
        id_ = stage(memory, shop)
        assert memory.get(id_).tags == ()


def test_another_project_is_told_nothing(memory: Memory, shop: Path, tmp_path: Path) -> None:
    stage(memory, shop)
    other = repository(tmp_path / "bank")
    (other / ".git" / "HEAD").write_text("ref: refs/heads/login\n")
    memory.observe({"session_id": "b", "cwd": str(other), "type": "session_start", "id": "1"})
    assert memory.sessions.brief(project="bank").text == ""


def test_the_task_that_the_environment_names_reaches_hooks_however_long_its_name(
    store: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(ClaudeCode(shop, "plan").start(), store)
    with recollect.open(store, embedder="fake", background=False) as memory:
        stage(memory, shop, spec="014-login")
    monkeypatch.setenv("RECOLLECT_SPEC", "015-search")
    assert "[PLANNER]" not in told(hook(ClaudeCode(shop, "c1").start(), store))
    monkeypatch.setenv("RECOLLECT_SPEC", "014-login")
    assert "[PLANNER]" in told(hook(ClaudeCode(shop, "c2").start(), store))
    monkeypatch.setenv("RECOLLECT_SPEC", "x" * 5_000)
    hook(ClaudeCode(shop, "c3").start(), store)
    with recollect.open(store, embedder="fake", background=False) as memory:
        assert "c3" in {each.id for each in memory.observed(limit=9)}


def test_hooks_tell_it_to_one_session_alone_without_a_store_being_opened(store: Path, shop: Path) -> None:
    hook(ClaudeCode(shop, "plan").start(), store)
    with recollect.open(store, embedder="fake", background=False) as memory:
        stage(memory, shop)
    assert "[PLANNER]" not in told(hook(ClaudeCode(shop, "c0").start("compact"), store))
    assert "[PLANNER]" in told(hook(ClaudeCode(shop, "c1").start(), store))
    assert "[PLANNER]" not in told(hook(ClaudeCode(shop, "c2").start(), store))
    recollect.open(store, embedder="fake", background=False).close()
    assert "[PLANNER]" not in told(hook(ClaudeCode(shop, "c3").start(), store))
