"""German phrases that name a piece of the calendar: "3. Mai 2021", "letzte Woche", "im Sommer 2019", "vor zwei Tagen".

In German every noun has a capital letter, so a capital behind a number says that something is counted: "2000 Leute".
"""

from __future__ import annotations

import re
from datetime import timedelta

from recollect.language import numeric_dates, resolving
from recollect.language.calendar import Stretch, day_at, midnight, unit_at
from recollect.language.de.calendar_words import (
    AMOUNT,
    COUNT,
    DAY,
    DAY_PARTS,
    ENDINGS,
    MONTH,
    MONTH_WORDS,
    ORDINAL_WORD,
    SEASONS,
    UNIT_WORDS,
    WEEKDAY,
    WEEKDAY_SHORT,
    WEEKDAY_WORDS,
    WORDS,
)
from recollect.language.frame.phrases import PhraseReader, Phrases
from recollect.language.holidays import holidays_of
from recollect.language.numeric_dates import DIGITS, NUMBER_DAY, NUMBER_MONTH, YEAR
from recollect.language.resolving import CalendarReading, Part
from recollect.language.rules import Match, PhraseRule, one_of

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
_SHIFT_FORMS = {stem + end: shift for stem, shift in _SHIFTS.items() for end in ENDINGS}
WHICH_WORDS = frozenset(_SHIFT_FORMS)
_PARTS: dict[str, Part] = {"anfang": "early", "beginn": "early", "mitte": "mid", "ende": "late"}
PART = rf"(?:(?P<part>{one_of(_PARTS)}) )"
_NAMED_DAYS = {"vorgestern": -2, "gestern": -1, "heute": 0, "übermorgen": 2, "uebermorgen": 2, "morgen": 1}
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
_PLAIN = frozenset("in im am an den der die das dem zum um jahr jahre".split())
_DECADES = {f"{word}er": number for word, number in WORDS.numbers.items() if number in range(20, 100, 10)}
READ = PhraseReader(
    language="de",
    words=WORDS,
    shifts=_SHIFT_FORMS,
    parts=_PARTS,
    named_days=_NAMED_DAYS,
    parts_of_year={"quartal": 3, "halbjahr": 6},
    decades=_DECADES,
    counted=_COUNTED,
    year_cues=frozenset(["seit", "jahr", "jahre", "jahres", "anno"]),
)
_HOLIDAYS = holidays_of("de")
_HOLIDAY = one_of(name.replace(".", r"\.") for name in _HOLIDAYS)
_HOLIDAY_WORDS = frozenset(name.split()[-1] for name in _HOLIDAYS)


