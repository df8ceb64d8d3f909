"""Times in running German text: the phrases of `de.phrases`, the times of day of `de.clocks`, `de.tense`."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache

from recollect.language.de.calendar_words import COUNT, WEEKDAY, WEEKDAY_NAMES, WEEKDAYS
from recollect.language.de.clocks import CLOCK_WORDS, clocks_in
from recollect.language.de.joins import JOINS
from recollect.language.de.phrases import TELLING, rules_for, words_in
from recollect.language.de.sentence_rules import sentences_in
from recollect.language.de.tense import GermanTense
from recollect.language.finding import TimeGrammar, TimeMention, find_times
from recollect.language.found import FoundTime
from recollect.language.joining import TenseOfTimes

_ADVERBS = "täglich wöchentlich monatlich jährlich vierteljährlich stündlich werktags wochenends".split()
_REPEATING_WORDS = frozenset(
    ["jede", "jeden", "jedes", "jeder", "jedem", "alle", "pro", "mal", "einmal", "zweimal", "dreimal", *_ADVERBS]
    + [f"{day}s" for day in WEEKDAY_NAMES]
)
_PERIOD = (
    "tag|woche|monat|quartal|jahr|abend|morgen|nacht|nachmittag|wochenende|sommer|winter|frühling|herbst|stunde|minute"
)
_REPEATED = (
    rf"jede[nrsm]? (?:(?:zweite[nrsm]?|dritte[nrsm]?|{COUNT}) )?(?:{WEEKDAY}\w*|{_PERIOD})",
    rf"alle (?:{COUNT} )?(?:tage|wochen|monate|jahre|stunden|minuten)",
    rf"(?:einmal|zweimal|dreimal|{COUNT} ?mal) (?:pro|im|in der|am|jede[nrs]?) (?:tag|woche|monat|jahr|quartal)",
    rf"(?:immer )?(?:{WEEKDAY})s",
    "|".join(_ADVERBS),
)


@cache
def _repeated() -> tuple[re.Pattern[str], ...]:
    spaced = (pattern.replace(" ", r"\s+") for pattern in _REPEATED)
    return tuple(re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE) for pattern in spaced)


def times_in(text: str, reference: datetime) -> tuple[TimeMention, ...]:
    """Every time a German text names, in the order of the text, in the zone of `reference`."""
    return find_times(text, reference, GRAMMAR)


def _repeating_in(text: str, words: frozenset[str]) -> list[tuple[int, int]]:
    if words.isdisjoint(_REPEATING_WORDS):
        return []
    spans: list[tuple[int, int]] = []
    for pattern in _repeated():
        for match in pattern.finditer(text):
            if not any(match.start() < end and begin < match.end() for begin, end in spans):
                spans.append(match.span())
    return sorted(spans)


def _weekday_in(words: str) -> int | None:
    lowered = words.lower()
    return next((WEEKDAYS[name] for name in WEEKDAY_NAMES if name in lowered), None)


def _is_filler(sentence: str, found: FoundTime, tense: TenseOfTimes) -> bool:
    return False


GRAMMAR = TimeGrammar(
    hints=TELLING | CLOCK_WORDS | _REPEATING_WORDS,
    words_in=words_in,
    sentences=sentences_in,
    rules_for=rules_for,
    clocks_in=clocks_in,
    repeating_in=_repeating_in,
    weekday_in=_weekday_in,
    tense_of=GermanTense,
    is_filler=_is_filler,
    joins=JOINS,
)
