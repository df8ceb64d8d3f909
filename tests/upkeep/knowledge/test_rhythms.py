"""What happens at one time again and again is found; what happens often at any time is not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from ticking import Ticking

import recollect
from recollect.clock import DAY_US, to_us
from recollect.memory import Memory
from recollect.upkeep.knowledge.rhythms import DAILY, WORKDAYS, Occurrence, falls_on, rhythms_in

MONDAY = date(2026, 3, 2)


def at(day: int, text: str, minute: int, pk: int = 0) -> Occurrence:
    return Occurrence(pk or day * 1_000 + minute, text, MONDAY + timedelta(days=day), minute)


def found(*given: Occurrence, today: int = 28, least: int = 3) -> list[tuple[str, str]]:
    rhythms = rhythms_in(given, least=least, today=MONDAY + timedelta(days=today))
    return [(each.label, each.content.split(": ", 1)[1]) for each in rhythms]


def test_a_stand_up_on_mondays() -> None:
    talk = [at(7 * week, f"Stand-up with the team, week {week}", 570 + week) for week in range(4)]
    other = [at(3 * n, f"Bought {thing} in town", 200 + 131 * n) for n, thing in enumerate(("pears", "plums", "tea"))]
    (one,) = found(*talk, *other, today=22)
    assert one[1] == "Mondays at 9:30"


def test_a_run_every_morning_and_a_report_on_workdays() -> None:
    runs = [at(day, "Went for a run along the river", 390 + (day * 7) % 20) for day in range(20)]
    reports = [at(day, "Sent the figures to Ben", 1020) for day in range(20) if day % 7 < 5]
    told = dict(found(*runs, *reports, today=20))
    assert sorted(each.rsplit(" at ", 1)[0] for each in told.values()) == sorted([DAILY, WORKDAYS])


def test_often_is_no_rhythm_without_a_time() -> None:
    lots = random.Random(7)
    any_time = [at(day, "Talked to Ana about the garden", lots.randrange(0, 1440)) for day in range(28)]
    assert found(*any_time) == []


def test_what_stopped_is_no_rhythm_any_more() -> None:
    talk = [at(7 * week, "Choir rehearsal", 1200) for week in range(4)]
    assert found(*talk, today=22)
    assert found(*talk, today=90) == []


def test_two_times_are_a_coincidence() -> None:
    assert found(at(0, "Choir rehearsal", 1200), at(7, "Choir rehearsal", 1200)) == []


def test_a_rhythm_falls_on_its_days() -> None:
    assert [falls_on({"on": on}, MONDAY) for on in ("Mondays", "Fridays", DAILY, WORKDAYS)] == [True, False, True, True]
    assert not falls_on({"on": WORKDAYS}, MONDAY + timedelta(days=5))


# --- in a store ------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with recollect.open(":memory:", clock=clock) as memory:
        yield memory


def stand_ups(mem: Memory, clock: Ticking, weeks: int) -> list[str]:
    ids = []
    for week in range(weeks):
        when = datetime(2026, 3, 2, 9, 30, tzinfo=UTC) + timedelta(weeks=week)
        clock.now = to_us(when)
        said = {"role": "user", "content": f"The stand-up of Atlas: item {week}", "timestamp": when.isoformat()}
        ids += mem.add([said], session_id=f"s{week}").ids
    return ids


def rhythms(mem: Memory) -> list[str]:
    return [record.content for record in mem.get_all(kinds=["schema"], categories=["rhythm"])]


def test_the_night_finds_it_and_it_is_found(mem: Memory, clock: Ticking) -> None:
    ids = stand_ups(mem, clock, 4)
    mem.maintain()
    (told,) = rhythms(mem)
    assert told.endswith("Mondays at 9:30")
    pattern = mem.get_all(kinds=["schema"], categories=["rhythm"])[0]
    assert {edge.source for edge in mem.related(pattern.id, labels=["instance_of"]).edges} == set(ids)
    before = pattern.version
    mem.maintain()
    assert mem.get(pattern.id).version == before  # nothing new
    clock.now += 70 * DAY_US
    mem.maintain()
    assert rhythms(mem) == []


def test_what_is_erased_leaves_no_rhythm(mem: Memory, clock: Ticking) -> None:
    ids = stand_ups(mem, clock, 3)
    mem.maintain()
    assert rhythms(mem)
    for each in ids[:2]:
        mem.delete(each, hard=True)
    mem.maintain()
    assert rhythms(mem) == []


def test_it_can_be_switched_off(clock: Ticking) -> None:
    with recollect.open(":memory:", clock=clock, config={"upkeep.rhythm_times_min": 0}) as mem:
        stand_ups(mem, clock, 4)
        mem.maintain()
        assert rhythms(mem) == []


def test_a_session_that_begins_about_the_time_has_it_in_mind(mem: Memory, clock: Ticking) -> None:
    stand_ups(mem, clock, 4)
    mem.maintain()
    clock.now = to_us(datetime(2026, 3, 30, 9, 15, tzinfo=UTC))
    mem.context("good morning", session_id="monday")
    slots = mem.working.slots(session_id="monday")
    assert any(slot.text.endswith("Mondays at 9:30") and slot.source == "morning" for slot in slots)
    clock.now += DAY_US
    mem.context("good morning", session_id="tuesday")
    assert not any(
        "Mondays" in slot.text and slot.activation > 0.35 for slot in mem.working.slots(session_id="tuesday")
    )
