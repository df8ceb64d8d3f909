"""German phrases that name a piece of the calendar: "3. Mai 2021", "letzte Woche", "im Sommer 2019", "vor zwei Tagen".

A rule is a pattern and a reader. Arguments of verbs are read with `read_phrase`, which wants the whole text to be one
phrase; `de.times` looks for the same rules inside sentences. In German every noun has a capital letter, so a capital
behind a number says that something is counted: "2000 Leute".
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from recollect.language import calendar, numeric_dates, resolving
from recollect.language.calendar import Stretch, day_at, midnight, unit_at
from recollect.language.de.calendar_words import (
    AMOUNT,
    COUNT,
    DAY,
    DAY_PARTS,
    MONTH,
    MONTH_WORDS,
    ORDINAL_WORD,
    SEASONS,
    UNIT_WORDS,
    WEEKDAY,
    WEEKDAY_SHORT,
    WEEKDAY_WORDS,
    amount_of,
    month_of,
    number_of,
    unit_named,
    weekday_of,
)
from recollect.language.holidays import holidays_of
from recollect.language.numeric_dates import DIGITS, NUMBER_DAY, NUMBER_MONTH, YEAR, year_of_digits
from recollect.language.resolving import CalendarReading, Part, yearly
from recollect.language.rules import Match, PhraseRule, one_of, read_whole

_SHIFTS = {
    "letzt": -1,
    "vergangen": -1,
    "vorig": -1,
    "vorletzt": -2,
    "vorvergangen": -2,
    "nächst": 1,
    "naechst": 1,
    "kommend": 1,
    "übernächst": 2,
    "dies": 0,
    "laufend": 0,
    "aktuell": 0,
}
WHICH = rf"(?:{one_of(_SHIFTS)})e[nrsm]?"
WHICH_WORDS = frozenset(stem + end for stem in _SHIFTS for end in ("e", "en", "er", "es", "em"))
_PARTS: dict[str, Part] = {"anfang": "early", "beginn": "early", "mitte": "mid", "ende": "late"}
PART = rf"(?:(?P<part>{one_of(_PARTS)}) )"
_NAMED_DAYS = {"vorgestern": -2, "gestern": -1, "heute": 0, "übermorgen": 2, "uebermorgen": 2, "morgen": 1}
_BARE_YEARS = range(1900, 2100)
# Names of people and words of other meaning: alone they are months only after a word such as "im".
_MISTAKABLE = frozenset("mai april august juni juli jan jun jul mär okt dez nov feb sep".split())
_COUNTED = re.compile(r"\s+(?:[A-ZÄÖÜ]\w|prozent\b|euro\b|mal\b|km\b|kg\b|er\b)|[%€$-]\w")
_NOT_TOMORROW = re.compile(
    r"\b(?:heute|gestern|vorgestern|übermorgen|jeden|am|guten|diesen|eines|nächsten|gegen|der|den|dem|zum|\w+tag)\s+$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bzwischen\s(?:dem\s)?$", re.IGNORECASE)
_NAME_BEFORE = re.compile(r"(?:^|[^\w.])[A-ZÄÖÜ][a-zäöüß]+\s$")
_CALLED = re.compile(r"\b(?:heißt|heiße|namens|genannt|herr|frau)\s$", re.IGNORECASE)
_GREETING = re.compile(r"\s*(?:$|[!.,]|(?:zusammen|allerseits|ihr|alle)\b)", re.IGNORECASE)
_CUE = one_of(
    "in im seit bis ab vor nach von vom zum um gegen zwischen und oder während für den dem der des am als".split()
)
_ABOUT = r"(?:(?:etwa|ca\.|circa|rund|ungefähr|gut|knapp|genau|nun|schon) )?"
_WORD = re.compile(r"[a-zäöüß]+|\d")


def words_in(text: str) -> frozenset[str]:
    """The words of a text, in small letters, and its digits one by one."""
    return frozenset(_WORD.findall(text.lower()))


def rules_for(words: frozenset[str]) -> list[PhraseRule]:
    """The rules that can match a text of these words; for most sentences there are none."""
    return [] if words.isdisjoint(TELLING) else [rule for rule in RULES if rule.can_match(words)]


def read_phrase(text: str, now: datetime) -> Stretch | None:
    """The stretch this text names, if it is one German phrase and nothing else."""
    return read_whole(text, now, rules_for(words_in(text)), plain=_PLAIN)


_PLAIN = frozenset("in im am an den der die das dem zum um jahr jahre".split())


def shift_of(which: str) -> int:
    """-1 for "letzten", 1 for "nächsten", 0 for "diesen", and two steps for "vorletzten"."""
    word = which.lower()
    stem = re.sub(r"e[nrsm]?$", "", word)
    return _SHIFTS[stem]


def _shift_in(match: Match) -> int | None:
    which = match.groupdict().get("which")
    return shift_of(which) if which else None


def _year_in(match: Match, reading: CalendarReading) -> int | None:
    """The year that stands beside: "2019", "letzten Jahres", "letztes Jahr im …"."""
    groups = match.groupdict()
    which = groups.get("of") or groups.get("in_year")
    return reading.now.year + shift_of(which) if which else year_of_digits(groups.get("year"))


def _part(match: Match, whole: Stretch | None) -> Stretch | None:
    part = match.groupdict().get("part")
    return whole and resolving.part_of(_PARTS[part.lower()] if part else None, whole)


# --- dates ----------------------------------------------------------------------------------------------------------


def _date(match: Match, reading: CalendarReading) -> Stretch | None:
    name, groups = match["month"], match.groupdict()
    month = int(name) if name.isdecimal() else month_of(name)
    weekday = groups.get("weekday")
    return resolving.day_of_year(
        reading,
        [(month, int(number_of(match["day"])))],
        year=_year_in(match, reading),
        weekday=weekday_of(weekday) if weekday else None,
    )


def _short_date(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "3.5.": in running text a version or a decimal, unless a word or a weekday before it says that it is a day."""
    return None if reading.strict and not (match["cue"] or match["weekday"]) else _date(match, reading)


