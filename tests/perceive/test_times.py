"""Times in running text: what is found, what it means, and what is no time at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.perceive.times import Mention, times_in

NOW = datetime(2026, 5, 13, 15, 30, tzinfo=UTC)  # a Wednesday


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def one(text: str, now: datetime = NOW) -> Mention:
    found = times_in(text, now)
    assert len(found) == 1, [each.surface for each in found]
    assert text[slice(*found[0].span)] == found[0].surface
    return found[0]


STRETCHES = [
    # dates as people write them
    ("We signed on 3 May 2021.", "3 May 2021", "2021-05-03", "2021-05-04"),
    ("We signed on May 3rd, 2021, at last", "May 3rd, 2021", "2021-05-03", "2021-05-04"),
    ("We signed on the third of May 2021", "the third of May 2021", "2021-05-03", "2021-05-04"),
    ("Signed Monday, 3 May 2021", "Monday, 3 May 2021", "2021-05-03", "2021-05-04"),
    ("Signed 03-May-2021", "03-May-2021", "2021-05-03", "2021-05-04"),
    ("Signed 2021-05-03.", "2021-05-03", "2021-05-03", "2021-05-04"),
    ("Signed 2021/5/3", "2021/5/3", "2021-05-03", "2021-05-04"),
    ("Signed 5/3/2021", "5/3/2021", "2021-05-03", "2021-05-04"),
    ("Signed 23/4/2021", "23/4/2021", "2021-04-23", "2021-04-24"),
    ("Signed 3.5.2021", "3.5.2021", "2021-05-03", "2021-05-04"),
    ("report-20210503.pdf is signed", "20210503", "2021-05-03", "2021-05-04"),
    ("We met on Sept. 3, 2021", "Sept. 3, 2021", "2021-09-03", "2021-09-04"),
    # without a year: the last one there was
    ("We met on March 3", "March 3", "2026-03-03", "2026-03-04"),
    ("We met on August 3", "August 3", "2025-08-03", "2025-08-04"),
    ("We met on the 3rd", "the 3rd", "2026-05-03", "2026-05-04"),
    ("We met on the 20th.", "the 20th", "2026-04-20", "2026-04-21"),
    ("He was born on February 29", "February 29", "2024-02-29", "2024-03-01"),
    ("It was Friday the 13th", "Friday the 13th", "2026-03-13", "2026-03-14"),
    # unless the sentence speaks of the future
    ("We will meet on August 3", "August 3", "2026-08-03", "2026-08-04"),
    ("I'll see Ana in March", "March", "2027-03-01", "2027-04-01"),
    ("We will meet on Friday", "Friday", "2026-05-15", "2026-05-16"),
    # months, years and longer
    ("Ana moved in March.", "March", "2026-03-01", "2026-04-01"),
    ("Ana moved in March 2021", "March 2021", "2021-03-01", "2021-04-01"),
    ("last March was cold", "last March", "2026-03-01", "2026-04-01"),
    ("last May was cold", "last May", "2025-05-01", "2025-06-01"),
    ("mid-May was cold", "mid-May", "2026-05-11", "2026-05-22"),
    ("It began in early 2021", "early 2021", "2021-01-01", "2021-05-01"),
    ("It began at the end of 2021", "the end of 2021", "2021-09-01", "2022-01-01"),
    ("Back in the 1990s", "the 1990s", "1990-01-01", "2000-01-01"),
    ("Back in the nineties", "the nineties", "1990-01-01", "2000-01-01"),
    ("It is from the 15th century", "the 15th century", "1400-01-01", "1500-01-01"),
    ("the summer of 2019 was hot", "summer of 2019", "2019-06-01", "2019-09-01"),
    ("last winter was mild", "last winter", "2025-12-01", "2026-03-01"),
    ("sales in Q3 2019", "Q3 2019", "2019-07-01", "2019-10-01"),
    ("sales in the third quarter of 2019", "the third quarter of 2019", "2019-07-01", "2019-10-01"),
    ("2019 H2 was slow", "2019 H2", "2019-07-01", "2020-01-01"),
    ("the last day of March", "the last day of March", "2026-03-31", "2026-04-01"),
    ("the first Monday of March", "the first Monday of March", "2026-03-02", "2026-03-03"),
    ("the week of April 10th", "the week of April 10th", "2026-04-06", "2026-04-13"),
    ("We met last Christmas", "last Christmas", "2025-12-25", "2025-12-26"),
    ("We met on Easter Monday 2019", "Easter Monday 2019", "2019-04-22", "2019-04-23"),
    # relative to the moment it was said
    ("I saw her yesterday", "yesterday", "2026-05-12", "2026-05-13"),
    ("I saw her the day before yesterday", "the day before yesterday", "2026-05-11", "2026-05-12"),
    ("I saw her last week", "last week", "2026-05-04", "2026-05-11"),
    ("I saw her last weekend", "last weekend", "2026-05-09", "2026-05-11"),
    ("I'm off this weekend", "this weekend", "2026-05-16", "2026-05-18"),
    ("I ran last Friday", "last Friday", "2026-05-08", "2026-05-09"),
    ("I ran last Tuesday", "last Tuesday", "2026-05-05", "2026-05-06"),  # nobody calls yesterday that
    ("next Friday is a holiday", "next Friday", "2026-05-22", "2026-05-23"),
    ("I ran on Friday", "Friday", "2026-05-08", "2026-05-09"),
    ("two days ago I ran", "two days ago", "2026-05-11", "2026-05-12"),
    ("a couple of weeks ago I ran", "a couple of weeks ago", "2026-04-29", "2026-04-30"),
    ("the last three months were hard", "the last three months", "2026-02-13T15:30", "2026-05-13T15:30"),
    ("It will happen in two weeks", "in two weeks", "2026-05-27", "2026-05-28"),
    ("two weeks before Christmas 2020", "two weeks before Christmas 2020", "2020-12-11", "2020-12-12"),
    # times of day
    ("this morning I ran", "this morning", "2026-05-13T06:00", "2026-05-13T12:00"),
    ("last night I slept", "last night", "2026-05-12T20:00", "2026-05-13T04:00"),
    ("I called yesterday at 5:30pm", "yesterday at 5:30pm", "2026-05-12T17:30", "2026-05-12T17:30"),
    ("3 May 2021 from 2 to 4pm", "3 May 2021 from 2 to 4pm", "2021-05-03T14:00", "2021-05-03T16:00"),
    ("logged 2021-05-03T10:00:00Z", "2021-05-03T10:00:00Z", "2021-05-03T10:00", "2021-05-03T10:00"),
    # both ends
    ("between May and July 2022", "between May and July 2022", "2022-05-01", "2022-08-01"),
    ("from November to February 2017", "from November to February 2017", "2016-11-01", "2017-03-01"),
    ("from 2014 to 2018", "from 2014 to 2018", "2014-01-01", "2019-01-01"),
    ("May 3-5, 2021", "May 3-5, 2021", "2021-05-03", "2021-05-06"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "surface", "start", "end"), STRETCHES, ids=[text for text, *_ in STRETCHES])
def test_a_time_is_found_and_resolved(text: str, surface: str, start: str, end: str) -> None:
    found = one(text)
    assert (found.surface, found.start, found.end) == (surface, at(start), at(end))


@pytest.mark.parametrize(
    ("text", "relation", "window"),
    [
        ("I have lived here since 2019", "since", ("2019-01-01", None)),
        ("It closed after 2019", "after", ("2020-01-01", None)),
        ("It closed before 2019", "before", (None, "2019-01-01")),
        ("It stayed open until 2019", "until", (None, "2020-01-01")),
        ("It closed around 2019", "around", ("2019-01-01", "2020-01-01")),
        ("It was in 2019", "in", ("2019-01-01", "2020-01-01")),
    ],
)
def test_the_word_before_says_how_it_is_meant(text: str, relation: str, window: tuple[str | None, str | None]) -> None:
    found = one(text)
    assert found.relation == relation
    assert found.window == tuple(edge and at(edge) for edge in window)
    assert (found.start, found.end) == (at("2019-01-01"), at("2020-01-01"))


@pytest.mark.parametrize(
    "text",
    [
        "You may go now", "This may or may not work", "Soldiers march to the city", "May I ask something?",
        "It takes a second", "the second time", "the 3rd attempt", "April said hello to June", "Android 14 may add it",
        "I counted 2000 people", "It weighs 1500 grams", "It cost $2019", "room 2.30", "a ratio of 4:3", "24/7 support",
        "call (206) 555-1212", "code 133-03-03-2020", "2021-13-45 is wrong", "She sat in the sun",
        "the fall of Rome", "a spring in the bed", "Now, let us begin", "I learned it in three weeks", "the next day",
        "version 1.2.3", "0.8/15", "We've reached the end of the line", "decimal 3.14", "", " ", "…",
        "日本語の文章です",
    ],
)  # fmt: skip
def test_what_is_a_time_only_by_chance_is_none(text: str) -> None:
    assert times_in(text, NOW) == ()


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("I run every Monday", "2026-05-18"),
        ("We meet on Fridays", "2026-05-15"),
        ("I run daily", "2026-05-13"),
        ("twice a week", "2026-05-13"),
    ],
)
def test_what_repeats_has_its_next_turn(text: str, start: str) -> None:
    found = one(text)
    assert (found.kind, found.start) == ("repeating", at(start))


def test_a_day_that_does_not_exist_leaves_its_month() -> None:
    assert one("It was on February 30").surface == "February"


def test_several_times_come_in_the_order_of_the_text_with_their_places() -> None:
    text = "On 3 May 2021 we began.\nLast week Ana said: it ends in June 2027!"
    found = times_in(text, NOW)
    assert [each.surface for each in found] == ["3 May 2021", "Last week", "June 2027"]
    assert [text[slice(*each.span)] for each in found] == [each.surface for each in found]


def test_each_sentence_has_a_direction_of_its_own() -> None:
    past, future = times_in("We met on August 3. We will meet again on August 4.", NOW)
    assert (past.start, future.start) == (at("2025-08-03"), at("2026-08-04"))


def test_days_are_those_of_the_zone_of_the_reference() -> None:
    late = datetime(2026, 5, 13, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    found = one("I saw her today", late)
    assert found.start == datetime(2026, 5, 13, 0, 0, tzinfo=late.tzinfo)
    assert one("I saw her today", late.replace(tzinfo=None)).start == at("2026-05-13")


def test_a_long_list_of_times_is_found_whole() -> None:
    text = "in 2019, " * 3_000
    found = times_in(text, NOW)
    assert len(found) == 3_000
    assert {text[slice(*each.span)] for each in found} == {"2019"}


@given(st.text(max_size=200), st.datetimes())
def test_any_text_at_any_time_is_read_without_an_error(text: str, reference: datetime) -> None:
    for found in times_in(text, reference):
        assert found.start <= found.end
        assert text[slice(*found.span)] == found.surface


PIECES = (
    "may march 3 3rd 2019 last next week two days ago before after since between and to - / . , : on in the of 5pm "
    "Friday early Q3 summer Christmas noon at every a couple century 1990s end within now"
).split()


@given(st.lists(st.sampled_from(PIECES), max_size=14), st.datetimes())
def test_words_of_time_in_any_order_are_read_without_an_error(words: list[str], reference: datetime) -> None:
    for found in times_in(" ".join(words), reference):
        assert found.start <= found.end
