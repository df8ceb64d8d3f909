"""Sessions are gone over once, when they have ended, in portions; whatever dies, nothing is lost or done twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from consolidated_stories import QUIET, STORY, opened, sessions, tell
from properties.tables import assert_sound, open_quick, visible_state
from ticking import Ticking
from upkeep.upkeep_runs import Crash, dying_at, run_steps, table

from recollect.upkeep.consolidation import consolidate
from recollect.upkeep.consolidation.consolidate import ConsolidateStep
from recollect.upkeep.jobs.worker import JobWorker


@pytest.fixture(autouse=True)
def nothing_happens_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)


def outcome(path: Path) -> list[Any]:
    """What the run made of the statements, without ids and times."""
    ended = "valid_until IS NOT NULL AS ended, retired_at IS NOT NULL AS gone, round(confidence, 6) AS sure"
    stated = table(
        path, f"SELECT content, {ended} FROM record WHERE turn_pk IS NOT NULL AND head_pk IS NULL ORDER BY pk"
    )
    edges = table(
        path,
        "SELECT e.label, a.content AS newer, b.content AS older FROM edge e JOIN member m ON m.edge_pk = e.pk "
        "AND m.position = 0 JOIN member n ON n.edge_pk = e.pk AND n.position = 1 JOIN record a ON a.pk = m.record_pk "
        "JOIN record b ON b.pk = n.record_pk WHERE e.retired_at IS NULL ORDER BY 1, 2, 3",
    )
    return [stated, edges]


def test_a_session_waits_until_it_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory:
        memory.add([{"role": "user", "content": "I live in Lisbon."}], session_id="first", user_id="ana")
        run_steps(memory, ConsolidateStep())
        assert sessions(path) == [("first", False)]
        run_steps(memory, ConsolidateStep(session_id="first"))
        assert sessions(path) == [("first", True)]
        memory.add([{"role": "user", "content": "I use vim."}], session_id="first", user_id="ana")
        assert sessions(path) == [("first", False)]
        memory.add([{"role": "user", "content": "I like jazz."}], session_id="second", user_id="ana")
        run_steps(memory, ConsolidateStep())
        assert sessions(path) == [("first", True), ("second", False)]
        clock.skip(1)
        run_steps(memory, ConsolidateStep())
        assert sessions(path) == [("first", True), ("second", True)]


def test_running_again_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory:
        tell(memory, clock)
        first = run_steps(memory, ConsolidateStep())
        assert first.counts == {"merged": 3, "retired": 3, "linked": 1}
        after = visible_state(path)
        second = run_steps(memory, ConsolidateStep())
        assert (second.counts, second.operation) == ({}, None)
        assert visible_state(path) == after
    assert_sound(path)


def test_a_dry_run_shows_what_a_run_does(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory:
        tell(memory, clock)
        before = visible_state(path)
        shown = run_steps(memory, ConsolidateStep(), dry_run=True)
        assert visible_state(path) == before
        assert not any(done for _, done in sessions(path))
        done = run_steps(memory, ConsolidateStep())
    assert [(item.did, item.id) for item in shown.items] == [(item.did, item.id) for item in done.items]


def test_a_merged_statement_leaves_its_turns_to_the_elder(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory:
        tell(memory, clock, ("I work for Acme.", "I'm employed at Acme.", "I work at Acme."))
        report = run_steps(memory, ConsolidateStep())
        assert report.counts == {"merged": 2}
        (kept,) = memory.get_all(user_id="ana", kinds=["semantic"])
        assert kept.content == "Ana works for Acme"
        assert kept.attributes["corroborations"] == 2
        found = table(
            path,
            "SELECT count(*) AS turns FROM edge e JOIN member m ON m.edge_pk = e.pk JOIN record r "
            "ON r.pk = m.record_pk AND r.content = 'Ana works for Acme' WHERE m.role = 'subject' "
            "AND e.label = 'derived_from'",
        )
        assert found == [{"turns": 3}]


@pytest.mark.parametrize("portion", range(11))
def test_dying_in_any_portion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portion: int) -> None:
    monkeypatch.setattr(consolidate, "PORTION", 2)
    whole, torn = tmp_path / "whole.db", tmp_path / "torn.db"
    for path in (whole, torn):
        memory, clock = opened(path)
        with memory:
            tell(memory, clock)
            before = visible_state(path)
            if path == torn:
                with pytest.raises(Crash), dying_at(monkeypatch, portion):
                    run_steps(memory, ConsolidateStep())
            report = run_steps(memory, ConsolidateStep())
            assert report.state == "done"
            assert all(done for _, done in sessions(path))
            last = outcome(path)
            for operation in memory.operations(limit=3):
                if operation.verb == "maintain" and not operation.undone:
                    memory.undo(operation.id)
            assert visible_state(path) == before
        assert_sound(path)
        if path == whole:
            expected = last
    assert last == expected


def test_a_long_session_is_gone_over_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consolidate, "PORTION", 3)
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory:
        said = [{"role": "user", "name": "Ana", "content": text} for text in STORY]
        for message in said:
            clock.skip(0.1)
            memory.add([message], session_id="long", user_id="ana")
        clock.skip(1)
        report = run_steps(memory, ConsolidateStep())
        assert report.counts == {"merged": 3, "retired": 3, "linked": 1}
        assert sessions(path) == [("long", True)]


def test_turns_that_come_meanwhile_are_not_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    whole = consolidate._compared
    late = ["I moved to Porto."]

    def and_then_somebody_speaks(*args: Any) -> Any:
        found = whole(*args)
        if late:
            memory.add([{"role": "user", "name": "Ana", "content": late.pop()}], session_id="s0", user_id="ana")
        return found

    with memory:
        tell(memory, clock, ("I live in Lisbon.",))
        monkeypatch.setattr(consolidate, "_compared", and_then_somebody_speaks)
        run_steps(memory, ConsolidateStep(session_id="s0"))
        assert sessions(path) == [("s0", False)]
        clock.skip(1)
        assert run_steps(memory, ConsolidateStep()).counts == {"retired": 1}
        assert sessions(path) == [("s0", True)]


def test_a_scope_is_left_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory:
        tell(memory, clock, ("I live in Lisbon.", "I moved to Porto."), user="ana")
        tell(memory, clock, ("I live in Rome.", "I moved to Oslo."), user="ben")
        report = memory.consolidate(user_id="ana")
        assert [item.reason for item in report.items] == ["home: Lisbon → Porto"]
        assert [done for _, done in sessions(path)] == [True, True, False, False]


def test_the_next_session_has_those_before_it_consolidated(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    clock = Ticking()
    with open_quick(path, clock=clock) as memory:
        for session, text in (("s1", "I live in Lisbon."), ("s2", "I moved to Porto."), ("s2", "I like jazz.")):
            memory.add([{"role": "user", "name": "Ana", "content": text}], session_id=session, user_id="ana")
        jobs = table(path, "SELECT payload FROM job WHERE kind = 'consolidate'")
        assert len(jobs) == 1
        clock.skip(0.01)
        memory._engine.worker.run_pending()
        assert sessions(path) == [("s1", True), ("s2", False)]
        memory.add([{"role": "user", "name": "Ana", "content": "I like tea."}], session_id="s3", user_id="ana")
        clock.skip(0.01)
        memory._engine.worker.run_pending()
        assert sessions(path) == [("s1", True), ("s2", True), ("s3", False)]
        (old,) = table(path, "SELECT valid_until FROM record WHERE content = 'Ana lives in Lisbon' AND head_pk IS NULL")
        assert old["valid_until"] is not None


def test_unread_turns_wait(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory:
        tell(memory, clock, ("I live in Lisbon.", "I moved to Porto."))
        engine = memory._engine
        engine.store.write(lambda tx: tx.sql.run("UPDATE record SET perceived = NULL WHERE kind = 'episodic'"))
        report = run_steps(memory, ConsolidateStep())
        assert "not read yet" in report.problems[0]
        assert not any(done for _, done in sessions(path))


def test_two_memories_over_one_store(tmp_path: Path) -> None:
    """Whoever comes second finds nothing left to do."""
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory, open_quick(path, clock=clock, config=QUIET) as other:
        tell(memory, clock)
        first = run_steps(memory, ConsolidateStep())
        second = run_steps(other, ConsolidateStep())
        assert first.counts["retired"] == 3
        assert second.counts == {}


def test_a_clock_that_is_set_back(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory, clock = opened(path)
    with memory:
        tell(memory, clock, ("I live in Lisbon.",))
        run_steps(memory, ConsolidateStep())
        clock.skip(-30)
        memory.add([{"role": "user", "name": "Ana", "content": "I moved to Porto."}], session_id="s0", user_id="ana")
        run_steps(memory, ConsolidateStep())
        assert sessions(path) == [("s0", True)]
