"""How a phrase of the calendar is read: from what its rule matched to the stretch it names.

A reader answers None for what turns out to be no time, and may raise `ValueError` for a day that does not exist.
Which phrases there are is in `language.en.phrases`.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from recollect.language import calendar, resolving
from recollect.language.calendar import Stretch
from recollect.language.en.calendar_words import MONTH_BEGINNING, SEASONS, month_of, number_of, weekday_of
from recollect.language.en.holidays import holiday_of
from recollect.language.expression import expression
from recollect.language.resolving import CalendarReading, Part, yearly
from recollect.language.rules import Match

BACK = frozenset(["last", "past", "previous"])
AHEAD = frozenset(["next", "coming", "following", "upcoming"])
_BARE_YEARS = range(1900, 2100)
# Names of people, words of every day: alone they are months only after a word such as "in".
_MISTAKABLE = frozenset("april may june august march jan mar apr jun aug sep sept dec nov oct feb jul".split())
_VERBS = ("may", "march", "mar", "sep", "dec")
_PEOPLE = ("april", "may", "june", "august")
_PEOPLE_CUES = ("for", "and", "or", "to", "about", "than")
_MONTH_BEFORE = expression(rf"(?:{MONTH_BEGINNING})\w{{0,12}}\.?(?:\s{{1,8}}\d{{4}})?\s{{0,8}}$", re.I)
_VERB_CUES = ("for", "and", "or", "to", "about", "on", "by", "than")
_DATE_CUES = (" on", " by", " of", " until", " since", " from", " to", " till", " before", " after")
_COUNTED = expression(r"\s+(?:(?!was\b|is\b|has\b|does\b)[a-z]+s\b|people|men|women|percent|or so|k[mg]\b|of\b)")
_BETWEEN = expression(r"\bbetween\s+(?:the\s+)?$", re.I)
_SHORT_DATE_BEFORE = expression(r"(?<!\d)\d\d?/\d\d?\s?(?:-|–|to|and|through)\s?$", re.I)
_SHORT_DATE_AFTER = expression(r"\s?(?:-|–|to|through)\s?\d\d?/\d\d?(?!\d)", re.I)
_CODE = expression(r"(?<!\d\d\d)\d-$")
_RANGE_GOES_ON = expression(rf"\s*(?:-|–|to|through|until|till)\s*(?:{MONTH_BEGINNING})", re.I)


# --- which one is meant ---------------------------------------------------------------------------------------------


def shift_of(which: str | None) -> int:
    """-1 for "last", 1 for "next", 0 for "this"."""
    word = (which or "").lower()
    return -1 if word in BACK else 1 if word in AHEAD else 0


def _shift_in(which: str | None) -> int | None:
    return shift_of(which) if which else None


def year_in(match: Match) -> int | None:
    """The year a match names; two digits are of the hundred years that end with 2029."""
    groups = match.groupdict()
    words = groups.get("year") or groups.get("year_beside") or groups.get("year_short")
    if not words:
        return None
    year = number_of(words.strip("'’"))
    return year if year >= 100 else year + (2000 if year < 30 else 1900)


# --- dates ----------------------------------------------------------------------------------------------------------


def date(match: Match, reading: CalendarReading) -> Stretch | None:
    """A day of a named month."""
    name, day = match["month"], number_of(match["day"])
    if reading.strict and name == "may" and match["day"].isdigit() and not year_in(match):
        before = f" {match.string[: match.start()].rstrip().lower()}"
        if before != " " and not before.endswith(_DATE_CUES):
            return None  # "you may 2 …", "Android 14 may …"; a date is "May 2", "may 2nd" or "on 14 may"
    month = int(name) if name.isdecimal() else month_of(name)
    return _day_of_year(match, reading, [(month, day)])


def numeric_date(match: Match, reading: CalendarReading) -> Stretch | None:
    """Month first, as in the United States, unless it cannot be; with dots the day comes first, as in Europe.

    A weekday beside it decides between the two where only one of them falls on it.
    """
    first, second, dot = int(match["first"]), int(match["second"]), match["dot"]
    if dot == "-" and match.string[max(0, match.start() - 1) : match.start()] == "-":
        return None  # the end of a longer code
    day_first = first > 12 or (dot == "." and second <= 12)
    orders = [(second, first), (first, second)] if day_first else [(first, second), (second, first)]
    return _day_of_year(match, reading, orders if first <= 12 and second <= 12 else orders[:1])


def short_date(match: Match, reading: CalendarReading) -> Stretch | None:
    """Two numbers. In running text they are a fraction, a score or a decimal unless something says otherwise."""
    if match["dot"] == "." and not match["weekday"]:
        return None
    if reading.strict and not (match["cue"] or match["weekday"]):
        before, after = _SHORT_DATE_BEFORE.search(match.string, 0, match.start()), match.string[match.end() :]
        if not before and not _SHORT_DATE_AFTER.match(after) and match.string.strip(" .!?") != match[0]:
            return None
    return numeric_date(match, reading)


def _day_of_year(match: Match, reading: CalendarReading, orders: list[tuple[int, int]]) -> Stretch | None:
    weekday = match.groupdict().get("weekday")
    return resolving.day_of_year(
        reading,
        orders,
        year=year_in(match),
        weekday=weekday_of(weekday) if weekday else None,
        nearest_of=bool(match.groupdict().get("which")),
    )


def moment(match: Match, reading: CalendarReading) -> Stretch:
    """A date and a time in ISO 8601; without an offset in the zone of the reading."""
    text = "T".join(match[0].upper().split())
    named, zone = datetime.fromisoformat(text), reading.now.tzinfo
    named = named.astimezone(zone) if named.tzinfo else named.replace(tzinfo=zone)
    return Stretch(named, named, "second" if text.count(":") > 1 else "minute")


def days_of_month(match: Match, reading: CalendarReading) -> Stretch | None:
    """From one day of a month to another, both included. "The 3rd and 5th" without "between" are two days."""
    if re.search(r"\band\b", match[0]) and not _BETWEEN.search(match.string, 0, match.start()):
        return None
    first = date(match, reading)
    if first is None or number_of(match["last"]) < first.start.day:
        return None
    last = first.start.replace(day=number_of(match["last"]))
    return Stretch(first.start, last + timedelta(days=1), "day")


def day_of_month(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "On the 3rd", "Friday the 13th"."""
    weekday = match.groupdict().get("weekday")
    return resolving.day_of_month(reading, number_of(match["day"]), weekday_of(weekday) if weekday else None)


