"""Minds by scope and session: in memory, put aside, taken up again, and never more than the store stands for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from working.mind_for_tests import Standing, exchange

import recollect
from recollect.memory import Memory
from recollect.model.scope import Scope
from recollect.model.working import Restored, SlotSource
from recollect.working.minds import Minds

ANA, BEN = Scope(user_id="ana"), Scope(user_id="ben")


class Opened:
    """A memory, its minds and its clock."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock = path, Standing()
        self.open()

    def open(self) -> None:
        self.memory: Memory = recollect.open(self.path, embedder="fake", clock=self.clock)

    @property
    def minds(self) -> Minds:
        return self.memory._opened.minds

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        with self.memory._opened.store.read() as tx:
            return tx.sql.all(sql)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    made = Opened(tmp_path / "m.db")
    yield made
    made.memory.close()


def talk(opened: Opened, scope: Scope = ANA, session: str | None = "s") -> None:
    mind = opened.minds.of(scope, session)
    exchange(mind, opened.clock, "I am building the Atlas web shop, and I prefer dark mode.", "Good.")
    opened.clock.skip(seconds=40)
    mind.in_mind()


def texts(opened: Opened, scope: Scope = ANA, session: str | None = "s") -> list[str]:
    return [slot.text for slot in opened.minds.of(scope, session).in_mind()]


def test_each_scope_and_session_has_a_mind_of_its_own(opened: Opened) -> None:
    talk(opened)
    assert opened.minds.of(ANA, "s") is opened.minds.of(ANA, "s")
    assert texts(opened)
    assert texts(opened, BEN) == []
    assert texts(opened, ANA, "other") == []
    assert texts(opened, ANA, None) == []


def test_within_hours_all_of_it_comes_back(opened: Opened) -> None:
    talk(opened)
    before = opened.minds.of(ANA, "s").in_mind()
    certainty = opened.minds.of(ANA, "s").state().certainty
    assert opened.minds.suspend(ANA, "s")
    assert len(opened.minds) == 0
    opened.clock.skip(hours=3.9)
    mind = opened.minds.resume(ANA, "s")
    assert mind.restored is Restored.FULL
    assert [(slot.text, slot.activation) for slot in mind.in_mind()] == [
        (slot.text, pytest.approx(slot.activation, abs=1e-4)) for slot in before
    ]
    assert mind.state().certainty == pytest.approx(certainty)
    assert mind.exchanges() == ()  # what was said is never written


def test_within_a_day_it_comes_back_weaker(opened: Opened) -> None:
    talk(opened)
    opened.minds.of(ANA, "s").noted("Rain is expected", "inference", activation=0.3)
    strongest = opened.minds.of(ANA, "s").in_mind()[0]
    opened.minds.suspend(ANA, "s")
    opened.clock.skip(hours=5)
    mind = opened.minds.of(ANA, "s")
    assert mind.restored is Restored.FADED
    assert mind.in_mind()[0].activation == pytest.approx(0.2 * strongest.activation, abs=1e-3)
    assert "Rain is expected" not in [slot.text for slot in mind.in_mind()]  # 0.06 is below 0.1


def test_after_a_day_it_begins_with_what_matters_most(opened: Opened) -> None:
    opened.memory.add("Atlas is deployed on Fridays", user_id="ana", importance=0.9)
    opened.memory.add("Ben's secret", user_id="ben", importance=1.0)
    talk(opened)
    opened.minds.suspend(ANA, "s")
    opened.clock.skip(hours=25)
    mind = opened.minds.of(ANA, "s")
    assert mind.restored is Restored.MORNING
    assert [(slot.text, slot.source) for slot in mind.in_mind()] == [
        ("Atlas is deployed on Fridays", SlotSource.MORNING)
    ]


def test_nothing_known_is_an_empty_mind(opened: Opened) -> None:
    mind = opened.minds.of(ANA, "s")
    assert mind.restored is Restored.EMPTY
    assert mind.in_mind() == []


def test_closing_saves_and_opening_finds(opened: Opened) -> None:
    talk(opened)
    before = texts(opened)
    opened.memory.close()
    opened.open()
    assert texts(opened) == before


def test_a_talk_of_another_embedder_keeps_its_slots_but_not_its_vector(opened: Opened) -> None:
    talk(opened)
    before = texts(opened)
    opened.memory.close()
    opened.memory = recollect.open(opened.path, embedder="fake:128", clock=opened.clock)
    assert texts(opened) == before
    assert opened.minds.of(ANA, "s").state().certainty == 0.0
    assert exchange(opened.minds.of(ANA, "s"), opened.clock, "How is the Atlas shop built?").momentum is None


def test_idle_minds_are_saved_and_let_go(opened: Opened) -> None:
    talk(opened)
    opened.minds.shed_if_due()
    assert len(opened.minds) == 1
    opened.clock.skip(minutes=31)
    opened.minds.shed_if_due()
    assert len(opened.minds) == 0
    assert texts(opened)


def test_the_longest_unused_makes_room(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "few.db", embedder="fake", config={"working.minds": 2}) as memory:
        for number in range(4):
            memory.working.note(f"the release is on day {number}", session_id=f"s{number}")
        assert len(memory._opened.minds) == 2
        assert [slot.text for slot in memory.working.slots(session_id="s0")] == ["the release is on day 0"]


