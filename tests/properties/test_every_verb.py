"""All verbs on one store in any order, beside a model that knows nothing of the code: a table of what should be there.

The model holds each record with its versions, each relation, and what each operation did to them; from that it says
what the store must answer. Verbs that it does not know by name are called with arguments of the right shape, and must
leave everything that it does know as it was.

A quick run takes some hundred steps. The slow one takes `RECOLLECT_STEPS`; it prints how many it took.
"""

from __future__ import annotations

import io
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from properties.test_grants import arguments_for
from recollect.errors import CycleRefused, NotFound, RecollectError, UndoRefused
from recollect.facade.handle import engine_of
from recollect.verbs.signature import signature_of
from recollect.verbs.table import VERBS
from recollect.verbs.verb import Verb
from recollect.wiring import open_memory

STEPS_IN_A_LIFE, LIVES_IN_A_ROUND = 60, 500
SLOW_STEPS = int(os.environ.get("RECOLLECT_STEPS", "20_000"))
SHRINKS = os.environ.get("RECOLLECT_SHRINK", "1") == "1"  # takes minutes
USERS = (None, "ana", "ben")
LABELS = ("relates_to", "supports", "depends_on")
# What the rules below do; the rest of the table is called as it comes.
KNOWN = {
    *("add", "update", "correct", "delete", "delete_all", "undo", "relate", "unrelate", "get", "get_all", "history"),
    *("search", "related", "relations", "stats", "counts", "operations", "export", "import", "erase_user", "erase"),
}
SELDOM = {"maintain": 20, "consolidate": 8, "replay": 8, "decay": 4, "prune": 8, "reembed": 4, "reason": 4, "doctor": 8}
LEFT_OUT = {"code_watch"}  # watches until it is told to stop
OTHERS = [verb for verb in VERBS if verb.name not in KNOWN | LEFT_OUT]
# Verbs that end or change records by their own rules when they are told of them, as they are meant to.
CHANGING = {"answer", "retain", "refuse", "approve", "bus_withdraw", "publish"}
TAKEN = Counter[str]()  # steps of this process, by verb
STATES = set[int]()  # what the model held after some step, told apart by everything but texts and ids


@dataclass
class Kept:
    """One record as it should be. Texts are unique, so a record is known by any of them."""

    user: str | None
    texts: list[str]  # oldest first; the last one is what it says
    kept: bool = True  # not deleted
    ended_by: str | None = None  # the record that corrected it: it holds again when that one goes
    importance: float = 0.5
    tags: tuple[str, ...] = ()


@dataclass
class Change:
    """What an operation did: records and relations before and after. What was erased of them is in neither."""

    before: dict[str, Any]
    after: dict[str, Any]
    erased: bool = False  # something was; what is left can be taken back still, if it is anything


@dataclass
class Shelf:
    """The model."""

    records: dict[str, Kept] = field(default_factory=dict)
    edges: dict[str, tuple[str, str, str, bool]] = field(default_factory=dict)  # from, to, label, whether it holds
    changes: dict[str, Change] = field(default_factory=dict)

    def holds(self, id_: str) -> bool:
        """Neither deleted nor ended by a correction that is still there."""
        kept = self.records.get(id_)
        if kept is None or not kept.kept:
            return False
        ender = self.records.get(kept.ended_by or "")
        return ender is None or not ender.kept

    def live(self) -> dict[str, str]:
        return {id_: kept.texts[-1] for id_, kept in self.records.items() if self.holds(id_)}

    def holding(self) -> list[str]:
        """Relations that hold, among records that live; in the order of their making, as everything here."""
        live = self.live()
        return [id_ for id_, (a, b, _, holds) in self.edges.items() if holds and a in live and b in live]

    def seen_from(self, user: str | None) -> dict[str, str]:
        return {id_: text for id_, text in self.live().items() if self.records[id_].user in (None, user)}

    def shape(self) -> int:
        """A number for what is here, whatever it says and is called."""
        at = {id_: number for number, id_ in enumerate(self.records)}
        records = tuple(
            (each.user, len(each.texts), each.kept, at.get(each.ended_by or ""), each.importance, each.tags)
            for each in self.records.values()
        )
        return hash((records, tuple((at.get(a), at.get(b), *more) for a, b, *more in self.edges.values())))

    def note(self, operation: str | None, before: dict[str, Any], after: dict[str, Any]) -> None:
        assert operation
        self.changes[operation] = Change(
            dict(before), dict(after)
        )  # its own: an undo tells the same the other way round

    def put(self, entries: dict[str, Any]) -> None:
        for id_, entry in entries.items():
            place: dict[str, Any] = self.records if isinstance(entry, Kept) else self.edges
            place[id_] = deepcopy(entry)

    def forget(self, ids: set[str]) -> None:
        """For good: what was done to them cannot be taken back any more."""
        for id_ in ids:
            self.records.pop(id_, None)
        for id_ in [id_ for id_, (a, b, *_) in self.edges.items() if {a, b} & ids]:
            del self.edges[id_]
            ids = ids | {id_}
        for change in self.changes.values():
            for gone in ids & change.after.keys():
                del change.before[gone], change.after[gone]
                change.erased = True


