"""Rules for days that are named by their date: "3 May 2021", "5/3/2021", "the 3rd", "Friday the 13th"."""

from __future__ import annotations

from recollect.language.en import readings
from recollect.language.en.patterns import (
    DAY,
    DIGITS,
    MONTH,
    MONTH_WORDS,
    NUMBER_DAY,
    NUMBER_MONTH,
    ORDINAL,
    TO,
    WEEKDAY,
    WEEKDAY_AFTER,
    WEEKDAY_BEFORE,
    WEEKDAY_WORDS,
    YEAR,
    YEAR_AFTER,
    YEAR_WORDS,
)
from recollect.language.rules import PhraseRule

DATES = (
    PhraseRule(
        words=DIGITS,
        read=readings.moment,
        pattern=r"\d{4}-\d\d-\d\d(?:t| )\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:z|[+-]\d\d:?\d\d)?",
    ),
    PhraseRule(  # 2021-05-03, 2021/5/3
        words=DIGITS,
        read=readings.date,
        pattern=rf"{WEEKDAY_BEFORE}(?P<year>{YEAR})(?P<dot>[-/.])(?P<month>{NUMBER_MONTH})(?P=dot)"
        rf"(?P<day>{NUMBER_DAY})(?!-\d)",
    ),
    PhraseRule(  # 20210503
        words=DIGITS,
        read=readings.date,
        pattern=r"(?P<year>(?:19|20)\d\d)(?P<month>1[0-2]|0[1-9])(?P<day>[012]\d|3[01])",
    ),
    PhraseRule(  # 5/3/2021, 3.5.2021
        words=DIGITS,
        read=readings.numeric_date,
        pattern=rf"{WEEKDAY_BEFORE}(?P<first>{NUMBER_DAY})(?P<dot>[-/.])(?P<second>{NUMBER_DAY})(?P=dot)"
        rf"(?P<year>{YEAR}|\d\d)",
    ),
    PhraseRule(  # on 5/3, Friday 5/3, 5/3-5/9: without a year a fraction looks the same
        words=DIGITS,
        floats=True,
        read=readings.short_date,
        pattern=r"(?:(?P<cue>on|by|since|until|till|before|after|from|between|to|due|for|this) )?"
        rf"(?P<it>{WEEKDAY_BEFORE}"
        rf"(?P<first>{NUMBER_DAY})(?P<dot>[/.])(?P<second>{NUMBER_DAY})(?P<year>))",
    ),
    PhraseRule(  # 2021-May-03
        words=MONTH_WORDS,
        read=readings.date,
        pattern=rf"(?P<year>{YEAR})[-/\s](?P<month>{MONTH})[-/\s](?P<day>{DAY})",
    ),
    PhraseRule(  # 2021-03-May
        words=MONTH_WORDS,
        read=readings.date,
        pattern=rf"(?P<year>{YEAR})[-/\s](?P<day>{DAY})[-/\s](?P<month>{MONTH})",
    ),
    PhraseRule(  # May-2021-03
        words=MONTH_WORDS,
        read=readings.date,
        pattern=rf"(?P<month>{MONTH})[-/](?P<year>{YEAR})[-/](?P<day>{DAY})",
    ),
    PhraseRule(  # 03-2021-May
        words=MONTH_WORDS,
        read=readings.date,
        pattern=rf"(?P<day>{DAY})[-/](?P<year>{YEAR})[-/](?P<month>{MONTH})",
    ),
    PhraseRule(  # the 3rd, 4th and 7th of May: each of them
        words=MONTH_WORDS,
        beside=frozenset(["and", "or"]),
        floats=True,
        read=readings.date,
        pattern=rf"(?<!between\s)(?P<it>(?:the )?(?P<day>{DAY}))"
        rf"(?=(?:,\s*(?:the )?{DAY})*,?\s*(?:and|or) (?:the )?{DAY}(?: of)? (?P<month>{MONTH}){YEAR_AFTER})",
    ),
    PhraseRule(  # May 3 and 5
        words=MONTH_WORDS,
        beside=frozenset(["and", "or"]),
        floats=True,
        read=readings.date,
        pattern=rf"(?P<month>{MONTH}) {DAY}(?:,\s*{DAY})*,? (?:and|or) (?:the )?(?P<it>(?P<day>{DAY}){YEAR_AFTER})"
        r"(?=\s*(?:$|[.,;!?)]|(?:to|at|from|for|in|with|we|i|and|or|because)\b))",
    ),
    PhraseRule(  # May 3-5, 2021
        words=MONTH_WORDS,
        floats=True,
        read=readings.days_of_month,
        pattern=rf"(?P<month>{MONTH}) (?P<day>{DAY}){TO}(?P<last>{DAY}){YEAR_AFTER}",
    ),
    PhraseRule(  # 3rd to 5th of May 2021
        words=MONTH_WORDS,
        floats=True,
        read=readings.days_of_month,
        pattern=rf"(?:the )?(?P<day>{DAY}){TO}(?P<last>{DAY})(?: of)? (?P<month>{MONTH}){YEAR_AFTER}",
    ),
    PhraseRule(  # 3 May 2021, the third of May, 03-May-2021
        words=MONTH_WORDS,
        floats=True,
        read=readings.date,
        pattern=rf"{WEEKDAY_BEFORE}(?:the )?(?P<day>{DAY})(?: day)?(?: of |[-\s/]?)(?P<month>{MONTH})"
        rf"(?:(?:(?:,| of| in)? |[-/])(?P<year>{YEAR}|{YEAR_WORDS}))?",
    ),
    PhraseRule(  # May 3, 2021
        words=MONTH_WORDS,
        floats=True,
        read=readings.date,
        pattern=rf"{WEEKDAY_BEFORE}(?P<month>{MONTH})(?: the |,? |[-/])(?P<day>{DAY}){WEEKDAY_AFTER}{YEAR_AFTER}",
    ),
    PhraseRule(  # on the 3rd, but not the 3rd time
        words=DIGITS,
        beside=frozenset(["st", "nd", "rd", "th"]),
        floats=True,
        read=readings.day_of_month,
        pattern=r"(?:on|by|until|till|since|before|after|from|around|between|and|to) "
        r"(?P<it>(?:the )?(?P<day>(?:[012]?\d|3[01])(?:st|nd|rd|th)))"
        r"(?=\s*(?:$|[.,;:!?)-]|(?:and|or|to|at|in|with|for|because|when|but|until|through|we|i|she|he|they|it)\b))",
    ),
    PhraseRule(  # the 21st, where nothing follows that it could count
        words=DIGITS,
        beside=frozenset(["st", "nd", "rd", "th"]),
        floats=True,
        read=readings.day_of_month,
        pattern=r"the (?P<day>(?:[12]\d|3[01])(?:st|nd|rd|th))(?=\s*(?:$|[.,;:!?)]))",
    ),
    PhraseRule(  # on the 17 at noon
        words=DIGITS,
        floats=True,
        read=readings.day_of_month,
        pattern=r"on (?P<it>the (?P<day>[12]\d|3[01]))(?= (?:at|from|between)\b)",
    ),
    PhraseRule(  # Friday the 13th
        words=WEEKDAY_WORDS,
        read=readings.day_of_month,
        pattern=rf"(?P<weekday>{WEEKDAY})(?: the)?,? (?P<day>{ORDINAL}|(?:[12]\d|3[01])(?!\s*(?:[ap]m|:)))",
    ),
)
