"""Where the work stood: told from what a session did, one for each branch, and never beside an agent's own note."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ticking import Ticking

import recollect
from recollect.memory import Memory
from recollect.observe.work_state import branch_of


@pytest.fixture
def clock() -> Ticking:
    return Ticking(1_000)


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock, background=False) as found:
        yield found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "atlas" / ".git").mkdir(parents=True)
    (tmp_path / "atlas" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return tmp_path / "atlas"


def event(root: Path, session: str, number: int, **more: Any) -> dict[str, Any]:
    return {"session_id": session, "id": f"{session}-{number}", "cwd": str(root), **more}


def call(root: Path, session: str, number: int, path: str = "", error: str = "") -> dict[str, Any]:
    if error:
        return event(
            root, session, number, type="tool_failed", tool="Bash", input={"command": "make test"}, error=error
        )
    return event(root, session, number, type="tool", tool="Edit", input={"file_path": str(root / path)})


def states(memory: Memory) -> list[Any]:
    return [record for record in memory.get_all(reach="all", limit=100) if record.category == "work_state"]


def worked(memory: Memory, root: Path, session: str, *paths: str, end: str = "session_end") -> None:
    calls = [call(root, session, number, path) for number, path in enumerate(paths)]
    memory.observe([*calls, event(root, session, 99, type=end)])


def test_a_session_that_ends_leaves_a_state_for_the_next_one(memory: Memory, root: Path) -> None:
    memory.observe([call(root, "s1", 1, "src/auth.py"), call(root, "s1", 2, error="KeyError: 'a'")])
    assert states(memory) == []
    memory.observe(event(root, "s1", 3, type="session_end"))
    (state,) = states(memory)
    assert state.content == f"Work of {state.created_at.date()} edited src/auth.py. Bash still failed: KeyError: 'a'"
    brief = memory._engine.observer.hints.of(str(root), state.scope)["brief"]
    assert "edited src/auth.py" in brief[0]


def test_the_next_session_writes_it_anew_and_the_old_one_stays_in_history(
    memory: Memory, root: Path, clock: Ticking
) -> None:
    worked(memory, root, "s1", "src/auth.py")
    clock.skip(1)
    worked(memory, root, "s2", "src/tokens.py", "src/keys.py")
    (state,) = states(memory)
    assert "src/keys.py, src/tokens.py" in state.content
    assert any("src/auth.py" in entry.record.content for entry in memory.history(state.id) if entry.record)


def test_each_branch_has_its_own(memory: Memory, root: Path) -> None:
    worked(memory, root, "s1", "src/auth.py")
    (root / ".git" / "HEAD").write_text("ref: refs/heads/feature/login\n")
    worked(memory, root, "s2", "src/tokens.py")
    assert {state.attributes["work"]["branch"] for state in states(memory)} == {"main", "feature/login"}


def test_compaction_leaves_a_state_too(memory: Memory, root: Path) -> None:
    worked(memory, root, "s1", "src/auth.py", end="compact")
    assert len(states(memory)) == 1


def test_an_agents_own_note_is_left_alone(memory: Memory, root: Path) -> None:
    memory.observe(call(root, "s1", 1, "src/auth.py"))
    memory.add("Half of the login is moved over; next: the tests", category="work_state", project="atlas")
    memory.observe(event(root, "s1", 9, type="session_end"))
    assert [state.content for state in states(memory)] == ["Half of the login is moved over; next: the tests"]


def test_a_session_that_only_read_leaves_nothing(memory: Memory, root: Path) -> None:
    read = event(root, "s1", 1, type="tool", tool="Read", input={"file_path": str(root / "src/auth.py")})
    memory.observe([read, event(root, "s1", 2, type="session_end")])
    assert states(memory) == []


def test_what_failed_and_then_went_well_is_not_told(memory: Memory, root: Path) -> None:
    well = event(root, "s1", 3, type="tool", tool="Bash", input={"command": "make test"})
    memory.observe([call(root, "s1", 1, "a.py"), call(root, "s1", 2, error="boom"), well])
    memory.observe(event(root, "s1", 4, type="session_end"))
    assert "failed" not in states(memory)[0].content


def test_the_branch_is_read_without_running_anything(tmp_path: Path, root: Path) -> None:
    assert branch_of(str(root)) == "main"
    linked = tmp_path / "linked"
    linked.mkdir()
    (root / ".git" / "worktrees" / "linked").mkdir(parents=True)
    (root / ".git" / "worktrees" / "linked" / "HEAD").write_text("ref: refs/heads/side\n")
    (linked / ".git").write_text(f"gitdir: {root / '.git' / 'worktrees' / 'linked'}\n")
    assert branch_of(str(linked)) == "side"
    (root / ".git" / "HEAD").write_text("0123456789abcdef0123456789abcdef01234567\n")
    assert branch_of(str(root)) == branch_of(str(tmp_path / "nowhere")) == ""
