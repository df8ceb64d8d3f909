"""The Spanish words of the calendar: months, weekdays, seasons, units and numbers, and the patterns they make."""

from __future__ import annotations

import re
from functools import cache

from recollect.language import lists
from recollect.language.resolving import Amount
from recollect.language.rules import one_of

SEASONS = {"primavera": 3, "verano": 6, "otoño": 9, "otono": 9, "invierno": 12}
# When each part of a day begins and ends, in hours; a night reaches into the next day.
DAY_PARTS = {
    "madrugada": (0, 6),
    "mañana": (6, 12),
    "manana": (6, 12),
    "mediodía": (12, 14),
    "mediodia": (12, 14),
    "tarde": (12, 20),
    "noche": (20, 28),
}


def _forms(name: str, *, first: int) -> dict[str, int]:
    """Each form of an entry and the number of the entry."""
    return {
        form: number for number, entry in enumerate(lists.entries("es", name), start=first) for form in entry.split()
    }


def _pairs(name: str) -> dict[str, str]:
    return lists.pairs(lists.entries("es", name))


def _numbers() -> dict[str, int]:
    simple = {word: int(number) for word, number in _pairs("numbers").items()}
    digits = {word: number for word, number in simple.items() if number < 10}
    tens = {word: number for word, number in simple.items() if 30 <= number < 100}
    return simple | {
        f"{ten} y {digit}": large + small for ten, large in tens.items() for digit, small in digits.items()
    }


MONTHS, WEEKDAYS = _forms("months", first=1), _forms("weekdays", first=0)
UNITS = _pairs("units")
NUMBERS = _numbers()
VAGUE = {word: float(number) for word, number in _pairs("vague_numbers").items()}
ORDINALS = {word: int(number) for word, number in _pairs("ordinals").items()}

# Abbreviated months stand between a day and a year, or have a full stop: "3 mar 2021" but not "el mar".
_MONTH_NAMES = one_of(name for name in MONTHS if len(name) > 4)
_MONTH_SHORT = one_of(name for name in MONTHS if len(name) <= 4 and name != "mayo")
MONTH = rf"(?:(?:{_MONTH_NAMES}|mayo)\b)"
MONTH_ANY = rf"(?:{MONTH}|(?:{_MONTH_SHORT})\b\.?)"
WEEKDAY = rf"(?:{one_of(WEEKDAYS)})"
UNIT = rf"(?:{one_of(UNITS)})\b"
_COUNT_WORDS = one_of([*VAGUE, *NUMBERS])
COUNT = rf"(?:\d{{1,3}}(?:[.,]\d)?|{_COUNT_WORDS})"
ORDINAL = rf"(?:{one_of(ORDINALS)})"
DAY = rf"(?:(?:[12]\d|3[01]|0?[1-9])(?:\.?[ºo°])?|primero|{one_of(w for w, n in NUMBERS.items() if n < 32)})"
_AND_A_HALF = r"(?:hora|día|semana|mes|año) y medi[oa]"
AMOUNT = rf"(?:{COUNT} {UNIT}(?: y (?:medi[oa]|{COUNT} {UNIT}))?|{_AND_A_HALF})"  # un año y medio, hora y media
MONTH_WORDS, WEEKDAY_WORDS = frozenset(MONTHS), frozenset(WEEKDAYS)
UNIT_WORDS = frozenset(word for unit in UNITS for word in unit.split()[-1:])
_DIGITS = re.compile(r"\d+(?:[.,]\d+)?")


def number_of(words: str) -> float:
    """What "3", "3º", "tres", "treinta y uno", "un par de" or "tercer" counts. `ValueError` for no number."""
    plain = " ".join(words.lower().split())
    if match := _DIGITS.match(plain):
        return float(match[0].replace(",", "."))
    for known in (VAGUE, NUMBERS, ORDINALS):
        if plain in known:
            return float(known[plain])
    raise ValueError(words)


def month_of(name: str) -> int:
    """The number of a month, from any form of its name."""
    return MONTHS[name.lower().rstrip(".")]


def weekday_of(name: str) -> int:
    """The number of a weekday as `datetime.weekday` counts, with its accent or without."""
    return WEEKDAYS[name.lower()]


def unit_named(word: str) -> str:
    return UNITS[" ".join(word.lower().split())]


@cache
def _pieces() -> re.Pattern[str]:
    pattern = rf"(?<!\w)(?:(?P<count>{COUNT}) (?={UNIT})|(?={_AND_A_HALF}))(?P<unit>{UNIT})(?P<half> y medi[oa]\b)?"
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


def amount_of(words: str) -> Amount:
    """What an `AMOUNT` says. `ValueError` where nothing is counted."""
    pieces = tuple(
        (number_of(match["count"] or "1") + (0.5 if match["half"] else 0.0), unit_named(match["unit"]))
        for match in _pieces().finditer(words)
    )
    if not pieces:
        raise ValueError(words)
    return Amount(pieces)
