"""Phrases that name a piece of the calendar: "3 May 2021", "last week", "summer of 2019", "two days ago".

A rule is a pattern and a reader of `model.readings`. Arguments of verbs are read with `read_phrase`, which wants the
whole text to be one phrase; `perceive.times` looks for the same rules inside sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from recollect.model import readings
from recollect.model.calendar import MONTHS, ORDINALS, SEASONS, UNITS, WEEKDAYS, Stretch
from recollect.model.holidays import HOLIDAY, HOLIDAY_WORDS
from recollect.model.readings import Match, Nested, Reader, Reading

# --- pieces of patterns ---------------------------------------------------------------------------------------------


def _one_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_DIGIT_WORD = "one|two|three|four|five|six|seven|eight|nine"
_TENS_WORD = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_TEEN_WORD = r"ten|eleven|twelve|\w{3,5}teen"
MONTH = (
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|"
    r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b(?:\.(?=[\s,-]*\d))?)"
)
WEEKDAY = rf"(?:(?:{'|'.join(WEEKDAYS)})\b|(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b(?:\.(?=\s*[\w,]))?)"
YEAR = r"(?:1[0-9]|20|21)\d\d"
YEAR_WORDS = (
    rf"(?:(?:nineteen|twenty)[-\s](?:(?:{_TENS_WORD})(?:[-\s](?:{_DIGIT_WORD}))?|{_TEEN_WORD})|"
    rf"two thousand(?: and)?(?: (?:(?:twenty|thirty)(?:[-\s](?:{_DIGIT_WORD}))?|{_TEEN_WORD}|{_DIGIT_WORD}))?)"
)
_ORDINAL_WORD = rf"(?:(?:twenty|thirty)[-\s](?:{_one_of(list(ORDINALS)[:9])})|{_one_of(ORDINALS)})"
ORDINAL = rf"(?:(?:[012]?\d|3[01])(?:st|nd|rd|th)|{_ORDINAL_WORD})"
DAY = rf"(?:{ORDINAL}|[12]\d|3[01]|0?[1-9]|(?:twenty|thirty)[-\s](?:{_DIGIT_WORD}))"
COUNT = (
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|"
    r"fifty|sixty|ninety|(?:a )?couple(?: of)?|(?:a )?few|several|some)"
)
UNIT = r"(?:(?:second|minute|min|hour|hr|day|night|week|fortnight|month|quarter|year|yr|decade)s?)"
BACK, AHEAD = _one_of(readings.BACK), _one_of(readings.AHEAD)
WHICH = rf"(?:{BACK}|{AHEAD}|this|current)"
PART = (
    r"(?:(?:very )?(?:(?:early|earlier|mid|late|later)(?:-| in(?: the)? | )|"
    r"(?:the )?(?:beginning|start|middle|end) of (?:the )?))"
)
# Words after which a name or a number is a time.
CUE = (
    "in|of|by|since|until|till|before|after|during|from|to|through|between|around|about|for|on|and|or|as of|"
    "starting|ending|than|circa"
)
_NUMBER_MONTH, _NUMBER_DAY = "1[0-2]|0?[1-9]", r"[12]\d|3[01]|0?[1-9]"
_TO = r"\s*(?:-|–|to|through|until|till|and)\s*(?:the )?"
_YEAR_AFTER = rf"(?:(?:,| of|,? in)? (?P<year>{YEAR}|{YEAR_WORDS}))?"
_WHOLE = rf"(?P<whole>(?:the )?(?:{WHICH} (?:month|year|quarter|decade)|{MONTH}(?:(?:,| of)? {YEAR})?|{YEAR}))"

MONTH_WORDS = frozenset(MONTHS) | {month[:3] for month in MONTHS} | {"sept"}
WEEKDAY_WORDS = frozenset(WEEKDAYS) | {day[:3] for day in WEEKDAYS} | {"tues", "thur", "thurs"}
DIGITS = frozenset("0123456789")
WHICH_WORDS = readings.BACK | readings.AHEAD | {"this", "current"}
UNIT_WORDS = frozenset(word + end for word in UNITS for end in ("", "s"))


# --- rules ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A pattern, the words without one of which (and one `beside` it) it cannot match, and how to read what matched.

    The group `it`, where there is one, is the phrase itself; the rest of the match only says that it is one.
    What `floats` comes round again, and can be read as the one before or after another time.
    """

    words: frozenset[str]
    pattern: str
    read: Reader
    beside: frozenset[str] = frozenset()
    floats: bool = False

    def can_match(self, words: frozenset[str]) -> bool:
        return not words.isdisjoint(self.words) and not (self.beside and words.isdisjoint(self.beside))

    @property
    def compiled(self) -> re.Pattern[str]:
        return _compiled(self.pattern)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A space in a pattern is any space; a phrase neither begins nor ends inside a word, a sum or a fraction."""
    pattern = pattern.replace(" ", r"\s+")
    return re.compile(
        rf"(?=[\w'’])(?<![\w$€£#@])(?<![$€£]\s)(?<!\d[.,:/])(?:{pattern})(?![\w%€°])(?![.,:/]\d)", re.IGNORECASE
    )


_PLAIN = frozenset("in on at during over the year".split())
_WORD = re.compile(r"[a-z]+|\d")


def words_in(text: str) -> frozenset[str]:
    """The words of a text, in small letters, and its digits one by one."""
    return frozenset(_WORD.findall(text.lower()))


def rules_for(words: frozenset[str]) -> list[Rule]:
    """The rules that can match a text of these words; for most sentences there are none."""
    return [] if words.isdisjoint(TELLING) else [rule for rule in RULES if rule.can_match(words)]


def read_phrase(text: str, now: datetime) -> Stretch | None:
    """The stretch this text names, if it is one phrase and nothing else."""
    reading = Reading(now=now)
    for rule in rules_for(words_in(text)):
        if (match := rule.compiled.fullmatch(text)) and _opens_plainly(match):
            try:
                found = rule.read(match, reading)
            except (ValueError, OverflowError):
                continue
            if found is not None:
                return found
    return None


def _opens_plainly(match: Match) -> bool:
    """Whether what stands before the phrase adds nothing to it: "since 2019" is not the same as 2019."""
    before = match.string[: match.start("it")] if "it" in match.re.groupindex else ""
    return _PLAIN.issuperset(before.split())


def _nested(read: Callable[[Match, Reading, Nested], Stretch | None]) -> Reader:
    return lambda match, reading: read(match, reading, read_phrase)


_DATES = (
    Rule(
        words=DIGITS,
        read=readings.moment,
        pattern=r"\d{4}-\d\d-\d\d(?:t| )\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:z|[+-]\d\d:?\d\d)?",
    ),
    Rule(  # 2021-05-03, 2021/5/3
        words=DIGITS,
        read=readings.date,
        pattern=rf"(?:{WEEKDAY},? )?(?P<year>{YEAR})(?P<dot>[-/.])(?P<month>{_NUMBER_MONTH})(?P=dot)"
        rf"(?P<day>{_NUMBER_DAY})(?!-\d)",
    ),
    Rule(  # 20210503
        words=DIGITS,
        read=readings.date,
        pattern=r"(?P<year>(?:19|20)\d\d)(?P<month>1[0-2]|0[1-9])(?P<day>[012]\d|3[01])",
    ),
    Rule(  # 5/3/2021, 3.5.2021
        words=DIGITS,
        read=readings.numeric_date,
        pattern=rf"(?:{WEEKDAY},? )?(?P<first>{_NUMBER_DAY})(?P<dot>[-/.])(?P<second>{_NUMBER_DAY})(?P=dot)"
        rf"(?P<year>{YEAR}|\d\d)",
    ),
    Rule(  # on 5/3: without a year a fraction looks the same
        words=DIGITS,
        floats=True,
        read=readings.numeric_date,
        pattern=rf"(?:(?:on|by|since|until|till|before|after|from|between|to|due|for) |{WEEKDAY},? |(?<=\d)-)"
        rf"(?P<it>(?P<first>{_NUMBER_DAY})(?P<dot>/)(?P<second>{_NUMBER_DAY})(?P<year>))",
    ),
    Rule(  # 2021-May-03
        words=MONTH_WORDS,
        read=readings.date,
        pattern=rf"(?P<year>{YEAR})[-/\s](?P<month>{MONTH})[-/\s](?P<day>{DAY})",
    ),
    Rule(  # May 3-5, 2021
        words=MONTH_WORDS,
        floats=True,
        read=readings.days_of_month,
        pattern=rf"(?P<month>{MONTH}) (?P<day>{DAY}){_TO}(?P<last>{DAY}){_YEAR_AFTER}",
    ),
    Rule(  # 3rd to 5th of May 2021
        words=MONTH_WORDS,
        floats=True,
        read=readings.days_of_month,
        pattern=rf"(?:the )?(?P<day>{DAY}){_TO}(?P<last>{DAY})(?: of)? (?P<month>{MONTH}){_YEAR_AFTER}",
    ),
    Rule(  # 3 May 2021, the third of May, 03-May-2021
        words=MONTH_WORDS,
        floats=True,
        read=readings.date,
        pattern=rf"(?:{WEEKDAY},? )?(?:the )?(?P<day>{DAY})(?: day)?(?: of |[-\s/]?)(?P<month>{MONTH})"
        rf"(?:(?:(?:,| of| in)? |[-/])(?P<year>{YEAR}|{YEAR_WORDS}))?",
    ),
    Rule(  # May 3, 2021
        words=MONTH_WORDS,
        floats=True,
        read=readings.date,
        pattern=rf"(?:{WEEKDAY},? )?(?P<month>{MONTH})(?: the |,? |[-/])(?P<day>{DAY}){_YEAR_AFTER}",
    ),
    Rule(  # on the 3rd, but not the 3rd time
        words=DIGITS,
        beside=frozenset(["st", "nd", "rd", "th"]),
        floats=True,
        read=readings.day_of_month,
        pattern=r"(?:on|by|until|till|since|before|after|from|around|between|and|to) "
        r"(?P<it>(?:the )?(?P<day>(?:[012]?\d|3[01])(?:st|nd|rd|th)))"
        r"(?=\s*(?:$|[.,;:!?)-]|(?:and|or|to|at|in|with|for|because|when|but|until|through|we|i|she|he|they|it)\b))",
    ),
    Rule(  # Friday the 13th
        words=WEEKDAY_WORDS,
        read=readings.day_of_month,
        pattern=rf"(?P<weekday>{WEEKDAY})(?: the)?,? (?P<day>{ORDINAL}|(?:[12]\d|3[01])(?!\s*(?:[ap]m|:)))",
    ),
)
_MONTHS_AND_LONGER = (
    Rule(  # in May, mid-May 2021, last May
        words=MONTH_WORDS,
        floats=True,
        read=readings.month,
        pattern=rf"(?:(?P<cue>{CUE}) (?:the )?)?(?P<it>(?P<part>{PART})?(?:(?P<which>{WHICH}) )?(?P<month>{MONTH})"
        rf"(?:(?:,| of|,? in)? (?P<year>{YEAR}|['’]\d\d|{YEAR_WORDS})|[-/,](?P<year_beside>{YEAR}))?)",
    ),
    Rule(words=DIGITS, read=readings.numeric_month, pattern=rf"(?P<year>{YEAR})-(?P<month>{_NUMBER_MONTH})(?!-\d)"),
    Rule(
        words=DIGITS,
        read=readings.numeric_month,
        pattern=rf"(?<!\d-)(?P<month>{_NUMBER_MONTH})[-/](?P<year>{YEAR})(?!-\d)",
    ),
    Rule(  # in 2021, early 2021
        words=DIGITS,
        read=readings.year,
        pattern=rf"(?:(?P<cue>(?:{CUE})(?: the year)?|the year|year) )?(?P<it>(?P<part>{PART})?(?P<year>{YEAR}))"
        rf"(?![-–]\s?(?!{YEAR}\b)\d)",
    ),
    Rule(
        words=frozenset(["nineteen", "twenty", "thousand"]),
        read=readings.year,
        pattern=rf"(?P<cue>in|since|by|before|after|until|from) (?P<it>(?P<part>{PART})?(?P<year>{YEAR_WORDS}))",
    ),
    Rule(  # the 1990s, the late 90s
        words=DIGITS,
        beside=frozenset("s"),
        read=readings.decade,
        pattern=rf"(?:the )?(?P<part>{PART})?['’]?(?P<decade>(?:1[5-9]|20)?\d0)['’]?s",
    ),
    Rule(
        words=frozenset(f"{ten}ies" for ten in "twent thirt fort fift sixt sevent eight ninet".split()),
        read=readings.decade,
        pattern=rf"the (?P<part>{PART})?(?P<decade>(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies)",
    ),
    Rule(
        words=frozenset(["century"]),
        read=readings.century,
        pattern=rf"(?:the )?(?P<part>{PART})?(?P<number>{ORDINAL}) century",
    ),
    Rule(  # last summer, the summer of 2019
        words=frozenset(SEASONS),
        floats=True,
        read=readings.season,
        pattern=rf"(?:(?P<cue>in|since|until|during|over|before|after)(?: the)? )?(?P<it>(?P<part>{PART})?"
        rf"(?:(?P<which>{WHICH}) )?(?P<season>{_one_of(SEASONS)})(?:(?:,| of)? (?P<year>{YEAR}|['’]\d\d))?)",
    ),
    Rule(
        words=frozenset("qh"),
        read=readings.quarter,
        pattern=rf"(?P<year>{YEAR})[-\s](?P<letter>[qh])(?P<number>[1-4])",
    ),
    Rule(
        words=frozenset("qh"),
        read=readings.quarter,
        pattern=rf"(?P<letter>[qh])(?P<number>[1-4])[-\s](?:of )?(?P<year>{YEAR}|['’]\d\d)",
    ),
    Rule(words=frozenset("q"), floats=True, read=readings.quarter, pattern=r"(?P<letter>q)(?P<number>[1-4])"),
    Rule(
        words=frozenset(["quarter", "half"]),
        read=readings.quarter,
        pattern=rf"(?:the )?(?P<number>{ORDINAL}) (?P<letter>quarter|half)(?: of|,)? (?:the year )?(?P<year>{YEAR})",
    ),
    Rule(
        words=frozenset(["quarter", "half"]),
        read=readings.quarter,
        pattern=rf"(?:the )?(?P<number>{ORDINAL}) (?P<letter>quarter|half) of (?P<which>{WHICH}|the) year",
    ),
    Rule(  # last Christmas, Easter 2018
        words=HOLIDAY_WORDS,
        floats=True,
        read=readings.holiday,
        pattern=rf"(?:(?P<which>{WHICH}) )?(?P<holiday>{HOLIDAY})(?:,? (?:of )?(?P<year>{YEAR}))?",
    ),
)
_INSIDE = (
    Rule(  # the first week of January
        words=UNIT_WORDS,
        beside=frozenset(["of", "in"]),
        read=_nested(readings.nth_of),
        pattern=rf"(?:the )?(?P<nth>{ORDINAL}|last|final)(?: (?P<count>{COUNT}))? (?P<unit>day|week|month|weekend)s? "
        rf"(?:of|in) {_WHOLE}",
    ),
    Rule(  # the first Monday of March
        words=WEEKDAY_WORDS,
        beside=frozenset(["of", "in"]),
        read=_nested(readings.nth_weekday),
        pattern=rf"(?:the )?(?P<nth>{ORDINAL}|last) (?P<weekday>{WEEKDAY}) (?:of|in) {_WHOLE}",
    ),
    Rule(  # the week of April 10th
        words=frozenset(["week", "weekend", "month"]),
        read=_nested(readings.unit_of_day),
        pattern=r"(?:the )?(?P<unit>week|weekend|month) (?:of|commencing|starting|beginning)(?: on)? "
        rf"(?P<day>(?:{MONTH} {DAY}|(?:the )?{DAY}(?: of)? {MONTH})(?:,? {YEAR})?)",
    ),
)
_RELATIVE = (
    Rule(
        words=frozenset(["yesterday", "tomorrow", "today"]),
        read=readings.named_day,
        pattern=rf"(?P<part>{PART})?(?P<day>(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|"
        r"tomorrow|today)",
    ),
    Rule(words=frozenset(["now", "moment"]), read=readings.now, pattern=r"right now|just now|at the moment|now"),
    Rule(  # last week, earlier this month
        words=UNIT_WORDS,
        beside=WHICH_WORDS,
        read=readings.span,
        pattern=rf"(?P<part>{PART})?(?P<the>the )?(?P<which>{WHICH}) (?:calendar )?"
        r"(?P<unit>hour|day|week|weekend|fortnight|month|quarter|year|decade|century)",
    ),
    Rule(
        words=frozenset(["weekend"]),
        floats=True,
        read=readings.weekend,
        pattern=r"(?:over|on|at|during|for|this is) (?P<it>the weekend)",
    ),
    Rule(  # the last three months
        words=UNIT_WORDS,
        beside=WHICH_WORDS,
        read=readings.counted_span,
        pattern=rf"(?:the )?(?P<which>{BACK}|{AHEAD}) (?P<count>{COUNT}) (?P<unit>{UNIT}|weekends?)",
    ),
    Rule(
        words=UNIT_WORDS,
        beside=WHICH_WORDS,
        read=readings.counted_span,
        pattern=rf"(?P<count>{COUNT}) (?P<which>{BACK}|{AHEAD}) (?P<unit>{UNIT}(?<=s)|weekends)",
    ),
    Rule(  # two days ago
        words=UNIT_WORDS,
        beside=frozenset(["ago", "back", "before"]),
        read=readings.ago,
        pattern=rf"(?P<count>half an?|{COUNT}) (?P<unit>{UNIT}|weekends?)"
        rf"(?:(?: and|,) (?P<count2>{COUNT}) (?P<unit2>{UNIT}))? (?:ago|back|before now)",
    ),
    Rule(  # in two days, two days from now
        words=UNIT_WORDS,
        beside=frozenset(["in", "from"]),
        read=readings.from_now,
        pattern=rf"(?:(?P<in>in) )?(?P<count>{COUNT}) (?P<unit>{UNIT})"
        r"(?(in)(?:['’]s?)?(?: time| from now)?| from (?:now|today))",
    ),
    Rule(
        words=frozenset(["within"]),
        read=readings.within,
        pattern=rf"within (?:the next )?(?P<count>{COUNT}) (?P<unit>{UNIT})",
    ),
    Rule(  # last Friday, Friday of next week
        words=WEEKDAY_WORDS,
        floats=True,
        read=readings.weekday,
        pattern=rf"(?:(?P<cue>{CUE}|[a-z]+,) )?(?P<it>(?:this (?=past))?(?:(?P<which>{WHICH}) )?(?P<weekday>{WEEKDAY})"
        rf"(?:(?: of|,)? (?P<week>{WHICH} week))?)",
    ),
    Rule(
        words=WEEKDAY_WORDS,
        beside=frozenset(["week"]),
        read=readings.weekday,
        pattern=rf"(?P<cue>)(?P<which>)(?P<week>{WHICH} week),?(?: on| -)? (?P<weekday>{WEEKDAY})",
    ),
)
RULES = (*_DATES, *_MONTHS_AND_LONGER, *_INSIDE, *_RELATIVE)
TELLING = frozenset[str]().union(*(rule.words for rule in RULES))
