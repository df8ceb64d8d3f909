"""Dates in digits, as they are written in most languages: 2021-05-03, 3.5.2021, 03/05/2021, the day before the month.

English has rules of its own, as it is also written with the month first.
"""

from __future__ import annotations

from datetime import datetime

from recollect.language.calendar import Stretch, months_from
from recollect.language.resolving import CalendarReading, day_of_year
from recollect.language.rules import Match, PhraseRule

DIGITS = frozenset("0123456789")
YEAR = r"(?:1[0-9]|20|21)\d\d"
NUMBER_MONTH, NUMBER_DAY = "1[0-2]|0?[1-9]", r"[12]\d|3[01]|0?[1-9]"
_YEARS_BEFORE = 30  # two digits from here on are of the century before


def year_of_digits(words: str | None) -> int | None:
    """The year that four digits name, or two; two digits are of the hundred years that end with 2029."""
    digits = (words or "").strip("'’ ")
    if not digits:
        return None
    year = int(digits)
    return year if year >= 100 else year + (2000 if year < _YEARS_BEFORE else 1900)


def moment(match: Match, reading: CalendarReading) -> Stretch:
    """A date and a time in ISO 8601; without an offset in the zone of the reading."""
    text = "T".join(match[0].upper().split())
    named, zone = datetime.fromisoformat(text), reading.now.tzinfo
    named = named.astimezone(zone) if named.tzinfo else named.replace(tzinfo=zone)
    return Stretch(named, named, "second" if text.count(":") > 1 else "minute")


def date(match: Match, reading: CalendarReading) -> Stretch | None:
    """A day, its month in digits."""
    year = year_of_digits(match["year"])
    return day_of_year(reading, [(int(match["month"]), int(match["day"]))], year=year)


def month(match: Match, reading: CalendarReading) -> Stretch | None:
    """A month in digits, with its year."""
    year = year_of_digits(match["year"])
    assert year is not None
    return months_from(year, int(match["month"]), 1, "month", reading.now.tzinfo)


ISO_MOMENT = PhraseRule(
    words=DIGITS,
    read=moment,
    pattern=r"\d{4}-\d\d-\d\d(?:t| )\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:z|[+-]\d\d:?\d\d)?",
)
ISO_DATE = PhraseRule(  # 2021-05-03, 2021/5/3
    words=DIGITS,
    read=date,
    pattern=rf"(?P<year>{YEAR})(?P<dot>[-/.])(?P<month>{NUMBER_MONTH})(?P=dot)(?P<day>{NUMBER_DAY})(?!-\d)",
)
DAY_FIRST = PhraseRule(  # 3.5.2021, 03/05/21
    words=DIGITS,
    read=date,
    pattern=rf"(?P<day>{NUMBER_DAY})(?P<dot>[-/.])\s?(?P<month>{NUMBER_MONTH})(?P=dot)\s?(?P<year>{YEAR}|\d\d)",
)
ISO_MONTH = PhraseRule(words=DIGITS, read=month, pattern=rf"(?P<year>{YEAR})-(?P<month>{NUMBER_MONTH})(?!-\d)")
NUMERIC_RULES = (ISO_MOMENT, ISO_DATE, DAY_FIRST, ISO_MONTH)
