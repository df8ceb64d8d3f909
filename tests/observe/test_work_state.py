"""Where the work stood: told from what a session did, one for each branch, and never beside an agent's own note."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ticking import Ticking

import recollect
from recollect.hook.places import branch_of
from recollect.memory import Memory


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
    assert "edited src/auth.py" in memory.sessions.brief(project="atlas").text


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


# --- what an agent planned and said ----------------------------------------------------------------------------------


def plan(root: Path, session: str, number: int, *steps: tuple[str, str]) -> dict[str, Any]:
    todos = [{"content": text, "status": state, "activeForm": text} for text, state in steps]
    return event(root, session, number, type="tool", tool="TodoWrite", input={"todos": todos})


def test_a_plan_says_what_is_done_what_goes_on_and_what_comes_next(memory: Memory, root: Path) -> None:
    steps = (("move tokens", "completed"), ("rotate keys", "in_progress"), ("write tests", "pending"))
    memory.observe([call(root, "s1", 1, "src/auth.py"), plan(root, "s1", 2, *steps)])
    memory.observe(event(root, "s1", 3, type="session_end"))
    (state,) = states(memory)
    assert "Of its plan 1 of 3 steps were done." in state.content
    assert "Done: move tokens. In progress: rotate keys. Next: write tests." in state.content


def test_steps_that_are_told_one_by_one_make_a_plan_too(memory: Memory, root: Path) -> None:
    def task(number: int, tool: str, answer: Any = None, **given: Any) -> dict[str, Any]:
        return event(root, "s1", number, type="tool", tool=tool, input=given, output=answer)

    memory.observe(
        [
            call(root, "s1", 1, "src/auth.py"),
            task(2, "TaskCreate", {"task": {"id": "1"}}, subject="move tokens"),
            task(3, "TaskCreate", {"task": {"id": "2"}}, subject="rotate keys"),
            task(4, "TaskCreate", {"task": {"id": "3"}}, subject="a mistake"),
            task(5, "TaskUpdate", taskId="1", status="completed"),
            task(6, "TaskUpdate", taskId="3", status="deleted"),
            event(root, "s1", 7, type="session_end"),
        ]
    )
    assert "Done: move tokens. Next: rotate keys." in states(memory)[0].content


def test_what_was_decided_and_is_to_do_is_read_from_the_last_message(memory: Memory, root: Path) -> None:
    message = (
        "All tests pass.\n\n## Decisions\n- Tokens live in Redis, instead of the database\n\nNext: rotate the keys."
    )
    memory.observe([call(root, "s1", 1, "src/auth.py"), event(root, "s1", 2, type="stop", message=message)])
    memory.observe(event(root, "s1", 3, type="session_end"))
    (state,) = states(memory)
    assert "Decided: Tokens live in Redis, instead of the database." in state.content
    assert "To do: rotate the keys." in state.content


def test_of_what_an_agent_said_no_log_keeps_a_word(memory: Memory, root: Path) -> None:
    secret = "the harbour is blue"
    steps = plan(root, "s1", 2, (secret, "pending"))
    memory.observe([call(root, "s1", 1, "a.py"), steps, event(root, "s1", 3, type="stop", message=secret)])
    store = memory._engine.store
    with store.read() as tx:
        ((pk, _),) = [(row.pk, row.id) for row in tx.observed.sessions(None, limit=5)]
        assert secret not in repr(tx.observed.events(pk))
        assert tx.agent_work.words(pk) == ([[secret, "open"]], secret)
    memory.observe(event(root, "s1", 4, type="session_end"))
    with store.read() as tx:
        assert tx.agent_work.words(pk) == ([], "")
    assert f"Next: {secret}." in states(memory)[0].content


def test_secrets_in_a_plan_are_taken_out(memory: Memory, root: Path) -> None:
    steps = plan(root, "s1", 2, ("use key sk-ant-api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1u", "pending"))
    memory.observe([call(root, "s1", 1, "a.py"), steps, event(root, "s1", 3, type="session_end")])
    assert "Zm9vYmFy" not in states(memory)[0].content


def test_states_can_be_switched_off(tmp_path: Path, root: Path) -> None:
    config = {"observe.work_states": False}
    with recollect.open(tmp_path / "n.db", embedder="fake", background=False, config=config) as memory:
        memory.observe([call(root, "s1", 1, "a.py"), plan(root, "s1", 2, ("move it", "pending"))])
        with memory._engine.store.read() as tx:
            (session,) = tx.observed.sessions(None, limit=5)
            assert tx.agent_work.words(session.pk) == ([], "")
        memory.observe(event(root, "s1", 3, type="session_end"))
        assert states(memory) == []


def test_each_task_has_its_own_and_a_session_is_told_that_of_its_task(
    memory: Memory, root: Path, clock: Ticking
) -> None:
    for spec, path in (("login", "src/auth.py"), ("search", "src/find.py")):
        done = [call(root, spec, 1, path), event(root, spec, 2, type="session_end")]
        memory.observe([{**each, "spec": spec} for each in done])
        clock.skip(1)
    assert sorted(state.attributes["work"]["spec"] for state in states(memory)) == ["login", "search"]
    told = {spec: memory.sessions.brief(project="atlas", spec=spec).text for spec in ("login", "search", "other")}
    assert "src/auth.py" in told["login"]
    assert "src/find.py" in told["search"]
    assert "src/find.py" in told["other"]  # nothing is known of it: the newest


def test_files_that_are_not_committed_are_named_in_a_real_repository(memory: Memory, tmp_path: Path) -> None:
    root = tmp_path / "real"
    root.mkdir()

    def git(*words: str) -> None:
        who = ["-c", "user.name=Kim", "-c", "user.email=kim@example.com"]
        subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True)

    git("init", "-q")
    (root / "a.py").write_text("x = 1\n")
    (root / "b.py").write_text("x = 1\n")
    git("add", "-A")
    git("commit", "-qm", "one")
    (root / "a.py").write_text("x = 22\n")
    (root / "new.py").write_text("y = 2\n")
    git("config", "filter.evil.clean", "touch ran; cat")
    (root / ".gitattributes").write_text("*.py filter=evil\n")
    memory.observe([call(root, "s1", 1, "a.py"), event(root, "s1", 2, type="session_end")])
    assert "Not committed: .gitattributes, a.py, new.py." in states(memory)[0].content
    assert not (root / "ran").exists()


def test_a_caller_from_elsewhere_learns_nothing_of_folders_here(memory: Memory, root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "private.py").write_text("x\n")
    guest = memory.scoped(project="guest")
    guest.observe([call(root, "s1", 1, "a.py"), event(root, "s1", 2, type="session_end")])
    assert all("private.py" not in state.content for state in states(memory))
