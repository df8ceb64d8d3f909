"""The holidays of a language, from its `holidays.txt`: when each begins in a year, and how many days it has.

An entry is `name = when days`. A date is `12-25`; `easter-2` is so many days from Easter Sunday, `5-sun2` the second
Sunday of May (`5-sun-1` its last). Public calendars list the days that a country's offices are closed, by their
official names; these lists have what people say, in any country.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache

from recollect.language import lists
from recollect.language.calendar import easter, nth_weekday_of

HolidayOfYear = Callable[[int], tuple[datetime, int]]
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_EASTER = re.compile(r"easter([+-]\d+)")
_NTH = re.compile(rf"(\d+)-({'|'.join(_WEEKDAYS)})(-?\d)")


@cache
def holidays_of(language: str) -> Mapping[str, HolidayOfYear]:
    """The holidays of a language by their names in small letters."""
    return {name: _reader(rule) for name, rule in lists.pairs(lists.entries(language, "holidays")).items()}


def _reader(rule: str) -> HolidayOfYear:
    when, days = rule.split()
    first = _first_day(when)
    return lambda year: (first(year), int(days))


def _first_day(when: str) -> Callable[[int], datetime]:
    if moving := _EASTER.fullmatch(when):
        later = timedelta(days=int(moving[1]))
        return lambda year: easter(year) + later
    if counted := _NTH.fullmatch(when):
        month, weekday, nth = int(counted[1]), _WEEKDAYS.index(counted[2]), int(counted[3])
        return lambda year: nth_weekday_of(year, month, weekday, nth)
    month, day = map(int, when.split("-"))
    return lambda year: datetime(year, month, day)
