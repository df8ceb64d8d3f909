"""How a phrase of the calendar is read: from what its rule matched to the stretch it names.

A reader answers None for what turns out to be no time, and may raise `ValueError` for a day that does not exist.
Which phrases there are is in `model.phrases`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.model import calendar
from recollect.model.calendar import Stretch, midnight, month_of, moved, number_of, unit_at, unit_named, weekday_of
from recollect.model.holidays import holiday_of

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
_MONTH_BEFORE = re.compile(r"(?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)\w*\.?(?:\s+\d{4})?\s*$", re.I)
_VERB_CUES = ("for", "and", "or", "to", "about", "on", "by", "than")
_DATE_CUES = (" on", " by", " of", " until", " since", " from", " to", " till", " before", " after")
_COUNTED = re.compile(r"\s+(?:(?!was\b|is\b|has\b|does\b)[a-z]+s\b|people|men|women|percent|or so|k[mg]\b|of\b)")
_CODE = re.compile(r"(?<!\d\d\d)\d-$")
_RANGE_GOES_ON = re.compile(
    r"\s*(?:-|–|to|through|until|till)\s*(?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)", re.I
)

Match = re.Match[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a phrase is read against. Without a year of its own it means the last one there was, `ahead` the next.

    `strict` is for running text: a word that is a time only by chance needs something beside it that says so.
    """

    now: datetime
    ahead: bool = False
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
    begun, or the next that is not over.
    """
    if year is not None:
        return make(year)
    now, shift = reading.now, shift_of(which)
    if which and shift == 0:
        return make(now.year)
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


def year_in(match: Match) -> int | None:
    """The year a match names; two digits are of the hundred years that end with 2029."""
    groups = match.groupdict()
    words = groups.get("year") or groups.get("year_beside")
    if not words:
        return None
    year = number_of(words.strip("'’"))
    return year if year >= 100 else year + (2000 if year < 30 else 1900)


def _fitting(reading: Reading, found: Stretch) -> bool:
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
    return yearly(reading, lambda year: calendar.date_of(year, month, day, reading.now.tzinfo), year_in(match), None)


def numeric_date(match: Match, reading: Reading) -> Stretch | None:
    """Month first, as in the United States, unless it cannot be; with dots the day comes first, as in Europe."""
    first, second, dot = int(match["first"]), int(match["second"]), match["dot"]
    if dot == "-" and match.string[max(0, match.start() - 1) : match.start()] == "-":
        return None  # the end of a longer code
    month, day = (second, first) if first > 12 or (dot == "." and second <= 12) else (first, second)
    return yearly(reading, lambda year: calendar.date_of(year, month, day, reading.now.tzinfo), year_in(match), None)


def moment(match: Match, reading: Reading) -> Stretch:
    """A date and a time in ISO 8601; without an offset in the zone of the reading."""
    text = "T".join(match[0].upper().split())
    named, zone = datetime.fromisoformat(text), reading.now.tzinfo
    named = named.astimezone(zone) if named.tzinfo else named.replace(tzinfo=zone)
    return Stretch(named, named, "second" if text.count(":") > 1 else "minute")


def days_of_month(match: Match, reading: Reading) -> Stretch | None:
    """From one day of a month to another, both included."""
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
        if right_day and _fitting(reading, found):
            return found
    return None


# --- months, years and longer ---------------------------------------------------------------------------------------


def part_of(part: str | None, whole: Stretch) -> Stretch:
    """Early, mid or late: a third of it, in whole days; of a year four months."""
    if not part:
        return whole
    if whole.grain == "year":
        first, second = moved(whole.start, "month", 4), moved(whole.start, "month", 8)
    else:
        days = (whole.end - whole.start).days
        step = timedelta(days=days / 3) if days < 3 else timedelta(days=days // 3)
        first, second = whole.start + step, whole.end - step
    word = re.split(r"[\s-]", part.lower().removeprefix("the ").removeprefix("very "))[0]
    if word in ("early", "earlier", "beginning", "start"):
        return Stretch(whole.start, first, whole.grain)
    if word in ("mid", "middle"):
        return Stretch(first, second, whole.grain)
    return Stretch(second, whole.end, whole.grain)


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


# --- relative to now ------------------------------------------------------------------------------------------------


def named_day(match: Match, reading: Reading) -> Stretch | None:
    words = " ".join(match["day"].lower().split())
    shifts = {"before yesterday": -2, "after tomorrow": 2, "yesterday": -1, "tomorrow": 1, "today": 0}
    shift = next(days for end, days in shifts.items() if words.endswith(end))
    return part_of(match["part"], calendar.day_at(reading.now + timedelta(days=shift)))


def now(match: Match, reading: Reading) -> Stretch | None:
    return Stretch(reading.now, reading.now, "second")


def span(match: Match, reading: Reading) -> Stretch | None:
    """Calendar stretches: last week is the seven days from Monday to Sunday before this week's Monday."""
    which, unit, at = match["which"].lower(), unit_named(match["unit"]), reading.now
    if unit == "hour" and reading.strict and match["the"] and not reading.ahead:
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
        return Stretch(at, whole.end, unit)
    return part_of(part, whole)


