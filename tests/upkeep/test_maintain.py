"""`consolidate`, `decay`, `replay`, `maintain`: over the whole store or a scope, dry or not, and undone exactly."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from properties.tables import State, assert_sound, looking_at, open_quick, rows, visible_state
from ticking import Ticking
from upkeep.upkeep_talks import settled, talk

from recollect.aio import AsyncMemory
from recollect.errors import AccessDenied, NotFound, StoreBusy, UsageError
from recollect.memory import Memory
from recollect.model.run import RunReport
from recollect.upkeep.maintain import STEPS, VERBS, step_of

RUNS = ("consolidate", "decay", "replay", "maintain")


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path, clock: Ticking) -> Iterator[Memory]:
    with open_quick(path, clock=clock, config={"upkeep.after_session": False}) as opened:
        yield opened


def state_of(path: Path) -> State:
    """Records, edges and vectors, and who they name.

    Summaries of entities are left out: one goes as soon as a record changes that it may quote, and is written anew.
    """
    state = visible_state(path)
    with looking_at(path) as db:
        found = rows(db, "SELECT * FROM entity WHERE retired_at IS NULL ORDER BY pk")
        state["entities"] = [{name: value for name, value in row.items() if name != "summary"} for row in found]
        state["mentions"] = rows(
            db, "SELECT m.* FROM mention m JOIN record r ON r.pk = m.record_pk AND r.retired_at IS NULL ORDER BY 1, 2"
        )
    return state


def everything(path: Path) -> dict[str, Any]:
    with looking_at(path) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        tables = [name for name in names if not name.startswith(("record_text", "record_vocabulary", "audit"))]
        found = {name: rows(db, f"SELECT * FROM {name}") for name in tables}
        return found | {"meta": rows(db, "SELECT * FROM meta WHERE key NOT LIKE 'audit%'")}


def test_every_run_is_undone_exactly(memory: Memory, path: Path, clock: Ticking) -> None:
    talk(memory, clock, user_id="ana")
    talk(memory, clock, sessions=4, seed=2)
    done: list[tuple[str, State]] = []
    changed = set()
    for days, verb in ((0, "consolidate"), (1, "replay"), (1, "maintain"), (200, "decay"), (1, "maintain")):
        clock.skip(days)
        settled(memory)
        before = state_of(path)
        report = getattr(memory, verb)()
        assert report.state == "done"
        assert not [problem for problem in report.problems if "failed" in problem], report.problems
        if report.operation is None:
            assert state_of(path) == before
            continue
        changed.add(verb)
        after = state_of(path)
        undone = memory.undo(report)
        settled(memory)
        assert state_of(path) == before, f"undo of {verb}"
        redone = memory.undo(undone)
        settled(memory)
        assert state_of(path) == after, f"redo of {verb}"
        done.append((redone.operation or "", before))
    assert changed >= {"replay", "maintain", "decay"}
    assert_sound(path)
    for operation, before in reversed(done):
        memory.undo(operation)
        settled(memory)
        assert state_of(path) == before, "newest first, back to the beginning"


@pytest.mark.parametrize("verb", RUNS)
def test_a_dry_run_changes_no_byte_of_the_tables(memory: Memory, path: Path, clock: Ticking, verb: str) -> None:
    talk(memory, clock)
    memory.search("where does Ana live?")
    memory._opened.access.flush()
    clock.skip(400 if verb == "decay" else 1)
    before = everything(path)
    report = getattr(memory, verb)(dry_run=True)
    assert (report.dry_run, report.operation, report.state) == (True, None, "done")
    assert report.counts
    assert everything(path) == before


@pytest.mark.parametrize("verb", RUNS)
def test_a_run_over_a_scope_leaves_the_others_alone(memory: Memory, path: Path, clock: Ticking, verb: str) -> None:
    talk(memory, clock, user_id="ana", seed=1)
    talk(memory, clock, user_id="ben", seed=1)
    clock.skip(400 if verb == "decay" else 1)
    before = state_of(path)
    assert getattr(memory, verb)(user_id="nobody").counts == {}
    report = getattr(memory.scoped(user_id="ana"), verb)()
    assert report.state == "done"
    after = state_of(path)
    bens = {id_ for id_, row in before.items() if isinstance(row, dict) and "user_id=ben" in str(row.get("scope", ""))}
    assert {id_: after[id_] for id_ in bens} == {id_: before[id_] for id_ in bens}
    touched = [id_ for id_ in after if isinstance(after[id_], dict) and after[id_] != before.get(id_)]
    for id_ in touched:
        assert "ben" not in str(after[id_].get("scope", ""))


def test_maintaining_twice_makes_nothing_twice(memory: Memory, path: Path, clock: Ticking) -> None:
    talk(memory, clock)
    memory.consolidate()
    before = state_of(path)
    again = memory.consolidate()
    assert (again.counts, again.operation) == ({}, None)
    assert state_of(path) == before
    first = memory.maintain()
    second = memory.maintain()
    assert second.counts.get("made", 0) == 0, (first.counts, second.counts)


def test_status_tells_what_was_run_and_what_is_due(memory: Memory, clock: Ticking) -> None:
    never = memory.maintain(status=True)
    assert (never.state, never.history, never.id) == ("none", (), "")
    assert never.due.keys() == {"maintain", "consolidate", "replay"}
    for verb in RUNS:
        getattr(memory, verb)()
        clock.skip(0.1)
    told = memory.maintain(status=True)
    assert [told.verb, *(each.verb for each in told.history)] == list(RUNS[::-1])
    assert told.to_dict()["history"][0]["verb"] == "replay"
    assert len(memory.maintain(status=True, limit=2).history) == 1
    with pytest.raises(AccessDenied):
        memory.scoped(user_id="ana").maintain(status=True)


def test_bad_arguments_run_nothing(memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.consolidate(session_id="")
    with pytest.raises(UsageError):
        memory.consolidate(session_id="a", run_id="b")
    with pytest.raises(UsageError):
        memory.maintain(status=True, limit=0)
    with pytest.raises(TypeError):
        memory.decay(user="ana")  # type: ignore[call-arg]
    with pytest.raises(NotFound):
        memory.undo(memory.maintain(dry_run=True))
    assert memory.maintain(status=True).state == "none"


def test_one_session_can_be_consolidated_before_it_has_ended(memory: Memory, clock: Ticking) -> None:
    memory.add([{"role": "user", "name": "Ana", "content": "I live in Oslo"}], session_id="now")
    clock.skip(0.001)
    settled(memory)
    memory.consolidate(session_id="now")
    with memory._opened.store.read() as tx:
        assert tx.sql.value("SELECT consolidated_at FROM session WHERE id = 'now'") is not None


def test_a_second_run_is_refused_while_one_is_in_hand(memory: Memory) -> None:
    memory._opened.store.write(
        lambda tx: tx.sql.run(
            "INSERT INTO run (id, verb, started_at, lease_until, lease_owner) "
            "VALUES ('x', 'maintain', ?, ?, 'elsewhere')",
            (memory._opened.clock(), memory._opened.clock() + 30_000_000),
        )
    )
    with pytest.raises(StoreBusy, match="maintain is under way"):
        memory.decay()
    assert memory.maintain(status=True).state == "running"


def test_runs_can_be_awaited() -> None:
    async def run() -> RunReport:
        async with AsyncMemory.open(":memory:", embedder="fake") as memory:
            await memory.add("Ana uses Helix")
            return await memory.maintain()

    assert asyncio.run(run()).state == "done"


@pytest.mark.parametrize("name", STEPS)
def test_each_row_of_the_table_makes_the_step_of_its_name(memory: Memory, name: str) -> None:
    assert step_of(name, memory._engine.upkeep_parts).name == name


def test_every_verb_takes_steps_of_the_table() -> None:
    assert {name for steps in VERBS.values() for name in steps} == set(STEPS)
