"""Which day, month or year is meant where a text does not say: read against a moment and a direction.

In no language. What the words of a phrase say ("last", "in two weeks", "early") comes in as numbers and names; the
patterns that find them belong to a language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import Literal, NamedTuple

from recollect.language.calendar import (
    Stretch,
    date_of,
    day_at,
    midnight,
    months_from,
    moved,
    season_of,
    unit_at,
    weekend_at,
)

_YEARS_SEARCHED = 9  # as far as the next 29 February can be
_MONTHS_SEARCHED = 60  # as far as a Monday the 30th can be


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarReading:
    """What a phrase is read against. Without a year of its own it means the last one there was, `ahead` the next.

    What is only `possible` may also have been: then it is the nearest one. What is `planned` is said to be done: "I'll
    be back in an hour" names a moment, "you can read it in an hour" does not. `strict` is for running text: a word that
    is a time only by chance needs something beside it that says so.
    """

    now: datetime
    ahead: bool = False
    planned: bool = False
    possible: bool = False
    strict: bool = False


class Amount(NamedTuple):
    """Counts of units, the largest first as a rule: "3 months and 2 days"."""

    pieces: tuple[tuple[float, str], ...]

    @property
    def grain(self) -> str:
        """The unit it was counted in last: how exactly it is meant."""
        return self.pieces[-1][1]

    def later(self, moment: datetime, sign: int = 1) -> datetime:
        """This much after a moment, or before it."""
        for count, unit in self.pieces:
            moment = moved(moment, unit, sign * count)
        return moment


def yearly(
    reading: CalendarReading, make: Callable[[int], Stretch], year: int | None, shift: int | None
) -> Stretch | None:
    """Something that comes once a year.

    Of the year named; else the last one (`shift` -1) is over, the next one (1) has not begun and this one (0) is of
    this year; without a shift it is the last that has begun, the next that is not over if it is `ahead`, or the nearest
    if it is only possible.
    """
    if year is not None:
        return make(year)
    now = reading.now
    if shift == 0:
        return make(now.year)
    if not shift and reading.possible:
        return nearest(now, [found for around in (-1, 0, 1) if (found := made(make, now.year + around))])
    step = shift or (1 if reading.ahead else -1)
    for offset in range(_YEARS_SEARCHED):
        try:
            found = make(now.year + step * offset)
        except ValueError:
            continue
        begun, over = found.start <= now, found.end <= now
        if over if shift == -1 else not begun if shift == 1 else not over if reading.ahead else begun:
            return found
    return None


def nearest(now: datetime, found: list[Stretch]) -> Stretch | None:
    """The one that now lies in or next to."""
    return min(found, key=lambda each: max(each.start - now, now - each.end), default=None)


def made(make: Callable[[int], Stretch], year: int) -> Stretch | None:
    """What is made of this year, None if the year has no such day."""
    try:
        return make(year)
    except ValueError:
        return None


def fitting(reading: CalendarReading, found: Stretch) -> bool:
    """Whether it lies on the side of now that is meant."""
    return found.end > reading.now if reading.ahead else found.start <= reading.now


def day_of_year(
    reading: CalendarReading,
    orders: Sequence[tuple[int, int]],
    *,
    year: int | None,
    weekday: int | None = None,
    nearest_of: bool = False,
) -> Stretch | None:
    """The day of the first of these months and days. Without a year its weekday says which year, and which order.

    `nearest_of`: the weekday was named as "this" or "last" one, so that the nearest day is meant even where it is
    another weekday.
    """
    zone = reading.now.tzinfo
    if weekday is not None:
        years = (year,) if year is not None else range(reading.now.year - 1, reading.now.year + 2)
        possible = [day for each in years for order in orders if (day := made(partial(_date, order, zone), each))]
        agreeing = [day for day in possible if day.start.weekday() == weekday]
        if agreeing or (nearest_of and year is None):
            return nearest(reading.now, agreeing or possible)
    return yearly(reading, partial(_date, orders[0], zone), year, None)


def _date(month_and_day: tuple[int, int], zone: tzinfo | None, year: int) -> Stretch:
    return date_of(year, *month_and_day, zone)


def day_of_month(reading: CalendarReading, day: int, weekday: int | None = None) -> Stretch | None:
    """ "On the 3rd": of this month, or of the one before or after it; "Friday the 13th" goes as far as it must."""
    step = 1 if reading.ahead else -1
    for offset in range(_MONTHS_SEARCHED):
        month = moved(unit_at(reading.now, "month").start, "month", step * offset)
        found = day_at(month + timedelta(days=day - 1))
        right_day = found.start.month == month.month and weekday in (None, found.start.weekday())
        if right_day and fitting(reading, found):
            return found
    return None


# --- so many steps away -----------------------------------------------------------------------------------------------


def weekday_near(reading: CalendarReading, weekday: int, shift: int | None) -> Stretch:
    """A weekday: of this week (`shift` 0), the next after today (1) or the last before it (-1), two of them away.

    Without a shift it is the nearest in the direction that is meant; the one ahead may be today.
    """
    today = midnight(reading.now)
    if shift == 0:
        return weekday_of_week(reading.now, weekday, 0)
    ahead, back = (weekday - today.weekday()) % 7, (today.weekday() - weekday - 1) % 7 + 1
    if shift is None:
        return day_at(today + timedelta(days=ahead) if reading.ahead else today - timedelta(days=back))
    if shift > 0:
        return day_at(today + timedelta(days=(ahead - 1) % 7 + 1 + 7 * (shift - 1)))
    return day_at(today - timedelta(days=back + 7 * (-shift - 1)))


def weekday_of_week(now: datetime, weekday: int, weeks: int) -> Stretch:
    """A weekday of the week that is so many weeks from this one."""
    return day_at(unit_at(now, "week").start + timedelta(days=7 * weeks + weekday))


def unit_near(now: datetime, unit: str, shift: int) -> Stretch:
    """The week, month … that is so many from this one; on a Monday "last weekend" is the one just over."""
    here = unit_at(now, unit)
    if unit == "weekend" and shift == -1 and here.end <= now:
        shift = 0
    return unit_at(moved(here.start, unit, shift), unit)


def weekend_near(reading: CalendarReading) -> Stretch:
    """ "At the weekend": the last that has begun, or the next that is not over."""
    here = weekend_at(reading.now)
    return here if fitting(reading, here) else weekend_at(moved(here.start, "week", 1 if reading.ahead else -1))


def counted_near(now: datetime, amount: Amount, shift: int) -> Stretch | None:
    """ "The last three months" reach to now, "the next two weeks" begin tomorrow; "these" say neither."""
    if shift == 0:
        return None
    if shift < 0:
        return Stretch(amount.later(now, -1), now, amount.grain)
    start = day_at(now).end
    return Stretch(start, amount.later(start), amount.grain)


def away(now: datetime, amount: Amount, sign: int) -> Stretch:
    """The moment that is so much before or after now."""
    then = amount.later(now, sign)
    return Stretch(then, then, amount.grain)


def season_near(reading: CalendarReading, month: int, year: int | None, shift: int | None) -> Stretch | None:
    """A season by the month it begins with; the winter we are in began last year."""
    now = reading.now
    if month == 12 and now.month < 3 and shift == 0:
        year = now.year - 1
    return yearly(reading, lambda at: season_of(at, month, now.tzinfo), year, _one_step(shift))


def part_of_year(reading: CalendarReading, number: int, months: int, grain: str, year: int | None) -> Stretch | None:
    """The nth quarter or half of a year: so many months each."""
    if not 1 <= number <= 12 // months:
        return None
    zone = reading.now.tzinfo
    return yearly(reading, lambda at: months_from(at, months * (number - 1) + 1, months, grain, zone), year, None)


def decade_of(tens: int, zone: tzinfo | None) -> Stretch:
    """ "The nineties" by 90 or 1990; 00 to 20 are of this century."""
    first = tens if tens >= 100 else tens + (1900 if tens >= 30 else 2000)
    return months_from(first, 1, 120, "decade", zone)


def week_of_month(month: Stretch, nth: int) -> Stretch:
    """The nth seven days of a month; -1 for its last seven."""
    start = month.end - timedelta(days=7) if nth < 0 else month.start + timedelta(days=7 * (nth - 1))
    return Stretch(start, start + timedelta(days=7), "week")


def holiday_near(
    reading: CalendarReading, of_year: Callable[[int], tuple[datetime, int]], year: int | None, shift: int | None
) -> Stretch | None:
    """A holiday by the function that gives its first day, without a zone, and how many days it has."""

    def make(at: int) -> Stretch:
        first, days = of_year(at)
        start = first.replace(tzinfo=reading.now.tzinfo)
        return Stretch(start, start + timedelta(days=days), "day")

    return yearly(reading, make, year, _one_step(shift))


def _one_step(shift: int | None) -> int | None:
    return shift and (1 if shift > 0 else -1)


# --- parts ------------------------------------------------------------------------------------------------------------

Part = Literal["early", "mid", "late"]


def part_of(part: Part | None, whole: Stretch) -> Stretch:
    """Early and late are its halves, mid is what lies between its thirds; of a year each is four months."""
    if part is None:
        return whole
    first, middle, last = _edges(whole)
    grain = "part" if whole.grain == "day" else whole.grain
    if part == "early":
        return Stretch(whole.start, first, grain)
    return Stretch(*middle, grain) if part == "mid" else Stretch(last, whole.end, grain)


def _edges(whole: Stretch) -> tuple[datetime, tuple[datetime, datetime], datetime]:
    """Where the early part ends, from when to when the middle is, and where the late part begins."""
    start = whole.start
    if whole.grain == "year":
        first, second = moved(start, "month", 4), moved(start, "month", 8)
        return first, (first, second), second
    if whole.grain == "day":
        noon, near = start + timedelta(hours=12), timedelta(hours=2)
        return noon, (noon - near, noon + near), noon
    if whole.grain == "month":
        half = start + timedelta(days=15)
        return half, (start + timedelta(days=9), start + timedelta(days=20)), half
    days = (whole.end - start).days
    half = start + timedelta(days=days // 2)
    return half, (start + timedelta(days=days // 3), whole.end - timedelta(days=days // 3)), half


def end_of_day(day: Stretch) -> Stretch:
    """The last moment that is still of this day: "by the end of Friday"."""
    last = day.end - timedelta(seconds=1)
    return Stretch(last, last, "minute")
