"""The English words of the calendar: months, weekdays, seasons, units and numbers."""

from __future__ import annotations

import re

from recollect.language import lists

MONTHS, WEEKDAYS = lists.entries("en", "months"), lists.entries("en", "weekdays")
# Patterns: a whole name, any form of it ("sept", "january"), and what every form begins with.
MONTH_NAME = "|".join(MONTHS)
ANY_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in MONTHS).replace("sep(", "sept?(")
ANY_MONTH = ANY_MONTH.replace("sept?(?:tember)?", "sept?(?:ember)?")
MONTH_BEGINNING = "|".join(name[:3] for name in MONTHS)
WEEKDAY_BEGINNING = "|".join(name[:3] for name in WEEKDAYS)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # and the month each begins with
UNITS = {
    "second": "second",
    "sec": "second",
    "minute": "minute",
    "min": "minute",
    "hour": "hour",
    "hr": "hour",
    "h": "hour",
    "day": "day",
    "night": "day",
    "business day": "workday",
    "working day": "workday",
    "workday": "workday",
    "week": "week",
    "wk": "week",
    "workweek": "workweek",
    "working week": "workweek",
    "weekend": "weekend",
    "fortnight": "fortnight",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "yr": "year",
    "decade": "decade",
    "century": "century",
    "centurie": "century",
}
_UNDER_TWENTY = (
    "zero one two three four five six seven eight nine ten "
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS = {word: number for number, word in enumerate(_UNDER_TWENTY)}
NUMBERS |= {word: 10 * number for number, word in enumerate(_TENS, start=2)}
# "a few" and "several" are three, as in the specifications of the date recognisers that others test against.
VAGUE_NUMBERS = {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "a couple": 2,
    "couple of": 2,
    "few": 3,
    "a few": 3,
    "several": 3,
    "some": 3,
}
_IRREGULAR = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
ORDINALS = {_IRREGULAR.get(word, word + "th"): number for word, number in NUMBERS.items() if 0 < number < 20}
ORDINALS |= {"twentieth": 20, "thirtieth": 30}
_LEADING_NUMBER = re.compile(r"\d+")


def number_of(words: str) -> int:
    """What "3", "21st", "twenty-first", "a couple of" or "nineteen eighty six" counts. `ValueError` for no number."""
    words = " ".join(words.lower().replace("-", " ").split())
    if match := _LEADING_NUMBER.match(words):
        return int(match[0])
    if words in VAGUE_NUMBERS:
        return VAGUE_NUMBERS[words]
    total = 0
    for word in words.replace(" and ", " ").split():
        if word in ("hundred", "thousand"):
            total *= 100 if word == "hundred" else 1_000
        elif (value := NUMBERS.get(word, ORDINALS.get(word))) is None:
            raise ValueError(word)
        else:  # "nineteen eighty six" is read by pairs of digits, "twenty six" is a sum
            total = total * 100 + value if total and value >= 10 and total % 100 else total + value
    return total


def month_of(name: str) -> int:
    """The number of a month, from its name or the first three letters of it."""
    return next(number for number, month in enumerate(MONTHS, start=1) if month.startswith(name.lower()[:3]))


def weekday_of(name: str) -> int:
    """The number of a weekday as `datetime.weekday` counts, from its name or the first three letters of it."""
    return next(number for number, day in enumerate(WEEKDAYS) if day.startswith(name.lower()[:3]))


def unit_named(word: str) -> str:
    """The unit of a word such as "hrs" or "weeks"."""
    word = " ".join(word.lower().split())
    return UNITS[word if word in UNITS else word.removesuffix("s")]