def weekend(match: Match, reading: Reading) -> Stretch | None:
    """ "Over the weekend": the last that has begun, or the next that is not over."""
    here = calendar.weekend_at(reading.now)
    if _fitting(reading, here):
        return here
    return calendar.weekend_at(moved(here.start, "week", 1 if reading.ahead else -1))


def counted_span(match: Match, reading: Reading) -> Stretch | None:
    """ "The last 3 months" reach to now; "the next 3 days" begin tomorrow; quarters and decades are whole ones."""
    count, unit = number_of(match["count"]), unit_named(match["unit"])
    back, at = shift_of(match["which"]) == -1, reading.now
    begin = end = at
    if unit in ("quarter", "decade", "weekend"):
        begin, end, _ = unit_at(at, unit)
    elif unit not in ("second", "minute", "hour"):
        end = calendar.day_at(at).end
    return Stretch(moved(begin, unit, -count), begin, unit) if back else Stretch(end, moved(end, unit, count), unit)


def ago(match: Match, reading: Reading) -> Stretch | None:
    """A moment; its grain says how exactly it is meant."""
    then, unit = reading.now, "day"
    for count, word in ((match["count"], match["unit"]), (match["count2"], match["unit2"])):
        if word:
            unit = unit_named(word)
            then = moved(then, unit, -0.5 if count.lower().startswith("half") else -number_of(count))
    return Stretch(then, then, unit)


def from_now(match: Match, reading: Reading) -> Stretch | None:
    """ "In two weeks", "three days from now": a moment. Said of the past it is how long something took."""
    if reading.strict and not reading.ahead and match["in"]:
        return None
    unit = unit_named(match["unit"])
    then = moved(reading.now, unit, number_of(match["count"]))
    return Stretch(then, then, unit)


def within(match: Match, reading: Reading) -> Stretch | None:
    """ "Within two weeks", from now, if the sentence speaks of the future."""
    if reading.strict and not reading.ahead:
        return None
    unit = unit_named(match["unit"])
    return Stretch(reading.now, moved(reading.now, unit, number_of(match["count"])), unit)


def weekday(match: Match, reading: Reading) -> Stretch | None:
    """ "Friday" is the nearest; "last Friday" the latest before yesterday, "next Friday" that of next week."""
    name, which, week = match["weekday"].rstrip("."), match["which"], (match["week"] or "").split()
    if reading.strict and len(name) < 5 and not (name[0].isupper() and (match["cue"] or which or week)):
        return None  # "sat", "sun", "wed"
    today, wanted = midnight(reading.now), weekday_of(name)
    monday = today - timedelta(days=today.weekday())
    if week:
        return calendar.day_at(monday + timedelta(days=7 * shift_of(week[0]) + wanted))
    if which and shift_of(which) >= 0:
        return calendar.day_at(monday + timedelta(days=7 * shift_of(which) + wanted))
    if not which and reading.ahead:
        return calendar.day_at(today + timedelta(days=(wanted - today.weekday()) % 7))
    days = (today.weekday() - wanted - 1) % 7 + 1
    if days == 1 and (which or "").lower() in ("last", "previous"):
        days = 8  # nobody calls yesterday last Wednesday
    return calendar.day_at(today - timedelta(days=days))


# --- inside a longer one --------------------------------------------------------------------------------------------

Nested = Callable[[str, datetime], Stretch | None]


def nth_of(match: Match, reading: Reading, nested: Nested) -> Stretch | None:
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


def nth_weekday(match: Match, reading: Reading, nested: Nested) -> Stretch | None:
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


def unit_of_day(match: Match, reading: Reading, nested: Nested) -> Stretch | None:
    """ "The week of April 10th"."""
    day = nested(match["day"], reading.now)
    return day and unit_at(day.start, match["unit"].lower())
