"""How a phrase is read that counts from now ("last week", "two days ago") or lies inside a longer stretch."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from recollect.language import calendar
from recollect.language.calendar import Stretch, midnight, moved, unit_at
from recollect.language.en.amounts import amount_of
from recollect.language.en.calendar_words import number_of, unit_named, weekday_of
from recollect.language.en.holidays import days_off
from recollect.language.en.readings import (
    day_of_month,
    ends_a_day,
    holiday,
    part_of,
    shift_of,
    year_in,
)
from recollect.language.resolving import CalendarReading, end_of_day, fitting
from recollect.language.rules import Match

Nested = Callable[[str, datetime], Stretch | None]

_NAMED_DAYS = {"before yesterday": -2, "after tomorrow": 2, "yesterday": -1, "tomorrow": 1, "today": 0}
_FINE = ("second", "minute", "hour")
_COURSE_WEEKS = 10  # up to here "week 3" is as often the third of a course as of the year
_OF_SOMETHING = re.compile(r"\s+of\b(?!\s+(?:this|last|next|the)\s+year)(?!\s+\d{4}\b)|\s?[-–]\s?\d", re.I)


# --- counted from now -----------------------------------------------------------------------------------------------


def named_day(match: Match, reading: CalendarReading) -> Stretch | None:
    words = " ".join(match["day"].lower().split())
    shift = next(days for end, days in _NAMED_DAYS.items() if words.endswith(end))
    day = calendar.day_at(reading.now + timedelta(days=shift))
    return end_of_day(day) if shift >= 0 and ends_a_day(match["part"]) else part_of(match["part"], day)


def now(match: Match, reading: CalendarReading) -> Stretch | None:
    return Stretch(reading.now, reading.now, "second")


def span(match: Match, reading: CalendarReading) -> Stretch | None:
    """Calendar stretches: last week is the seven days from Monday to Sunday before this week's Monday."""
    which, unit, at = match["which"].lower(), unit_named(match["unit"]), reading.now
    if unit == "hour" and reading.strict and match["the"] and not reading.planned:
        return None
    if unit == "hour" or (which == "past" and match["the"]):  # "in the past week": up to now
        there = moved(at, unit, shift_of(which))
        return Stretch(min(at, there), max(at, there), unit)
    if unit == "day" and reading.strict:
        return None  # "this day", "the next day" are days of a story
    here, shift = unit_at(at, unit), shift_of(which)
    if unit == "weekend" and shift == -1 and here.end <= at:
        shift = 0
    whole = unit_at(moved(here.start, unit, shift), unit)
    part = (match["part"] or "").lower()
    if shift == 0 and part.startswith("earlier"):
        return Stretch(whole.start, max(at, whole.start + timedelta(days=1)), unit)
    if shift == 0 and part.startswith("later"):
        return Stretch(midnight(at), whole.end, unit)
    return part_of(part, whole)


