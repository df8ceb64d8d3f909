"""Phrases that name a piece of the calendar: how what a rule matched is read, once for all languages on this frame.

A language's rules are patterns in its own words whose groups have the names that are read here: `day`, `month`, `year`,
`weekday`, `which` or `behind` ("last", "pasada"), `of` or `in_year` ("letzten Jahres"), `part` ("Anfang"), `amount`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.language import calendar, resolving
from recollect.language.calendar import Stretch, day_at, midnight, unit_at
from recollect.language.frame.calendar_words import CalendarWords
from recollect.language.holidays import holidays_of
from recollect.language.numeric_dates import year_of_digits
from recollect.language.resolving import CalendarReading, Part, yearly
from recollect.language.rules import Match, PhraseRule, read_whole

_BARE_YEARS = range(1900, 2100)  # four digits that are a year without a word that says so
_SHORT_UNITS = ("day", "workday", "second", "minute", "hour")
_WEEKS_MAX = 4  # of a month


class Phrases:
    """The rules of a language, and the words without one of which none of them can match."""

    def __init__(self, rules: tuple[PhraseRule, ...], *, word: re.Pattern[str], plain: frozenset[str]) -> None:
        self.rules = rules
        self.telling = frozenset[str]().union(*(rule.words for rule in rules))
        self._word, self._plain = word, plain

    def words_in(self, text: str) -> frozenset[str]:
        """The words of a text, in small letters, and its digits one by one."""
        return frozenset(self._word.findall(text.lower()))

    def rules_for(self, words: frozenset[str]) -> list[PhraseRule]:
        """The rules that can match a text of these words; for most sentences there are none."""
        return [] if words.isdisjoint(self.telling) else [rule for rule in self.rules if rule.can_match(words)]

    def read(self, text: str, now: datetime) -> Stretch | None:
        """The stretch this text names, if it is one phrase and nothing else."""
        return read_whole(text, now, self.rules_for(self.words_in(text)), plain=self._plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseReader:
    """What rules read with. Its data are the words of a language, in small letters."""

    language: str
    words: CalendarWords
    shifts: Mapping[str, int]  # -1 for "letzten" and "pasado", 0 for "diesen" and "este"
    parts: Mapping[str, Part]
    named_days: Mapping[str, int]
    parts_of_year: Mapping[str, int]  # months of each
    decades: Mapping[str, int]
    counted: re.Pattern[str]  # behind four digits: they count something
    year_cues: frozenset[str]  # before four digits: they are a year, whatever stands behind

    # --- what stands beside -----------------------------------------------------------------------------------------

    def shift_of(self, which: str) -> int:
        return self.shifts[" ".join(which.lower().split())]

    def shift_in(self, match: Match) -> int | None:
        groups = match.groupdict()
        which = groups.get("which") or groups.get("behind")
        return self.shift_of(which) if which else None

    def year_in(self, match: Match, reading: CalendarReading) -> int | None:
        """The year that stands beside: in digits, or counted from the one of now."""
        groups = match.groupdict()
        which = groups.get("of") or groups.get("in_year")
        return reading.now.year + self.shift_of(which) if which else year_of_digits(groups.get("year"))

    def part_in(self, match: Match, whole: Stretch | None) -> Stretch | None:
        part = match.groupdict().get("part")
        return whole and resolving.part_of(self.parts[part.lower()] if part else None, whole)

    def _weekday_beside(self, match: Match) -> int | None:
        weekday = match.groupdict().get("weekday")
        return self.words.weekday_of(weekday) if weekday else None

    def _number(self, words: str) -> int:
        return int(self.words.number_of(words))

    # --- dates ------------------------------------------------------------------------------------------------------

    def date(self, match: Match, reading: CalendarReading) -> Stretch | None:
        name = match["month"]
        month = int(name) if name.isdecimal() else self.words.month_of(name)
        days = [(month, self._number(match["day"]))]
        return resolving.day_of_year(
            reading, days, year=self.year_in(match, reading), weekday=self._weekday_beside(match)
        )

    def days_of_month(self, match: Match, reading: CalendarReading) -> Stretch | None:
        first, last_day = self.date(match, reading), self._number(match["last"])
        if first is None or last_day < first.start.day:
            return None
        return Stretch(first.start, first.start.replace(day=last_day) + timedelta(days=1), "day")

    def day_of_month(self, match: Match, reading: CalendarReading) -> Stretch | None:
        return resolving.day_of_month(reading, self._number(match["day"]), self._weekday_beside(match))

    # --- months, years and longer -----------------------------------------------------------------------------------

    def month(self, match: Match, reading: CalendarReading) -> Stretch | None:
        return self.part_in(match, self._month_named(match, reading))

    def _month_named(self, match: Match, reading: CalendarReading) -> Stretch | None:
        number, zone = self.words.month_of(match["month"]), reading.now.tzinfo
        year, shift = self.year_in(match, reading), self.shift_in(match)
        return yearly(reading, lambda at: calendar.months_from(at, number, 1, "month", zone), year, shift)

    def week_of_month(self, match: Match, reading: CalendarReading) -> Stretch | None:
        """ "Die erste Dezemberwoche", "la primera semana de diciembre": the first seven days of it."""
        month, number = self._month_named(match, reading), self._number(match["nth"])
        return resolving.week_of_month(month, number) if month and number <= _WEEKS_MAX else None

    def year(self, match: Match, reading: CalendarReading) -> Stretch | None:
        named, cue = int(match["year"]), (match["cue"] or "").lower().split()
        if reading.strict:
            if not cue and named not in _BARE_YEARS:
                return None
            if self.counted.match(match.string, match.end()) and not (cue and cue[-1] in self.year_cues):
                return None
        return self.part_in(match, calendar.year_of(named, reading.now.tzinfo))

    def decade(self, match: Match, reading: CalendarReading) -> Stretch | None:
        words = match["decade"].lower()
        tens = int(words) if words.isdecimal() else self.decades[words]
        return self.part_in(match, resolving.decade_of(tens, reading.now.tzinfo))

    def season(self, match: Match, reading: CalendarReading) -> Stretch | None:
        year, shift = self.year_in(match, reading), self.shift_in(match)
        if reading.strict and not (year or shift is not None or match["cue"]):
            return None
        month = self.words.seasons[match["season"].lower()]
        return self.part_in(match, resolving.season_near(reading, month, year, shift))

    def quarter(self, match: Match, reading: CalendarReading) -> Stretch | None:
        """A third, a quarter or a half of a year by its number; a quarter where no word says which."""
        unit = match.groupdict().get("unit")
        months = self.parts_of_year[unit.lower()] if unit else 3
        year = self.year_in(match, reading)
        return resolving.part_of_year(reading, self._number(match["number"]), months, "quarter", year)

    def week_number(self, match: Match, reading: CalendarReading) -> Stretch | None:
        year = year_of_digits(match["year"]) or reading.now.year
        return calendar.iso_week(year, int(match["number"]), reading.now.tzinfo)

    def holiday(self, match: Match, reading: CalendarReading) -> Stretch | None:
        of_year = holidays_of(self.language)[" ".join(match["holiday"].lower().split())]
        return resolving.holiday_near(reading, of_year, self.year_in(match, reading), self.shift_in(match))

    # --- counted from now -------------------------------------------------------------------------------------------

    def named_day(self, match: Match, reading: CalendarReading) -> Stretch | None:
        word = " ".join(match["day"].lower().split())
        return day_at(reading.now + timedelta(days=self.named_days[word]))

    def span(self, match: Match, reading: CalendarReading) -> Stretch | None:
        """ "Letzte Woche", "la semana pasada": the seven days from Monday to Sunday before this week's Monday."""
        unit, shift = self.words.unit_named(match["unit"]), self.shift_in(match)
        if shift is None or unit in _SHORT_UNITS:
            return None
        return self.part_in(match, resolving.unit_near(reading.now, unit, shift))

    def this_unit(self, match: Match, reading: CalendarReading) -> Stretch | None:
        """ "Anfang der Woche", "a finales de mes": of this one."""
        return self.part_in(match, unit_at(reading.now, self.words.unit_named(match["unit"])))

    def weekend(self, match: Match, reading: CalendarReading) -> Stretch | None:
        return resolving.weekend_near(reading)

    def counted_span(self, match: Match, reading: CalendarReading) -> Stretch | None:
        """ "Die letzten drei Monate", "los próximos dos días"."""
        amount = self.words.amount_of(f"{match['count']} {match['unit']}")
        return resolving.counted_near(reading.now, amount, self.shift_of(match["which"]))

    def ago(self, match: Match, reading: CalendarReading) -> Stretch | None:
        return resolving.away(reading.now, self.words.amount_of(match["amount"]), -1)

    def from_now(self, match: Match, reading: CalendarReading) -> Stretch | None:
        """ "In zwei Wochen" is a moment where the sentence does not tell of the past: there it is how long it took."""
        if reading.strict and not reading.ahead and not match.groupdict().get("sure"):
            return None
        return resolving.away(reading.now, self.words.amount_of(match["amount"]), 1)

    def weekday(self, match: Match, reading: CalendarReading) -> Stretch | None:
        """Without more it is the nearest in the direction of the verb; "letzten Freitag", "el viernes pasado" is the
        last before today, "nächsten Freitag", "el viernes que viene" the next after it."""
        wanted, week = self.words.weekday_of(match["weekday"]), match.groupdict().get("week")
        if week:
            return resolving.weekday_of_week(reading.now, wanted, self.shift_of(week))
        return resolving.weekday_near(reading, wanted, self.shift_in(match))

    def part_of_day(self, day: datetime, part: str) -> Stretch:
        """The hours of a day that a word such as "Abend" or "noche" names."""
        begin, end = (timedelta(hours=hours) for hours in self.words.day_parts[part.lower()])
        return Stretch(midnight(day) + begin, midnight(day) + end, "part")