def test_old_snapshots_do_not_pile_up(opened: Opened) -> None:
    talk(opened, session="old")
    opened.minds.suspend(ANA, "old")
    opened.clock.skip(hours=48)
    talk(opened, session="new")
    opened.minds.suspend(ANA, "new")
    assert opened.rows("SELECT session FROM mind") == [("new",)]


def test_a_deleted_record_is_not_in_mind_any_more(opened: Opened) -> None:
    kept = opened.memory.add("Atlas is deployed on Fridays", user_id="ana").ids[0]
    gone = opened.memory.add("The password of Atlas is teapot", user_id="ana").ids[0]
    assert len(texts(opened)) == 2
    opened.memory.delete(gone)
    assert list(opened.minds.of(ANA, "s").records()) == [kept]
    opened.minds.suspend(ANA, "s")
    opened.memory.delete(kept)
    assert texts(opened) == []


def test_a_changed_record_is_not_told_as_it_was(opened: Opened) -> None:
    record = opened.memory.add("Atlas is deployed on Fridays", user_id="ana").ids[0]
    assert texts(opened) == ["Atlas is deployed on Fridays"]
    opened.clock.skip(seconds=1)
    opened.memory.update(record, content="Atlas is deployed on Mondays")
    assert texts(opened) == []  # a search brings it back as it is
    opened.minds.of(ANA, "s").recalled([(record, "Atlas is deployed on Mondays", 1.0)])
    opened.minds.suspend(ANA, "s")
    opened.clock.skip(seconds=1)
    opened.memory.update(record, content="Atlas is deployed on Tuesdays")
    assert texts(opened) == ["Atlas is deployed on Tuesdays"]  # at rest it is the record's own text


@pytest.mark.parametrize("at_rest", [True, False])
def test_what_is_erased_survives_in_no_mind(opened: Opened, at_rest: bool) -> None:
    record = opened.memory.add("My password is teapot.", user_id="ana", session_id="s").ids[0]
    other = opened.minds.of(BEN, "s")
    exchange(other, opened.clock, "I am learning the cello.")
    mind = opened.minds.of(ANA, "s")
    exchange(mind, opened.clock, "My password is teapot.")
    opened.clock.skip(seconds=40)
    assert any("teapot" in slot.text for slot in mind.in_mind())
    if at_rest:
        opened.minds.suspend(ANA, "s")
    opened.memory.delete(record, hard=True)
    assert not any("teapot" in text for text in texts(opened))
    assert opened.minds.of(ANA, "s").exchanges() == ()
    opened.minds.suspend_all()
    assert not any("teapot" in str(row) for row in opened.rows("SELECT text FROM mind_slot"))
    assert other.exchanges()  # Ben's talk cannot have been about it
    opened.memory.close()
    written = b"".join(file.read_bytes() for file in opened.path.parent.glob("m.db*"))
    assert b"teapot" not in written
    opened.open()


def test_an_erasure_by_somebody_else_reaches_a_mind_in_memory(opened: Opened) -> None:
    record = opened.memory.add("My password is teapot.", user_id="ana").ids[0]
    mind = opened.minds.of(ANA, "s")
    exchange(mind, opened.clock, "My password is teapot.")
    with recollect.open(opened.path, embedder="fake", clock=opened.clock) as other:
        other.delete(record, hard=True)
    opened.minds.suspend(ANA, "s")  # without having been asked for since
    assert opened.rows("SELECT text FROM mind_slot") == []
    assert texts(opened) == []


def test_undoing_an_addition_takes_its_words_out_of_mind(opened: Opened) -> None:
    added = opened.memory.add("Atlas is deployed on Fridays", user_id="ana")
    assert texts(opened) == ["Atlas is deployed on Fridays"]
    opened.memory.undo(added.operation)
    assert texts(opened) == []


def test_the_text_of_a_record_is_not_stored_twice(opened: Opened) -> None:
    opened.memory.add("Atlas is deployed on Fridays", user_id="ana")
    talk(opened)
    opened.minds.suspend(ANA, "s")
    rows = opened.rows("SELECT text, record_pk FROM mind_slot")
    assert rows
    assert all((text is None) == (record_pk is not None) for text, record_pk in rows)


def test_clearing_forgets_what_was_put_aside(opened: Opened) -> None:
    talk(opened)
    opened.minds.suspend(ANA, "s")
    opened.minds.clear(ANA, "s")
    assert opened.rows("SELECT * FROM mind") == []
    assert texts(opened) == []


def test_suspending_nothing_is_told(opened: Opened) -> None:
    assert not opened.minds.suspend(ANA, "never")


def test_a_store_that_cannot_be_written_does_not_keep_it_from_closing(opened: Opened) -> None:
    talk(opened)
    opened.memory._opened.store.close()
    opened.minds.suspend_all()
    assert len(opened.minds) == 0


def test_suspend_and_resume_are_quick(opened: Opened) -> None:
    talk(opened)
    spent = []
    for _ in range(9):
        before = time.perf_counter()
        opened.minds.suspend(ANA, "s")
        opened.minds.resume(ANA, "s")
        spent.append(time.perf_counter() - before)
    assert sorted(spent)[4] < 0.1  # some 2 ms on a quiet machine; the goal is 20
