"""A rule: a pattern for a phrase of the calendar, and how to read what it matched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from recollect.language.calendar import Stretch
from recollect.language.resolving import CalendarReading

Match = re.Match[str]
Reader = Callable[[Match, CalendarReading], Stretch | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseRule:
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


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


def read_whole(text: str, now: datetime, rules: Iterable[PhraseRule], *, plain: frozenset[str]) -> Stretch | None:
    """The stretch this text names, if it is one phrase and nothing else but words that are `plain` before it."""
    reading = CalendarReading(now=now)
    for rule in rules:
        if (match := rule.compiled.fullmatch(text)) and _opens_plainly(match, plain):
            try:
                found = rule.read(match, reading)
            except (ValueError, OverflowError):
                continue
            if found is not None:
                return found
    return None


def _opens_plainly(match: Match, plain: frozenset[str]) -> bool:
    """Whether what stands before the phrase adds nothing to it: "since 2019" is not the same as 2019."""
    before = match.string[: match.start("it")] if "it" in match.re.groupindex else ""
    return plain.issuperset(before.split())