def _days_of_month(match: Match, reading: CalendarReading) -> Stretch | None:
    if match["and"] and not _BETWEEN.search(match.string, 0, match.start()):
        return None  # "am 3. und 5. Mai" are two days
    first, last_day = _date(match, reading), int(number_of(match["last"]))
    if first is None or last_day < first.start.day:
        return None
    return Stretch(first.start, first.start.replace(day=last_day) + timedelta(days=1), "day")


def _day_of_month(match: Match, reading: CalendarReading) -> Stretch | None:
    weekday = match.groupdict().get("weekday")
    return resolving.day_of_month(reading, int(number_of(match["day"])), weekday_of(weekday) if weekday else None)


# --- months, years and longer ---------------------------------------------------------------------------------------


def _month(match: Match, reading: CalendarReading) -> Stretch | None:
    name, year = match["month"].lower().rstrip("."), _year_in(match, reading)
    told = match["cue"] or match["part"] or match["which"] or year
    if reading.strict and not told and name in _MISTAKABLE:
        return None
    if reading.strict and len(name) <= 3 and name != "mai" and not year:
        return None
    if reading.strict and not told and _NAME_BEFORE.search(match.string, max(0, match.start() - 24), match.start()):
        return None  # "Julia März"
    return _part(match, _month_named(match, reading))


def _month_named(match: Match, reading: CalendarReading) -> Stretch | None:
    number, zone = month_of(match["month"]), reading.now.tzinfo
    year = _year_in(match, reading)
    return yearly(reading, lambda at: calendar.months_from(at, number, 1, "month", zone), year, _shift_in(match))


