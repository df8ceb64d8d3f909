"""`timeline`: how knowledge about a topic came about, what each step changed, and when most of it happened."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ticking import START, Ticking

from recollect import Memory
from recollect.errors import InvalidQuery, UsageError
from recollect.recall.timeline import peaks
from recollect.wiring import open_memory


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder="wordllama", clock=clock) as memory:
        memory.add(["The invoice is due on Monday", "Bread needs flour and water"])
        yield memory


def told(timeline: Any) -> list[tuple[str, str]]:
    return [(event.transition.value, event.record.content) for event in timeline]


def test_additions_and_corrections_are_told_in_order(mem: Memory, clock: Ticking) -> None:
    first = mem.add("Ana's editor is vim").id
    clock.skip(3)
    mem.add("Ana's editor has a dark theme")
    clock.skip(4)
    newer = mem.correct(first, "Ana's editor is Helix").id
    timeline = mem.timeline("Ana's editor")
    assert told(timeline) == [
        ("beginning", "Ana's editor is vim"),
        ("addition", "Ana's editor has a dark theme"),
        ("correction", "Ana's editor is Helix"),
    ]
    correction = timeline[-1]
    assert (correction.record.id, correction.of, correction.replaced) == (newer, first, "Ana's editor is vim")
    assert [event.since and event.since.days for event in timeline] == [None, 3, 4]


def test_an_update_is_a_correction_by_its_own_hand(mem: Memory, clock: Ticking) -> None:
    record_id = mem.add("Ana's editor is vim").id
    clock.skip(1)
    mem.update(record_id, content="Ana's editor is Helix")
    clock.skip(1)
    mem.update(record_id, tags=["tool"])  # says nothing new
    timeline = mem.timeline("Ana's editor")
    assert told(timeline) == [("beginning", "Ana's editor is vim"), ("correction", "Ana's editor is Helix")]
    assert timeline[1].of == record_id


def test_saying_it_again_is_reinforcement(mem: Memory, clock: Ticking) -> None:
    mem.add("Ana's editor is vim")
    clock.skip(1)
    mem.add("Ana's editor is surely vim")
    clock.skip(1)
    other = mem.add("Her colleagues have seen Ana's editor").id
    mem.relate(other, mem.search("Ana's editor is vim", top_k=1)[0].id, "supports")
    assert [transition for transition, _ in told(mem.timeline("Ana's editor"))] == [
        "beginning",
        "reinforcement",
        "reinforcement",
    ]


def test_the_order_is_that_of_events_not_of_words(mem: Memory) -> None:
    mem.add("Ana's editor was vim", timestamp="2024-01-01")
    mem.add("Ana's editor was ed", timestamp="2020-01-01")
    assert [event.at.year for event in mem.timeline("Ana's editor")] == [2020, 2024]


def test_times_and_numbers_narrow_it(mem: Memory) -> None:
    for year in (2020, 2021, 2022):
        mem.add(f"Ana's editor had version {year}", timestamp=f"{year}-06-01")
    assert len(mem.timeline("Ana's editor")) == 3
    assert [event.at.year for event in mem.timeline("Ana's editor", after="2021-01-01")] == [2021, 2022]
    assert [event.at.year for event in mem.timeline("Ana's editor", before="2021-01-01")] == [2020]
    assert len(mem.timeline("Ana's editor", limit=1)) == 1


def test_turns_beside_the_topic_are_no_part_of_its_story(mem: Memory, clock: Ticking) -> None:
    said = [
        ("Enjoy the sweets!", "We start the onboarding redesign today", "Great, good luck!"),
        ("Lunch was fine", "The onboarding redesign got a new welcome screen", "Nice colours"),
        ("It rains", "The redesign ships on 20 October", "Noted."),
    ]
    for number, (before, topic, after) in enumerate(said):
        clock.skip(2)
        talk = [("assistant", before), ("user", topic), ("assistant", after)]
        mem.add([{"role": role, "content": text} for role, text in talk], session_id=f"s{number}")
    assert [content for _, content in told(mem.timeline("onboarding redesign"))] == [topic for _, topic, _ in said]


def test_scopes_hold(mem: Memory) -> None:
    mem.add("Ana's editor is vim", user_id="ana")
    assert len(mem.timeline("Ana's editor", user_id="ana")) == 1
    assert not mem.timeline("Ana's editor", user_id="ben")


def test_an_unknown_topic_has_no_story(mem: Memory) -> None:
    timeline = mem.timeline("the operas of Verdi")
    assert (len(timeline), timeline.peaks) == (0, ())


def test_a_timeline_is_plain_data(mem: Memory) -> None:
    mem.add("Ana's editor is vim", timestamp="2024-01-01")
    data = mem.timeline("Ana's editor").to_dict()
    assert data["topic"] == "Ana's editor"
    assert data["results"][0]["transition"] == "beginning"
    assert data["results"][0]["at"] == "2024-01-01T00:00:00+00:00"


def test_nothing_to_look_for_is_refused(mem: Memory) -> None:
    with pytest.raises(InvalidQuery):
        mem.timeline(" ")
    with pytest.raises(UsageError):
        mem.timeline("Ana's editor", limit=0)


# --- peaks ----------------------------------------------------------------------------------------------------------


def days(*numbers: float) -> list[datetime]:
    return [START + timedelta(days=number) for number in numbers]


def test_a_peak_is_a_time_with_clearly_more_than_usual() -> None:
    (peak,) = peaks(days(0, 2, 5, 5.01, 5.02, 5.03, 8))
    assert (peak.start, peak.events) == (datetime(2026, 5, 18, tzinfo=UTC), 4)
    assert peak.end - peak.start == timedelta(days=1)


def test_the_longer_the_story_the_longer_its_peaks() -> None:
    (week,) = peaks(days(0, 30, 60, 61, 62, 63, 120))
    (month,) = peaks(days(0, 100, 185, 190, 195, 200, 700))
    assert (week.end - week.start).days == 7
    assert (month.end - month.start).days == 30


def test_where_all_is_alike_or_at_once_there_is_no_peak() -> None:
    assert peaks([]) == peaks(days(0)) == peaks(days(0, 0.1, 0.2)) == peaks(days(0, 1, 2, 3)) == ()


def test_peaks_of_a_story_are_told_with_it(mem: Memory, clock: Ticking) -> None:
    for skipped in (0, 5, 0, 0, 0, 9):
        clock.skip(skipped)
        mem.add(f"Ana's editor got plugin {clock.now}")
    (peak,) = mem.timeline("Ana's editor").peaks
    assert peak.events == 4
