"""What a question asks about time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect.clock import from_us, to_us
from recollect.config.reading import TimeSettings
from recollect.errors import InvalidQuery
from recollect.recall.question.modes import TimeMode, time_mode
from recollect.recall.question.when import When, anchored, when_of

NOW = datetime(2026, 5, 13, 15, 30, tzinfo=UTC)  # a Wednesday


def us(text: str | None) -> int | None:
    return None if text is None else to_us(datetime.fromisoformat(text))


def asked(question: str) -> When:
    when = when_of(question, NOW, recent_days=7.0)
    assert when is not None
    return when


@pytest.mark.parametrize(
    ("question", "relation", "windows"),
    [
        ("What did we work on last week?", "in", [("2026-05-04", "2026-05-11")]),
        ("What did Ana say in March?", "in", [("2026-03-01", "2026-04-01")]),
        ("What did we discuss between May and July 2022?", "between", [("2022-05-01", "2022-08-01")]),
        ("Which restaurants did we try since 2019?", "since", [("2019-01-01", None)]),
        ("What did Ben say before March 2026?", "before", [(None, "2026-03-01")]),
        ("What did Ben say until March 2026?", "until", [(None, "2026-04-01")]),
        ("What happened after March 2026 and before May 2026?", "between", [("2026-04-01", "2026-05-01")]),
        ("Where was Ana in 1998 or in 2003?", "in", [("1998-01-01", "1999-01-01"), ("2003-01-01", "2004-01-01")]),
        ("What did Ana say around 3 May 2026?", "around", [("2026-05-02", "2026-05-05")]),
        ("Where did Ana go yesterday at 5pm?", "in", [("2026-05-12T17:00", "2026-05-12T18:00")]),
        ("What did I cook a week ago?", "in", [("2026-05-02T12:00", "2026-05-10T12:00")]),
        ("What did we do since the deployment last week?", "since", [("2026-05-04", None)]),
        ("What did Ben say recently?", "in", [("2026-05-06T15:30", None)]),
        ("What has Ben been up to lately?", "in", [("2026-05-06T15:30", None)]),
    ],
)
def test_a_window(question: str, relation: str, windows: list[tuple[str | None, str | None]]) -> None:
    when = asked(question)
    assert (when.relation, when.anchor) == (relation, None)
    assert list(when.windows) == [(us(start), us(end)) for start, end in windows]


@pytest.mark.parametrize(
    ("question", "relation", "anchor"),
    [
        ("What changed since the deployment?", "since", "the deployment"),
        ("What did we decide before we refactored the auth module?", "before", "we refactored the auth module"),
        ("What happened after Ana moved?", "after", "Ana moved"),
        ("Before the migration, which database did we use?", "before", "the migration"),
        ("What did Ana do after joining the company?", "after", "joining the company"),
        ("What did Ben say during the meeting?", "around", "the meeting"),
        ("Did we use Redis until the rewrite?", "until", "the rewrite"),
    ],
)
def test_an_event_has_to_be_found_first(question: str, relation: str, anchor: str) -> None:
    when = asked(question)
    assert (when.relation, when.anchor, when.windows) == (relation, anchor, ())
    assert not when.resolved


@pytest.mark.parametrize(
    "question",
    [
        "When did Ana move?",
        "When was the last time I saw Ben?",
        "What is Ana's job?",
        "Who looks after the dog?",
        "Who was Ben named after?",
        "What did she do after that?",
        "What does Ana do every Monday?",
        "What are we doing right now?",
        "Does it work after all?",
        "May I see the plan?",
        "",
        "?",
        "前に",
    ],
)
def test_a_question_that_names_no_time_has_no_window(question: str) -> None:
    assert when_of(question, NOW, recent_days=7.0) is None


def test_what_recently_means_is_a_setting() -> None:
    when = when_of("What happened recently?", NOW, recent_days=2)
    assert when is not None
    assert when.windows == ((to_us(NOW - timedelta(days=2)), None),)


@pytest.mark.parametrize(
    ("relation", "inside", "outside"),
    [("since", [0, 1], [-1]), ("after", [1], [-1, 0]), ("before", [-1], [0, 1]), ("until", [-1, 0], [1])],
)
def test_an_anchored_question_has_the_window_of_its_event(relation: Any, inside: list[int], outside: list[int]) -> None:
    event = to_us(NOW)
    ((start, end),) = anchored(When(relation=relation, anchor="the deployment"), event).windows

    def holds(moment: int) -> bool:
        return (start is None or start <= moment) and (end is None or moment < end)

    assert all(holds(event + offset) for offset in inside)
    assert not any(holds(event + offset) for offset in outside)


def test_around_an_event_is_a_day_either_side() -> None:
    ((start, end),) = anchored(When(relation="around", anchor="the party"), to_us(NOW)).windows
    assert start is not None
    assert end is not None
    assert (from_us(start), from_us(end)) == (NOW - timedelta(days=1), NOW + timedelta(days=1))


# --- modes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("recent_sessions", TimeMode(mode="recent_sessions", sessions=5)),
        ("recent_sessions:2", TimeMode(mode="recent_sessions", sessions=2)),
        ({"mode": "recent_sessions", "sessions": 2}, TimeMode(mode="recent_sessions", sessions=2)),
        ({"mode": "recent_sessions", "sessionCount": 2}, TimeMode(mode="recent_sessions", sessions=2)),
        ("around_event:abc", TimeMode(mode="around_event", event="abc", sessions=3)),
        ({"mode": "around_event", "event": "abc", "sessions": 0}, TimeMode(mode="around_event", event="abc")),
        ("trend:10", TimeMode(mode="trend", start=us("2026-05-03T15:30"))),
        ("trend", TimeMode(mode="trend", start=us("2026-04-13T15:30"))),
        ("time_window:last week", TimeMode(mode="time_window", start=us("2026-05-04"), end=us("2026-05-11"))),
        (
            "time_window:2026-05-01..2026-05-03",
            TimeMode(mode="time_window", start=us("2026-05-01"), end=us("2026-05-04")),
        ),
        ({"mode": "time_window", "startDate": "2026-05-01"}, TimeMode(mode="time_window", start=us("2026-05-01"))),
        ({"mode": "time_window", "end": "in March"}, TimeMode(mode="time_window", end=us("2026-04-01"))),
    ],
)
def test_a_mode_is_read(given: Any, meant: TimeMode) -> None:
    assert time_mode(given, now=NOW, settings=TimeSettings()) == meant
    assert time_mode(meant, now=NOW, settings=TimeSettings()) == meant


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("sideways", "sideways"),
        ("", "recent_sessions, time_window"),
        (3, "3"),
        (None, "None"),
        ({}, "a dict"),
        ({"mode": "trend", "colour": 1}, "colour"),
        ({"mode": "trend", "days": 0}, "0"),
        ("trend:soon", "soon"),
        ("recent_sessions:0", "0"),
        ("recent_sessions:many", "many"),
        ({"mode": "recent_sessions", "sessions": True}, "True"),
        ("around_event", "event="),
        ("time_window", "start="),
        ("time_window:soonish", "soonish"),
        ({"mode": "time_window", "start": "2026-05-03", "end": "2026-05-01"}, "before it starts"),
        ({"mode": ["trend"]}, "trend"),
        ("trend:inf", "inf"),
        ("trend:nan", "nan"),
    ],
)
def test_a_mode_that_cannot_be_read_is_named(given: Any, said: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        time_mode(given, now=NOW, settings=TimeSettings())
    assert said in caught.value.message
    assert caught.value.message.startswith("mode")


def test_only_modes_with_a_window_have_one() -> None:
    assert TimeMode(mode="recent_sessions", sessions=2).when is None
    window = TimeMode(mode="time_window", start=1, end=5).when
    assert window is not None
    assert window.windows == ((1, 5),)
