"""Times as people give them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from recollect.clock import from_us, to_us
from recollect.errors import InvalidQuery
from recollect.language.times import parse_time, parse_window

NOW = datetime(2026, 5, 13, 15, 30, tzinfo=UTC)  # a Wednesday


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (datetime(2026, 5, 3, 10, tzinfo=UTC), datetime(2026, 5, 3, 10, tzinfo=UTC)),
        (datetime(2026, 5, 3, 10), datetime(2026, 5, 3, 10, tzinfo=UTC)),
        (datetime(2026, 5, 3, 10, tzinfo=timezone(timedelta(hours=2))), datetime(2026, 5, 3, 8, tzinfo=UTC)),
        (date(2026, 5, 3), day(2026, 5, 3)),
        (0, day(1970, 1, 1)),
        (1.5, datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)),
        (-86_400, day(1969, 12, 31)),
        ("2026-05-03T10:00:00Z", datetime(2026, 5, 3, 10, tzinfo=UTC)),
        ("2026-05-03T10:00:00+02:00", datetime(2026, 5, 3, 8, tzinfo=UTC)),
        ("2026-05-03 10:00", datetime(2026, 5, 3, 10, tzinfo=UTC)),
        (" 2026-05-03 ", day(2026, 5, 3)),
        ("9999-12-31", day(9999, 12, 31)),
        ("9999-12-31T23:59:59.999999", datetime.max.replace(tzinfo=UTC)),
        ("0001-01-01", day(1, 1, 1)),
        ("20260503T100000", datetime(2026, 5, 3, 10, tzinfo=UTC)),
        ("now", NOW),
        ("3 days ago", NOW - timedelta(days=3)),
        ("an hour ago", NOW - timedelta(hours=1)),
        ("2 weeks ago", NOW - timedelta(days=14)),
        ("a couple of days ago", NOW - timedelta(days=2)),
        ("a month ago", datetime(2026, 4, 13, 15, 30, tzinfo=UTC)),
        ("a month and 2 days ago", datetime(2026, 4, 11, 15, 30, tzinfo=UTC)),
        ("1 hour and 30 minutes ago", NOW - timedelta(minutes=90)),
        ("2h ago", NOW - timedelta(hours=2)),
        ("3 business days ago", datetime(2026, 5, 8, 15, 30, tzinfo=UTC)),
        ("in 3 business days", datetime(2026, 5, 18, 15, 30, tzinfo=UTC)),
        ("Yesterday", day(2026, 5, 12)),
        ("last_week", day(2026, 5, 4)),
    ],
)
def test_a_moment(given: Any, meant: datetime) -> None:
    parsed = parse_time(given, now=NOW)
    assert parsed == meant
    assert parsed.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("given", "start", "end"),
    [
        ("2026-05-03", day(2026, 5, 3), day(2026, 5, 4)),
        ("2026-05", day(2026, 5, 1), day(2026, 6, 1)),
        ("2026-12", day(2026, 12, 1), day(2027, 1, 1)),
        ("2026", day(2026, 1, 1), day(2027, 1, 1)),
        ("in 2024", day(2024, 1, 1), day(2025, 1, 1)),
        ("today", day(2026, 5, 13), day(2026, 5, 14)),
        ("yesterday", day(2026, 5, 12), day(2026, 5, 13)),
        ("tomorrow", day(2026, 5, 14), day(2026, 5, 15)),
        ("this week", day(2026, 5, 11), day(2026, 5, 18)),
        ("last week", day(2026, 5, 4), day(2026, 5, 11)),
        ("next week", day(2026, 5, 18), day(2026, 5, 25)),
        ("last month", day(2026, 4, 1), day(2026, 5, 1)),
        ("this year", day(2026, 1, 1), day(2027, 1, 1)),
        ("last year", day(2025, 1, 1), day(2026, 1, 1)),
        ("in March", day(2026, 3, 1), day(2026, 4, 1)),
        ("may", day(2026, 5, 1), day(2026, 6, 1)),
        ("in August", day(2025, 8, 1), day(2025, 9, 1)),  # the last one there was
        ("in sept 2023", day(2023, 9, 1), day(2023, 10, 1)),
        ("3 May 2021", day(2021, 5, 3), day(2021, 5, 4)),
        ("last Friday", day(2026, 5, 8), day(2026, 5, 9)),
        ("the day before yesterday", day(2026, 5, 11), day(2026, 5, 12)),
        ("summer of 2019", day(2019, 6, 1), day(2019, 9, 1)),
        ("early 2021", day(2021, 1, 1), day(2021, 5, 1)),
        ("Q3 2019", day(2019, 7, 1), day(2019, 10, 1)),
        ("the 1990s", day(1990, 1, 1), day(2000, 1, 1)),
        ("Easter 2019", day(2019, 4, 21), day(2019, 4, 22)),
        ("Memorial Day 2019", day(2019, 5, 27), day(2019, 5, 28)),
        ("Labor Day 2019 weekend", day(2019, 8, 31), day(2019, 9, 3)),
        ("week 1 of 2021", day(2021, 1, 4), day(2021, 1, 11)),
        ("5/3", day(2026, 5, 3), day(2026, 5, 4)),
        ("next workweek", day(2026, 5, 18), day(2026, 5, 23)),
    ],
)
def test_a_stretch_ends_where_the_next_begins(given: str, start: datetime, end: datetime) -> None:
    assert parse_window(given, now=NOW) == (start, end)
    assert parse_time(given, now=NOW) == start


@pytest.mark.parametrize(
    ("now", "given", "start"),
    [
        (day(2026, 1, 1), "last month", day(2025, 12, 1)),
        (day(2026, 1, 1), "yesterday", day(2025, 12, 31)),
        (day(2026, 12, 31), "next month", day(2027, 1, 1)),
        (day(2024, 2, 29), "last year", day(2023, 1, 1)),
        (day(2026, 5, 11), "this week", day(2026, 5, 11)),
        (day(2026, 5, 17), "this week", day(2026, 5, 11)),
        (datetime(2026, 5, 13, 23, 30, tzinfo=timezone(timedelta(hours=-5))), "today", day(2026, 5, 14)),
    ],
)
def test_words_at_the_edges_of_the_calendar(now: datetime, given: str, start: datetime) -> None:
    assert parse_window(given, now=now)[0] == start


def test_a_moment_is_a_stretch_of_no_length() -> None:
    start, end = parse_window("2026-05-03T10:00:00Z")
    assert start == end


@pytest.mark.parametrize(
    "given",
    [
        "",
        "soonish",
        "32 May",
        "2026-13",
        "2026-02-30",
        "last blue moon",
        "in Foo",
        "9999 years ago",
        "999 decades ago",
        "29 February 2023",
        "last week or so",
        "since 2019",
        "before the 3rd",
        "1" * 100_000,
        "1" * 20,
        "20260503110",
        "9999-12-31T23:00:00-05:00",
        " " * 100_000,
        None,
        True,
        [],
        float("nan"),
        float("inf"),
        10**18,
        {"a": 1},
        b"2026-05-03",
    ],
)
def test_what_is_no_time_is_refused_by_name_with_an_example(given: Any) -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse_time(given, "valid_from", now=NOW)
    assert caught.value.message.startswith("valid_from: ")
    if isinstance(given, str):
        assert "2026-05-03T10:00:00Z" in caught.value.message


@pytest.mark.parametrize(
    "moment", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), NOW]
)
def test_microseconds_are_exact_both_ways(moment: datetime) -> None:
    assert from_us(to_us(moment)) == moment