def _year(match: Match, reading: CalendarReading) -> Stretch | None:
    named = int(match["year"])
    cue = (match["cue"] or "").lower().split()
    if reading.strict:
        if not cue and named not in _BARE_YEARS:
            return None
        counted = _COUNTED.match(match.string, match.end())
        if counted and not (cue and cue[-1] in ("seit", "jahr", "jahre", "jahres", "anno")):
            return None
    return _part(match, calendar.year_of(named, reading.now.tzinfo))


def _decade(match: Match, reading: CalendarReading) -> Stretch | None:
    words = match["decade"].lower()
    tens = int(words) if words.isdecimal() else int(number_of(words.removesuffix("er")))
    return _part(match, resolving.decade_of(tens, reading.now.tzinfo))


def _season(match: Match, reading: CalendarReading) -> Stretch | None:
    year, shift = _year_in(match, reading), _shift_in(match)
    if reading.strict and not (year or shift is not None or match["cue"]):
        return None
    return _part(match, resolving.season_near(reading, SEASONS[match["season"].lower()], year, shift))


def _quarter(match: Match, reading: CalendarReading) -> Stretch | None:
    number, year = int(number_of(match["number"])), _year_in(match, reading)
    halves = (match.groupdict().get("unit") or "").lower() == "halbjahr"
    return resolving.part_of_year(reading, number, 6 if halves else 3, "quarter", year)


def _week_number(match: Match, reading: CalendarReading) -> Stretch | None:
    year = year_of_digits(match["year"]) or reading.now.year
    return calendar.iso_week(year, int(match["number"]), reading.now.tzinfo)


