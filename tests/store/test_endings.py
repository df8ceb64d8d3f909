"""What ends a statement, what only may have, and how either is taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from properties.tables import open_quick, visible_state
from ticking import Ticking

from recollect.clock import to_us
from recollect.model.ending import Decider, EndCause
from recollect.model.record import Record
from recollect.store.base import Tx
from recollect.store.edges import ToldEdge
from recollect.store.journal import Op

MOVED = datetime(2025, 5, 2, tzinfo=UTC)
SURE = EndCause(by=Decider.MODEL, probability=0.93, reason="home: Lisbon → Porto", about=("home",))
UNSURE = EndCause(by=Decider.MODEL, probability=0.55, reason="home: Lisbon → Porto")
Do = Callable[[Tx, Op], Any]


class Life:
    """A memory that holds where Ana lived, and who says so."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Ticking()
        self.memory = open_quick(path, clock=self.clock, config={"upkeep.after_session": False})
        self.lisbon = self.told("Ana lives in Lisbon", timestamp="2024-11-20")
        self.porto = self.told("Ana lives in Porto", timestamp="2025-05-02")
        self.told("Ana has a dog named Rex")

    def told(self, text: str, **more: Any) -> str:
        self.clock.skip(3)
        return self.memory.add(text, user_id="ana", kind="semantic", **more).ids[0]

    def do(self, work: Do) -> str:
        """One operation of upkeep; its id."""

        def change(tx: Tx) -> str:
            op = tx.journal.begin("consolidate", at=self.clock())
            work(tx, op)
            op.finish(1)
            return op.id

        return self.memory._engine.store.write(change)

    def pk(self, tx: Tx, record_id: str) -> int:
        return tx.records.keys_by_id([record_id])[record_id]

    def end(self, newer: str, older: str, cause: EndCause = SURE) -> str:
        return self.do(
            lambda tx, op: tx.endings.end(op, older=self.pk(tx, older), newer=self.pk(tx, newer), cause=cause)
        )

    def doubt(self, newer: str, older: str, cause: EndCause = UNSURE) -> str:
        return self.do(
            lambda tx, op: tx.endings.doubt(op, older=self.pk(tx, older), newer=self.pk(tx, newer), cause=cause)
        )

    def record(self, record_id: str) -> Record:
        found = self.memory.get(record_id)
        assert found is not None
        return found

    def holds(self, record_id: str) -> bool:
        return self.record(record_id).valid_until is None

    def edges(self, record_id: str) -> dict[str, ToldEdge]:
        """The live ends and doubts of a record, by label."""
        with self.memory._engine.store.read() as tx:
            found = tx.edges.told(("supersedes", "may_replace"), now=self.clock(), among=[self.pk(tx, record_id)])
        return {edge.label: edge for edge in found}


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    opened = Life(tmp_path / "m.db")
    yield opened
    opened.memory.close()


def test_an_end_says_until_when_by_which_record_by_what_probability_and_why(life: Life) -> None:
    life.end(life.porto, life.lisbon)
    assert life.record(life.lisbon).valid_until == MOVED
    edge = life.edges(life.porto)["supersedes"]
    assert (edge.source, edge.target) == (life.porto, life.lisbon)
    assert (edge.confidence, edge.evidence, edge.attributes["by"]) == (0.93, ["home: Lisbon → Porto"], "model")
    assert edge.attributes["about"] == ["home"]


def test_a_doubt_ends_nothing_and_is_noted_once(life: Life) -> None:
    life.doubt(life.porto, life.lisbon)
    life.doubt(life.porto, life.lisbon)
    assert life.holds(life.lisbon)
    edges = life.memory.related(life.lisbon, labels=["may_replace"]).edges
    assert [(edge.label, edge.confidence) for edge in edges] == [("may_replace", 0.55)]


def test_an_end_settles_the_doubt_before_it(life: Life) -> None:
    life.doubt(life.porto, life.lisbon)
    life.end(life.porto, life.lisbon)
    assert set(life.edges(life.porto)) == {"supersedes"}


def test_a_person_who_rejects_an_end_or_a_doubt_is_not_asked_again(life: Life) -> None:
    life.doubt(life.porto, life.lisbon)
    life.memory.unrelate(life.edges(life.porto)["may_replace"].id)
    life.doubt(life.porto, life.lisbon)
    life.end(life.porto, life.lisbon)
    assert life.holds(life.lisbon)
    assert life.edges(life.porto) == {}


@pytest.mark.parametrize("withdraw", ["unrelate", "flag"])
def test_an_end_whose_edge_a_person_withdraws_is_lifted(life: Life, withdraw: str) -> None:
    life.end(life.porto, life.lisbon)
    before = visible_state(life.path)
    edge = life.edges(life.porto)["supersedes"].id
    more = {"reason": "she only visited"} if withdraw == "flag" else {}
    receipt = getattr(life.memory, withdraw)(edge, **more)
    assert life.holds(life.lisbon)
    life.end(life.porto, life.lisbon)
    assert life.holds(life.lisbon)
    life.memory.undo(receipt)
    assert visible_state(life.path) == before