class EveryVerb(RuleBasedStateMachine):
    """Random lives of one store."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = open_memory(
            ":memory:",
            embedder="fake",
            background=False,
            config={"upkeep.scheduled": False, "upkeep.after_session": False, "security.injection_screen": False},
        )
        engine_of(self.memory).worker.close()  # what is done between calls is done by `settle`, at its turn
        self.shelf = Shelf()
        self.number = 0
        self.chance = random.Random(0)

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def teardown(self) -> None:
        try:
            self.look_at_all()
            self.comes_back_from_a_file()
            assert [each for each in self.memory.doctor() if not each.ok and each.check != "disk"] == []
        finally:
            self.memory.close()

    # --- what callers of `arguments_for` have ------------------------------------------------------------------

    def ids(self) -> list[str]:
        return list(self.shelf.records) or ["00000000-0000-4000-8000-000000000000"]

    @property
    def edges(self) -> list[str]:
        return list(self.shelf.edges) or self.ids()

    @property
    def operations(self) -> list[str]:
        return list(self.shelf.changes) or self.ids()

    # --- writing -------------------------------------------------------------------------------------------------

    def text(self) -> str:
        self.number += 1
        return f"note kx{self.number:05} on {self.chance.choice(('tea', 'ferries', 'the piano', 'rain'))}"

    def pick(self, *, live: bool = True) -> str:
        return self.chance.choice(list(self.shelf.live() if live else self.shelf.records))

    def has_live(self) -> bool:
        return bool(self.shelf.live())

    @rule(user=st.sampled_from(USERS), count=st.integers(1, 3))
    def add(self, user: str | None, count: int) -> None:
        TAKEN["add"] += 1
        texts = [self.text() for _ in range(count)]
        done = self.memory.add(texts if count > 1 else texts[0], infer=False, user_id=user)
        assert len(set(done.ids)) == count
        made = {id_: Kept(user, [text]) for id_, text in zip(done.ids, texts, strict=True)}
        self.shelf.put(made)
        self.shelf.note(
            done.operation, {id_: Kept(user, [kept.texts[0]], kept=False) for id_, kept in made.items()}, made
        )
        self.look()

    @precondition(has_live)
    @rule(what=st.sampled_from(["content", "importance", "tags", "correct"]))
    def change(self, what: str) -> None:
        id_ = self.pick()
        kept = self.shelf.records[id_]
        before, after = deepcopy(kept), deepcopy(kept)
        TAKEN["correct" if what == "correct" else "update"] += 1
        if what == "correct":
            return self.correct(id_)
        if what == "content":
            after.texts.append(self.text())
            done = self.memory.update(id_, content=after.texts[-1])
        elif what == "importance":
            after.importance = self.chance.choice((0.1, 0.2, 0.9))
            done = self.memory.update(id_, importance=after.importance)
        else:
            after.tags = (self.chance.choice("abc"),)
            done = self.memory.update(id_, tags=list(after.tags))
        self.shelf.put({id_: after})
        self.shelf.note(done.operation, {id_: before}, {id_: after})
        return self.look()

    def correct(self, id_: str) -> None:
        """What was said is ended by a record of its own."""
        text, kept = self.text(), self.shelf.records[id_]
        done = self.memory.correct(id_, text)
        (new,) = set(done.ids) - {id_}
        before = {id_: deepcopy(kept), new: Kept(kept.user, [text], kept=False, tags=kept.tags)}
        after = {id_: deepcopy(kept), new: Kept(kept.user, [text], tags=kept.tags)}
        after[id_].ended_by = new
        self.shelf.put(after)
        self.shelf.note(done.operation, before, after)
        self.look()

    @precondition(has_live)
    @rule(hard=st.booleans())
    def delete(self, hard: bool) -> None:
        TAKEN["delete"] += 1
        id_ = self.pick()
        hard = hard and self.chance.random() < 0.3
        before = deepcopy(self.shelf.records[id_])
        done = self.memory.delete(id_, hard=hard)
        if hard:
            self.shelf.forget({id_})
            with pytest.raises(NotFound):
                self.memory.history(id_)
        else:
            after = deepcopy(before)
            after.kept = False
            self.shelf.put({id_: after})
            self.shelf.note(done.operation, {id_: before}, {id_: after})
        self.look()

    @rule(user=st.sampled_from(USERS[1:]), verb=st.sampled_from(["delete_all", "delete_all", "erase_user", "erase"]))
    def sweep(self, user: str, verb: str) -> None:
        TAKEN[verb] += 1
        own = {id_ for id_, kept in self.shelf.records.items() if kept.user == user}
        if verb == "delete_all":
            going = {id_: deepcopy(self.shelf.records[id_]) for id_ in own if self.shelf.records[id_].kept}
            done = self.memory.delete_all(user_id=user)
            gone = deepcopy(going)
            for kept in gone.values():
                kept.kept = False
            self.shelf.put(gone)
            if going:
                self.shelf.note(done.operation, going, gone)
        else:
            self.memory.erase_user(user) if verb == "erase_user" else self.memory.erase(user_id=user)
            self.shelf.forget(own)
            assert list(self.memory.get_all(user_id=user, filters={"user_id": user})) == []
        self.look()

    @precondition(lambda self: len(self.shelf.live()) > 1)
    @rule(label=st.sampled_from(LABELS))
    def relate(self, label: str) -> None:
        TAKEN["relate"] += 1
        one, other = self.chance.sample(list(self.shelf.live()), 2)
        try:
            done = self.memory.relate(one, other, label)
        except CycleRefused:
            assert label == "depends_on"
            return
        edge = str(done)
        operation = self.memory.operations(limit=1)[0].id
        was = self.shelf.edges.get(edge, (one, other, label, False))
        self.shelf.put({edge: (*was[:3], True)})
        if not was[3]:
            self.shelf.note(operation, {edge: was}, {edge: (*was[:3], True)})
        self.look()

    @precondition(lambda self: self.shelf.holding())
    @rule()
    def unrelate(self) -> None:
        TAKEN["unrelate"] += 1
        edge = self.chance.choice(self.shelf.holding())
        before = self.shelf.edges[edge]
        done = self.memory.unrelate(edge)
        self.shelf.put({edge: (*before[:3], False)})
        self.shelf.note(done.operation, {edge: before}, {edge: (*before[:3], False)})
        self.look()

    @precondition(lambda self: self.shelf.changes)
    @rule(newest=st.booleans())
    def undo(self, newest: bool) -> None:
        """Taken back exactly, or refused because something rests on it; then nothing has changed."""
        TAKEN["undo"] += 1
        names = list(self.shelf.changes)
        operation = names[-1] if newest else self.chance.choice(names)
        change = self.shelf.changes[operation]
        unchanged = all(self.now_of(id_) == entry for id_, entry in change.after.items())
        newest = operation == self.memory.operations(limit=1)[0].id  # other verbs do things to records, too
        try:
            done = self.memory.undo(operation)
        except (UndoRefused, NotFound):
            assert not (unchanged and newest) or change.erased, f"the newest operation is not taken back: {change}"
        else:
            assert unchanged, f"taken back from under something else: {change}"
            self.shelf.put(change.before)
            self.shelf.note(done.operation, change.after, change.before)
        self.look()

    def now_of(self, id_: str) -> Any:
        return self.shelf.records.get(id_) or self.shelf.edges.get(id_)

    # --- reading -------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.shelf.records)
    @rule(user=st.sampled_from(USERS))
    def read(self, user: str | None) -> None:
        TAKEN["get"] += 1
        TAKEN["history"] += 1
        id_ = self.pick(live=False)
        kept = self.shelf.records[id_]
        found = self.memory.get(id_)
        seen = self.memory.scoped(user_id=user).get(id_) if user else found
        assert (found is not None and found.retired_at is None) == kept.kept
        if kept.kept:
            assert found is not None
            assert (found.valid_until is None) == self.shelf.holds(id_)
        if self.shelf.holds(id_):
            assert found is not None
            assert (found.content, tuple(found.tags)) == (kept.texts[-1], kept.tags)
            assert (seen is not None) == (user is None or kept.user in (None, user))
        told = [entry.record.content for entry in self.memory.history(id_) if entry.record is not None]
        assert set(kept.texts) >= {text for text in told if text in kept.texts}
        assert set(kept.texts) <= set(told) | {kept.texts[-1]}

    @precondition(has_live)
    @rule(user=st.sampled_from(USERS))
    def search(self, user: str | None) -> None:
        TAKEN["search"] += 1
        id_ = self.pick()
        kept, seen = self.shelf.records[id_], self.shelf.seen_from(user)
        word = kept.texts[-1].split()[1]
        found = [hit.id for hit in self.memory.search(word, user_id=user, top_k=5).hits]
        if id_ in seen:
            assert id_ in found
        ours = [each for each in found if each in self.shelf.records]
        assert set(ours) <= seen.keys()

    @precondition(lambda self: self.shelf.holding())
    @rule()
    def related(self) -> None:
        TAKEN["related"] += 1
        edge = self.chance.choice(self.shelf.holding())
        one, other, *_ = self.shelf.edges[edge]
        assert other in {each.id for each in self.memory.related(one)}

    @rule(index=st.integers(0, len(OTHERS) - 1), seed=st.integers(0, 2**16))
    def any_other(self, index: int, seed: int) -> None:
        """A verb that the model says nothing about: it answers or refuses, and what the model knows stays."""
        verb, self.chance = OTHERS[index], random.Random(seed)
        if self.chance.randrange(SELDOM.get(verb.name, 1)):
            return
        TAKEN[verb.name] += 1
        given = arguments_for(self, verb) | self.somewhere(verb)  # type: ignore[arg-type]
        before = deepcopy(self.shelf)
        try:
            verb.of(self.memory)(**given)
        except RecollectError:
            self.shelf = before
            self.look()
            return
        if verb.name in CHANGING or not verb.writes:
            self.learn() if verb.writes else self.look()
        else:
            self.look()

    def somewhere(self, verb: Verb) -> dict[str, Any]:
        takes = {each.name for each in signature_of(verb).parameters if each.scope}
        user = self.chance.choice(USERS)
        return {"user_id": user} if "user_id" in takes and user else {}

    def learn(self) -> None:
        """Take over what a verb did to records by rules of its own: which live, and nothing else."""
        there = {record.id: record for record in self.everything()}
        for id_, kept in self.shelf.records.items():
            kept.kept = id_ in there or (kept.kept and kept.ended_by is not None)
            if id_ in there and there[id_].content != kept.texts[-1]:
                kept.texts.append(there[id_].content)

    # --- the comparison ----------------------------------------------------------------------------------------

    def everything(self) -> Iterator[Any]:
        return iter(self.memory.get_all(reach="all", limit=5_000))

    def look(self) -> None:
        """What lives is what should, in the words it should have."""
        found = {record.id: record.content for record in self.everything() if record.id in self.shelf.records}
        expected = self.shelf.live()
        STATES.add(self.shelf.shape())
        assert found == expected, {
            "lost": {id_: text for id_, text in expected.items() if id_ not in found},
            "back": {id_: text for id_, text in found.items() if id_ not in expected},
        }

    def look_at_all(self) -> None:
        """The same with what is joined, and what is counted."""
        self.look()
        told = {edge.id for edge in self.memory.relations(limit=1_000).edges}
        assert {edge for edge in told if edge in self.shelf.edges} == set(self.shelf.holding())
        ended = [id_ for id_, kept in self.shelf.records.items() if kept.kept and not self.shelf.holds(id_)]
        assert self.memory.stats()["records"] >= len(list(self.everything())) + len(ended)

    def comes_back_from_a_file(self) -> None:
        """An export of everything, taken in by an empty store, is the same again."""
        file = io.BytesIO()
        self.memory.export(file, format="jsonl")
        lines = [json.loads(line) for line in file.getvalue().splitlines()]
        assert lines
        with open_memory(":memory:", embedder=None, background=False) as other:
            other.import_(io.BytesIO(file.getvalue()))
            found = {record.id: record.content for record in other.get_all(reach="all", limit=5_000)}
        ours = {id_: text for id_, text in found.items() if id_ in self.shelf.records}
        assert ours == self.shelf.live()


def lives(count: int, *, shrink: bool, seed: bool) -> settings:
    """So many lives; those of the quick run are the same each time."""
    phases = (Phase.explicit, Phase.generate, *((Phase.shrink,) if shrink else ()))
    return settings(
        settings.get_profile("default"),
        max_examples=count,
        stateful_step_count=STEPS_IN_A_LIFE,
        phases=phases,
        derandomize=seed,
    )


def test_every_verb_in_any_order_leaves_what_the_model_says() -> None:
    run_state_machine_as_test(EveryVerb, settings=lives(3, shrink=False, seed=True))


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_every_verb_in_any_order_over_many_steps() -> None:
    """Round after round, each with chances of its own: what hypothesis keeps of a round would grow without end."""
    TAKEN.clear()
    while (left := SLOW_STEPS - sum(TAKEN.values())) > 0:
        count = min(LIVES_IN_A_ROUND, -(-left // STEPS_IN_A_LIFE))
        run_state_machine_as_test(EveryVerb, settings=lives(count, shrink=SHRINKS, seed=False))
        print(f"{sum(TAKEN.values())} steps of {len(TAKEN)} verbs through {len(STATES)} states", flush=True)
    assert not {verb.name for verb in OTHERS} - TAKEN.keys() or SLOW_STEPS < 10_000
