"""Questions about a time, and searches told to look at one: windows, events to count from, sessions, trends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.errors import InvalidQuery, NotFound
from recollect.wiring import open_memory

LAST_WEEK = ("2026-05-05", "2026-05-08")  # the clock starts on Wednesday, 13 May 2026
TURNS = {
    "2026-03-02": "We closed the budget",
    "2026-04-20": "We did a lot of work on the search box",
    "2026-05-05": "We rewrote the importer",
    "2026-05-08": "We fixed the login page",
    "2026-05-12": "We planned the offsite",
}


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder="wordllama", clock=clock) as memory:
        yield memory


def tell(mem: Memory, content: str, day: str | None = None, session_id: str | None = None) -> str:
    turn: dict[str, Any] = {"role": "user", "content": content, "name": "Ana"}
    return mem.add(turn if day is None else {**turn, "timestamp": f"{day}T10:00:00Z"}, session_id=session_id).id


def tell_all(mem: Memory) -> None:
    for day, content in TURNS.items():
        tell(mem, content, day, session_id=day)


def contents(found: Any) -> list[str]:
    return [hit.content for hit in found]


# --- what a question says -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question", ["What did we do last week?", "What happened last week?", "what did we work on last week"]
)
def test_a_question_about_last_week_prefers_last_week(mem: Memory, question: str) -> None:
    tell_all(mem)
    found = mem.search(question)
    assert set(contents(found)[:2]) == {TURNS[day] for day in LAST_WEEK}
    assert not found.abstained


def test_last_week_moves_with_the_clock(mem: Memory, clock: Ticking) -> None:
    tell_all(mem)
    clock.skip(7)
    assert contents(mem.search("What did we do last week?"))[0] == TURNS["2026-05-12"]


def test_a_time_of_which_nothing_is_known_is_no_answer(mem: Memory) -> None:
    tell_all(mem)
    found = mem.search("What did we do in June 2020?")
    assert found.abstained
    assert "nothing is known of that time" in str(found.reason)


def test_a_time_does_not_answer_a_question_that_asks_for_more(mem: Memory) -> None:
    tell_all(mem)
    assert mem.search("Which submarine did the admiral buy last week?").abstained


def test_the_plan_names_the_window(mem: Memory) -> None:
    tell_all(mem)
    plan = mem.search("What did we do last week?", explain=True).trace.plan
    assert plan["when"] == "last week"
    assert plan["windows"] == [["2026-05-04T00:00:00+00:00", "2026-05-11T00:00:00+00:00"]]


@pytest.mark.parametrize(
    ("question", "inside", "outside"),
    [
        ("What did we do since the deployment?", ("2026-05-05", "2026-05-08", "2026-05-12"), "2026-04-20"),
        ("What did we do before the deployment?", ("2026-03-02", "2026-04-20"), "2026-05-12"),
    ],
)
def test_an_event_in_a_question_is_found_first_and_counted_from(
    mem: Memory, question: str, inside: tuple[str, ...], outside: str
) -> None:
    tell_all(mem)
    tell(mem, "The deployment of atlas is through", "2026-04-25")
    found = mem.search(question, explain=True)
    scores = {hit.content: hit.score for hit in found}
    assert all(scores[TURNS[day]] > scores[TURNS[outside]] for day in inside)
    (window,) = found.trace.plan["windows"]
    assert "2026-04-25T10:00:00+00:00" in window


def test_an_event_nobody_told_of_is_no_window(mem: Memory) -> None:
    tell_all(mem)
    assert mem.search("What did we do since the zeppelin race?", explain=True).trace.plan["windows"] == []


# --- what the caller says -------------------------------------------------------------------------------------------


@pytest.fixture
def standups(mem: Memory, clock: Ticking) -> list[str]:
    """Seven sessions, one a day, then two days of silence."""
    ids = []
    for number in range(1, 8):
        ids.append(tell(mem, f"standup {number} about the importer", session_id=f"s{number}"))
        clock.skip(1)
    clock.skip(2)
    return ids


def numbers(found: Any) -> set[int]:
    return {int(hit.content.split()[1]) for hit in found}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("recent_sessions:2", {6, 7}),
        ("recent_sessions", {3, 4, 5, 6, 7}),
        ({"mode": "recent_sessions", "sessionCount": 1}, {7}),
        ("trend:4.5", {6, 7}),
        ({"mode": "trend", "days": 100}, {1, 2, 3, 4, 5, 6, 7}),
        ("time_window:2026-05-14..2026-05-15", {2, 3}),
        ({"mode": "time_window", "start": "2026-05-18"}, {6, 7}),
        ({"mode": "time_window", "end": "2026-05-13"}, {1}),
        ("time_window:last week", {1, 2, 3, 4, 5}),
    ],
)
def test_a_mode_decides_which_time_counts(mem: Memory, standups: list[str], mode: Any, expected: set[int]) -> None:
    assert numbers(mem.search("importer", mode=mode)) == expected


def test_around_an_event_are_the_sessions_beside_it(mem: Memory, standups: list[str]) -> None:
    beside = mem.search("importer", mode={"mode": "around_event", "event": standups[3], "sessions": 1})
    assert numbers(beside) == {3, 4, 5}
    assert numbers(mem.search("importer", mode=f"around_event:{standups[0]}")) == {1, 2, 3, 4}


def test_sessions_are_around_when_an_event_was_told_not_when_it_happened(mem: Memory, standups: list[str]) -> None:
    told_late = tell(mem, "standup 8 about the importer of 2019", "2019-01-01", session_id="s8")
    found = mem.search("importer", mode={"mode": "around_event", "event": told_late, "sessions": 1})
    assert numbers(found) == {7, 8}


def test_an_event_the_reader_may_not_see_is_not_there(mem: Memory) -> None:
    private = mem.add("a private talk", user_id="ben", session_id="s1").id
    with pytest.raises(NotFound):
        mem.search("talk", mode=f"around_event:{private}", user_id="ana")


def test_a_mode_and_a_window_both_hold(mem: Memory, standups: list[str]) -> None:
    assert numbers(mem.search("importer", mode="recent_sessions:3", before="2026-05-18")) == {5}
    assert numbers(mem.search("importer", mode="trend:100", after="2026-05-18", before="2026-05-19")) == {6}
    assert not mem.search("importer", mode="trend:1", before="2026-05-14")


@pytest.mark.parametrize(
    ("mode", "named"),
    [
        ("backwards", "'backwards'"),
        ("trend:soon", "'soon'"),
        ("trend:0", "'0'"),
        ("recent_sessions:none", "'none'"),
        ("recent_sessions:0", "'0'"),
        ("time_window:once upon a time", "'once upon a time'"),
        ("time_window", "start="),
        ("time_window:2026-05-03..2026-05-01", "'2026-05-01'"),
        ("around_event", "event="),
        ({"mode": "trend", "colour": "red"}, "colour"),
        (7, "7"),
    ],
)
def test_a_mode_that_cannot_be_read_is_refused_by_name(mem: Memory, mode: Any, named: str) -> None:
    with pytest.raises(InvalidQuery) as refused:
        mem.search("importer", mode=mode)
    assert named in refused.value.message