@pytest.mark.parametrize("hard", [False, True])
def test_what_a_deleted_record_had_ended_holds_again(life: Life, hard: bool) -> None:
    since = life.record(life.lisbon).valid_from
    life.end(life.porto, life.lisbon)
    receipt = life.memory.delete(life.porto, hard=hard)
    assert life.holds(life.lisbon)
    assert life.record(life.lisbon).valid_from == since
    if not hard:
        life.memory.undo(receipt)
        assert not life.holds(life.lisbon)
        life.memory.undo(life.memory.operations()[0])
        assert life.holds(life.lisbon)


def test_a_record_that_two_ended_holds_again_when_both_are_gone(life: Life) -> None:
    braga = life.told("Ana lives in Braga")
    life.end(life.porto, life.lisbon)
    life.memory.relate(braga, life.lisbon, "supersedes")
    life.memory.delete(life.porto)
    assert not life.holds(life.lisbon)
    life.memory.delete(braga)
    assert not life.holds(life.lisbon), "the end was the other's, which nobody can say is wrong any more"


def test_an_end_that_was_set_otherwise_since_stays(life: Life) -> None:
    life.end(life.porto, life.lisbon)
    life.memory.update(life.lisbon, valid_until="2026-01-01")
    life.memory.delete(life.porto)
    assert life.record(life.lisbon).valid_until == datetime(2026, 1, 1, tzinfo=UTC)


def test_undoing_the_operation_that_stored_the_ending_record_lifts_the_end(life: Life) -> None:
    receipt = life.memory.add("Ana lives in Faro", user_id="ana", kind="semantic")
    life.end(receipt.ids[0], life.lisbon)
    life.memory.undo(receipt)
    assert life.holds(life.lisbon)
    life.memory.undo(life.memory.operations()[0])
    assert not life.holds(life.lisbon)


def test_erasing_a_person_lifts_what_their_words_had_ended(life: Life) -> None:
    shared = life.memory.add("The office is in Lisbon", project="atlas", kind="semantic").ids[0]
    theirs = life.memory.add("The office moved to Porto", project="atlas", user_id="ben", kind="semantic").ids[0]
    life.end(theirs, shared)
    assert not life.holds(shared)
    life.memory.erase_user("ben")
    assert life.holds(shared)


def test_an_update_that_speaks_of_something_else_turns_the_end_into_a_doubt(life: Life) -> None:
    life.end(life.porto, life.lisbon)
    receipt = life.memory.update(life.porto, content="Ben has a bakery in Porto")
    assert life.holds(life.lisbon)
    assert set(life.edges(life.porto)) == {"may_replace"}
    life.memory.undo(receipt)
    assert not life.holds(life.lisbon)
    assert set(life.edges(life.porto)) == {"supersedes"}


def test_an_update_that_mends_a_word_keeps_the_end(life: Life) -> None:
    life.end(life.porto, life.lisbon)
    life.memory.update(life.porto, content="Ana lives in Porto, near the river")
    assert not life.holds(life.lisbon)


def test_a_correction_that_speaks_of_something_else_lifts_the_end(life: Life) -> None:
    life.end(life.porto, life.lisbon)
    new = life.memory.correct(life.porto, "Ben has a bakery in Porto").ids[0]
    assert life.holds(life.lisbon)
    assert life.edges(new)["may_replace"].target == life.lisbon


def test_a_correction_of_the_value_keeps_what_came_before_it_ended(life: Life) -> None:
    life.end(life.porto, life.lisbon)
    life.memory.correct(life.porto, "Ana lives in Matosinhos")
    assert not life.holds(life.lisbon)


def test_what_a_person_confirmed_is_doubted_and_not_ended(life: Life) -> None:
    life.memory.confirm(life.lisbon)
    life.end(life.porto, life.lisbon)
    assert life.holds(life.lisbon)
    assert set(life.edges(life.porto)) == {"may_replace"}


def test_what_holds_only_for_a_while_ends_nothing(life: Life) -> None:
    summer = life.told("Ana lives in Faro", valid_from="2025-06-01", valid_until="2025-09-01")
    life.end(summer, life.lisbon)
    assert life.holds(life.lisbon)


def test_a_chain_can_be_ended_in_any_order(life: Life) -> None:
    braga = life.told("Ana lives in Braga")
    life.end(braga, life.porto)
    life.end(life.porto, life.lisbon)
    assert [life.holds(each) for each in (life.lisbon, life.porto, braga)] == [False, False, True]
    life.end(life.lisbon, braga)
    assert life.holds(braga), "a circle"


def test_a_turn_keeps_its_times(life: Life) -> None:
    turns = [
        life.memory.add([{"role": "user", "content": text, "timestamp": day}], infer=False, user_id="ana").ids[0]
        for text, day in (("I swear by vim", "2025-01-10"), ("Helix is what I open now", "2025-05-02"))
    ]
    life.end(turns[1], turns[0])
    assert life.holds(turns[0])
    assert life.edges(turns[1])["supersedes"].attributes["until"] == to_us(MOVED)


def test_ends_and_doubts_are_not_pruned(life: Life) -> None:
    life.end(life.porto, life.lisbon, EndCause(by=Decider.MODEL, probability=0.2))
    life.clock.skip(5_000)
    life.memory.prune(min_confidence=0.9, max_edges=1)
    assert set(life.edges(life.porto)) == {"supersedes"}
