"""Times in running text: the parts of a language's grammar, put together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from recollect.language.finding import TimeGrammar
from recollect.language.found import FoundTime
from recollect.language.frame.clocks import Clocks
from recollect.language.frame.phrases import Phrases
from recollect.language.frame.repeating import Repeating
from recollect.language.frame.tense import TenseWords
from recollect.language.joining import Joins, TenseOfTimes
from recollect.language.sentences import SentenceRules, split


def grammar_of(
    *,
    phrases: Phrases,
    sentence_rules: SentenceRules,
    clocks: Clocks,
    clock_words: frozenset[str],
    repeating: Repeating,
    weekday_in: Callable[[str], int | None],
    tense: TenseWords,
    joins: Joins,
) -> TimeGrammar:
    """How a language names times; `clock_words` say by themselves that a text may name a time of day."""
    return TimeGrammar(
        hints=phrases.telling | clock_words | repeating.words,
        words_in=phrases.words_in,
        sentences=partial(split, rules=sentence_rules),
        rules_for=phrases.rules_for,
        clocks_in=clocks.found_in,
        repeating_in=repeating.spans,
        weekday_in=weekday_in,
        tense_of=tense.of,
        is_filler=_never,
        joins=joins,
    )


def _never(sentence: str, found: FoundTime, tense: TenseOfTimes) -> bool:
    """No time here fills a sentence without naming a time, as an English "now" does."""
    return False
