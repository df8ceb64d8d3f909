"""Sessions that are over become records: one operation each, waiting for review, trusted only when they are used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ticking import Ticking

import recollect
from recollect.memory import Memory

_WORK = [
    ("Read", "src/auth.py", ""),
    ("Edit", "src/tokens.py", ""),
    ("Edit", "src/auth.py", ""),
    ("Read", "docs/a.md", ""),
    ("Read", "src/auth.py", "Error: file is locked"),
    ("Bash", "", "Error: no rule for target"),
]


@pytest.fixture
def clock() -> Ticking:
    return Ticking(1_000)


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock, background=False) as found:
        yield found


def call(session: str, number: int, tool: str, path: str = "", error: str = "", command: str = "") -> dict[str, Any]:
    given = {"file_path": path} if path else {"command": command}
    event = {"session_id": session, "id": f"{session}-{number}", "project": "atlas", "tool": tool, "input": given}
    return event | ({"type": "tool_failed", "error": error} if error else {"type": "tool"})


def worked(memory: Memory, session: str, *calls: dict[str, Any], message: str = "") -> None:
    """A session from its beginning to its end."""
    ends = [{"session_id": session, "id": f"{session}-end", "project": "atlas", "type": "session_end"}]
    if message:
        ends.insert(0, {**ends[0], "id": f"{session}-stop", "type": "stop", "message": message})
    memory.observe([*calls, *ends])


def pair(session: str) -> list[dict[str, Any]]:
    return [call(session, 1, "Read", "src/auth.py"), call(session, 2, "Edit", "src/tokens.py")]


def concluded(memory: Memory) -> list[Any]:
    return [record for record in memory.get_all(project="atlas", limit=100) if record.source == "observer_inferred"]


def test_two_files_of_three_sessions_become_a_record_that_waits_for_review(memory: Memory) -> None:
    for session in ("s1", "s2"):
        worked(memory, session, *pair(session))
    assert concluded(memory) == []
    worked(memory, "s3", *pair("s3"))
    found = {record.category: record for record in concluded(memory)}
    record = found["causal_dependency"]
    assert record.content == "src/auth.py and src/tokens.py are worked on together: seen in 3 sessions, 1 step apart."
    assert record.metadata["related_files"] == ["src/auth.py", "src/tokens.py"]
    assert record.needs_review
    assert set(record.provenance_sessions) == {"s1", "s2", "s3"}
    assert record.id in {each.id for each in memory.review(project="atlas")}


def test_one_session_is_one_operation(memory: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        worked(memory, session, *pair(session))
    assert len(concluded(memory)) >= 2  # the pair, and what the folder's sessions read
    newest = memory.operations(limit=1)[0]
    assert newest.verb == "observe"
    memory.undo(newest.id)
    assert concluded(memory) == []


@given(st.lists(st.lists(st.sampled_from(_WORK), min_size=2, max_size=8), min_size=4, max_size=7), st.booleans())
def test_undo_gives_back_what_was_known_before_a_session(
    sessions: list[list[tuple[str, str, str]]], all_: bool
) -> None:
    """Whatever a session added, corroborated or moved; all of them in turn, or the last one."""
    with recollect.open(":memory:", embedder="fake", clock=Ticking(1_000), background=False) as memory:
        states = [told_by(memory)]
        made: list[str] = []
        for number, work in enumerate(sessions):
            known = {each.id for each in memory.operations(limit=100)}
            worked(memory, f"s{number}", *(call(f"s{number}", at, *each) for at, each in enumerate(work)))
            new = [each.id for each in memory.operations(limit=100) if each.id not in known and each.verb == "observe"]
            assert len(new) <= 1
            made += new
            states += [told_by(memory)] if new else []
        for operation in reversed(made if all_ else made[-1:]):
            assert told_by(memory) == states.pop()
            memory.undo(operation)
            assert told_by(memory) == states[-1]


def told_by(memory: Memory) -> dict[str, Any]:
    """What was concluded, as far as a caller sees it."""
    return {each.id: (each.content, each.confidence, each.provenance_sessions, each.tier) for each in concluded(memory)}


def test_concluding_again_changes_nothing(memory: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        worked(memory, session, *pair(session))
    before = concluded(memory), memory.operations(limit=5)
    memory._engine.observer.conclude()
    worked(memory, "s3", *pair("s3"))
    assert (concluded(memory), memory.operations(limit=5)) == before


def test_another_session_makes_it_surer(memory: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        worked(memory, session, *pair(session))
    before = {record.id: record for record in concluded(memory)}
    worked(memory, "s4", *pair("s4"))
    after = {record.id: record for record in concluded(memory)}
    assert after.keys() == before.keys()
    assert all(after[each].confidence > before[each].confidence for each in before)
    assert all("s4" in record.provenance_sessions for record in after.values())


def test_an_error_that_comes_again_is_remembered_with_its_cure(memory: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        worked(
            memory,
            session,
            call(session, 1, "Bash", command="make", error=f"Error: no rule for target {session}"),
            call(session, 2, "Edit", "Makefile"),
            call(session, 3, "Bash", command="make"),
        )
    record = next(each for each in concluded(memory) if each.category == "error_pattern")
    assert "(3 times)" in record.content
    assert record.content.endswith("It went away after edits of Makefile.")
    assert "Makefile" in record.metadata["related_files"]


def test_what_was_concluded_is_said_to_nobody_until_it_was_used_in_two_sessions(memory: Memory, clock: Ticking) -> None:
    for session in ("s1", "s2", "s3"):
        worked(
            memory,
            session,
            call(session, 1, "Bash", command="make", error="Error: no rule for target"),
            call(session, 2, "Edit", "Makefile"),
            call(session, 3, "Bash", command="make"),
        )
    record = next(each for each in concluded(memory) if each.category == "error_pattern")

    def warned() -> bool:
        hints = memory._engine.observer.hints
        return "Makefile" in hints.of("", record.scope).get("files", {})

    assert not warned()
    for session in ("s4", "s5"):
        worked(memory, session, message=f"as noted in #{record.id[:8]}, the Makefile was at fault")
        clock.skip(1)
    assert memory.get(record.id).confidence >= 0.65  # type: ignore[union-attr]
    assert warned()
    memory.flag(record.id, reason="that was another Makefile")
    assert not warned()


def test_what_nobody_used_for_a_month_is_retired_and_can_be_brought_back(memory: Memory, clock: Ticking) -> None:
    for session in ("s1", "s2", "s3"):
        worked(memory, session, *pair(session))
    kept, *others = concluded(memory)
    memory.confirm(kept.id)
    clock.skip(31)
    assert memory._engine.observer.conclusions.retire() == len(others)
    assert [record.id for record in concluded(memory)] == [kept.id]
    memory.undo(memory.operations(limit=1)[0].id)
    assert len(concluded(memory)) == 1 + len(others)


def test_nothing_is_concluded_where_that_is_turned_off(tmp_path: Path, clock: Ticking) -> None:
    off = {"observe.infer": False}
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock, background=False, config=off) as memory:
        for session in ("s1", "s2", "s3"):
            worked(memory, session, *pair(session))
        assert concluded(memory) == []


def test_projects_learn_nothing_of_each_other(memory: Memory) -> None:
    for session, project in (("s1", "atlas"), ("s2", "borealis"), ("s3", "atlas")):
        memory.observe([{**each, "project": project} for each in pair(session)])
        memory.observe({"session_id": session, "id": f"{session}-end", "project": project, "type": "session_end"})
    assert not [each for each in memory.get_all(reach="all", limit=100) if each.source == "observer_inferred"]


def test_what_proved_nothing_goes_when_a_later_session_is_concluded(memory: Memory, clock: Ticking) -> None:
    for session in ("s1", "s2", "s3"):
        worked(memory, session, *pair(session))
    assert concluded(memory)
    clock.skip(40)
    worked(memory, "s9", call("s9", 1, "Edit", "docs/other.md"))
    assert concluded(memory) == []
