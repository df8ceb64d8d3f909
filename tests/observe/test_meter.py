"""What sessions cost and were spared: counted from events by the rules that docs/coding.md gives, losses included."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sessions import ClaudeCode, repository
from ticking import Ticking

import recollect
from recollect.errors import UsageError
from recollect.interfaces.cli import main
from recollect.memory import Memory

LOOK = "x" * 400  # 100 tokens


@pytest.fixture
def clock() -> Ticking:
    return Ticking(1_000)


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock, background=False) as found:
        yield found


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", a__py="1", b__py="2", c__py="3")


def call(session: str, number: int, tool: str, path: str = "", **more: Any) -> dict[str, Any]:
    given = {"file_path": path} if path else {"pattern": "x"}
    base = {"session_id": session, "id": f"{session}-{number}", "project": "shop", "type": "tool", "tool": tool}
    return {**base, "input": given, **more}


def said(session: str, text: str, cwd: Path | None = None) -> dict[str, Any]:
    place = {"cwd": str(cwd)} if cwd else {}
    return {"session_id": session, "id": f"{session}-said", "project": "shop", "type": "shown", "message": text} | place


def worked(memory: Memory, session: str, looks: int, *before: dict[str, Any]) -> None:
    """A session that looks so many times, 100 tokens each, and edits one file."""
    searches = [call(session, number, "Grep", output=LOOK) for number in range(looks)]
    memory.observe([*before, *searches, call(session, 90, "Edit", "a.py")])


def test_looks_rereads_and_errors_of_a_session_are_counted(memory: Memory) -> None:
    failed = {"type": "tool_failed", "error": "KeyError: 'a'"}
    memory.observe([call("s0", 1, "Bash", **failed), call("s0", 2, "Bash", **failed)])
    memory.observe(
        [
            call("s1", 1, "Grep", output=LOOK),
            call("s1", 2, "Glob", output=LOOK),
            call("s1", 3, "Read", "a.py", output=LOOK),
            call("s1", 4, "Read", "a.py", output=LOOK),  # again
            call("s1", 5, "Edit", "a.py"),
            call("s1", 6, "Read", "a.py", output=LOOK),  # what the edit made of it
            call("s1", 7, "Edit", "b.py"),
            call("s1", 8, "Read", "b.py", output=LOOK),  # no first look at it
            call("s1", 9, "Bash", **failed),
            call("s1", 10, "Bash", **failed),
        ]
    )
    figures = memory.sessions.meter(session_id="s1", project="shop").total
    assert (figures.steps, figures.edited, figures.discovery) == (10, 2, 3)
    assert (figures.reads, figures.rereads) == (4, 1)
    assert (figures.errors, figures.recurrences) == (2, 1)
    assert figures.tokens_looked == 400  # two searches, a first read, a reread
    assert memory.sessions.meter(session_id="s0", project="shop").total.recurrences == 0


@pytest.mark.parametrize(
    ("lines", "rereads"),
    [
        ([None, None], 1),
        ([None, (5, 9)], 1),  # part of what was read whole
        ([(1, 20), (5, 9)], 1),
        ([(1, 20), (30, 40)], 0),
        ([(5, 9), None], 0),
    ],
)
def test_lines_that_were_read_already_are_a_reread(
    memory: Memory, lines: list[tuple[int, int] | None], rereads: int
) -> None:
    for number, span in enumerate(lines):
        given = {"path": "a.py"} | ({"view_range": list(span)} if span else {})
        memory.observe(call("s1", number, "Read", input=given))
    assert memory.sessions.meter(project="shop").total.rereads == rereads


def test_another_agent_and_a_compacted_context_reread_nothing(memory: Memory) -> None:
    read = call("s1", 1, "Read", "a.py")
    compact = {"session_id": "s1", "id": "c", "project": "shop", "type": "compact"}
    memory.observe([read, call("s1", 2, "Read", "a.py", agent_id="helper"), compact, call("s1", 3, "Read", "a.py")])
    figures = memory.sessions.meter(project="shop").total
    assert (figures.reads, figures.rereads, figures.discovery) == (3, 0, 1)


def test_a_file_that_the_memory_named_is_no_discovery(memory: Memory, shop: Path) -> None:
    text = "About a.py:\n#0b6f2a52 a.py needs b.py, and nothing.py"
    memory.observe(
        [
            said("s1", text, shop),
            call("s1", 1, "Read", "b.py", output=LOOK),
            call("s1", 2, "Read", "c.py", output=LOOK),
        ]
    )
    figures = memory.sessions.meter(project="shop").total
    assert (figures.hinted, figures.discovery, figures.told) == (1, 1, 1)
    assert figures.tokens_injected == round(len(text) / 4)


def test_what_an_asked_memory_names_is_hinted_and_its_answer_costs(memory: Memory, shop: Path) -> None:
    answer = {"callers": [{"path": "b.py", "line": 3}]}
    asked = {"session_id": "s1", "id": "1", "type": "tool", "tool": "mcp__recollect__analyze_impact"}
    memory.observe({**asked, "input": {"what": "a.py"}, "output": answer, "cwd": str(shop)})
    memory.observe({**asked, "id": "2", "tool": "Read", "input": {"file_path": "b.py"}, "cwd": str(shop)})
    figures = memory.sessions.meter().total
    assert (figures.asked, figures.hinted, figures.discovery, figures.tokens_injected) == (1, 1, 0, 1)


def test_hooks_note_which_files_they_named_and_no_other_word(memory: Memory, shop: Path) -> None:
    memory.confirm(
        memory.add(
            "a.py goes with b.py, mind self.queue",
            category="gotcha",
            project="shop",
            metadata={"related_files": ["a.py"]},
        ).id
    )
    session = ClaudeCode(shop, "s1")
    for payload in (session.start(), session.read("b.py"), session.read("c.py")):
        memory._hooked("claude-code", payload, at=None, project=None, phase=None)
    figures = memory.sessions.meter(project="shop").total
    assert (figures.hinted, figures.discovery) == (1, 1)
    with memory._engine.store.read() as tx:
        (event,) = [each for each in tx.observed.events(1) if each.type == "shown"]
    assert event.detail["named"] == ["a.py", "b.py"]


def test_what_was_saved_is_held_against_sessions_without_memory(memory: Memory) -> None:
    for number in range(3):
        worked(memory, f"quiet{number}", 6)
    worked(memory, "helped", 2, said("helped", LOOK))
    worked(memory, "hindered", 7, said("hindered", LOOK))

    def of(session: str) -> tuple[int | None, int | None]:
        figures = memory.sessions.meter(session_id=session, project="shop").total
        return figures.tokens_saved, figures.tokens_net

    assert of("helped") == (400, 300)
    assert of("hindered") == (-100, -200)  # a loss is a loss
    assert of("quiet1") == (0, 0)
    whole = memory.sessions.meter(project="shop")
    assert (whole.total.tokens_saved, whole.total.tokens_net, whole.total.compared) == (300, 100, 5)
    assert (whole.quiet.sessions, whole.told.sessions) == (3, 2)


def test_without_a_baseline_nothing_is_said_to_be_saved(memory: Memory) -> None:
    for number in range(2):
        worked(memory, f"quiet{number}", 6)
    worked(memory, "helped", 2, said("helped", LOOK))
    figures = memory.sessions.meter(project="shop").total
    assert (figures.tokens_saved, figures.tokens_net, figures.compared) == (None, None, 0)


def test_a_look_of_unknown_size_counts_as_the_usual_one(memory: Memory) -> None:
    worked(memory, "s1", 3)
    memory.observe(call("s2", 1, "Grep"))
    assert memory.sessions.meter(session_id="s2", project="shop").total.tokens_looked == 100


def test_figures_are_told_of_a_period_and_by_project(memory: Memory, clock: Ticking) -> None:
    worked(memory, "old", 1)
    day = clock.skip(10)
    worked(memory, "new", 1)
    memory.observe({**call("other", 1, "Grep"), "project": "bank"})
    assert [each.id for each in memory.sessions.meter(since=day).sessions] == ["other", "new"]
    assert [each.id for each in memory.sessions.meter(before=day).sessions] == ["old"]
    assert {each.project: each.figures.sessions for each in memory.sessions.meter().projects} == {"bank": 1, "shop": 2}
    assert len(memory.sessions.meter(limit=1).sessions) == 1
    with pytest.raises(UsageError):
        memory.sessions.meter(since="the day of never")


def test_figures_outlive_their_events_and_go_with_their_project(memory: Memory, clock: Ticking) -> None:
    worked(memory, "s1", 2)
    memory.sessions.meter()
    clock.skip(100)
    worked(memory, "s2", 2)
    assert [each.id for each in memory.observed()] == ["s2"]
    assert [each.id for each in memory.sessions.meter().sessions] == ["s2", "s1"]
    memory.delete_all(project="shop", hard=True)
    assert memory.sessions.meter().total.sessions == 0


def test_the_shell_shows_losses_with_their_sign(memory: Memory, tmp_path: Path, capsys: Any) -> None:
    for number in range(3):
        worked(memory, f"quiet{number}", 6)
    worked(memory, "hindered", 7, said("hindered", LOOK))
    memory.close()
    assert main(["--db", str(tmp_path / "m.db"), "sessions", "meter"]) == 0
    shown = capsys.readouterr().out
    assert "-100 tokens saved, -200 with what the memory said taken off" in shown