# --- months, years and longer ---------------------------------------------------------------------------------------


def part_of(words: str | None, whole: Stretch) -> Stretch:
    """The part that words such as "early", "mid-" or "the end of" name; the whole without any."""
    return resolving.part_of(_part_named(words), whole)


def _part_named(words: str | None) -> Part | None:
    if not words:
        return None
    word = re.split(r"[\s-]", words.lower().removeprefix("the ").removeprefix("very "))[0]
    if word in ("early", "earlier", "beginning", "start"):
        return "early"
    return "mid" if word in ("mid", "middle") else "late"


def ends_a_day(part: str | None) -> bool:
    """Whether this is the end of something; of a day that is to come it is a moment."""
    return bool(part) and "end" in (part or "").lower().split()


def month(match: Match, reading: CalendarReading) -> Stretch | None:
    """A month by name, whole or a part of it."""
    name, which, year = match["month"], match["which"], year_in(match)
    if reading.strict and not year and not _is_month(match):
        return None
    number, zone = month_of(name), reading.now.tzinfo
    whole = yearly(reading, lambda named: calendar.months_from(named, number, 1, "month", zone), year, _shift_in(which))
    return whole and part_of(match["part"], whole)


def _is_month(match: Match) -> bool:
    """Whether a name without a year is that of a month, not of a person, and not a verb ("to march", "this may")."""
    name, which, cue = match["month"].rstrip("."), match["which"], (match["cue"] or "").lower()
    if name in _VERBS and not match["part"] and ((which or "").lower() == "this" or (cue in _VERB_CUES and not which)):
        return False
    if name.lower() in _PEOPLE and cue in _PEOPLE_CUES and not which and not match["part"]:
        return bool(_MONTH_BEFORE.search(match.string, 0, match.start()))
    told = match["cue"] or match["part"] or which or _RANGE_GOES_ON.match(match.string, match.end())
    return bool(told) or name.lower() not in _MISTAKABLE


