"""Whatever was done can be taken back exactly, and nothing can be taken back from under something else."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from properties.tables import (
    DEEP,
    TIMES,
    State,
    assert_indexes_agree,
    assert_sound,
    cold,
    open_quick,
    visible_state,
)
from recollect.errors import CycleRefused, NotFound, StatementEnded, UndoRefused
from recollect.memory import Memory

WORDS = ("tea", "rome", "parse_config", "helix", "vim", "running")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
users = st.sampled_from([None, "ana", "bob"])
labels = st.sampled_from(["relates_to", "validates", "derived_from", "depends_on", "contradicts"])
changes = st.fixed_dictionaries(
    {},
    optional={
        "content": texts,
        "importance": st.sampled_from([0.1, 0.9]),
        "tags": st.sampled_from([["a"], ["b", "c"], []]),
        "metadata": st.sampled_from([{"k": 1}, {"k": 2, "l": [1, {"m": None}]}]),
        "tier": st.sampled_from(["task", "longterm", "archive"]),
        "kind": st.sampled_from(["semantic", "opinion"]),
        "flagged": st.booleans(),
    },
).filter(bool)


class Step:
    """One operation with the world before and after it."""

    def __init__(self, operation: str, before: State, after: State) -> None:
        self.operation = operation
        self.before = before
        self.after = after

    def touched(self) -> list[str]:
        keys = self.before.keys() | self.after.keys()
        return [key for key in keys if self.before.get(key) != self.after.get(key)]


class Undoing(RuleBasedStateMachine):
    """Random work on one store; every undo is checked against what was seen before."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "m.db"
        self.memory = open_quick(self.path)
        self.now = visible_state(self.path)
        self.steps: list[Step] = []

    def teardown(self) -> None:
        try:
            assert_sound(self.path)
            assert_indexes_agree(self.memory)
            self._same_answers()
        finally:
            self.memory.close()
            shutil.rmtree(self.folder)

    def done(self, operation: str | None) -> None:
        before, self.now = self.now, visible_state(self.path)
        assert operation is not None
        self.steps.append(Step(operation, before, self.now))

    def records(self) -> list[str]:
        return [key for key, value in self.now.items() if "content" in value]

    def edges(self) -> list[str]:
        return [key for key, value in self.now.items() if "label" in value]

    # --- work ---------------------------------------------------------------------------------------------------

    @rule(content=texts, user=users)
    def add(self, content: str, user: str | None) -> None:
        self.done(self.memory.add(content, user_id=user, importance=0.3).operation)

    @rule(turns=st.lists(texts, min_size=1, max_size=3), user=users)
    def add_turns(self, turns: list[str], user: str | None) -> None:
        messages = [{"role": "user", "content": turn} for turn in turns]
        self.done(self.memory.add(messages, session_id="s", user_id=user).operation)

    @precondition(lambda self: self.records())
    @rule(data=st.data(), new=changes)
    def update(self, data: st.DataObject, new: dict[str, Any]) -> None:
        self.done(self.memory.update(data.draw(st.sampled_from(self.records())), **new).operation)

    @precondition(lambda self: self.records())
    @rule(data=st.data(), content=texts)
    def correct(self, data: st.DataObject, content: str) -> None:
        chosen = data.draw(st.sampled_from(self.records()))
        try:
            done = self.memory.correct(chosen, content, reason="seen otherwise")
        except StatementEnded:
            self._ended(chosen)
            return
        self.done(done.operation)

    @precondition(lambda self: self.records())
    @rule(data=st.data(), verb=st.sampled_from(["confirm", "flag", "feedback"]), helpful=st.booleans())
    def judge(self, data: st.DataObject, verb: str, helpful: bool) -> None:
        """What is said of one record moves others, too; the question is like none that is asked here."""
        chosen = data.draw(st.sampled_from(self.records()))
        more: dict[str, dict[str, Any]] = {
            "confirm": {},
            "flag": {"reason": "seen otherwise"},
            "feedback": {"helpful": helpful, "query": "zeppelin"},
        }
        try:
            done = getattr(self.memory, verb)(chosen, **more[verb])
        except StatementEnded:
            assert verb == "confirm"
            self._ended(chosen)
            return
        self.done(done.operation)

    def _ended(self, chosen: str) -> None:
        """It was refused because a correction had ended it, and nothing was changed by half."""
        assert self.now[chosen]["valid_until"] is not None
        assert visible_state(self.path) == self.now

    @precondition(lambda self: self.records())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        self.done(self.memory.delete(data.draw(st.sampled_from(self.records()))).operation)

    @rule(user=st.sampled_from(["ana", "bob"]))
    def delete_all(self, user: str) -> None:
        self.done(self.memory.delete_all(user_id=user).operation)

    @precondition(lambda self: len(self.records()) >= 2)
    @rule(data=st.data(), label=labels)
    def relate(self, data: st.DataObject, label: str) -> None:
        pair = data.draw(st.lists(st.sampled_from(self.records()), min_size=2, max_size=2, unique=True))
        try:
            self.memory.relate(*pair, label)
        except CycleRefused:
            assert visible_state(self.path) == self.now
            return
        self.done(self.memory.operations(limit=1)[0].id)

    @precondition(lambda self: self.edges())
    @rule(data=st.data())
    def unrelate(self, data: st.DataObject) -> None:
        self.done(self.memory.unrelate(data.draw(st.sampled_from(self.edges()))).operation)

    # --- taking it back -----------------------------------------------------------------------------------------

    @precondition(lambda self: self.steps)
    @rule()
    def undo_the_last(self) -> None:
        """Nothing can stand in the way of the newest operation, be it an undo itself."""
        last = self.steps[-1]
        self.done(self.memory.undo(last.operation).operation)
        assert self.now == last.before

    @precondition(lambda self: self.steps)
    @rule(data=st.data())
    def undo_any(self, data: st.DataObject) -> None:
        """Either it is refused and says why, or exactly what it touched goes back to what it was."""
        step = data.draw(st.sampled_from(self.steps))
        try:
            operation = self.memory.undo(step.operation).operation
        except UndoRefused as refused:
            assert visible_state(self.path) == self.now
            self._check_refusal(step, refused)
            return
        for key in step.touched():
            assert self.now.get(key) == step.after.get(key), "undone from under later work"
        expected = dict(self.now)
        for key in step.touched():
            expected.pop(key, None)
            if key in step.before:
                expected[key] = step.before[key]
        self.done(operation)
        assert self.now == expected

    @precondition(lambda self: self.steps)
    @rule()
    def undo_everything(self) -> None:
        """Newest first, over and over until nothing is left that can be undone: then nothing is left at all."""
        for operation in self.memory.operations(limit=10_000):
            if operation.undoes is None and not operation.undone:
                self.done(self.memory.undo(operation.id).operation)
        assert self.now == {}

    def _check_refusal(self, step: Step, refused: UndoRefused) -> None:
        known = {operation.id: operation for operation in self.memory.operations(limit=10_000)}
        if known[step.operation].undone:
            assert "undone already" in str(refused)
            return
        named = re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", str(refused))
        order = [one.operation for one in self.steps]
        assert named, "a refusal must name what to undo first"
        for operation in named:
            assert order.index(operation) > order.index(step.operation)
            assert not known[operation].undone

    def _same_answers(self) -> None:
        """A search finds the live records and no other, warm or cold."""
        reach: dict[str, Any] = {"reach": "all", "top_k": 1000, "tiers": ["task", "session", "longterm", "archive"]}
        current = [i for i, value in self.now.items() if "content" in value and value["valid_until"] is None]
        found = {hit.id for hit in self.memory.search(" ".join(WORDS), **reach)}
        assert found == set(current)
        with cold(self.memory):
            assert {hit.id for hit in self.memory.search(" ".join(WORDS), **reach)} == found

    @invariant()
    def ids_are_unique(self) -> None:
        operations = [operation.id for operation in self.memory.operations(limit=10_000)]
        assert len(operations) == len(set(operations))