def _short_date(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "3.5.": in running text a version or a decimal, unless a word or a weekday before it says that it is a day."""
    return None if reading.strict and not (match["cue"] or match["weekday"]) else READ.date(match, reading)


def _days_of_month(match: Match, reading: CalendarReading) -> Stretch | None:
    if match["and"] and not _BETWEEN.search(match.string, 0, match.start()):
        return None  # "am 3. und 5. Mai" are two days
    return READ.days_of_month(match, reading)


def _month(match: Match, reading: CalendarReading) -> Stretch | None:
    name, year = match["month"].lower().rstrip("."), READ.year_in(match, reading)
    told = match["cue"] or match["part"] or match["which"] or year
    if reading.strict and not told and name in _MISTAKABLE:
        return None
    if reading.strict and len(name) <= 3 and name != "mai" and not year:
        return None
    if reading.strict and not told and _NAME_BEFORE.search(match.string, max(0, match.start() - 24), match.start()):
        return None  # "Julia März"
    return READ.month(match, reading)


def _end_of_unit(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Zum Monatsende", "am Jahresanfang"."""
    whole = unit_at(reading.now, WORDS.unit_named(match["unit"]))
    return resolving.part_of(_PARTS[match["edge"].lower()], whole)


def _named_day(match: Match, reading: CalendarReading) -> Stretch | None:
    word = match["day"]
    if word.lower() == "morgen" and reading.strict and not _is_tomorrow(match, word):
        return None
    return READ.named_day(match, reading)


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
        start = resolving.weekday_near(reading, WORDS.weekday_of(named), None).start
    else:
        start = midnight(reading.now) + timedelta(days=near)
    return day_at(WORDS.amount_of(match["amount"]).later(start, -1 if match["way"].lower() == "vor" else 1))


def _night(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Letzte Nacht" began yesterday, "diese Nacht" begins today."""
    day = reading.now + timedelta(days=READ.shift_of(match["which"]))
    return READ.part_of_day(day, "nacht")


def _before_this(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Vorwoche", "Vormonat", "Vorjahr"."""
    return resolving.unit_near(reading.now, WORDS.unit_named(match["unit"]), -1)


def _this_year(match: Match, reading: CalendarReading) -> Stretch | None:
    return unit_at(reading.now, "year")


def _weekday(match: Match, reading: CalendarReading) -> Stretch | None:
    called = reading.strict and _CALLED.search(match.string, max(0, match.start() - 16), match.start())
    return None if called else READ.weekday(match, reading)


def _weekday_part(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Freitagabend", "letzten Montagmorgen"."""
    day = _weekday(match, reading)
    return day and READ.part_of_day(day.start, match["daypart"])


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
        read=READ.date,
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
        read=READ.date,
        pattern=rf"{_WEEKDAY_BEFORE}(?P<day>{DAY})\s?(?P<month>{MONTH}){_YEAR_AFTER}",
    ),
    PhraseRule(  # am 3., wo nichts folgt, was gezählt wird
        words=DIGITS,
        floats=True,
        read=READ.day_of_month,
        pattern=r"(?:am|bis zum|ab dem|seit dem|vom) (?P<it>(?P<day>(?:[012]?\d|3[01])\.))"
        r"(?=\s*(?:$|[,;!?)]|(?:um|ab|gegen|und|habe?n?|hat|ist|bin|war|wird|geht|gehe|fahre|kommt)\b)"
        r"|\s+(?-i:[a-zäöüß]+)\b(?!\s+(?-i:[A-ZÄÖÜ])))",
    ),
    PhraseRule(  # Freitag, der 13.
        words=WEEKDAY_WORDS,
        beside=DIGITS,
        read=READ.day_of_month,
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
        read=READ.year,
        pattern=rf"(?:(?P<cue>(?:(?:{_CUE}) )?(?:dem |des |das )?jahr(?:es|e)?|{_CUE}|anno) )?"
        rf"(?P<it>{PART}?(?P<year>{YEAR}))(?![-–]\d)",
    ),
    PhraseRule(  # die 90er, in den 1990er Jahren
        words=DIGITS,
        beside=frozenset(["er", "ern"]),
        read=READ.decade,
        pattern=rf"{PART}?(?:(?:die|den|der) )?(?P<decade>(?:1[5-9]|20)?\d0)er(?:n|[ -]?jahren?)?",
    ),
    PhraseRule(
        words=frozenset(
            tens + end
            for tens in "zwanziger dreißiger vierziger fünfziger sechziger siebziger achtziger neunziger".split()
            for end in ("", "n")
        ),
        read=READ.decade,
        pattern=rf"{PART}?(?:(?:die|den|der) )?"
        r"(?P<decade>(?:zwan|drei|vier|fünf|sech|sieb|acht|neun)[zß]iger)(?:n| jahren?)?",
    ),
    PhraseRule(  # letzten Sommer, im Sommer 2019
        words=frozenset(SEASONS),
        floats=True,
        read=READ.season,
        pattern=rf"(?:(?P<cue>im|seit|bis|zum|ab|vor|nach|in|über|den|dem) )?"
        rf"(?P<it>{_YEAR_BEFORE}{PART}?(?:(?P<which>{WHICH}) )?(?P<season>{one_of(SEASONS)}){_YEAR_AFTER})",
    ),
    PhraseRule(
        words=frozenset("q"),
        beside=DIGITS,
        floats=True,
        read=READ.quarter,
        pattern=rf"q(?P<number>[1-4])(?:[ /-](?P<year>{YEAR}|['’]?\d\d))?",
    ),
    PhraseRule(  # im ersten Quartal 2023, im dritten Quartal letzten Jahres, im zweiten Halbjahr
        words=frozenset(["quartal", "halbjahr"]),
        floats=True,
        read=READ.quarter,
        pattern=rf"(?P<number>[1-4]\.|{ORDINAL_WORD}) (?P<unit>quartal|halbjahr){_YEAR_AFTER}",
    ),
    PhraseRule(  # in der ersten Dezemberwoche
        words=frozenset(f"{month}woche" for month in MONTH_WORDS),
        floats=True,
        read=READ.week_of_month,
        pattern=rf"(?P<nth>[1-4]\.|letzte[nr]?|{ORDINAL_WORD}) (?P<month>{one_of(MONTH_WORDS)})woche{_YEAR_AFTER}",
    ),
    PhraseRule(  # in der letzten Woche im März
        words=frozenset(["woche"]),
        beside=MONTH_WORDS,
        floats=True,
        read=READ.week_of_month,
        pattern=rf"(?P<nth>[1-4]\.|letzte[nr]?|{ORDINAL_WORD}) woche (?:im |des )?(?P<month>{MONTH}){_YEAR_AFTER}",
    ),
    PhraseRule(  # zum Monatsende
        words=frozenset(f"{unit}{edge}" for unit in _UNITS_WITH_EDGES for edge in _PARTS),
        read=_end_of_unit,
        pattern=rf"(?P<unit>{one_of(_UNITS_WITH_EDGES)})(?P<edge>{one_of(_PARTS)})",
    ),
    PhraseRule(
        words=frozenset(["kw", "kalenderwoche"]),
        read=READ.week_number,
        pattern=rf"(?:kw|kalenderwoche)\s?(?P<number>[1-4]\d|5[0-3]|0?[1-9])(?:[ /](?P<year>{YEAR}))?",
    ),
    PhraseRule(  # letztes Weihnachten, Ostern 2018
        words=_HOLIDAY_WORDS,
        floats=True,
        read=READ.holiday,
        pattern=rf"{_YEAR_BEFORE}(?:(?P<which>{WHICH}) )?(?P<holiday>{_HOLIDAY}){_YEAR_AFTER}",
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
        read=READ.span,
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
        read=READ.this_unit,
        pattern=rf"{PART}(?:der|des|dieser|dieses|diesen) (?P<unit>woche|monats|quartals|jahres|jahrzehnts)",
    ),
    PhraseRule(  # im Laufe der Woche
        words=frozenset(["lauf", "laufe", "verlauf"]),
        beside=UNIT_WORDS,
        read=READ.this_unit,
        pattern=r"im (?:laufe?|verlauf) (?:der|des|dieser|dieses) (?P<unit>woche|monats|quartals|jahres)",
    ),
    PhraseRule(words=frozenset(["heuer"]), read=_this_year, pattern="heuer"),
    PhraseRule(
        words=frozenset(["wochenende"]),
        floats=True,
        read=READ.weekend,
        pattern=r"(?:am|übers|über das|vor dem|nach dem|bis zum|zum|fürs|für das) (?P<it>wochenende)",
    ),
    PhraseRule(  # in den letzten drei Monaten
        words=UNIT_WORDS,
        beside=WHICH_WORDS,
        read=READ.counted_span,
        pattern=rf"{_ARTICLE}(?P<which>{WHICH}) (?P<count>{COUNT}) (?P<unit>{one_of(UNIT_WORDS)})",
    ),
    PhraseRule(  # vor zwei Tagen
        words=UNIT_WORDS,
        beside=frozenset(["vor"]),
        read=READ.ago,
        pattern=rf"vor {_ABOUT}(?P<amount>{AMOUNT})",
    ),
    PhraseRule(  # zwei Jahre her
        words=UNIT_WORDS,
        beside=frozenset(["her", "zurück"]),
        read=READ.ago,
        pattern=rf"(?P<amount>{AMOUNT}) (?:her|zurück)",
    ),
    PhraseRule(  # seit zwei Jahren: from then on
        words=UNIT_WORDS,
        beside=frozenset(["seit"]),
        read=READ.ago,
        pattern=rf"seit {_ABOUT}(?P<it>(?P<amount>{AMOUNT}))",
    ),
    PhraseRule(  # in zwei Tagen
        words=UNIT_WORDS,
        beside=frozenset(["in"]),
        read=READ.from_now,
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
PHRASES = Phrases((*_DATES, *_MONTHS_AND_LONGER, *_RELATIVE), word=_WORD, plain=_PLAIN)
