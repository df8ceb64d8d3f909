"""The German words of the calendar: months, weekdays, seasons, units and numbers, and the patterns they make."""

from __future__ import annotations

import re
from functools import cache

from recollect.language import lists
from recollect.language.resolving import Amount
from recollect.language.rules import one_of

_DIGITS = re.compile(r"\d+(?:,\d+)?")
SEASONS = {"frühling": 3, "frühjahr": 3, "fruehling": 3, "sommer": 6, "herbst": 9, "winter": 12}
# When each part of a day begins and ends, in hours; a night reaches into the next day.
DAY_PARTS = {
    "früh": (6, 12),
    "morgen": (6, 12),
    "vormittag": (8, 12),
    "mittag": (11, 13),
    "nachmittag": (12, 18),
    "abend": (18, 22),
    "nacht": (20, 28),
}
_ORDINAL_STEMS = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}


def _forms(name: str, *, first: int) -> dict[str, int]:
    """Each form of an entry and the number of the entry."""
    return {
        form: number for number, entry in enumerate(lists.entries("de", name), start=first) for form in entry.split()
    }


MONTHS, WEEKDAYS = _forms("months", first=1), _forms("weekdays", first=0)
WEEKDAY_NAMES = frozenset(name for name in WEEKDAYS if len(name) > 2)
UNITS = {form: entry.split()[0] for entry in lists.entries("de", "units") for form in entry.split()[1:]}


def _numbers() -> dict[str, int]:
    simple = {form: int(entry.split()[0]) for entry in lists.entries("de", "numbers") for form in entry.split()[1:]}
    tens = {word: number for word, number in simple.items() if number >= 20}
    digits = {word: number for word, number in simple.items() if number < 10 and word not in ("eins", "zwo", "zweien")}
    return simple | {
        f"{digit}und{ten}": small + large for digit, small in digits.items() for ten, large in tens.items()
    }


NUMBERS = _numbers()
VAGUE = {" ".join(entry.split()[1:]): float(entry.split()[0]) for entry in lists.entries("de", "vague_numbers")}


def _ordinals() -> dict[str, int]:
    """ "erste" to "einunddreißigste", without their endings."""
    out: dict[str, int] = {}
    for word, number in NUMBERS.items():
        if 0 < number < 32:
            out[_ORDINAL_STEMS.get(number) or word + ("t" if number < 20 else "st")] = number
    return out


ORDINALS = _ordinals()

# Abbreviated months have a full stop, or a number beside them: "Jan." and "3. Jan" but not the name Jan.
_MONTH_NAMES = one_of(name for name in MONTHS if len(name) > 3)
_MONTH_SHORT = one_of(name for name in MONTHS if len(name) <= 3 and name != "mai")
MONTH = rf"(?:(?:{_MONTH_NAMES}|mai)s?\b|(?:{_MONTH_SHORT}|sept)\b(?:\.(?=[\s,]|$)|(?=\s?\d|\s?$|[,;])))"
WEEKDAY = rf"(?:{one_of(WEEKDAY_NAMES)})"
WEEKDAY_SHORT = rf"(?:{one_of(name for name in WEEKDAYS if len(name) == 2)})"
UNIT = rf"(?:{one_of(UNITS)})\b"
ORDINAL_WORD = rf"(?:{one_of(ORDINALS)})e[nrsm]?"
DAY = rf"(?:(?:[012]?\d|3[01])\.|{ORDINAL_WORD})"
COUNT = rf"(?:\d{{1,3}}(?:,\d)?|{one_of(VAGUE)}|{one_of(NUMBERS)})"
AMOUNT = rf"(?:{COUNT} {UNIT}(?: und {COUNT} {UNIT})?)"
MONTH_WORDS, WEEKDAY_WORDS, UNIT_WORDS = frozenset(MONTHS), WEEKDAY_NAMES, frozenset(UNITS)


def number_of(words: str) -> float:
    """What "3", "3.", "dritten", "ein paar" or "einundzwanzig" counts. `ValueError` for no number."""
    plain = " ".join(words.lower().split())
    if match := _DIGITS.match(plain):
        return float(match[0].replace(",", "."))
    if plain in VAGUE:
        return VAGUE[plain]
    if plain in NUMBERS:
        return NUMBERS[plain]
    stem = plain.rstrip("nrsm").removesuffix("e")
    if stem in ORDINALS:
        return ORDINALS[stem]
    raise ValueError(words)


def month_of(name: str) -> int:
    """The number of a month, from any form of its name."""
    plain = name.lower().rstrip(".")
    return MONTHS[plain if plain in MONTHS else plain.removesuffix("s")]


def weekday_of(name: str) -> int:
    """The number of a weekday as `datetime.weekday` counts, from any form of its name."""
    return WEEKDAYS[name.lower().rstrip(".")]


def unit_named(word: str) -> str:
    return UNITS[word.lower()]


@cache
def _pieces() -> re.Pattern[str]:
    pattern = rf"(?<!\w)(?P<count>{COUNT}) (?P<unit>{UNIT})"
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


def amount_of(words: str) -> Amount:
    """What an `AMOUNT` says. `ValueError` where nothing is counted."""
    pieces = tuple((number_of(match["count"]), unit_named(match["unit"])) for match in _pieces().finditer(words))
    if not pieces:
        raise ValueError(words)
    return Amount(pieces)