TestUndoing = Undoing.TestCase
TestUndoing.pytestmark = [pytest.mark.timeout(0 if DEEP else 120)]
TestUndoing.settings = settings(max_examples=2_000 if DEEP else 25 * TIMES, stateful_step_count=40 if DEEP else 22)


def test_later_work_stands_in_the_way_and_is_named(memory: Memory) -> None:
    added = memory.add("Ana uses vim")
    updated = memory.update(added.id, content="Ana uses Helix")
    flagged = memory.update(added.id, flagged=True)
    with pytest.raises(UndoRefused, match=f"{flagged.operation}.*{updated.operation}"):
        memory.undo(added.operation or "")
    memory.undo(flagged.operation or "")
    memory.undo(updated.operation or "")
    record = memory.get(added.id)
    assert record is not None
    assert (record.content, record.version) == ("Ana uses vim", 1)
    memory.undo(added.operation or "")
    assert memory.get(added.id) is None


def test_an_undo_stands_in_the_way_of_the_undo_it_rests_on(memory: Memory) -> None:
    """Taking back the update made room to take back the add; bringing the update back needs the add first."""
    added = memory.add("one")
    updated = memory.update(added.id, content="two")
    first = memory.undo(updated.operation or "")
    second = memory.undo(added.operation or "")
    with pytest.raises(UndoRefused, match=str(second.operation)):
        memory.undo(first.operation or "")
    memory.undo(second.operation or "")
    memory.undo(first.operation or "")
    record = memory.get(added.id)
    assert record is not None
    assert record.content == "two"


def test_undo_and_redo_as_often_as_one_likes(memory: Memory) -> None:
    """An operation knows whether it holds after any number of turns, and is undone once at a time."""
    added = memory.add("one")
    newest = updated = memory.update(added.id, content="two")
    for turn in range(1, 8):
        newest = memory.undo(newest.operation or "")
        record = memory.get(added.id)
        assert record is not None
        assert record.content == ("one" if turn % 2 else "two")
        states = {operation.id: operation.undone for operation in memory.operations()}
        assert states[updated.operation or ""] is bool(turn % 2)
    with pytest.raises(UndoRefused, match="undone already"):
        memory.undo(updated.operation or "")


def test_undo_of_an_erasure_is_refused(memory: Memory) -> None:
    added = memory.add("a secret")
    updated = memory.update(added.id, content="another secret")
    erased = memory.delete(added.id, hard=True)
    for operation in (erased.operation, updated.operation, added.operation):
        with pytest.raises(UndoRefused, match="nothing left to restore"):
            memory.undo(operation or "")
    with pytest.raises(NotFound):
        memory.history(added.id)


def test_undo_of_a_batch_leaves_the_rest_alone(memory: Memory) -> None:
    kept = memory.add("kept").id
    batch = memory.add([f"turn {number}" for number in range(500)])
    memory.undo(batch.operation or "")
    assert [record.id for record in memory.get_all(limit=1000)] == [kept]
    redone = memory.operations(limit=1)[0].id
    memory.undo(redone)
    assert len(memory.get_all(limit=1000)) == 501
