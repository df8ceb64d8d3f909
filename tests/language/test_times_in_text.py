"""Times in running text: what is found, what it means, and what is no time at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.en.times import times_in
from recollect.language.finding import TimeMention

NOW = datetime(2026, 5, 13, 15, 30, tzinfo=UTC)  # a Wednesday


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def one(text: str, now: datetime = NOW) -> TimeMention:
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
    ("mid-May was cold", "mid-May", "2026-05-10", "2026-05-21"),
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
    ("we met 5/3-5/9", "5/3-5/9", "2026-05-03", "2026-05-10"),
    ("between 3/1 and 3/9 we met", "between 3/1 and 3/9", "2026-03-01", "2026-03-10"),
    ("from 2pm till tomorrow 4:30pm", "from 2pm till tomorrow 4:30pm", "2026-05-13T14:00", "2026-05-14T16:30"),
    ("I'll run between now and eight o'clock", "between now and eight o'clock", "2026-05-13T15:30", "2026-05-13T20:00"),
    # numbers, in any order
    ("Signed May-2021-03", "May-2021-03", "2021-05-03", "2021-05-04"),
    ("Signed 2021/03/May", "2021/03/May", "2021-05-03", "2021-05-04"),
    ("5/3", "5/3", "2026-05-03", "2026-05-04"),
    ("I was born in April of 87", "April of 87", "1987-04-01", "1987-05-01"),
    ("We met the 21st.", "the 21st", "2026-04-21", "2026-04-22"),
    ("We met on the 17 at noon", "the 17 at noon", "2026-04-17T12:00", "2026-04-17T12:00"),
    # a weekday beside a date says which year, and which of two numbers is the month
    ("We met on Friday, May 16", "Friday, May 16", "2025-05-16", "2025-05-17"),
    ("We met on Thursday 7.5", "Thursday 7.5", "2026-05-07", "2026-05-08"),
    ("We met on Thursday 5/7", "Thursday 5/7", "2026-05-07", "2026-05-08"),
    ("We met on May 11 (Mon)", "May 11 (Mon)", "2026-05-11", "2026-05-12"),
    # early and late are halves, mid is the middle
    ("It was in early April", "early April", "2026-04-01", "2026-04-16"),
    ("It was in late April", "late April", "2026-04-16", "2026-05-01"),
    ("It was late last week", "late last week", "2026-05-07", "2026-05-11"),
    ("It was in the late 90s", "the late 90s", "1995-01-01", "2000-01-01"),
    ("I woke up early yesterday", "early yesterday", "2026-05-12T00:00", "2026-05-12T12:00"),
    ("It was late this morning", "late this morning", "2026-05-13T09:00", "2026-05-13T12:00"),
    # amounts
    ("two weeks and three days ago I ran", "two weeks and three days ago", "2026-04-26", "2026-04-27"),
    ("an hour and a half ago I ran", "an hour and a half ago", "2026-05-13T14:00", "2026-05-13T14:00"),
    ("half an hour ago I ran", "half an hour ago", "2026-05-13T15:00", "2026-05-13T15:00"),
    ("twenty-one days ago I ran", "twenty-one days ago", "2026-04-22", "2026-04-23"),
    ("I'll be back within 2h", "within 2h", "2026-05-13T15:30", "2026-05-13T17:30"),
    ("I'll call 30 minutes later", "30 minutes later", "2026-05-13T16:00", "2026-05-13T16:00"),
    ("It ends in a fortnight's time", "in a fortnight's time", "2026-05-27", "2026-05-28"),
    ("I'm off the next two weeks and 1 day", "the next two weeks and 1 day", "2026-05-14", "2026-05-29"),
    ("I'm off the next 4 business days", "the next 4 business days", "2026-05-14", "2026-05-20"),
    ("It was two Sundays ago", "two Sundays ago", "2026-05-03", "2026-05-04"),
    ("We rent it two weeks starting May 20, 2026", "two weeks starting May 20, 2026", "2026-05-20", "2026-06-03"),
    ("3 May 2021 at 9:30am for 7 hours", "3 May 2021 at 9:30am for 7 hours", "2021-05-03T09:30", "2021-05-03T16:30"),
    ("less than 3 days after 3 May 2021", "less than 3 days after 3 May 2021", "2021-05-03", "2021-05-06"),
    # weeks, and what is left of them
    ("next workweek is short", "next workweek", "2026-05-18", "2026-05-23"),
    ("It is due in week 31 of 2018", "week 31 of 2018", "2018-07-30", "2018-08-06"),
    ("It was in week 12", "week 12", "2026-03-16", "2026-03-23"),
    ("the week of the 10th", "the week of the 10th", "2026-05-04", "2026-05-11"),
    ("the week of Christmas 2020", "the week of Christmas 2020", "2020-12-21", "2020-12-28"),
    ("I'm away for the rest of the week", "the rest of the week", "2026-05-13T15:30", "2026-05-18"),
    ("sales year to date", "year to date", "2026-01-01", "2026-05-13T15:30"),
    ("Send it by the end of tomorrow", "by the end of tomorrow", "2026-05-14T23:59:59", "2026-05-14T23:59:59"),
    ("Send it EOD", "EOD", "2026-05-13T23:59:59", "2026-05-13T23:59:59"),
    ("sales in CY18", "CY18", "2018-01-01", "2019-01-01"),
    ("last year's third quarter was slow", "last year's third quarter", "2025-07-01", "2025-10-01"),
    # holidays
    ("We met on Memorial Day 2021", "Memorial Day 2021", "2021-05-31", "2021-06-01"),
    ("We met on Mother's Day", "Mother's Day", "2026-05-10", "2026-05-11"),
    ("We met on St Patrick's Day 2021", "St Patrick's Day 2021", "2021-03-17", "2021-03-18"),
    ("We met on Ash Wednesday 2021", "Ash Wednesday 2021", "2021-02-17", "2021-02-18"),
    ("We met on Presidents' Day 2021", "Presidents' Day 2021", "2021-02-15", "2021-02-16"),
    ("We met on New Year's Eve 2020", "New Year's Eve 2020", "2020-12-31", "2021-01-01"),
    ("We met on Labor Day weekend", "Labor Day weekend", "2025-08-30", "2025-09-02"),
    ("the weekend of Thanksgiving 2023", "the weekend of Thanksgiving 2023", "2023-11-23", "2023-11-27"),
    # hours in words, and beside a part of a day
    ("I'll call tomorrow at five-thirty", "tomorrow at five-thirty", "2026-05-14T17:30", "2026-05-14T17:30"),
    ("at five-thirty tomorrow evening", "at five-thirty tomorrow evening", "2026-05-14T17:30", "2026-05-14T17:30"),
    ("yesterday at half past seven", "yesterday at half past seven", "2026-05-12T07:30", "2026-05-12T07:30"),
    (
        "yesterday at a quarter to eight in the evening",
        "yesterday at a quarter to eight in the evening",
        "2026-05-12T19:45",
        "2026-05-12T19:45",
    ),
    ("yesterday at 8:45a", "yesterday at 8:45a", "2026-05-12T08:45", "2026-05-12T08:45"),
    ("yesterday at 9p", "yesterday at 9p", "2026-05-12T21:00", "2026-05-12T21:00"),
    ("yesterday at 2 in the afternoon", "yesterday at 2 in the afternoon", "2026-05-12T14:00", "2026-05-12T14:00"),
    ("Monday morning 6-8 I ran", "Monday morning 6-8", "2026-05-11T06:00", "2026-05-11T08:00"),
    ("yesterday evening from 7 to 9", "yesterday evening from 7 to 9", "2026-05-12T19:00", "2026-05-12T21:00"),
    ("It rained yesterday pm", "yesterday pm", "2026-05-12T12:00", "2026-05-13T00:00"),
    ("We will meet in the morning at 7", "in the morning at 7", "2026-05-14T07:00", "2026-05-14T07:00"),  # 7 is over
    ("I'll be there at 5", "at 5", "2026-05-13T17:00", "2026-05-13T17:00"),
    ("I'll leave tonight at 3", "tonight at 3", "2026-05-14T03:00", "2026-05-14T03:00"),
    ("I'll do it now", "now", "2026-05-13T15:30", "2026-05-13T15:30"),
]


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
        ("It opens as early as 2019", "since", ("2019-01-01", None)),
        ("It was 2019 or later", "since", ("2019-01-01", None)),
        ("It was 2019 or earlier", "until", (None, "2020-01-01")),
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
        "You may go now",
        "This may or may not work",
        "Soldiers march to the city",
        "May I ask something?",
        "It takes a second",
        "the second time",
        "the 3rd attempt",
        "April said hello to June",
        "Android 14 may add it",
        "I counted 2000 people",
        "It weighs 1500 grams",
        "It cost $2019",
        "room 2.30",
        "a ratio of 4:3",
        "24/7 support",
        "call (206) 555-1212",
        "code 133-03-03-2020",
        "2021-13-45 is wrong",
        "She sat in the sun",
        "the fall of Rome",
        "a spring in the bed",
        "Now, let us begin",
        "I learned it in three weeks",
        "the next day",
        "version 1.2.3",
        "0.8/15",
        "We've reached the end of the line",
        "decimal 3.14",
        "",
        " ",
        "…",
        "日本語の文章です",
        "the poetry of the everyday.",
        "everyday life",
        "everyday tools",
        "a score of 5/3",
        "30 minutes to 1 hour",
        "It costs around 5 more",
        "call us at 1-800",
        "at 1,000 words",
        "You can read it in an hour",
        "week 3 of the course",
        "a fortnight later it was gone",
        "We like it in the evening",
        "for now",
        "old systems are cheap now",
        "pages 6-8",
        "the first of many",
        "My mother had a good day",
    ],
)
def test_what_is_a_time_only_by_chance_is_none(text: str) -> None:
    assert times_in(text, NOW) == ()


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("I run every Monday", "2026-05-18"),
        ("We meet on Fridays", "2026-05-15"),
        ("I run daily", "2026-05-13"),
        ("twice a week", "2026-05-13"),
        ("I run everyday.", "2026-05-13"),
    ],
)
def test_what_repeats_has_its_next_turn(text: str, start: str) -> None:
    found = one(text)
    assert (found.kind, found.start) == ("repeating", at(start))


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("It closed before the end of March", (None, "2026-04-01")),
        ("more than two weeks before 15 May 2021", (None, "2021-05-01")),
        ("more than two weeks after 1 May 2021", ("2021-05-15", None)),
        ("It came yesterday before 5pm", (None, "2026-05-12T17:00")),
        ("It came last Tuesday by 2 in the afternoon", (None, "2026-05-05T14:00")),
    ],
)
def test_a_stretch_that_is_open_on_one_side(text: str, window: tuple[str | None, str | None]) -> None:
    assert one(text).window == tuple(edge and at(edge) for edge in window)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("I went on Friday", "2026-05-08"),
        ("On Friday I went home", "2026-05-08"),
        ("I can't come on Friday", "2026-05-15"),
        ("Are you free on Friday? I'd need to know, is it on Friday?", "2026-05-15"),
        ("I'm seeing Ana on Friday", "2026-05-15"),
        ("The exam is on Friday", "2026-05-15"),
        ("School starts on Friday", "2026-05-15"),
        ("She should be here on Friday", "2026-05-15"),
        ("She should have been here on Friday", "2026-05-08"),
        ("I couldn't come on Friday", "2026-05-08"),
        ("I was going to come on Friday", "2026-05-08"),
        ("I was ill but I'll come on Friday", "2026-05-15"),
        ("I'll tell you what happened on Friday", "2026-05-08"),
        ("Can you tell me about our meeting on Friday?", "2026-05-08"),
        ("It has been quiet since Friday", "2026-05-08"),
        ("It is scheduled for Friday", "2026-05-15"),
        ("We scheduled it on Friday", "2026-05-08"),
        ("I changed my will on Friday", "2026-05-08"),
        ("You can add what I wrote on March 3", "2026-03-03"),
        ("You should be done by June 3", "2026-06-03"),
        ("You should see what I got on May 3", "2026-05-03"),
        ("We can use the pictures of May 3", "2026-05-03"),  # only possible: the nearest one
        ("We will use it on May 3", "2027-05-03"),
    ],
)
def test_the_nearest_verb_says_whether_it_is_past_or_to_come(text: str, start: str) -> None:
    assert {found.start for found in times_in(text, NOW)} == {at(start)}


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("The redesign of the onboarding ships on October 20.", "2026-10-20"),
        ("I have a dentist appointment on Monday.", "2026-09-21"),
        ("Tomás has an interview at Farfetch on Friday.", "2026-09-18"),
        ("We want to go to Japan in April.", "2027-04-01"),
        ("I have an exam on May 3.", "2027-05-03"),
        ("The conference is in March.", "2027-03-01"),
        ("I'm aiming for the Porto 10K in June", "2027-06-01"),
        ("On Monday I have a dentist appointment", "2026-09-21"),
        ("The meeting was moved to Friday", "2026-09-18"),
        ("We are getting married in June", "2027-06-01"),
        ("Ana's coming from Pune on 27 March", "2027-03-27"),
        ("Leo's got a check-up on Friday", "2026-09-18"),
        ("dentist on Monday at 9", "2026-09-21T09:00"),
        ("call mum on Sunday", "2026-09-20"),
        ("Team offsite: 12 October", "2026-10-12"),
        ("Great dinner on Friday!", "2026-09-11"),
        ("I sleep little, and on Friday I ran", "2026-09-11"),
        ("The trip in April was long", "2026-04-01"),
        ("I still have the photos from March", "2026-03-01"),
        ("I love what we cooked on Friday", "2026-09-11"),
        ("Who is the woman that we met in June?", "2026-06-01"),
        ("I remember the party on Friday", "2026-09-11"),
    ],
)
def test_what_is_arranged_lies_ahead_and_only_a_past_verb_looks_back(text: str, start: str) -> None:
    assert [found.start for found in times_in(text, at("2026-09-15T12:00"))] == [at(start)]


@pytest.mark.parametrize(
    "text",
    ["Deploys happen on Friday", "Exams happen in April", "We usually meet on Friday", "She never works on Monday"],
)
def test_a_habit_happens_at_no_time_in_particular(text: str) -> None:
    assert one(text).kind == "repeating"


def test_days_in_a_list_are_one_each() -> None:
    found = times_in("We met on 3, 5 and 9 April 2021, and on May 3 and 5", NOW)
    assert [(each.surface, each.start.date().isoformat()) for each in found] == [
        ("3", "2021-04-03"),
        ("5", "2021-04-05"),
        ("9 April 2021", "2021-04-09"),
        ("May 3", "2026-05-03"),
        ("5", "2026-05-05"),
    ]


def test_what_began_and_is_not_over_is_meant_by_a_range_of_the_future() -> None:
    found = one("It will be closed from March to September")
    assert (found.start, found.end) == (at("2026-03-01"), at("2026-10-01"))


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
    "Friday early Q3 summer Christmas noon at every a couple century 1990s end within now half past business weekend "
    "(Tue) will was can't tomorrow 7.6 5/3 for hours starting rest EOD mother's day more less than or later from hour "
    "evening ish"
).split()


@given(st.lists(st.sampled_from(PIECES), max_size=14), st.datetimes())
def test_words_of_time_in_any_order_are_read_without_an_error(words: list[str], reference: datetime) -> None:
    for found in times_in(" ".join(words), reference):
        assert found.start <= found.end