def rest_of(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "The rest of the week": from now to its end."""
    unit = unit_named(match["unit"])
    return Stretch(reading.now, unit_at(reading.now, unit).end, unit)


def so_far(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Year to date", "so far this month": from its beginning to now."""
    unit = {"y": "year", "m": "month", "q": "quarter"}.get(match["unit"].lower()) or unit_named(match["unit"])
    return Stretch(unit_at(reading.now, unit).start, reading.now, unit)


def end_of_unit(match: Match, reading: CalendarReading) -> Stretch | None:
    """EOD is the end of today, EOW, EOM and EOY the late part of this week, month or year."""
    unit = {"d": "day", "w": "week", "m": "month", "q": "quarter", "y": "year"}[match["unit"].lower()[-1]]
    whole = unit_at(reading.now, unit)
    return end_of_day(whole) if unit == "day" else part_of("end of", whole)


def weekend(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Over the weekend": the last that has begun, or the next that is not over."""
    here = calendar.weekend_at(reading.now)
    if fitting(reading, here):
        return here
    return calendar.weekend_at(moved(here.start, "week", 1 if reading.ahead else -1))


def counted_span(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "The last 3 months" reach to now; "the next 3 days" begin tomorrow; quarters and decades are whole ones."""
    amount = amount_of(f"{match['count']} {match['unit']}{match.groupdict().get('more') or ''}")
    unit, back, at = amount.pieces[0][1], shift_of(match["which"]) == -1, reading.now
    begin = end = at
    if unit in ("quarter", "decade", "weekend", "workweek"):
        begin = end = unit_at(at, unit).start
        end = moved(end, unit, 1)
    elif unit not in _FINE:
        end = calendar.day_at(at).end
    if back:
        return Stretch(amount.later(begin, -1), begin, unit)
    last = amount.later(end - timedelta(days=1)) + timedelta(days=1) if unit == "workday" else amount.later(end)
    return Stretch(end, last, unit)


def ago(match: Match, reading: CalendarReading) -> Stretch | None:
    """A moment; its grain says how exactly it is meant."""
    amount = amount_of(match["amount"])
    then = amount.later(reading.now, -1)
    return Stretch(then, then, amount.grain)


def from_now(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "In two weeks", "three days from now", "30 minutes later": a moment.

    In a sentence of the past it is how long something took, or counts from another moment of the story.
    """
    groups = match.groupdict()
    told = groups.get("time") or not (groups.get("in") or groups.get("later"))
    if reading.strict and not reading.planned and not told:
        return None
    amount = amount_of(match["amount"])
    then = amount.later(reading.now)
    return Stretch(then, then, amount.grain)


def within(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Within two weeks", from now, if the sentence says that it will be so."""
    if reading.strict and not reading.planned:
        return None
    amount = amount_of(match["amount"])
    return Stretch(reading.now, amount.later(reading.now), amount.grain)


def weekday(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Friday" is the nearest; "last Friday" the latest before yesterday, "next Friday" that of next week."""
    name, which, week = match["weekday"].rstrip("."), match["which"], (match["week"] or "").split()
    if reading.strict and len(name) < 5 and not (name[0].isupper() and (match["cue"] or which or week)):
        return None  # "sat", "sun", "wed"
    day, part = calendar.day_at(_weekday_meant(name, which, week, reading)), match.groupdict().get("part")
    return end_of_day(day) if ends_a_day(part) else part_of(part, day)


def _weekday_meant(name: str, which: str | None, week: list[str], reading: CalendarReading) -> datetime:
    today, wanted = midnight(reading.now), weekday_of(name)
    monday = today - timedelta(days=today.weekday())
    if week:
        return monday + timedelta(days=7 * shift_of(week[0]) + wanted)
    if which and shift_of(which) >= 0:
        return monday + timedelta(days=7 * shift_of(which) + wanted)
    if not which and reading.ahead:
        return today + timedelta(days=(wanted - today.weekday()) % 7)
    days = (today.weekday() - wanted - 1) % 7 + 1
    if days == 1 and (which or "").lower() in ("last", "previous"):
        days = 8  # nobody calls yesterday last Wednesday
    return today - timedelta(days=days)


def weekdays_away(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Two Sundays ago", "three Fridays from now"."""
    today, wanted, count = midnight(reading.now), weekday_of(match["weekday"]), number_of(match["count"])
    if match["back"]:
        nearest = today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
        return calendar.day_at(nearest - timedelta(weeks=count - 1))
    nearest = today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)
    return calendar.day_at(nearest + timedelta(weeks=count - 1))


# --- inside a longer one --------------------------------------------------------------------------------------------


def nth_of(match: Match, reading: CalendarReading, nested: Nested) -> Stretch | None:
    """ "The first week of January 2015", "the last day of March", "first two weeks of last year"."""
    whole = nested(match["whole"].removeprefix("the "), reading.now)
    if whole is None:
        return None
    unit, count = unit_named(match["unit"]), number_of(match["count"]) if match["count"] else 1
    if match["nth"].lower() in ("last", "final"):
        end = unit_at(whole.end, unit).start  # of weeks, those that are over with it
        return Stretch(moved(end, unit, -count), end, unit)
    start = unit_at(whole.start, unit).start
    if unit == "week" and (whole.start - start).days > 3:  # the first week is the one with most of its days inside
        start = moved(start, unit, 1)
    start = moved(start, unit, number_of(match["nth"]) - 1)
    return Stretch(start, moved(start, unit, count), unit) if start < whole.end else None


def nth_weekday(match: Match, reading: CalendarReading, nested: Nested) -> Stretch | None:
    """ "The first Monday of March"."""
    whole = nested(match["whole"].removeprefix("the "), reading.now)
    if whole is None:
        return None
    wanted = weekday_of(match["weekday"])
    if match["nth"].lower() == "last":
        last = whole.end - timedelta(days=1)
        return calendar.day_at(last - timedelta(days=(last.weekday() - wanted) % 7))
    first = whole.start + timedelta(days=(wanted - whole.start.weekday()) % 7)
    found = calendar.day_at(first + timedelta(weeks=number_of(match["nth"]) - 1))
    return found if found.start < whole.end else None


def unit_of_day(match: Match, reading: CalendarReading, nested: Nested) -> Stretch | None:
    """ "The week of April 10th", "the week of Christmas"."""
    day = nested(match["day"], reading.now)
    return day and unit_at(day.start, match["unit"].lower())


def unit_of_day_of_month(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "The week of the 10th"."""
    day = day_of_month(match, reading)
    return day and unit_at(day.start, match["unit"].lower())


def week_number(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Week 31", "week 5 of 2018": the weeks of a year are counted as in ISO 8601."""
    number, year = int(match["number"]), year_in(match)
    counted = _OF_SOMETHING.match(match.string, match.end())
    if reading.strict and year is None and (number < _COURSE_WEEKS or counted):
        return None
    named = year if year is not None else reading.now.year + shift_of(match["which"])
    return calendar.iso_week(named, number, reading.now.tzinfo)


def holiday_weekend(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Labor Day weekend", "the weekend of Thanksgiving 2023"."""
    day = holiday(match, reading)
    return day and Stretch(*days_off(day.start), "weekend")
