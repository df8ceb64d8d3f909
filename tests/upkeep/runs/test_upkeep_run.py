"""A run is one operation: resumed after a crash, undone exactly, nothing lost and nothing doubled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from properties.tables import assert_sound, looking_at, open_quick, rows, visible_state
from ticking import Ticking
from upkeep.counting_steps import PORTION, Shelving, cards, fill, runner_of

from recollect.clock import DAY_US, SECOND_US
from recollect.errors import ProviderUnavailable, StoreBusy, UndoRefused
from recollect.memory import Memory
from recollect.model.scope import Reach, Scope
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.upkeep.runs.activity import Activity
from recollect.upkeep.runs.run import RUN_LEASE_S, Run, is_gone, own_name
from recollect.upkeep.runs.runner import Runner

NOTES = 10
PORTIONS = -(-NOTES // PORTION)


class Crash(BaseException):
    """What a process that dies leaves behind, without the process: nothing after it is done."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with open_quick(path, embedder=None) as opened:  # vectors would come from the background
        yield opened


def everything(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table."""
    with looking_at(path) as db:
        names = [
            n for (n,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%_text%'")
        ]
        return {name: rows(db, f"SELECT * FROM {name}") for name in names if not name.startswith("record_vocabulary")}


def runs_of(path: Path) -> list[dict[str, Any]]:
    with looking_at(path) as db:
        return rows(db, "SELECT * FROM run ORDER BY pk")


def forget_the_end(memory: Memory) -> None:
    """The run as a killed process leaves it: nobody set it down."""
    memory._engine.store.write(
        lambda tx: tx.sql.run("UPDATE run SET state = 'running', finished_at = NULL, lease_until = 0, problems = '[]'")
    )


# --- one run ----------------------------------------------------------------------------------------------------------


def test_a_run_reports_what_it_did_and_why(memory: Memory, path: Path) -> None:
    ids = fill(memory, NOTES)
    report = runner_of(memory).run("tidy", [Shelving()])
    assert (report.state, report.verb, report.dry_run, report.progress) == ("done", "tidy", False, 1.0)
    assert report.counts == {"archived": NOTES, "made": NOTES}
    assert report.problems == ()
    assert [item.id for item in report.items if item.did == "archived"] == ids
    assert {item.reason for item in report.items} == {"it was lying about", "it was put away"}
    assert [operation.id for operation in memory.operations() if operation.verb == "tidy"] == [report.operation]
    (kept,) = runs_of(path)
    assert (kept["state"], kept["progress"], kept["lease_until"]) == ("done", 1.0, None)


def test_running_again_adds_nothing(memory: Memory) -> None:
    fill(memory, NOTES)
    runner = runner_of(memory)
    runner.run("tidy", [Shelving()])
    known = memory.operations()
    again = runner.run("tidy", [Shelving()])
    assert (again.operation, again.counts, again.state) == (None, {}, "done")
    assert memory.operations() == known
    assert len(cards(memory)) == NOTES


def test_undo_takes_back_all_of_a_run_and_a_new_one_does_it_again(memory: Memory, path: Path) -> None:
    fill(memory, NOTES)
    before = visible_state(path)
    runner = runner_of(memory)
    report = runner.run("tidy", [Shelving()])
    after = visible_state(path)
    undone = memory.undo(report.operation or "")
    assert visible_state(path) == before
    memory.undo(undone.operation or "")
    assert visible_state(path) == after
    memory.undo(memory.operations(limit=1)[0].id)
    assert runner.run("tidy", [Shelving()]).counts == {"archived": NOTES, "made": NOTES}
    assert len(cards(memory)) == NOTES
    assert_sound(path)


def test_a_dry_run_says_the_same_and_changes_nothing(memory: Memory, path: Path) -> None:
    fill(memory, NOTES, user_id="ana")
    before = everything(path)
    for scope in (None, Scope(user_id="ana"), Scope(user_id="nobody")):
        report = runner_of(memory).run("tidy", [Shelving()], scope=scope, dry_run=True)
        assert (report.dry_run, report.operation, report.state) == (True, None, "done")
        assert report.counts == ({} if scope == Scope(user_id="nobody") else {"archived": NOTES, "made": NOTES})
        assert everything(path) == before


def test_a_run_stays_within_its_scope(memory: Memory) -> None:
    fill(memory, 2, user_id="ana")
    fill(memory, 3, user_id="ana", project="atlas")
    fill(memory, 4, user_id="ben")
    runner = runner_of(memory)
    assert runner.run("tidy", [Shelving()], scope=Scope(user_id="ana")).counts["made"] == 2
    assert runner.run("tidy", [Shelving()], scope=Scope(user_id="ana"), reach=Reach.INSIDE).counts["made"] == 3
    assert runner.run("tidy", [Shelving()], scope=Scope(user_id="nobody")).counts == {}
    assert runner.run("tidy", [Shelving()]).counts["made"] == 4


class Failing:
    name = "fail"

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def run(self, run: Run) -> None:
        run.note("made", "nothing")
        raise self._error


@pytest.mark.parametrize("error", [ProviderUnavailable("the model does not answer"), ValueError("a secret of Ana's")])
def test_a_step_that_fails_is_a_problem_and_the_next_one_goes_on(memory: Memory, error: Exception) -> None:
    fill(memory, 2)
    report = runner_of(memory).run("tidy", [Failing(error), Shelving()])
    assert report.state == "done"
    assert report.counts["archived"] == 2
    (problem,) = report.problems
    assert problem.startswith("fail: ")
    assert "secret" not in problem


def test_a_portion_that_fails_is_as_if_it_had_not_been(memory: Memory, path: Path) -> None:
    fill(memory, NOTES)

    def fail(pk: int, seen: list[int] = []) -> None:  # noqa: B006
        seen.append(pk)
        if len(seen) == PORTION + 2:
            raise ValueError("in the middle of the second portion")

    report = runner_of(memory).run("tidy", [Shelving(inside=fail)])
    assert report.counts == {"archived": PORTION, "made": PORTION}
    assert len(report.items) == 2 * PORTION
    assert len(cards(memory)) == PORTION
    assert runner_of(memory).run("tidy", [Shelving()]).counts["made"] == NOTES - PORTION
    assert_sound(path)


def test_a_portion_that_the_store_writes_twice_counts_once(memory: Memory) -> None:
    """When a group of writes fails as a whole, each is tried again on its own."""
    fill(memory, 2)
    write = memory._engine.store.write

    def twice(work: Any) -> Any:
        class Again(Exception):
            pass

        def first(tx: Tx) -> None:
            work(tx)
            raise Again

        try:
            write(first)
        except Again:
            return write(work)

    engine = memory._engine
    store = type("Store", (), {"write": staticmethod(twice), "read": engine.store.read})()
    report = Runner(store, engine.config, engine.clock, Activity()).run("tidy", [Shelving()])
    assert report.counts == {"archived": 2, "made": 2}
    assert len(report.items) == 4
    assert report.operation is not None
    memory.undo(report.operation)


def test_a_run_that_is_told_to_stop_stops_and_the_next_does_the_rest(memory: Memory) -> None:
    fill(memory, NOTES)
    left = [3]

    def going_on(share: float) -> bool:
        left[0] -= 1
        return left[0] > 0

    stopped = runner_of(memory).run("tidy", [Shelving()], going_on=going_on)
    assert stopped.state == "stopped"
    assert 0 < stopped.progress < 1
    assert "stopped before the end" in stopped.problems[0]
    done = runner_of(memory).run("tidy", [Shelving()])
    assert stopped.counts["made"] + done.counts["made"] == NOTES == len(cards(memory))


def test_progress_is_stored_while_a_run_goes_on(memory: Memory, path: Path) -> None:
    fill(memory, NOTES)
    seen: list[float] = []
    runner_of(memory).run(
        "tidy",
        [Shelving(), Shelving(between=lambda at: None)],
        going_on=lambda share: seen.append(runs_of(path)[0]["progress"]) or True,
    )
    assert seen == sorted(seen)
    assert 0.0 < seen[-1] <= 1.0
    assert len(set(seen)) >= PORTIONS


# --- crashes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("portion", range(PORTIONS))
@pytest.mark.parametrize("where", ["inside", "between"])
def test_a_run_that_died_is_gone_on_with(memory: Memory, path: Path, portion: int, where: str) -> None:
    """Whatever portion it died in or after: one run, one operation, everything once, and undone exactly."""
    fill(memory, NOTES)
    before = visible_state(path)
    calls: list[int] = []

    def crash(at: int) -> None:
        calls.append(at)
        if len(calls) > portion * (PORTION if where == "inside" else 1):
            raise Crash

    with pytest.raises(Crash):
        runner_of(memory).run("tidy", [Shelving(**{where: crash})])
    forget_the_end(memory)
    memory._engine.store.write(
        lambda tx: tx.sql.run("UPDATE run SET lease_until = ?", (memory._engine.clock() - SECOND_US,))
    )
    report = runner_of(memory).run("tidy", [Shelving()])
    assert report.state == "done"
    assert report.counts == {"archived": NOTES, "made": NOTES}, "what was done before the crash counts, once"
    assert "went on" in report.problems[0]
    assert len(runs_of(path)) == 1
    assert cards(memory) == sorted(f"card of note number {n}" for n in range(NOTES))
    assert [done.id for done in memory.operations() if done.verb == "tidy"] == [report.operation]
    memory.undo(report.operation or "")
    assert visible_state(path) == before
    assert_sound(path)


def test_a_run_left_alone_for_days_is_begun_anew(path: Path) -> None:
    clock = Ticking()
    with open_quick(path, clock=clock, embedder=None) as memory:
        fill(memory, NOTES)
        with pytest.raises(Crash):
            runner_of(memory, clock).run("tidy", [Shelving(between=_crash_at(1))])
        forget_the_end(memory)
        clock.skip(3)
        report = runner_of(memory, clock).run("tidy", [Shelving()])
        assert report.problems == ()
        assert report.counts["made"] == NOTES - 2 * PORTION
        assert [run["state"] for run in runs_of(path)] == ["stopped", "done"]


def test_an_undone_run_is_begun_anew(memory: Memory, path: Path) -> None:
    fill(memory, NOTES)
    before = visible_state(path)
    with pytest.raises(Crash):
        runner_of(memory).run("tidy", [Shelving(between=_crash_at(1))])
    memory.undo(next(done.id for done in memory.operations() if done.verb == "tidy"))
    assert visible_state(path) == before
    forget_the_end(memory)
    memory._engine.store.write(lambda tx: tx.sql.run("UPDATE run SET lease_until = ?", (memory._engine.clock() - 1,)))
    report = runner_of(memory).run("tidy", [Shelving()])
    assert report.counts == {"archived": NOTES, "made": NOTES}
    assert [run["state"] for run in runs_of(path)] == ["stopped", "done"]
    memory.undo(report.operation or "")
    assert visible_state(path) == before


def test_undone_while_it_runs_it_goes_on_as_a_new_operation(memory: Memory, path: Path) -> None:
    fill(memory, NOTES)
    before = visible_state(path)

    def undo(at: int) -> None:
        if at == 1:
            memory.undo(next(done.id for done in memory.operations() if done.verb == "tidy"))

    report = runner_of(memory).run("tidy", [Shelving(between=undo)])
    assert len(cards(memory)) == NOTES - 2 * PORTION
    memory.undo(report.operation or "")
    assert visible_state(path) == before


def _crash_at(portion: int) -> Any:
    def crash(at: int) -> None:
        if at == portion:
            raise Crash

    return crash


# --- two at once ------------------------------------------------------------------------------------------------------


def test_while_one_runs_no_other_begins(memory: Memory) -> None:
    fill(memory, NOTES)
    refused: list[str] = []

    def another(at: int) -> None:
        for verb in ("tidy", "dust"):
            with pytest.raises(StoreBusy, match="tidy is under way"):
                runner_of(memory).run(verb, [Shelving()])
            refused.append(verb)
        assert runner_of(memory).run("tidy", [Shelving()], dry_run=True).state == "done", "looking is allowed"

    report = runner_of(memory).run("tidy", [Shelving(between=another)])
    assert report.counts["made"] == NOTES
    assert len(refused) == 2 * PORTIONS
    assert runner_of(memory).run("dust", [Shelving()]).state == "done"


def test_many_threads_do_everything_once(memory: Memory) -> None:
    fill(memory, 30)
    made: list[int] = []

    def work() -> None:
        try:
            made.append(runner_of(memory).run("tidy", [Shelving()]).counts.get("made", 0))
        except StoreBusy:
            made.append(0)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(made) == 30 == len(cards(memory))


def test_who_lost_the_lease_stops_and_the_other_goes_on(path: Path) -> None:
    """The process was asleep for longer than its lease; another one took the run over."""
    clock = Ticking()
    with open_quick(path, clock=clock, embedder=None) as memory:
        fill(memory, NOTES)
        reports = []

        def sleep(at: int) -> None:
            if at == 0:
                clock.now += int((RUN_LEASE_S + 1) * SECOND_US)
                reports.append(runner_of(memory, clock).run("tidy", [Shelving()]))

        late = runner_of(memory, clock).run("tidy", [Shelving(between=sleep)])
        assert late.state == "stopped"
        assert "another process" in late.problems[0]
        assert reports[0].state == "done"
        assert reports[0].counts == {"archived": NOTES, "made": NOTES}
        assert len(cards(memory)) == NOTES
        (kept,) = runs_of(path)
        assert (kept["state"], kept["lease_owner"] != "") == ("done", True)


def test_a_clock_that_was_set_back_locks_nobody_out(path: Path) -> None:
    clock = Ticking()
    with open_quick(path, clock=clock, embedder=None) as memory:
        fill(memory, NOTES)
        with pytest.raises(Crash):
            runner_of(memory, clock).run("tidy", [Shelving(between=_crash_at(0))])
        held = "UPDATE run SET state = 'running', lease_until = ?, lease_owner = 'x'"
        memory._engine.store.write(lambda tx: tx.sql.run(held, (clock.now + 10 * SECOND_US,)))
        with pytest.raises(StoreBusy):
            runner_of(memory, clock).run("tidy", [Shelving()])
        clock.now -= DAY_US // 24
        assert runner_of(memory, clock).run("tidy", [Shelving()]).counts["made"] == NOTES


def test_a_clock_that_jumps_while_it_runs_loses_nothing(path: Path) -> None:
    for jump in (-40 * DAY_US, 40 * DAY_US):
        clock = Ticking()
        place = path.with_name(f"{jump}.db")
        with open_quick(place, clock=clock, embedder=None) as memory:
            fill(memory, NOTES)
            before = visible_state(place)

            def leap(at: int, clock: Ticking = clock, jump: int = jump) -> None:
                clock.now += jump if at == 1 else 0

            report = runner_of(memory, clock).run("tidy", [Shelving(between=leap)])
            assert (report.state, report.counts["made"]) == ("done", NOTES)
            memory.undo(report.operation or "")
            assert visible_state(place) == before


def test_a_process_that_is_no_more_is_known_by_its_name() -> None:
    mine = own_name()
    assert not is_gone(mine)
    machine, pid, started, rest = mine.split("/")
    assert is_gone(f"{machine}/{pid}/1/{rest}"), "another process has its number now"
    assert is_gone(f"{machine}/4194303/{started}/{rest}")
    assert not is_gone(f"elsewhere/{pid}/1/{rest}"), "nothing is known of other machines"
    for odd in (None, "", "1234:abc", f"{machine}/x/1/y", "///"):
        assert not is_gone(odd)


# --- others change the same things meanwhile --------------------------------------------------------------------------


class Twice:
    """Touches the same record in two portions, with somebody else between them."""

    name = "touch"

    def __init__(self, pk: int, between: Any) -> None:
        self._pk, self._between = pk, between

    def run(self, run: Run) -> None:
        for importance in (0.1, 0.2):
            run.portion(lambda tx, op, i=importance: self._touch(tx, op, run, i))  # type: ignore[misc]
            self._between()

    def _touch(self, tx: Tx, op: Op, run: Run, importance: float) -> None:
        tx.records.revise(op, self._pk, {"importance": importance})
        run.note("changed", str(self._pk))


def test_what_others_change_meanwhile_is_undone_in_order(memory: Memory, path: Path) -> None:
    """The run goes on as a newer operation: nothing is put back from under what came after it."""
    added = memory.add("Ana uses vim", infer=False)
    states = [visible_state(path)]
    updates: list[str] = []

    def update() -> None:
        if not updates:
            states.append(visible_state(path))
            updates.append(memory.update(added.id, content="Ana uses Helix").operation or "")
            states.append(visible_state(path))

    report = runner_of(memory).run("tidy", [Twice(1, update)])
    earlier, later = [done.id for done in memory.operations() if done.verb == "tidy"][::-1]
    assert report.operation == later
    assert any(earlier in problem for problem in report.problems)
    for operation in (updates[0], earlier):
        with pytest.raises(UndoRefused):
            memory.undo(operation)
    for operation, state in zip((later, updates[0], earlier), states[::-1], strict=True):
        memory.undo(operation)
        assert visible_state(path) == state


def test_what_others_change_elsewhere_does_not_part_a_run(memory: Memory, path: Path) -> None:
    fill(memory, NOTES)
    other = memory.add("Ben uses nano", infer=False)
    before = visible_state(path)
    report = runner_of(memory).run("tidy", [Shelving(between=lambda at: memory.update(other.id, importance=0.1 * at))])
    assert [done.id for done in memory.operations() if done.verb == "tidy"] == [report.operation]
    memory.undo(report.operation or "")
    now = visible_state(path)
    now.pop(other.id)
    before.pop(other.id)
    assert now == before


def test_an_operation_that_changed_nothing_is_not_kept(memory: Memory) -> None:
    class Looking:
        name = "look"

        def run(self, run: Run) -> None:
            run.portion(lambda tx, op: None)

    assert runner_of(memory).run("look", [Looking()]).operation is None
    assert memory.operations() == []


def test_what_was_changed_without_a_word_can_be_undone_all_the_same(memory: Memory, path: Path) -> None:
    added = memory.add("Ana uses vim", infer=False)
    before = visible_state(path)

    class Silent:
        name = "silent"

        def run(self, run: Run) -> None:
            run.portion(lambda tx, op: tx.records.revise(op, 1, {"importance": 0.9}))

    report = runner_of(memory).run("silent", [Silent()])
    record = memory.get(added.id)
    assert record is not None
    assert record.importance == 0.9
    memory.undo(report.operation or "")
    assert visible_state(path) == before


def test_old_runs_are_forgotten(memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.runs.RUNS_KEPT", 3)
    for _ in range(8):
        runner_of(memory).run("tidy", [Shelving()])
    assert len(runs_of(path)) == 4
    assert [report.verb for report in runner_of(memory).recent(10)] == ["tidy"] * 4
    assert memory.operations() == []
