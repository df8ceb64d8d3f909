"""Pieces of patterns that phrases of the calendar are made of, and the words without which they cannot match.

A space in a piece stands for any space: `language.en.phrases` puts that in when it compiles a rule.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.language.en import readings
from recollect.language.en.calendar_words import MONTHS, ORDINALS, SEASONS, UNITS, WEEKDAYS


def one_of(words: Iterable[str]) -> str:
    """Any of these words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


DIGIT_WORD = "one|two|three|four|five|six|seven|eight|nine"
TENS_WORD = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_TEEN_WORD = r"ten|eleven|twelve|\w{3,5}teen"
MONTH = (
    rf"(?:(?:{'|'.join(MONTHS)})\b|"
    rf"(?:{'|'.join(month[:3] for month in MONTHS if month[3:])}|sept)\b(?:\.(?=[\s,-]*\d))?)"
)
WEEKDAY = rf"(?:(?:{'|'.join(WEEKDAYS)})\b|(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b(?:\.(?=\s*[\w,]))?)"
YEAR = r"(?:1[0-9]|20|21)\d\d"
YEAR_WORDS = (
    rf"(?:(?:nineteen|twenty)[-\s](?:(?:{TENS_WORD})(?:[-\s](?:{DIGIT_WORD}))?|{_TEEN_WORD})|"
    rf"two thousand(?: and)?(?: (?:(?:twenty|thirty)(?:[-\s](?:{DIGIT_WORD}))?|{_TEEN_WORD}|{DIGIT_WORD}))?)"
)
_ORDINAL_WORD = rf"(?:(?:twenty|thirty)[-\s](?:{one_of(list(ORDINALS)[:9])})|{one_of(ORDINALS)})"
ORDINAL = rf"(?:(?:[012]?\d|3[01])(?:st|nd|rd|th)|{_ORDINAL_WORD})"
DAY = rf"(?:{ORDINAL}|[12]\d|3[01]|0?[1-9]|(?:twenty|thirty)[-\s](?:{DIGIT_WORD}))"
BACK, AHEAD = one_of(readings.BACK), one_of(readings.AHEAD)
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
NUMBER_MONTH, NUMBER_DAY = "1[0-2]|0?[1-9]", r"[12]\d|3[01]|0?[1-9]"
TO = r"\s*(?:-|–|to|through|until|till|and)\s*(?:the )?"
WEEKDAY_BEFORE = rf"(?:(?:(?P<which>{WHICH}) )?(?P<weekday>{WEEKDAY})(?:,? |\s?-\s?|\s?\((?=\S+\))))?"
WEEKDAY_AFTER = rf"(?:\s?\({WEEKDAY}\))?"
YEAR_AFTER = rf"(?:(?:,| of|,? in)? (?P<year>{YEAR}|{YEAR_WORDS}))?"
WHOLE = rf"(?P<whole>(?:the )?(?:{WHICH} (?:month|year|quarter|decade)|{MONTH}(?:(?:,| of)? {YEAR})?|{YEAR}))"

MONTH_WORDS = frozenset(MONTHS) | {month[:3] for month in MONTHS} | {"sept"}
WEEKDAY_WORDS = frozenset(WEEKDAYS) | {day[:3] for day in WEEKDAYS} | {"tues", "thur", "thurs"}
WEEKDAY_PLURALS = frozenset(day + "s" for day in WEEKDAYS)
SEASON_WORDS = frozenset(SEASONS)
DIGITS = frozenset("0123456789")
WHICH_WORDS = readings.BACK | readings.AHEAD | {"this", "current"}
UNIT_WORDS = frozenset(word + end for word in UNITS for end in ("", "s"))
