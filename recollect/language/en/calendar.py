"""The words of the calendar and the stretches they name.

Arguments of verbs (`language.times`) and running text (`en.times`) use this one vocabulary. Weeks begin on Monday,
seasons are those of the northern half of the world and begin with a month.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # and the month each begins with
UNITS = {
    "second": "second",
    "sec": "second",
    "minute": "minute",
    "min": "minute",
    "hour": "hour",
    "hr": "hour",
    "h": "hour",
    "day": "day",
    "night": "day",
    "business day": "workday",
    "working day": "workday",
    "workday": "workday",
    "week": "week",
    "wk": "week",
    "workweek": "workweek",
    "working week": "workweek",
    "weekend": "weekend",
    "fortnight": "fortnight",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "yr": "year",
    "decade": "decade",
    "century": "century",
    "centurie": "century",
}
_UNDER_TWENTY = (
    "zero one two three four five six seven eight nine ten "
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS = {word: number for number, word in enumerate(_UNDER_TWENTY)}
NUMBERS |= {word: 10 * number for number, word in enumerate(_TENS, start=2)}
# "a few" and "several" are three, as in the specifications of the date recognisers that others test against.
VAGUE_NUMBERS = {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "a couple": 2,
    "couple of": 2,
    "few": 3,
    "a few": 3,
    "several": 3,
    "some": 3,
}
_IRREGULAR = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
ORDINALS = {_IRREGULAR.get(word, word + "th"): number for word, number in NUMBERS.items() if 0 < number < 20}
ORDINALS |= {"twentieth": 20, "thirtieth": 30}
_SECONDS = {"second": 1, "minute": 60, "hour": 3_600}
_DAYS = {"day": 1, "week": 7, "workweek": 7, "weekend": 7, "fortnight": 14}
_WORKDAYS = 5
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1_200}
_LEADING_NUMBER = re.compile(r"\d+")


class Stretch(NamedTuple):
    """A piece of the calendar, end exclusive, and how finely it was named: `day`, `month`, `year` …"""

    start: datetime
    end: datetime
    grain: str


def number_of(words: str) -> int:
    """What "3", "21st", "twenty-first", "a couple of" or "nineteen eighty six" counts. `ValueError` for no number."""
    words = " ".join(words.lower().replace("-", " ").split())
    if match := _LEADING_NUMBER.match(words):
        return int(match[0])
    if words in VAGUE_NUMBERS:
        return VAGUE_NUMBERS[words]
    total = 0
    for word in words.replace(" and ", " ").split():
        if word in ("hundred", "thousand"):
            total *= 100 if word == "hundred" else 1_000
        elif (value := NUMBERS.get(word, ORDINALS.get(word))) is None:
            raise ValueError(word)
        else:  # "nineteen eighty six" is read by pairs of digits, "twenty six" is a sum
            total = total * 100 + value if total and value >= 10 and total % 100 else total + value
    return total


def month_of(name: str) -> int:
    """The number of a month, from its name or the first three letters of it."""
    return next(number for number, month in enumerate(MONTHS, start=1) if month.startswith(name.lower()[:3]))


def weekday_of(name: str) -> int:
    """The number of a weekday as `datetime.weekday` counts, from its name or the first three letters of it."""
    return next(number for number, day in enumerate(WEEKDAYS) if day.startswith(name.lower()[:3]))


def unit_named(word: str) -> str:
    """The unit of a word such as "hrs" or "weeks"."""
    word = " ".join(word.lower().split())
    return UNITS[word if word in UNITS else word.removesuffix("s")]


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day_at(moment: datetime) -> Stretch:
    start = midnight(moment)
    return Stretch(start, start + timedelta(days=1), "day")


def date_of(year: int, month: int, day: int, zone: tzinfo | None) -> Stretch:
    return day_at(datetime(year, month, day, tzinfo=zone))


def weekend_at(moment: datetime) -> Stretch:
    """Saturday and Sunday of the week of this moment."""
    saturday = unit_at(moment, "week").start + timedelta(days=5)
    return Stretch(saturday, saturday + timedelta(days=2), "weekend")


def months_from(year: int, month: int, count: int, grain: str, zone: tzinfo | None) -> Stretch:
    """So many months, from the first day of one; the month may lie outside 1 to 12."""
    start = _first_of(year, month, zone)
    return Stretch(start, moved(start, "month", count), grain)


def year_of(year: int, zone: tzinfo | None) -> Stretch:
    return months_from(year, 1, 12, "year", zone)


def season_of(year: int, name: str, zone: tzinfo | None) -> Stretch:
    """Three months; the winter of a year begins in its December."""
    return months_from(year, SEASONS[name.lower()], 3, "season", zone)


def unit_at(moment: datetime, unit: str) -> Stretch:
    """The day, week, month … that holds this moment."""
    today = midnight(moment)
    if unit == "weekend":
        return weekend_at(moment)
    if unit == "workweek":
        monday = today - timedelta(days=today.weekday())
        return Stretch(monday, monday + timedelta(days=_WORKDAYS), unit)
    if unit in _SECONDS:
        into = (moment - today).total_seconds() % _SECONDS[unit]
        start = moment - timedelta(seconds=into)
    elif unit in ("week", "fortnight"):
        start = today - timedelta(days=today.weekday())
    elif unit in ("day", "workday"):
        start = today
    else:
        months = _MONTHS[unit]
        index = today.year * 12 + today.month - 1
        start = _first_of(0, index - index % months + 1, today.tzinfo)
    return Stretch(start, moved(start, unit, 1), unit)


def moved(moment: datetime, unit: str, count: float) -> datetime:
    """This moment, so many units later. A day that the month does not have becomes its last."""
    if unit in _SECONDS:
        return moment + timedelta(seconds=count * _SECONDS[unit])
    if unit in _DAYS:
        return moment + timedelta(days=count * _DAYS[unit])
    if unit == "workday":
        return _workdays_later(moment, int(count))
    whole = int(count)
    index = moment.year * 12 + moment.month - 1 + whole * _MONTHS[unit] + round((count - whole) * _MONTHS[unit])
    first = _first_of(0, index + 1, moment.tzinfo)
    last_day = (_first_of(0, index + 2, moment.tzinfo) - timedelta(days=1)).day
    return moment.replace(year=first.year, month=first.month, day=min(moment.day, last_day))


def _workdays_later(moment: datetime, count: int) -> datetime:
    """So many days of work away; from a weekend it is counted as from the working day behind it."""
    step = 1 if count >= 0 else -1
    weekday = moment.weekday()
    if weekday >= _WORKDAYS:
        moment -= timedelta(days=weekday - _WORKDAYS + 1 if step > 0 else weekday - 7)
    weeks, rest = divmod(abs(count), _WORKDAYS)
    over_weekend = not 0 <= moment.weekday() + step * rest < _WORKDAYS
    return moment + step * timedelta(days=7 * weeks + rest + 2 * over_weekend)


def iso_week(year: int, number: int, zone: tzinfo | None) -> Stretch:
    """The week of this number; the first of a year is the one with its first Thursday."""
    return unit_at(datetime.fromisocalendar(year, number, 1).replace(tzinfo=zone), "week")


def _first_of(year: int, month: int, zone: tzinfo | None) -> datetime:
    index = year * 12 + month - 1
    return datetime(index // 12, index % 12 + 1, 1, tzinfo=zone)
