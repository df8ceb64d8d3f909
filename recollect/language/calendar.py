"""The calendar itself, in no language: stretches of it, and moving through it.

Weeks begin on Monday, seasons are those of the northern half of the world and begin with a month. The words that name
a stretch belong to a language (`language.en.calendar_words`, `language.de.calendar_words`).
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

_SECONDS = {"second": 1, "minute": 60, "hour": 3_600}
_DAYS = {"day": 1, "week": 7, "workweek": 7, "weekend": 7, "fortnight": 14}
_WORKDAYS = 5
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1_200}


class Stretch(NamedTuple):
    """A piece of the calendar, end exclusive, and how finely it was named: `day`, `month`, `year` …"""

    start: datetime
    end: datetime
    grain: str


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


def season_of(year: int, month: int, zone: tzinfo | None) -> Stretch:
    """Three months from the one a season begins with; the winter of a year begins in its December."""
    return months_from(year, month, 3, "season", zone)


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


def nth_weekday_of(year: int, month: int, weekday: int, nth: int) -> datetime:
    """The nth weekday of a month, -1 for its last, without a zone."""
    if nth < 0:
        last = _first_of(year, month + 1, None) - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = datetime(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))


def easter(year: int) -> datetime:
    """Easter Sunday of the Gregorian calendar (the method of Meeus, Jones and Butcher)."""
    golden, (century, of_century) = year % 19, divmod(year, 100)
    leap_centuries, rest = divmod(century, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leap_centuries - correction + 15) % 30
    leap, of_leap = divmod(of_century, 4)
    weekday = (32 + 2 * rest + 2 * leap - epact - of_leap) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return datetime(year, month, day + 1)
