"""Times in running Spanish text: the phrases of `es.phrases`, the times of day of `es.clocks`, `es.tense`."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache

from recollect.language.es.calendar_words import COUNT, UNIT, WEEKDAY, WEEKDAY_WORDS, WEEKDAYS
from recollect.language.es.clocks import CLOCK_WORDS, clocks_in
from recollect.language.es.joins import JOINS
from recollect.language.es.phrases import TELLING, rules_for, words_in
from recollect.language.es.sentence_rules import sentences_in
from recollect.language.es.tense import SpanishTense
from recollect.language.finding import TimeGrammar, TimeMention, find_times
from recollect.language.found import FoundTime
from recollect.language.joining import TenseOfTimes

_ADVERBS = "diariamente semanalmente mensualmente anualmente trimestralmente".split()
_REPEATING_WORDS = frozenset(["cada", "todos", "todas", "los", "vez", "veces", "diario", "entre", *_ADVERBS])
_PERIOD = (
    "días?|dias?|semanas?|mes(?:es)?|trimestres?|años?|mañanas?|tardes?|noches?|veranos?|inviernos?|horas?"
    "|fines? de semana"
)
_REPEATED = (
    rf"(?:todos|todas) (?:los|las) (?:{WEEKDAY}s?|{_PERIOD})",
    rf"cada (?:{COUNT} )?(?:{WEEKDAY}|{_PERIOD})",
    rf"los {WEEKDAY}s?(?: y (?:los )?{WEEKDAY}s?)?(?: alternos)?",
    rf"(?:una vez|{COUNT} veces) (?:al|a la|por|cada) {UNIT}",
    "a diario",
    "entre semana",
    "|".join(_ADVERBS),
)


@cache
def _repeated() -> tuple[re.Pattern[str], ...]:
    spaced = (pattern.replace(" ", r"\s+") for pattern in _REPEATED)
    return tuple(re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE) for pattern in spaced)


def times_in(text: str, reference: datetime) -> tuple[TimeMention, ...]:
    """Every time a Spanish text names, in the order of the text, in the zone of `reference`."""
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
    return next((WEEKDAYS[name] for name in WEEKDAY_WORDS if name in lowered), None)


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
    tense_of=SpanishTense,
    is_filler=_is_filler,
    joins=JOINS,
)