def _week_of_month(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Die erste Dezemberwoche": the first seven days of it."""
    month, nth = _month_named(match, reading), match["nth"].lower()
    number = -1 if nth.startswith("letzt") else int(number_of(nth))
    return resolving.week_of_month(month, number) if month and number < 5 else None


def _end_of_unit(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Zum Monatsende", "am Jahresanfang"."""
    whole = unit_at(reading.now, unit_named(match["unit"]))
    return resolving.part_of(_PARTS[match["edge"].lower()], whole)


# --- holidays -------------------------------------------------------------------------------------------------------

_HOLIDAYS = holidays_of("de")
HOLIDAY = one_of(name.replace(".", r"\.") for name in _HOLIDAYS)
_HOLIDAY_WORDS = frozenset(name.split()[-1] for name in _HOLIDAYS)


def _holiday(match: Match, reading: CalendarReading) -> Stretch | None:
    of_year = _HOLIDAYS[" ".join(match["holiday"].lower().split())]
    return resolving.holiday_near(reading, of_year, _year_in(match, reading), _shift_in(match))


# --- counted from now -----------------------------------------------------------------------------------------------


def _named_day(match: Match, reading: CalendarReading) -> Stretch | None:
    word = match["day"]
    if word.lower() == "morgen" and reading.strict and not _is_tomorrow(match, word):
        return None
    return day_at(reading.now + timedelta(days=_NAMED_DAYS[word.lower()]))


def _is_tomorrow(match: Match, word: str) -> bool:
    """Not the morning ("heute Morgen", "am Morgen") and not a greeting; a capital only where a sentence begins."""
    before = match.string[: match.start("day")]
    if _NOT_TOMORROW.search(before[-16:]):
        return False
    if word[0].isupper():
        return not before.strip() and not _GREETING.match(match.string, match.end("day"))
    return True


def _from_day(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Heute in einer Woche", "Dienstag in acht Tagen", "heute vor einem Jahr"."""
    named = match["day"].lower()
    near = _NAMED_DAYS.get(named)
    if near is None:
        start = resolving.weekday_near(reading, weekday_of(named), None).start
    else:
        start = midnight(reading.now) + timedelta(days=near)
    return day_at(amount_of(match["amount"]).later(start, -1 if match["way"].lower() == "vor" else 1))


def _span(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Letzte Woche": the seven days from Monday to Sunday before this week's Monday."""
    unit, shift = unit_named(match["unit"]), shift_of(match["which"])
    if unit in ("day", "workday", "second", "minute", "hour"):
        return None
    return _part(match, resolving.unit_near(reading.now, unit, shift))


def _night(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Letzte Nacht" began yesterday, "diese Nacht" begins today."""
    begin, end = DAY_PARTS["nacht"]
    day = midnight(reading.now) + timedelta(days=shift_of(match["which"]))
    return Stretch(day + timedelta(hours=begin), day + timedelta(hours=end), "part")


def _before_this(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Vorwoche", "Vormonat", "Vorjahr"."""
    return resolving.unit_near(reading.now, unit_named(match["unit"]), -1)


def _this_unit(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Anfang der Woche", "Ende des Jahres": of this one."""
    return _part(match, unit_at(reading.now, unit_named(match["unit"])))


def _this_year(match: Match, reading: CalendarReading) -> Stretch | None:
    return unit_at(reading.now, "year")


def _weekend(match: Match, reading: CalendarReading) -> Stretch | None:
    return resolving.weekend_near(reading)


def _counted_span(match: Match, reading: CalendarReading) -> Stretch | None:
    amount = amount_of(f"{match['count']} {match['unit']}")
    return resolving.counted_near(reading.now, amount, shift_of(match["which"]))


def _ago(match: Match, reading: CalendarReading) -> Stretch | None:
    return resolving.away(reading.now, amount_of(match["amount"]), -1)


def _from_now(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "In zwei Wochen" is a moment where the sentence does not tell of the past: there it is how long it took."""
    if reading.strict and not reading.ahead:
        return None
    return resolving.away(reading.now, amount_of(match["amount"]), 1)


def _weekday(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Freitag" is the nearest in the direction of the verb, "letzten Freitag" the last before today, "nächsten
    Freitag" the next after it."""
    if reading.strict and _CALLED.search(match.string, max(0, match.start() - 16), match.start()):
        return None
    wanted, week = weekday_of(match["weekday"]), match.groupdict().get("week")
    if week:
        return resolving.weekday_of_week(reading.now, wanted, shift_of(week))
    return resolving.weekday_near(reading, wanted, _shift_in(match))


def _weekday_part(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Freitagabend", "letzten Montagmorgen"."""
    day = _weekday(match, reading)
    begin, end = DAY_PARTS[match["daypart"].lower()]
    return day and Stretch(day.start + timedelta(hours=begin), day.start + timedelta(hours=end), "part")


_WEEKDAY_BEFORE = rf"(?:(?P<weekday>{WEEKDAY}|{WEEKDAY_SHORT}\.?),? (?:(?:den|dem|der) )?)?"
_YEAR_AFTER = rf"(?:,? (?P<year>{YEAR}|['’]\d\d)| (?P<of>{WHICH}) jahres)?"  # 2019, letzten Jahres
_YEAR_BEFORE = rf"(?:(?P<in_year>{WHICH}) jahr (?:(?:im|an|zu|über|in) )?)?"  # letztes Jahr im …
_ARTICLE = r"(?:(?:der|die|das|den|dem|des) )?"
_DATES = (
    numeric_dates.ISO_MOMENT,
    numeric_dates.ISO_DATE,
    numeric_dates.ISO_MONTH,
    PhraseRule(  # 03.05.2021, Freitag, den 3.5.21
        words=DIGITS,
        read=_date,
        pattern=rf"{_WEEKDAY_BEFORE}(?P<day>{NUMBER_DAY})\.\s?(?P<month>{NUMBER_MONTH})\.\s?(?P<year>{YEAR}|\d\d)",
    ),
    PhraseRule(  # am 3.5.
        words=DIGITS,
        floats=True,
        read=_short_date,
        pattern=rf"(?:(?P<cue>am|vom|zum|bis|seit|ab|den|dem|der|und|vor|nach) )?"
        rf"(?P<it>{_WEEKDAY_BEFORE}(?P<day>{NUMBER_DAY})\.\s?(?P<month>{NUMBER_MONTH})\.)",
    ),
    PhraseRule(  # vom 3. bis zum 5. Mai 2021
        words=MONTH_WORDS,
        floats=True,
        read=_days_of_month,
        pattern=rf"(?P<day>{DAY})\s?(?:-|–|bis|(?P<and>und))\s?(?:zum |dem )?(?P<last>{DAY}) "
        rf"(?P<month>{MONTH}){_YEAR_AFTER}",
    ),
    PhraseRule(  # 3. Mai 2021, dritten Mai
        words=MONTH_WORDS,
        floats=True,
        read=_date,
        pattern=rf"{_WEEKDAY_BEFORE}(?P<day>{DAY})\s?(?P<month>{MONTH}){_YEAR_AFTER}",
    ),
    PhraseRule(  # am 3., wo nichts folgt, was gezählt wird
        words=DIGITS,
        floats=True,
        read=_day_of_month,
        pattern=r"(?:am|bis zum|ab dem|seit dem|vom) (?P<it>(?P<day>(?:[012]?\d|3[01])\.))"
        r"(?=\s*(?:$|[,;!?)]|(?:um|ab|gegen|und|habe?n?|hat|ist|bin|war|wird|geht|gehe|fahre|kommt)\b)"
        r"|\s+(?-i:[a-zäöüß]+)\b(?!\s+(?-i:[A-ZÄÖÜ])))",
    ),
    PhraseRule(  # Freitag, der 13.
        words=WEEKDAY_WORDS,
        beside=DIGITS,
        read=_day_of_month,
        pattern=rf"(?P<weekday>{WEEKDAY}),? (?:der|den|dem) (?P<day>(?:[012]?\d|3[01])\.)(?!\s?\d)(?! {MONTH})",
    ),
)
_UNITS_WITH_EDGES = ("monats", "quartals", "jahres")
_MONTHS_AND_LONGER = (
    PhraseRule(  # im Mai, Anfang Mai 2021, letzten Mai
        words=MONTH_WORDS,
        floats=True,
        read=_month,
        pattern=rf"(?:(?P<cue>{_CUE}) )?"
        rf"(?P<it>{_YEAR_BEFORE}{PART}?(?:(?P<which>{WHICH}) )?(?P<month>{MONTH}){_YEAR_AFTER})",
    ),
    PhraseRule(  # 2021, im Jahr 2021, Anfang 2021
        words=DIGITS,
        read=_year,
        pattern=rf"(?:(?P<cue>(?:(?:{_CUE}) )?(?:dem |des |das )?jahr(?:es|e)?|{_CUE}|anno) )?"
        rf"(?P<it>{PART}?(?P<year>{YEAR}))(?![-–]\d)",
    ),
    PhraseRule(  # die 90er, in den 1990er Jahren
        words=DIGITS,
        beside=frozenset(["er", "ern"]),
        read=_decade,
        pattern=rf"{PART}?(?:(?:die|den|der) )?(?P<decade>(?:1[5-9]|20)?\d0)er(?:n|[ -]?jahren?)?",
    ),
    PhraseRule(
        words=frozenset(
            tens + end
            for tens in "zwanziger dreißiger vierziger fünfziger sechziger siebziger achtziger neunziger".split()
            for end in ("", "n")
        ),
        read=_decade,
        pattern=rf"{PART}?(?:(?:die|den|der) )?"
        r"(?P<decade>(?:zwan|drei|vier|fünf|sech|sieb|acht|neun)[zß]iger)(?:n| jahren?)?",
    ),
    PhraseRule(  # letzten Sommer, im Sommer 2019
        words=frozenset(SEASONS),
        floats=True,
        read=_season,
        pattern=rf"(?:(?P<cue>im|seit|bis|zum|ab|vor|nach|in|über|den|dem) )?"
        rf"(?P<it>{_YEAR_BEFORE}{PART}?(?:(?P<which>{WHICH}) )?(?P<season>{one_of(SEASONS)}){_YEAR_AFTER})",
    ),
    PhraseRule(
        words=frozenset("q"),
        beside=DIGITS,
        floats=True,
        read=_quarter,
        pattern=rf"q(?P<number>[1-4])(?:[ /-](?P<year>{YEAR}|['’]?\d\d))?",
    ),
    PhraseRule(  # im ersten Quartal 2023, im dritten Quartal letzten Jahres, im zweiten Halbjahr
        words=frozenset(["quartal", "halbjahr"]),
        floats=True,
        read=_quarter,
        pattern=rf"(?P<number>[1-4]\.|{ORDINAL_WORD}) (?P<unit>quartal|halbjahr){_YEAR_AFTER}",
    ),
    PhraseRule(  # in der ersten Dezemberwoche
        words=frozenset(f"{month}woche" for month in MONTH_WORDS),
        floats=True,
        read=_week_of_month,
        pattern=rf"(?P<nth>[1-4]\.|letzte[nr]?|{ORDINAL_WORD}) (?P<month>{one_of(MONTH_WORDS)})woche{_YEAR_AFTER}",
    ),
    PhraseRule(  # in der letzten Woche im März
        words=frozenset(["woche"]),
        beside=MONTH_WORDS,
        floats=True,
        read=_week_of_month,
        pattern=rf"(?P<nth>[1-4]\.|letzte[nr]?|{ORDINAL_WORD}) woche (?:im |des )?(?P<month>{MONTH}){_YEAR_AFTER}",
    ),
    PhraseRule(  # zum Monatsende
        words=frozenset(f"{unit}{edge}" for unit in _UNITS_WITH_EDGES for edge in _PARTS),
        read=_end_of_unit,
        pattern=rf"(?P<unit>{one_of(_UNITS_WITH_EDGES)})(?P<edge>{one_of(_PARTS)})",
    ),
    PhraseRule(
        words=frozenset(["kw", "kalenderwoche"]),
        read=_week_number,
        pattern=rf"(?:kw|kalenderwoche)\s?(?P<number>[1-4]\d|5[0-3]|0?[1-9])(?:[ /](?P<year>{YEAR}))?",
    ),
    PhraseRule(  # letztes Weihnachten, Ostern 2018
        words=_HOLIDAY_WORDS,
        floats=True,
        read=_holiday,
        pattern=rf"{_YEAR_BEFORE}(?:(?P<which>{WHICH}) )?(?P<holiday>{HOLIDAY}){_YEAR_AFTER}",
    ),
)
_LONGER_UNITS = "woche|wochenendes?|monats?|quartals?|jahr(?:es|zehnts?)?"
_RELATIVE = (
    PhraseRule(
        words=frozenset(_NAMED_DAYS),
        read=_named_day,
        pattern=rf"(?P<day>{one_of(_NAMED_DAYS)})",
    ),
    PhraseRule(  # heute in einer Woche, heute vor einem Jahr
        words=UNIT_WORDS,
        beside=frozenset(["heute", "gestern", "morgen"]) | WEEKDAY_WORDS,
        read=_from_day,
        pattern=rf"(?P<day>heute|gestern|morgen|{WEEKDAY}) (?P<way>in|vor) (?P<amount>{AMOUNT})",
    ),
    PhraseRule(  # letzte Woche, Ende nächsten Jahres
        words=UNIT_WORDS,
        beside=WHICH_WORDS,
        read=_span,
        pattern=rf"{PART}?{_ARTICLE}(?P<which>{WHICH}) (?P<unit>{_LONGER_UNITS})",
    ),
    PhraseRule(
        words=frozenset(["nacht"]),
        beside=WHICH_WORDS,
        read=_night,
        pattern=r"(?P<which>letzte|vergangene|diese|kommende|nächste)r? nacht",
    ),
    PhraseRule(
        words=frozenset(["vorwoche", "vormonat", "vorjahr"]),
        read=_before_this,
        pattern=r"vor(?P<unit>woche|monat|jahr)",
    ),
    PhraseRule(
        words=frozenset(_PARTS),
        beside=UNIT_WORDS,
        read=_this_unit,
        pattern=rf"{PART}(?:der|des|dieser|dieses|diesen) (?P<unit>woche|monats|quartals|jahres|jahrzehnts)",
    ),
    PhraseRule(  # im Laufe der Woche
        words=frozenset(["lauf", "laufe", "verlauf"]),
        beside=UNIT_WORDS,
        read=_this_unit,
        pattern=r"im (?:laufe?|verlauf) (?:der|des|dieser|dieses) (?P<unit>woche|monats|quartals|jahres)",
    ),
    PhraseRule(words=frozenset(["heuer"]), read=_this_year, pattern="heuer"),
    PhraseRule(
        words=frozenset(["wochenende"]),
        floats=True,
        read=_weekend,
        pattern=r"(?:am|übers|über das|vor dem|nach dem|bis zum|zum|fürs|für das) (?P<it>wochenende)",
    ),
    PhraseRule(  # in den letzten drei Monaten
        words=UNIT_WORDS,
        beside=WHICH_WORDS,
        read=_counted_span,
        pattern=rf"{_ARTICLE}(?P<which>{WHICH}) (?P<count>{COUNT}) (?P<unit>{one_of(UNIT_WORDS)})",
    ),
    PhraseRule(  # vor zwei Tagen
        words=UNIT_WORDS,
        beside=frozenset(["vor"]),
        read=_ago,
        pattern=rf"vor {_ABOUT}(?P<amount>{AMOUNT})",
    ),
    PhraseRule(  # zwei Jahre her
        words=UNIT_WORDS,
        beside=frozenset(["her", "zurück"]),
        read=_ago,
        pattern=rf"(?P<amount>{AMOUNT}) (?:her|zurück)",
    ),
    PhraseRule(  # seit zwei Jahren: from then on
        words=UNIT_WORDS,
        beside=frozenset(["seit"]),
        read=_ago,
        pattern=rf"seit {_ABOUT}(?P<it>(?P<amount>{AMOUNT}))",
    ),
    PhraseRule(  # in zwei Tagen
        words=UNIT_WORDS,
        beside=frozenset(["in"]),
        read=_from_now,
        pattern=rf"in {_ABOUT}(?P<amount>{AMOUNT})",
    ),
    PhraseRule(  # letzten Freitag, Freitag nächster Woche
        words=WEEKDAY_WORDS,
        floats=True,
        read=_weekday,
        pattern=rf"(?:(?P<which>{WHICH}) )?(?P<weekday>{WEEKDAY})(?:,? (?:in der |der )?(?P<week>{WHICH}) woche)?",
    ),
    PhraseRule(  # Freitagabend
        words=frozenset(day + part for day in WEEKDAY_WORDS for part in DAY_PARTS),
        floats=True,
        read=_weekday_part,
        pattern=rf"(?:(?P<which>{WHICH}) )?(?P<weekday>{WEEKDAY})(?P<daypart>{one_of(DAY_PARTS)})",
    ),
    PhraseRule(  # in der Nacht von Freitag auf Samstag
        words=frozenset(["nacht"]),
        beside=WEEKDAY_WORDS,
        floats=True,
        read=_weekday_part,
        pattern=rf"(?P<daypart>nacht) (?:von|vom) (?P<weekday>{WEEKDAY}) (?:auf|zu|zum) (?:den )?{WEEKDAY}",
    ),
    PhraseRule(  # nächste Woche Freitag
        words=WEEKDAY_WORDS,
        beside=frozenset(["woche"]),
        read=_weekday,
        pattern=rf"(?P<week>{WHICH}) woche,?(?: am)? (?P<weekday>{WEEKDAY})",
    ),
)
RULES = (*_DATES, *_MONTHS_AND_LONGER, *_RELATIVE)
TELLING = frozenset[str]().union(*(rule.words for rule in RULES))
