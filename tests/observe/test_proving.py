"""What sessions prove of records: acted upon, shown in vain, gone with their files; being shown proves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sessions import ClaudeCode, hook, repository, told
from ticking import Ticking

import recollect
from recollect.facade.observing import hooked
from recollect.memory import Memory
from recollect.model.record import Record, Tier
from recollect.observe.standing import TrackRecord

FAILURE = "Error: no rule for target all"


@pytest.fixture
def clock() -> Ticking:
    return Ticking(1_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "atlas", Makefile="all:\n", auth__py="x = 1\n", tokens__py="y = 2\n")


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock, background=False) as found:
        yield found


def tell(memory: Memory, *payloads: dict[str, Any]) -> list[str]:
    """Events of hooks, as a server takes them; what the agent is told at each."""
    return [told(hooked(memory, "claude-code", payload)) for payload in payloads]


def failing(memory: Memory, session: ClaudeCode, *, cured_by: str = "Makefile") -> None:
    tell(
        memory,
        session.failed("Bash", FAILURE, command="make"),
        session.edit(cured_by, 1, "all:", "all: x"),
        session.run("make"),
        session.stop(),
        session.end(),
    )
    memory._engine.observer.conclude()


def learned(memory: Memory, category: str) -> Record:
    found = [each for each in memory.get_all(project="atlas", limit=100) if each.category == category]
    return next(each for each in found if each.source == "observer_inferred")


@pytest.fixture
def warning(memory: Memory, folder: Path) -> Record:
    """An error that three sessions met, which a person has confirmed: whoever edits the Makefile is told."""
    for number in (1, 2, 3):
        failing(memory, ClaudeCode(folder, f"s{number}"))
    found = learned(memory, "error_pattern")
    memory.confirm(found.id)
    return found


def proofs(memory: Memory, id_: str) -> TrackRecord:
    record = memory.get(id_)
    assert record is not None
    return TrackRecord.of(record.attributes)


def test_being_shown_is_noted_and_moves_nothing(memory: Memory, folder: Path, warning: Record) -> None:
    before = memory.get(warning.id)
    session = ClaudeCode(folder, "s4")
    said = tell(memory, session.before("Edit", file_path=str(folder / "Makefile")))
    assert f"#{warning.id[:8]}" in said[0]
    tell(memory, session.edit("Makefile", 3, "a", "b"), session.stop("Done."), session.end())
    memory._engine.observer.conclude()
    assert memory.get(warning.id) == before
    assert memory.observed(session_id="s4")[0].shown == (warning.id[:8],)


def test_a_warning_that_was_shown_in_vain_twice_is_retired(memory: Memory, folder: Path, warning: Record) -> None:
    for name in ("s4", "s5"):
        session = ClaudeCode(folder, name)
        tell(memory, session.before("Edit", file_path=str(folder / "Makefile")))
        tell(memory, session.edit("Makefile", 1, "all:", "all: x"), session.failed("Bash", FAILURE, command="make"))
        tell(memory, session.stop(), session.end())
        memory._engine.observer.conclude()
        assert name in proofs(memory, warning.id).in_vain
    kept = memory.get(warning.id)
    assert kept is not None
    assert kept.tier is Tier.ARCHIVE
    later = ClaudeCode(folder, "s6")
    assert tell(memory, later.before("Edit", file_path=str(folder / "Makefile"))) == [""]


def test_an_error_before_the_warning_is_not_held_against_it(memory: Memory, folder: Path, warning: Record) -> None:
    session = ClaudeCode(folder, "s4")
    tell(memory, session.failed("Bash", FAILURE, command="make"))
    tell(memory, session.before("Edit", file_path=str(folder / "Makefile")))
    tell(memory, session.edit("Makefile", 1, "all:", "all: x"), session.run("make"), session.end())
    memory._engine.observer.conclude()
    evidence = proofs(memory, warning.id)
    assert evidence.in_vain == ()
    assert evidence.used_in == ("s4",)  # the error came up, and its file was edited as the record says


def test_going_to_the_other_file_of_a_record_is_acting_upon_it(memory: Memory, folder: Path) -> None:
    for number in (1, 2, 3):
        session = ClaudeCode(folder, f"s{number}")
        tell(memory, session.read("auth.py"), session.edit("tokens.py", 1, "y", "z"), session.end())
        memory._engine.observer.conclude()
    pair = learned(memory, "causal_dependency")
    found = {"results": [{"id": pair.id[:8], "text": pair.content}]}

    def worked(name: str, *, searched: bool, then: str) -> TrackRecord:
        session = ClaudeCode(folder, name)
        tell(memory, session.read("auth.py"))
        if searched:
            tell(memory, session.tool("mcp__recollect__memory_search", found, query="auth"))
        tell(memory, session.read(then), session.end())
        memory._engine.observer.conclude()
        return proofs(memory, pair.id)

    assert worked("s4", searched=False, then="tokens.py").used_in == ()
    assert worked("s5", searched=True, then="Makefile").used_in == ()
    assert worked("s6", searched=True, then="tokens.py").used_in == ("s6",)


def test_a_hook_without_a_server_notes_what_it_showed(tmp_path: Path, folder: Path, clock: Ticking) -> None:
    store = tmp_path / "m.db"
    with recollect.open(store, embedder="fake", background=False) as memory:
        kept = memory.add(
            "Close the queue", category="gotcha", metadata={"related_files": ["Makefile"]}, project="atlas"
        )
        memory.confirm(kept.id)
    session = ClaudeCode(folder, "s1")
    hook(session.start(), store)
    with recollect.open(store, embedder="fake", background=False):
        pass  # takes the spool in, and writes hints
    said = told(hook(session.read("Makefile"), store))
    assert f"#{kept.id[:8]}" in said
    with recollect.open(store, embedder="fake", background=False) as memory:
        assert memory.observed(session_id="s1")[0].shown == (kept.id[:8],)
        assert not memory.observe([]).taken


def test_files_that_are_gone_retire_a_record_until_they_are_back(memory: Memory, folder: Path, warning: Record) -> None:
    text = (folder / "Makefile").read_text()
    (folder / "Makefile").unlink()
    retire = memory._engine.observer.conclusions.retire
    assert retire() == 1
    assert memory.get(warning.id).tier is Tier.ARCHIVE  # type: ignore[union-attr]
    assert retire() == 0
    (folder / "Makefile").write_text(text)
    assert retire() == 1
    assert memory.get(warning.id).tier is warning.tier  # type: ignore[union-attr]


def test_a_file_of_another_work_tree_is_not_gone(memory: Memory, folder: Path, warning: Record, tmp_path: Path) -> None:
    linked, tree = folder / ".git" / "worktrees" / "side", tmp_path / "side"
    linked.mkdir(parents=True)
    tree.mkdir()
    (linked / "gitdir").write_text(f"{tree}/.git\n")
    (folder / "Makefile").rename(tree / "Makefile")
    assert memory._engine.observer.conclusions.retire() == 0


def test_a_project_that_is_not_on_this_machine_has_lost_no_files(memory: Memory) -> None:
    for session in ("s1", "s2", "s3"):
        for number, path in enumerate(("src/a.py", "src/b.py")):
            memory.observe(
                {
                    "session_id": session,
                    "id": f"{session}{number}",
                    "type": "tool",
                    "tool": "Edit",
                    "project": "atlas",
                    "input": {"file_path": path},
                }
            )
        memory.observe({"session_id": session, "id": f"{session}e", "type": "session_end", "project": "atlas"})
    assert learned(memory, "causal_dependency")
    assert memory._engine.observer.conclusions.retire() == 0


def test_feedback_decides_whether_a_record_is_promoted(memory: Memory, folder: Path, warning: Record) -> None:
    for name in ("s4", "s5"):
        failing(memory, ClaudeCode(folder, name))
    memory.update(warning.id, needs_review=True)
    memory.feedback(warning.id, helpful=False)
    retire = memory._engine.observer.conclusions.retire
    assert retire() == 0
    for _ in range(4):
        memory.feedback(warning.id, helpful=True)
    assert retire() == 1
    assert not memory.get(warning.id).needs_review  # type: ignore[union-attr]


def test_undoing_a_sessions_operation_restores_what_it_moved(memory: Memory, folder: Path, warning: Record) -> None:
    before = memory.get(warning.id)
    failing(memory, ClaudeCode(folder, "s4"))
    assert memory.get(warning.id) != before
    while memory.get(warning.id) != before:
        newest = next(each for each in memory.operations(limit=20) if each.verb == "observe" and not each.undone)
        memory.undo(newest.id)
    assert memory.get(warning.id) == before
