"""Times in running English text: the phrases of `en.phrases`, the times of day of `en.clocks`, `en.tense`."""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial

from recollect.language.en.calendar_words import WEEKDAYS
from recollect.language.en.clocks import CLOCK_WORDS, clocks_in
from recollect.language.en.joins import JOINS
from recollect.language.en.phrases import PHRASES
from recollect.language.en.repeating import REPEATING
from recollect.language.en.sentence_rules import RULES
from recollect.language.en.tense import Tense
from recollect.language.finding import TimeGrammar, TimeMention, find_times
from recollect.language.found import FoundTime
from recollect.language.joining import TenseOfTimes
from recollect.language.sentences import split

_SAID_LAST = re.compile(r"\s*(?:$|[.!?])")


def times_in(text: str, reference: datetime) -> tuple[TimeMention, ...]:
    """Every time an English text names, in the order of the text, in the zone of `reference`."""
    return find_times(text, reference, GRAMMAR)


def _weekday_in(words: str) -> int | None:
    lowered = words.lower()
    return next((number for number, name in enumerate(WEEKDAYS) if name[:3] in lowered), None)


def _discourse(sentence: str, found: FoundTime, tense: TenseOfTimes) -> bool:
    """A bare "now" opens sentences and fills them; it is a time where it says when something will be done."""
    if found.phrase is None or sentence[found.begin : found.end].lower() != "now":
        return False
    doing = found.begin > 0 and tense.wills(found.begin) and _SAID_LAST.match(sentence, found.end)
    return not doing or sentence[: found.begin].rstrip().endswith("for")


GRAMMAR = TimeGrammar(
    hints=PHRASES.telling | CLOCK_WORDS | REPEATING.words,
    words_in=PHRASES.words_in,
    sentences=partial(split, rules=RULES),
    rules_for=PHRASES.rules_for,
    clocks_in=clocks_in,
    repeating_in=REPEATING.spans,
    weekday_in=_weekday_in,
    tense_of=Tense,
    is_filler=_discourse,
    joins=JOINS,
)