def numeric_month(match: Match, reading: CalendarReading) -> Stretch | None:
    """A month in digits, with its year."""
    named = year_in(match)
    assert named is not None
    return calendar.months_from(named, int(match["month"]), 1, "month", reading.now.tzinfo)


def year(match: Match, reading: CalendarReading) -> Stretch | None:
    """A year in digits or words, whole or a part of it."""
    named = year_in(match)
    assert named is not None
    if reading.strict:
        if not match["cue"] and not match["part"] and named not in _BARE_YEARS:
            return None
        if _COUNTED.match(match.string, match.end()) or _CODE.search(match.string, 0, match.start("year")):
            return None  # "2000 people", "in 1500 metres", "133-03-2020"
    return part_of(match["part"], calendar.year_of(named, reading.now.tzinfo))


def calendar_year(match: Match, reading: CalendarReading) -> Stretch | None:
    named = year_in(match)
    assert named is not None
    return calendar.year_of(named, reading.now.tzinfo)


def decade(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "The 1990s", "the 90s", "the nineties"."""
    words = match["decade"].lower()
    tens = int(words) if words.isdecimal() else number_of(words.removesuffix("ies") + "y")
    first = tens if tens >= 100 else tens + (1900 if tens >= 30 else 2000)
    return part_of(match["part"], calendar.months_from(first, 1, 120, "decade", reading.now.tzinfo))


def century(match: Match, reading: CalendarReading) -> Stretch | None:
    first = max(1, 100 * (number_of(match["number"]) - 1))
    return part_of(match["part"], calendar.months_from(first, 1, 1_200, "century", reading.now.tzinfo))


def season(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Last summer", "summer of 2019", "in the fall"."""
    which, named, name = match["which"], year_in(match), match["season"]
    if reading.strict and not (which or named or match["cue"]):
        return None  # "the fall of Rome", "a spring in the bed"
    here = reading.now
    if name.lower() == "winter" and here.month < 3 and which and shift_of(which) == 0:
        named = here.year - 1  # the winter we are in began last year
    whole = yearly(
        reading, lambda at: calendar.season_of(at, SEASONS[name.lower()], here.tzinfo), named, _shift_in(which)
    )
    return whole and part_of(match["part"], whole)


def quarter(match: Match, reading: CalendarReading) -> Stretch | None:
    """A quarter or a half of a year."""
    number = number_of(match["number"])
    months, grain = (3, "quarter") if match["letter"].lower().startswith("q") else (6, "half")
    if not 1 <= number <= 12 // months:
        return None

    def make(named: int) -> Stretch:
        return calendar.months_from(named, months * (number - 1) + 1, months, grain, reading.now.tzinfo)

    which = match.groupdict().get("which")
    return make(reading.now.year + shift_of(which)) if which else yearly(reading, make, year_in(match), None)


def holiday(match: Match, reading: CalendarReading) -> Stretch | None:
    name, zone = match["holiday"], reading.now.tzinfo
    return yearly(
        reading,
        lambda named: calendar.day_at(holiday_of(name, named).replace(tzinfo=zone)),
        year_in(match),
        _shift_in(match["which"]),
    )
