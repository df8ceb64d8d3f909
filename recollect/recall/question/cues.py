"""What a question gives away besides its words: days, months, years it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.clock import DAY_US
from recollect.language import lists
from recollect.language.rules import one_of
from recollect.language.spoken import DEFAULT, SUPPORTED, language_for

MONTHS = lists.entries("en", "months")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_NEARNESS = np.array([1.0, 0.6, 0.35])  # the same day, one day off, two
_MONTH_ONLY = 0.5
_ABBREVIATION_CHARS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Days as (month, day), months, and years that a question names."""

    days: tuple[tuple[int, int], ...] = ()
    months: tuple[int, ...] = ()
    years: tuple[int, ...] = ()


class _MonthPatterns(NamedTuple):
    """How months and days are written in a language. `month` finds a month that stands without a day."""

    numbers: Mapping[str, int]
    month: re.Pattern[str]
    day_month: re.Pattern[str]
    month_day: re.Pattern[str]


@cache
def _patterns(code: str) -> _MonthPatterns:
    entries = enumerate(lists.entries(code, "months"), start=1)
    numbers = {form: number for number, entry in entries for form in entry.split()}
    if code == DEFAULT:
        numbers |= {month[:3]: number for month, number in numbers.items()} | {"sept": 9}
    # An abbreviation is a month where a day stands beside it; alone it may be the sea ("mar") or a name ("Jan").
    alone = (
        numbers if code == DEFAULT else {form for form in numbers if len(form) > _ABBREVIATION_CHARS or form == "mai"}
    )
    names = one_of(numbers)
    day = r"(\d{1,2})(?:st|nd|rd|th|\.|º)?"
    return _MonthPatterns(
        numbers,
        re.compile(rf"\b({one_of(alone)})\b\.?", re.IGNORECASE),
        re.compile(rf"\b{day}(?:\s+(?:of|de))?\s+({names})\b", re.IGNORECASE),
        re.compile(rf"\b({names})\.?\s+{day}\b", re.IGNORECASE),
    )


@lru_cache(maxsize=64)  # a question is asked this twice: for its intent, and for its answer
def cues_of(text: str) -> Cues:
    """The dates a question names. `may` and `march` count as months only when written as names."""
    code = language_for(text).code
    known = _patterns(code if code in SUPPORTED else DEFAULT)
    number = known.numbers
    days = [(number[m[2].lower()], int(m[1])) for m in known.day_month.finditer(text)]
    days += [(number[m[1].lower()], int(m[2])) for m in known.month_day.finditer(text)]
    months = [
        number[m[1].lower()]
        for m in known.month.finditer(text)
        if m[1].lower() not in ("may", "march") or m[1][0].isupper()
    ]
    return Cues(
        days=tuple(day for day in dict.fromkeys(days) if day[1] <= 31),
        months=tuple(dict.fromkeys(months)),
        years=tuple(dict.fromkeys(int(y) for y in _YEAR.findall(text))),
    )


class Dates:
    """The calendar dates of rows, from microseconds. Few questions name a date: its parts are worked out when asked."""

    def __init__(self, times_us: NDArray[np.int64]) -> None:
        self.days = (times_us // DAY_US).astype("datetime64[D]")

    @property
    def years(self) -> NDArray[np.int64]:
        return self.days.astype("datetime64[Y]").astype(np.int64) + 1970

    @property
    def months(self) -> NDArray[np.int64]:
        return self.days.astype("datetime64[M]").astype(np.int64) % 12 + 1

    @property
    def day_of_month(self) -> NDArray[np.int64]:
        return np.asarray((self.days - self.days.astype("datetime64[M]")).astype(np.int64) + 1)

    def nearness(self, cues: Cues) -> NDArray[np.float64]:
        """How near each row is to the days or months a question names, from 0 to 1."""
        score = np.zeros(len(self.days))
        years = [np.array(year) for year in cues.years] or [self.years - 1, self.years, self.years + 1]
        for (month, day), year in product(cues.days, years):
            # Numbers first: NumPy 2.5 warns of dates plus numbers without a unit, and a later one refuses them.
            first = ((year - 1970) * 12 + (month - 1)).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
            distance = np.abs(self.days.astype(np.int64) - (first + (day - 1)))
            score = np.maximum(score, np.where(distance <= 2, _NEARNESS[np.minimum(distance, 2)], 0.0))
        if cues.months and not cues.days:
            in_year = np.isin(self.years, cues.years) if cues.years else np.ones(len(self.days), dtype=np.bool_)
            score = np.where(in_year & np.isin(self.months, cues.months), _MONTH_ONLY, score)
        return score
