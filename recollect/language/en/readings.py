"""How a phrase of the calendar is read: from what its rule matched to the stretch it names.

A reader answers None for what turns out to be no time, and may raise `ValueError` for a day that does not exist.
Which phrases there are is in `language.en.phrases`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import partial

from recollect.language.en import calendar
from recollect.language.en.calendar import Stretch, month_of, moved, number_of, unit_at, weekday_of
from recollect.language.en.holidays import holiday_of
from recollect.language.expression import expression

BACK = frozenset(["last", "past", "previous"])
AHEAD = frozenset(["next", "coming", "following", "upcoming"])
_YEARS_SEARCHED = 9  # as far as the next 29 February can be
_MONTHS_SEARCHED = 60  # as far as a Monday the 30th can be
_BARE_YEARS = range(1900, 2100)
# Names of people, words of every day: alone they are months only after a word such as "in".
_MISTAKABLE = frozenset("april may june august march jan mar apr jun aug sep sept dec nov oct feb jul".split())
_VERBS = ("may", "march", "mar", "sep", "dec")
_PEOPLE = ("april", "may", "june", "august")
_PEOPLE_CUES = ("for", "and", "or", "to", "about", "than")
_MONTH_BEFORE = expression(
    r"(?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)\w{0,12}\.?(?:\s{1,8}\d{4})?\s{0,8}$", re.I
)
_VERB_CUES = ("for", "and", "or", "to", "about", "on", "by", "than")
_DATE_CUES = (" on", " by", " of", " until", " since", " from", " to", " till", " before", " after")
_COUNTED = expression(r"\s+(?:(?!was\b|is\b|has\b|does\b)[a-z]+s\b|people|men|women|percent|or so|k[mg]\b|of\b)")
_BETWEEN = expression(r"\bbetween\s+(?:the\s+)?$", re.I)
_SHORT_DATE_BEFORE = expression(r"(?<!\d)\d\d?/\d\d?\s?(?:-|–|to|and|through)\s?$", re.I)
_SHORT_DATE_AFTER = expression(r"\s?(?:-|–|to|through)\s?\d\d?/\d\d?(?!\d)", re.I)
_CODE = expression(r"(?<!\d\d\d)\d-$")
_RANGE_GOES_ON = expression(
    r"\s*(?:-|–|to|through|until|till)\s*(?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)", re.I
)

Match = re.Match[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
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


Reader = Callable[[Match, Reading], Stretch | None]


# --- which one is meant ---------------------------------------------------------------------------------------------


def shift_of(which: str | None) -> int:
    """-1 for "last", 1 for "next", 0 for "this"."""
    word = (which or "").lower()
    return -1 if word in BACK else 1 if word in AHEAD else 0


def yearly(reading: Reading, make: Callable[[int], Stretch], year: int | None, which: str | None) -> Stretch | None:
    """Something that comes once a year.

    Of the year named; else "last" is over, "next" has not begun and "this" is of this year; else the last that has
    begun, the next that is not over if it is `ahead`, or the nearest if it is only possible.
    """
    if year is not None:
        return make(year)
    now, shift = reading.now, shift_of(which)
    if which and shift == 0:
        return make(now.year)
    if not shift and reading.possible:
        return nearest(now, [found for around in (-1, 0, 1) if (found := _made(make, now.year + around))])
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


def _made(make: Callable[[int], Stretch], year: int) -> Stretch | None:
    try:
        return make(year)
    except ValueError:
        return None


def year_in(match: Match) -> int | None:
    """The year a match names; two digits are of the hundred years that end with 2029."""
    groups = match.groupdict()
    words = groups.get("year") or groups.get("year_beside") or groups.get("year_short")
    if not words:
        return None
    year = number_of(words.strip("'’"))
    return year if year >= 100 else year + (2000 if year < 30 else 1900)


def fitting(reading: Reading, found: Stretch) -> bool:
    """Whether it lies on the side of now that is meant."""
    return found.end > reading.now if reading.ahead else found.start <= reading.now


# --- dates ----------------------------------------------------------------------------------------------------------


def date(match: Match, reading: Reading) -> Stretch | None:
    """A day of a named month."""
    name, day = match["month"], number_of(match["day"])
    if reading.strict and name == "may" and match["day"].isdigit() and not year_in(match):
        before = f" {match.string[: match.start()].rstrip().lower()}"
        if before != " " and not before.endswith(_DATE_CUES):
            return None  # "you may 2 …", "Android 14 may …"; a date is "May 2", "may 2nd" or "on 14 may"
    month = int(name) if name.isdecimal() else month_of(name)
    return _day_of_year(match, reading, [(month, day)])


def numeric_date(match: Match, reading: Reading) -> Stretch | None:
    """Month first, as in the United States, unless it cannot be; with dots the day comes first, as in Europe.

    A weekday beside it decides between the two where only one of them falls on it.
    """
    first, second, dot = int(match["first"]), int(match["second"]), match["dot"]
    if dot == "-" and match.string[max(0, match.start() - 1) : match.start()] == "-":
        return None  # the end of a longer code
    day_first = first > 12 or (dot == "." and second <= 12)
    orders = [(second, first), (first, second)] if day_first else [(first, second), (second, first)]
    return _day_of_year(match, reading, orders if first <= 12 and second <= 12 else orders[:1])


def short_date(match: Match, reading: Reading) -> Stretch | None:
    """Two numbers. In running text they are a fraction, a score or a decimal unless something says otherwise."""
    if match["dot"] == "." and not match["weekday"]:
        return None
    if reading.strict and not (match["cue"] or match["weekday"]):
        before, after = _SHORT_DATE_BEFORE.search(match.string, 0, match.start()), match.string[match.end() :]
        if not before and not _SHORT_DATE_AFTER.match(after) and match.string.strip(" .!?") != match[0]:
            return None
    return numeric_date(match, reading)


def _day_of_year(match: Match, reading: Reading, orders: list[tuple[int, int]]) -> Stretch | None:
    """The day of the first of these months and days; without a year its weekday says which year, and which order."""
    zone, named, weekday = reading.now.tzinfo, year_in(match), match.groupdict().get("weekday")
    if weekday:
        years = (named,) if named is not None else range(reading.now.year - 1, reading.now.year + 2)
        possible = [day for year in years for order in orders if (day := _made(partial(_date, order, zone), year))]
        agreeing = [day for day in possible if day.start.weekday() == weekday_of(weekday)]
        if agreeing or (match.groupdict().get("which") and named is None):
            return nearest(reading.now, agreeing or possible)
    return yearly(reading, partial(_date, orders[0], zone), named, None)


def _date(month_and_day: tuple[int, int], zone: tzinfo | None, year: int) -> Stretch:
    return calendar.date_of(year, *month_and_day, zone)


def moment(match: Match, reading: Reading) -> Stretch:
    """A date and a time in ISO 8601; without an offset in the zone of the reading."""
    text = "T".join(match[0].upper().split())
    named, zone = datetime.fromisoformat(text), reading.now.tzinfo
    named = named.astimezone(zone) if named.tzinfo else named.replace(tzinfo=zone)
    return Stretch(named, named, "second" if text.count(":") > 1 else "minute")


def days_of_month(match: Match, reading: Reading) -> Stretch | None:
    """From one day of a month to another, both included. "The 3rd and 5th" without "between" are two days."""
    if re.search(r"\band\b", match[0]) and not _BETWEEN.search(match.string, 0, match.start()):
        return None
    first = date(match, reading)
    if first is None or number_of(match["last"]) < first.start.day:
        return None
    last = first.start.replace(day=number_of(match["last"]))
    return Stretch(first.start, last + timedelta(days=1), "day")


def day_of_month(match: Match, reading: Reading) -> Stretch | None:
    """ "On the 3rd": of this month, or of the one before or after it; "Friday the 13th" goes as far as it must."""
    day, step = number_of(match["day"]), 1 if reading.ahead else -1
    weekday = match.groupdict().get("weekday")
    wanted = weekday_of(weekday) if weekday else None
    for offset in range(_MONTHS_SEARCHED):
        month = moved(unit_at(reading.now, "month").start, "month", step * offset)
        found = calendar.day_at(month + timedelta(days=day - 1))
        right_day = found.start.month == month.month and wanted in (None, found.start.weekday())
        if right_day and fitting(reading, found):
            return found
    return None


# --- months, years and longer ---------------------------------------------------------------------------------------


def part_of(part: str | None, whole: Stretch) -> Stretch:
    """Early and late are its halves, mid is what lies between its thirds; of a year each is four months."""
    if not part:
        return whole
    first, middle, last = _edges(whole)
    grain = "part" if whole.grain == "day" else whole.grain
    word = re.split(r"[\s-]", part.lower().removeprefix("the ").removeprefix("very "))[0]
    if word in ("early", "earlier", "beginning", "start"):
        return Stretch(whole.start, first, grain)
    if word in ("mid", "middle"):
        return Stretch(*middle, grain)
    return Stretch(last, whole.end, grain)


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


def ends_a_day(part: str | None) -> bool:
    """Whether this is the end of something; of a day that is to come it is a moment."""
    return bool(part) and "end" in (part or "").lower().split()


def end_of_day(day: Stretch) -> Stretch:
    """The last moment that is still of this day: "by the end of Friday"."""
    last = day.end - timedelta(seconds=1)
    return Stretch(last, last, "minute")


def month(match: Match, reading: Reading) -> Stretch | None:
    """A month by name, whole or a part of it."""
    name, which, year = match["month"], match["which"], year_in(match)
    if reading.strict and not year and not _is_month(match):
        return None
    number, zone = month_of(name), reading.now.tzinfo
    whole = yearly(reading, lambda named: calendar.months_from(named, number, 1, "month", zone), year, which)
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


def numeric_month(match: Match, reading: Reading) -> Stretch | None:
    """A month in digits, with its year."""
    named = year_in(match)
    assert named is not None
    return calendar.months_from(named, int(match["month"]), 1, "month", reading.now.tzinfo)


def year(match: Match, reading: Reading) -> Stretch | None:
    """A year in digits or words, whole or a part of it."""
    named = year_in(match)
    assert named is not None
    if reading.strict:
        if not match["cue"] and not match["part"] and named not in _BARE_YEARS:
            return None
        if _COUNTED.match(match.string, match.end()) or _CODE.search(match.string, 0, match.start("year")):
            return None  # "2000 people", "in 1500 metres", "133-03-2020"
    return part_of(match["part"], calendar.year_of(named, reading.now.tzinfo))


def calendar_year(match: Match, reading: Reading) -> Stretch | None:
    named = year_in(match)
    assert named is not None
    return calendar.year_of(named, reading.now.tzinfo)


def decade(match: Match, reading: Reading) -> Stretch | None:
    """ "The 1990s", "the 90s", "the nineties"."""
    words = match["decade"].lower()
    tens = int(words) if words.isdecimal() else number_of(words.removesuffix("ies") + "y")
    first = tens if tens >= 100 else tens + (1900 if tens >= 30 else 2000)
    return part_of(match["part"], calendar.months_from(first, 1, 120, "decade", reading.now.tzinfo))


def century(match: Match, reading: Reading) -> Stretch | None:
    first = max(1, 100 * (number_of(match["number"]) - 1))
    return part_of(match["part"], calendar.months_from(first, 1, 1_200, "century", reading.now.tzinfo))


def season(match: Match, reading: Reading) -> Stretch | None:
    """ "Last summer", "summer of 2019", "in the fall"."""
    which, named, name = match["which"], year_in(match), match["season"]
    if reading.strict and not (which or named or match["cue"]):
        return None  # "the fall of Rome", "a spring in the bed"
    here = reading.now
    if name.lower() == "winter" and here.month < 3 and which and shift_of(which) == 0:
        named = here.year - 1  # the winter we are in began last year
    whole = yearly(reading, lambda at: calendar.season_of(at, name, here.tzinfo), named, which)
    return whole and part_of(match["part"], whole)


def quarter(match: Match, reading: Reading) -> Stretch | None:
    """A quarter or a half of a year."""
    number = number_of(match["number"])
    months, grain = (3, "quarter") if match["letter"].lower().startswith("q") else (6, "half")
    if not 1 <= number <= 12 // months:
        return None

    def make(named: int) -> Stretch:
        return calendar.months_from(named, months * (number - 1) + 1, months, grain, reading.now.tzinfo)

    which = match.groupdict().get("which")
    return make(reading.now.year + shift_of(which)) if which else yearly(reading, make, year_in(match), None)


def holiday(match: Match, reading: Reading) -> Stretch | None:
    name, zone = match["holiday"], reading.now.tzinfo
    return yearly(
        reading,
        lambda named: calendar.day_at(holiday_of(name, named).replace(tzinfo=zone)),
        year_in(match),
        match["which"],
    )
