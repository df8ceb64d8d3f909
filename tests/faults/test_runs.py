"""Upkeep in processes that are killed, and in several at once: the next one goes on, everything is done once."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest
from properties.tables import assert_sound, looking_at, open_quick, rows, visible_state
from upkeep.counting_steps import PORTION, Shelving, cards, fill, runner_of

from faults.processes import heard, rest, started, told

NOTES = 8
PORTIONS = -(-NOTES // PORTION)
POINTS = [("inside", at) for at in range(0, NOTES, 2)] + [("between", at) for at in range(PORTIONS)]


@pytest.mark.parametrize(("where", "point"), POINTS)
def test_a_killed_run_is_gone_on_with_at_once(tmp_path: Path, where: str, point: int) -> None:
    """Nobody waits for the lease of a process that is known to be dead."""
    path = tmp_path / "m.db"
    with open_quick(path, embedder=None) as memory:
        fill(memory, NOTES)
    before = visible_state(path)
    with started("run_and_die.py", path, where, point) as process:
        assert heard(process) == "open"
        told(process, "go")
        assert rest(process) == []
        assert process.wait() == -signal.SIGKILL
    with open_quick(path, embedder=None) as memory:
        (left,) = runner_of(memory).recent(5)
        assert left.state == "interrupted"
        report = runner_of(memory).run("tidy", [Shelving()])
        assert (report.state, report.counts) == ("done", {"archived": NOTES, "made": NOTES})
        assert cards(memory) == sorted(f"card of note number {n}" for n in range(NOTES))
        memory.undo(report.operation or "")
    assert visible_state(path) == before
    assert_sound(path)
    with looking_at(path) as db:
        assert [run["state"] for run in rows(db, "SELECT state FROM run")] == ["done"]


def test_two_processes_never_do_the_same(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path, embedder=None) as memory:
        fill(memory, NOTES)
    with ExitStack() as stack:
        first, second = (stack.enter_context(started("run_and_die.py", path, how, 0)) for how in ("meet", "never"))
        assert heard(first) == heard(second) == "open"
        told(first, "go")
        assert heard(first) == "between"
        told(second, "go")
        assert heard(second) == {"busy": True}
        for _ in range(PORTIONS - 1):
            told(first, "on")
            assert heard(first) == "between"
        told(first, "on")
        assert heard(first) == {"made": NOTES, "state": "done", "problems": []}
    with open_quick(path, embedder=None) as memory:
        assert len(cards(memory)) == NOTES


def test_a_process_takes_over_from_one_that_is_killed_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path, embedder=None) as memory:
        fill(memory, NOTES)
    with ExitStack() as stack:
        first, second = (stack.enter_context(started("run_and_die.py", path, how, 0)) for how in ("meet", "never"))
        assert heard(first) == heard(second) == "open"
        told(first, "go")
        assert heard(first) == "between"
        first.kill()
        first.wait()
        told(second, "go")
        said = heard(second)
        assert (said["made"], said["state"]) == (NOTES, "done")
        assert "went on" in said["problems"][0]
    with open_quick(path, embedder=None) as memory:
        assert len(cards(memory)) == NOTES
