"""The words of the calendar in a language: months, weekdays, units and numbers, read from its lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from recollect.language import lists
from recollect.language.resolving import Amount

_DIGITS = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarWords:
    """Each form of a word, in small letters, and what it stands for.

    `piece` is the pattern of one part of an amount, with a space for any space and the groups `count`, `unit` and,
    where the language says "and a half" behind it, `half`.
    """

    months: Mapping[str, int]
    weekdays: Mapping[str, int]  # as `datetime.weekday` counts
    units: Mapping[str, str]
    numbers: Mapping[str, int]
    vague: Mapping[str, float]
    ordinals: Mapping[str, int]
    seasons: Mapping[str, int]  # the month that each begins with
    day_parts: Mapping[str, tuple[int, int]]  # hours; a night reaches into the next day
    piece: str

    def number_of(self, words: str) -> float:
        """What digits or words count, vaguely or not. `ValueError` for no number."""
        plain = " ".join(words.lower().split())
        if match := _DIGITS.match(plain):
            return float(match[0].replace(",", "."))
        for known in (self.vague, self.numbers, self.ordinals):
            if plain in known:
                return float(known[plain])
        raise ValueError(words)

    def month_of(self, name: str) -> int:
        """The number of a month, from any form of its name, the genitive among them."""
        plain = name.lower().rstrip(".")
        return self.months[plain if plain in self.months else plain.removesuffix("s")]

    def weekday_of(self, name: str) -> int:
        return self.weekdays[name.lower().rstrip(".")]

    def weekday_in(self, words: str) -> int | None:
        """The weekday that these words name, None if they name none; abbreviations may be parts of words."""
        lowered = words.lower()
        names = (name for name in self.weekdays if len(name) > 2)
        return next((self.weekdays[name] for name in names if name in lowered), None)

    def unit_named(self, word: str) -> str:
        return self.units[" ".join(word.lower().split())]

    def amount_of(self, words: str) -> Amount:
        """What an amount says. `ValueError` where nothing is counted."""
        pieces = tuple(
            (self.number_of(match["count"] or "1") + (0.5 if match.groupdict().get("half") else 0), match["unit"])
            for match in _compiled(self.piece).finditer(words)
        )
        if not pieces:
            raise ValueError(words)
        return Amount(tuple((count, self.unit_named(unit)) for count, unit in pieces))


@cache
def _compiled(piece: str) -> re.Pattern[str]:
    return re.compile(piece.replace(" ", r"\s+"), re.IGNORECASE)


def numbered(language: str, name: str, *, first: int) -> dict[str, int]:
    """Each form of an entry and the number of the entry: of `months.txt` and `weekdays.txt`."""
    entries = enumerate(lists.entries(language, name), start=first)
    return {form: number for number, entry in entries for form in entry.split()}


def named(language: str, name: str) -> dict[str, str]:
    """What each form stands for: of `units.txt`."""
    return lists.pairs(lists.entries(language, name))


def whole_numbers(language: str, name: str) -> dict[str, int]:
    """What each word counts: of `numbers.txt`."""
    return {word: int(number) for word, number in named(language, name).items()}


def vague_numbers(language: str) -> dict[str, float]:
    return {word: float(number) for word, number in named(language, "vague_numbers").items()}


def with_compounds(
    numbers: Mapping[str, int], form: str, *, tens_from: int, without: frozenset[str] = frozenset()
) -> dict[str, int]:
    """With the numbers between the tens: `form` says how `digit` and `ten` are written together."""
    digits = {word: number for word, number in numbers.items() if number < 10 and word not in without}
    tens = {word: number for word, number in numbers.items() if tens_from <= number < 100}
    between = {form.format(digit=word, ten=ten): digits[word] + tens[ten] for word in digits for ten in tens}
    return {**numbers, **between}
