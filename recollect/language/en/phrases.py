"""Phrases that name a piece of the calendar: "3 May 2021", "last week", "summer of 2019", "two days ago".

A rule is a pattern and a reader of `en.readings`. Arguments of verbs are read with `read_phrase`, which wants the
whole text to be one phrase; `en.times` looks for the same rules inside sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.language.calendar import Stretch
from recollect.language.en import readings, relative
from recollect.language.en.amounts import AMOUNT, AND_MORE, COUNT, UNIT
from recollect.language.en.calendar_words import WEEKDAYS
from recollect.language.en.date_rules import DATES
from recollect.language.en.holidays import COMPOSED, FIRST_WORDS, HOLIDAY, LAST_WORDS, SELF_TELLING, SELF_TELLING_WORDS
from recollect.language.en.patterns import (
    AHEAD,
    BACK,
    CUE,
    DAY,
    DIGITS,
    MONTH,
    MONTH_WORDS,
    NUMBER_MONTH,
    ORDINAL,
    PART,
    SEASON_WORDS,
    UNIT_WORDS,
    WEEKDAY,
    WEEKDAY_PLURALS,
    WEEKDAY_WORDS,
    WHICH,
    WHICH_WORDS,
    WHOLE,
    YEAR,
    YEAR_WORDS,
    one_of,
)
from recollect.language.en.relative import Nested
from recollect.language.frame.phrases import Phrases
from recollect.language.resolving import CalendarReading
from recollect.language.rules import Match, PhraseRule, Reader

_PLAIN = frozenset("in on at during over the year".split())
_WORD = re.compile(r"[a-z]+|\d")


def _nested(read: Callable[[Match, CalendarReading, Nested], Stretch | None]) -> Reader:
    return lambda match, reading: read(match, reading, PHRASES.read)


_MONTHS_AND_LONGER = (
    PhraseRule(  # in May, mid-May 2021, last May
        words=MONTH_WORDS,
        floats=True,
        read=readings.month,
        pattern=rf"(?:(?P<cue>{CUE}) (?:the )?)?(?P<it>(?P<part>{PART})?(?:(?P<which>{WHICH}) )?(?P<month>{MONTH})"
        rf"(?:(?:,| of|,? in)? (?P<year>{YEAR}|['’]\d\d|{YEAR_WORDS})|[-/,](?P<year_beside>{YEAR})|"
        r" of (?P<year_short>\d\d)(?=\s*(?:$|[.,;!?])))?)",
    ),
    PhraseRule(
        words=DIGITS, read=readings.numeric_month, pattern=rf"(?P<year>{YEAR})-(?P<month>{NUMBER_MONTH})(?!-\d)"
    ),
    PhraseRule(
        words=DIGITS,
        read=readings.numeric_month,
        pattern=rf"(?<!\d-)(?P<month>{NUMBER_MONTH})[-/](?P<year>{YEAR})(?!-\d)",
    ),
    PhraseRule(  # in 2021, early 2021
        words=DIGITS,
        read=readings.year,
        pattern=rf"(?:(?P<cue>(?:{CUE})(?: the year)?|the year|year) )?(?P<it>(?P<part>{PART})?(?P<year>{YEAR}))"
        rf"(?![-–]\s?(?!{YEAR}\b)\d)",
    ),
    PhraseRule(
        words=frozenset(["nineteen", "twenty", "thousand"]),
        read=readings.year,
        pattern=rf"(?P<cue>in|since|by|before|after|until|from) (?P<it>(?P<part>{PART})?(?P<year>{YEAR_WORDS}))",
    ),
    PhraseRule(  # the 1990s, the late 90s
        words=DIGITS,
        beside=frozenset("s"),
        read=readings.decade,
        pattern=rf"(?:the )?(?P<part>{PART})?['’]?(?P<decade>(?:1[5-9]|20)?\d0)['’]?s",
    ),
    PhraseRule(
        words=frozenset(f"{ten}ies" for ten in "twent thirt fort fift sixt sevent eight ninet".split()),
        read=readings.decade,
        pattern=rf"the (?P<part>{PART})?(?P<decade>(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies)",
    ),
    PhraseRule(
        words=frozenset(["century"]),
        read=readings.century,
        pattern=rf"(?:the )?(?P<part>{PART})?(?P<number>{ORDINAL}) century",
    ),
    PhraseRule(  # last summer, the summer of 2019
        words=SEASON_WORDS,
        floats=True,
        read=readings.season,
        pattern=rf"(?:(?P<cue>in|since|until|during|over|before|after)(?: the)? )?(?P<it>(?P<part>{PART})?"
        rf"(?:(?P<which>{WHICH}) )?(?P<season>{one_of(SEASON_WORDS)})(?:(?:,| of)? (?P<year>{YEAR}|['’]\d\d))?)",
    ),
    PhraseRule(
        words=frozenset("qh"),
        read=readings.quarter,
        pattern=rf"(?P<year>{YEAR})[-\s](?P<letter>[qh])(?P<number>[1-4])",
    ),
    PhraseRule(
        words=frozenset("qh"),
        read=readings.quarter,
        pattern=rf"(?P<letter>[qh])(?P<number>[1-4])[-\s](?:of )?(?P<year>{YEAR}|['’]\d\d)",
    ),
    PhraseRule(words=frozenset("q"), floats=True, read=readings.quarter, pattern=r"(?P<letter>q)(?P<number>[1-4])"),
    PhraseRule(
        words=frozenset(["quarter", "half"]),
        read=readings.quarter,
        pattern=rf"(?:the )?(?P<number>{ORDINAL}) (?P<letter>quarter|half)(?: of|,)? (?:the year )?(?P<year>{YEAR})",
    ),
    PhraseRule(
        words=frozenset(["quarter", "half"]),
        read=readings.quarter,
        pattern=rf"(?:the )?(?P<number>{ORDINAL}) (?P<letter>quarter|half) of (?P<which>{WHICH}|the) year",
    ),
    PhraseRule(  # next year's first quarter
        words=frozenset(["quarter", "half"]),
        read=readings.quarter,
        pattern=rf"(?P<which>{WHICH}|the) year['’]?s (?P<number>{ORDINAL}) (?P<letter>quarter|half)",
    ),
    PhraseRule(  # CY18: the calendar year, as offices write it
        words=frozenset(["cy"]),
        read=readings.calendar_year,
        pattern=rf"cy\s?(?P<year>{YEAR}|\d\d)",
    ),
    PhraseRule(  # last Christmas, Easter 2018
        words=SELF_TELLING_WORDS,
        floats=True,
        read=readings.holiday,
        pattern=rf"(?:(?P<which>{WHICH}) )?(?P<holiday>{SELF_TELLING})(?:,? (?:of )?(?P<year>{YEAR}))?",
    ),
    PhraseRule(  # Labor Day, New Year's Eve
        words=LAST_WORDS,
        beside=FIRST_WORDS,
        floats=True,
        read=readings.holiday,
        pattern=rf"(?:(?P<which>{WHICH}) )?(?P<holiday>{COMPOSED})(?:,? (?:of )?(?P<year>{YEAR}))?",
    ),
    PhraseRule(  # Labor Day weekend
        words=frozenset(["weekend"]),
        floats=True,
        read=relative.holiday_weekend,
        pattern=rf"(?:(?P<which>{WHICH}) )?(?P<holiday>{HOLIDAY})(?:,? (?P<year>{YEAR}))? weekend",
    ),
    PhraseRule(
        words=frozenset(["weekend"]),
        floats=True,
        read=relative.holiday_weekend,
        pattern=rf"(?:the )?weekend of (?:(?P<which>{WHICH}) )?(?P<holiday>{HOLIDAY})(?:,? (?P<year>{YEAR}))?",
    ),
)
_INSIDE = (
    PhraseRule(  # the first week of January
        words=UNIT_WORDS,
        beside=frozenset(["of", "in"]),
        read=_nested(relative.nth_of),
        pattern=rf"(?:the )?(?P<nth>{ORDINAL}|last|final)(?: (?P<count>{COUNT}))? (?P<unit>day|week|month|weekend)s? "
        rf"(?:of|in) {WHOLE}",
    ),
    PhraseRule(  # the first Monday of March
        words=WEEKDAY_WORDS,
        beside=frozenset(["of", "in"]),
        read=_nested(relative.nth_weekday),
        pattern=rf"(?:the )?(?P<nth>{ORDINAL}|last) (?P<weekday>{WEEKDAY}) (?:of|in) {WHOLE}",
    ),
    PhraseRule(  # the week of April 10th
        words=frozenset(["week", "weekend", "month"]),
        read=_nested(relative.unit_of_day),
        pattern=r"(?:the )?(?P<unit>week|weekend|month) (?:of|commencing|starting|beginning)(?: on)? "
        rf"(?P<day>(?:{MONTH} {DAY}|(?:the )?{DAY}(?: of)? {MONTH}|{HOLIDAY})(?:,? {YEAR})?)",
    ),
    PhraseRule(  # the week of the 10th
        words=frozenset(["week", "weekend"]),
        beside=frozenset(["st", "nd", "rd", "th"]),
        floats=True,
        read=relative.unit_of_day_of_month,
        pattern=r"(?:the )?(?P<unit>week|weekend) of (?:the )?(?P<day>(?:[012]?\d|3[01])(?:st|nd|rd|th))",
    ),
    PhraseRule(  # week 31 of 2018
        words=frozenset(["week"]),
        beside=DIGITS,
        read=relative.week_number,
        pattern=rf"(?:calendar )?week (?P<number>[1-4]\d|5[0-3]|0?[1-9])"
        rf"(?:(?:,| of|,? in)? (?:(?P<year>{YEAR})|(?P<which>{WHICH}) year))?",
    ),
)
_RELATIVE = (
    PhraseRule(
        words=frozenset(["yesterday", "tomorrow", "today"]),
        read=relative.named_day,
        pattern=rf"(?P<part>{PART})?(?P<day>(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|"
        r"tomorrow|today)",
    ),
    PhraseRule(words=frozenset(["now", "moment"]), read=relative.now, pattern=r"right now|just now|at the moment|now"),
    PhraseRule(  # the rest of the week
        words=frozenset(["rest", "remainder"]),
        read=relative.rest_of,
        pattern=r"(?:the )?(?:rest|remainder) of (?:the|this|my|our) (?P<unit>day|week|weekend|month|quarter|year)",
    ),
    PhraseRule(
        words=frozenset(["ytd", "mtd", "qtd"]),
        read=relative.so_far,
        pattern=r"(?P<unit>[ymq])td",
    ),
    PhraseRule(  # year to date, so far this month
        words=frozenset(["date"]),
        beside=UNIT_WORDS,
        read=relative.so_far,
        pattern=r"(?P<unit>year|quarter|month|week)[-\s]to[-\s]date",
    ),
    PhraseRule(
        words=frozenset(["far"]),
        beside=UNIT_WORDS,
        read=relative.so_far,
        pattern=r"so far this (?P<unit>year|quarter|month|week)",
    ),
    PhraseRule(
        words=frozenset(["date"]),
        beside=frozenset(["till", "until"]),
        read=relative.now,
        pattern=r"(?:till|until) (?P<it>date)",
    ),
    PhraseRule(  # by EOD
        words=frozenset(["eod", "eow", "eom", "eoq", "eoy"]),
        read=relative.end_of_unit,
        pattern=r"(?P<unit>eo[dwmqy])",
    ),
    PhraseRule(  # last week, earlier this month
        words=UNIT_WORDS,
        beside=WHICH_WORDS,
        read=relative.span,
        pattern=rf"(?P<part>{PART})?(?P<the>the )?(?P<which>{WHICH}) (?:calendar )?"
        r"(?P<unit>hour|day|workweek|working week|week|weekend|fortnight|month|quarter|year|decade|century)",
    ),
    PhraseRule(
        words=frozenset(["weekend"]),
        floats=True,
        read=relative.weekend,
        pattern=r"(?:over|on|at|during|for|by|before|after|until|till|this is) (?P<it>the weekend)",
    ),
    PhraseRule(  # the last three months, the next 2 weeks and a day
        words=UNIT_WORDS,
        beside=WHICH_WORDS,
        read=relative.counted_span,
        pattern=rf"(?:the )?(?P<which>{BACK}|{AHEAD}) (?P<count>{COUNT}) (?P<unit>{UNIT}|weekends?)"
        rf"(?P<more>{AND_MORE})(?! (?:ago|back)\b)",
    ),
    PhraseRule(
        words=UNIT_WORDS,
        beside=WHICH_WORDS,
        read=relative.counted_span,
        pattern=rf"(?P<count>{COUNT}) (?P<which>{BACK}|{AHEAD}) (?P<unit>{UNIT}(?<=s)|weekends)",
    ),
    PhraseRule(  # two days ago
        words=UNIT_WORDS,
        beside=frozenset(["ago", "back", "before"]),
        read=relative.ago,
        pattern=rf"(?<!last\s)(?<!past\s)(?<!next\s)(?P<amount>{AMOUNT}) (?:ago|back|before now)",
    ),
    PhraseRule(  # in two days, two days from now
        words=UNIT_WORDS,
        beside=frozenset(["in", "from"]),
        read=relative.from_now,
        pattern=rf"(?:(?P<in>in) )?(?P<amount>{AMOUNT})"
        r"(?(in)(?P<time>['’]?s?['’]? time| from now)?| from (?:now|today))",
    ),
    PhraseRule(  # 30 minutes later
        words=UNIT_WORDS,
        beside=frozenset(["later"]),
        read=relative.from_now,
        pattern=rf"(?P<amount>{AMOUNT})(?P<later> later)",
    ),
    PhraseRule(
        words=frozenset(["within"]),
        read=relative.within,
        pattern=rf"within (?:the next )?(?P<amount>{AMOUNT})",
    ),
    PhraseRule(  # two Sundays ago
        words=WEEKDAY_PLURALS,
        beside=frozenset(["ago", "from"]),
        read=relative.weekdays_away,
        pattern=rf"(?P<count>{COUNT}) (?P<weekday>{'|'.join(WEEKDAYS)})s (?:(?P<back>ago)|from now)",
    ),
    PhraseRule(  # last Friday, Friday of next week
        words=WEEKDAY_WORDS,
        floats=True,
        read=relative.weekday,
        pattern=rf"(?:(?P<cue>{CUE}|[a-z]+,) )?(?P<it>(?P<part>{PART})?(?:this (?=past))?(?:(?P<which>{WHICH}) )?"
        rf"(?P<weekday>{WEEKDAY})(?:(?: of|,)? (?P<week>{WHICH} week))?)",
    ),
    PhraseRule(
        words=WEEKDAY_WORDS,
        beside=frozenset(["week"]),
        read=relative.weekday,
        pattern=rf"(?P<cue>)(?P<which>)(?P<week>{WHICH} week),?(?: on| -)? (?P<weekday>{WEEKDAY})",
    ),
)
PHRASES = Phrases((*DATES, *_MONTHS_AND_LONGER, *_INSIDE, *_RELATIVE), word=_WORD, plain=_PLAIN)
