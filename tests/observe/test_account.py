"""What becomes of sessions: ended when somebody says so, told with what was shown, used and learned; coverage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import client
from sessions import ClaudeCode, hook, repository
from ticking import Ticking

import recollect
from recollect.errors import AccessDenied, NotFound, UsageError
from recollect.interfaces.cli import main
from recollect.memory import Memory

FAILURE = "make: *** No rule for target 'all'. Stop."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=Ticking(1_000), background=False) as found:
        yield found


def call(session: str, number: int, tool: str, path: str = "", **more: Any) -> dict[str, Any]:
    given = {"file_path": path} if path else {"command": "make"}
    event = {"session_id": session, "id": f"{session}-{number}", "project": "shop", "tool": tool, "type": "tool"}
    return {**event, "input": given, **more}


def pair(memory: Memory, session: str, **more: Any) -> None:
    """A session that nobody said is over: two files together, and an error that an edit cures."""
    failed = {"type": "tool_failed", "error": FAILURE}
    memory.observe(
        [
            {**each, **more}
            for each in (
                call(session, 1, "Read", "src/auth.py"),
                call(session, 2, "Edit", "src/tokens.py"),
                call(session, 3, "Bash", **failed),
                call(session, 4, "Edit", "Makefile"),
                call(session, 5, "Bash"),
            )
        ]
    )


def test_a_session_is_concluded_when_somebody_says_so(memory: Memory) -> None:
    ends = []
    for session in ("s1", "s2", "s3"):
        pair(memory, session)
        ends.append(memory.sessions.end(session, project="shop"))
    first, last = ends[0], ends[-1]
    assert [each.how for each in first.records] == ["state"]
    assert first.session.ended_at is not None
    learned = {each.category for each in last.records if each.how == "learned"}
    assert {"causal_dependency", "error_pattern"} <= learned
    assert last.session.errors_met[0].cured_by == ("Makefile",)
    assert set(last.session.learned) == {each.id[:8] for each in last.records if each.how == "learned"}
    assert (last.figures.edited, last.figures.recurrences) == (2, 1)
    assert memory.get(last.records[0].id) is not None
    memory.undo(last.operations[-1])
    assert [each.how for each in memory.sessions.end("s3", project="shop").records] == ["state"]


def test_a_session_that_ends_twice_answers_the_same(memory: Memory) -> None:
    pair(memory, "s1")
    assert memory.sessions.end("s1") == memory.sessions.end("s1")
    assert memory.sessions.coverage().events == 6


def test_a_session_that_went_on_is_concluded_again_and_keeps_what_it_came_to(memory: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        pair(memory, session)
    before = [memory.sessions.end(session, project="shop") for session in ("s1", "s2", "s3")][-1]
    with_keys = [call("s0", 7, "Read", "src/keys.py"), call("s0", 8, "Edit", "src/tokens.py")]
    for session in ("s4", "s5", "s3"):
        memory.observe([{**each, "session_id": session, "id": f"{session}-{each['id']}"} for each in with_keys])
    after = memory.sessions.end("s3", project="shop")
    assert set(before.session.learned) < set(after.session.learned)


def test_what_hooks_left_is_in_the_session_that_ends(tmp_path: Path) -> None:
    store, folder = tmp_path / "m.db", repository(tmp_path / "shop", a__py="1")
    with recollect.open(store, embedder="fake", background=False) as memory:
        hook(ClaudeCode(folder).edit("a.py", 1, "1", "2"), store)
        assert memory.sessions.end("s1").session.files == 1


def test_a_session_is_told_apart_by_its_client_and_found_only_where_it_is(memory: Memory) -> None:
    pair(memory, "s1")
    pair(memory, "s1", client="codex")
    with pytest.raises(UsageError, match=r"api, codex"):
        memory.sessions.end("s1")
    assert memory.sessions.end("s1", client="codex").session.client == "codex"
    with pytest.raises(NotFound):
        memory.sessions.end("s2")
    with pytest.raises(NotFound):
        memory.scoped(project="bank").sessions.end("s1")
    with pytest.raises(AccessDenied):
        memory.scoped(project="bank").sessions.end("s1", project="shop")


def test_sessions_tell_what_was_shown_stored_and_found(memory: Memory) -> None:
    kept = memory.confirm(memory.add("mind the queue", category="gotcha", project="shop").id)
    shown = {"session_id": "s1", "id": "x", "project": "shop", "type": "shown", "message": f"#{kept.id[:8]} mind"}
    asked = call("s1", 6, "mcp__recollect__memory_search", output={"results": [{"id": kept.id[:8]}]})
    stored = call("s1", 7, "mcp__recollect__remember_this", output={"id": kept.id[:8]})
    cited = {**shown, "id": "y", "type": "stop", "message": f"As #{kept.id[:8]} says."}
    memory.observe([shown, asked, stored, cited])
    told = memory.sessions.end("s1", project="shop")
    short = (kept.id[:8],)
    session = told.session
    assert (session.shown, session.found, session.stored, session.cited, session.used) == (short,) * 5
    assert [(each.id, each.how) for each in told.records] == [(kept.id, "stored")]


def test_coverage_says_which_folders_nothing_is_known_of(memory: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        pair(memory, session)
        memory.observe(call(session, 8, "Edit", "docs/a.md"))
    assert memory.sessions.coverage(project="shop").open == 3
    for session in ("s1", "s2", "s3"):
        memory.sessions.end(session)
    found = memory.sessions.coverage(project="shop")
    assert (found.sessions, found.open, found.errors, found.cured) == (3, 0, 1, 1)
    assert found.standing["new"] == found.review > 0
    src = next(each for each in found.modules if each.module == "src")
    assert (src.sessions, src.files, src.edited, src.known) == (3, 2, 1, 2)
    assert len(memory.sessions.coverage(project="shop", limit=1).modules) == 1
    assert memory.sessions.coverage(project="bank").sessions == 0


def test_the_server_and_the_shell_end_sessions_too(tmp_path: Path, capsys: Any) -> None:
    with client(tmp_path / "m.db") as rest:
        pair(rest.memory, "s1")  # type: ignore[attr-defined]
        ended = rest.post("/v1/sessions/s1/end", json={"project": "shop"})
        assert ended.json()["session"]["errors_met"][0]["cured_by"] == ["Makefile"]
        assert rest.post("/v1/sessions/nobody/end", json={}).status_code == 404
        assert rest.get("/v1/sessions").json()["results"][0]["id"] == "s1"
        assert rest.get("/v1/sessions/coverage").json()["sessions"] == 1
    words = ["--db", str(tmp_path / "m.db"), "sessions"]
    assert main([*words, "end", "s1", "-p", "shop"]) == 0
    assert "where it stood: Work of" in capsys.readouterr().out.replace("\n", " ")
    assert main([*words, "coverage"]) == 0
    assert "1 sessions (0 not concluded)" in capsys.readouterr().out


def test_what_was_learned_is_told_with_how_it_stands(memory: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        pair(memory, session)
        memory.sessions.end(session, project="shop")
    memory.add("Ana lives in Porto", project="shop")
    found = memory.sessions.learned(project="shop")
    assert {"causal_dependency", "error_pattern"} <= {each.record.category for each in found}
    assert {(each.standing, each.told) for each in found} == {("new", False)}
    both = next(each for each in found if each.files == ("src/auth.py", "src/tokens.py"))
    assert both.seen == 3
    memory.confirm(both.id)
    memory.flag(next(each for each in found if each.id != both.id).id, reason="wrong")
    (trusted,) = memory.sessions.learned(project="shop", standing="trusted")
    assert (trusted.id, trusted.told) == (both.id, True)
    assert [each.told for each in memory.sessions.learned(project="shop", standing="retired")] == [False]
    assert len(memory.sessions.learned(project="shop", limit=1)) == 1
    assert memory.sessions.learned(project="other") == []
    assert all(
        each.record.category == "error_pattern"
        for each in memory.sessions.learned(project="shop", categories=["error_pattern"])
    )
    with pytest.raises(UsageError):
        memory.sessions.learned(standing="famous")


def test_what_was_learned_stays_in_its_project(memory: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        pair(memory, session)
        memory.sessions.end(session, project="shop")
    assert memory.sessions.learned()
    assert memory.scoped(project="shop").sessions.learned()
    assert memory.scoped(project="garden").sessions.learned() == []
