"""A language without rules of its own: what is the same in all of them still works.

Sentences end by the marks of any script, words are runs of letters, and dates in digits are dates. Nothing is guessed
about statements, tense or names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from recollect.language import lists
from recollect.language.base import EventPhrase, Skill, StatedState
from recollect.language.calendar import Stretch
from recollect.language.expression import expression
from recollect.language.finding import TimeGrammar, TimeMention, find_times
from recollect.language.joining import Joins, Says
from recollect.language.numeric_dates import DIGITS, NUMERIC_RULES
from recollect.language.resolving import Amount
from recollect.language.rules import PhraseRule, read_whole
from recollect.language.sentences import Sentence, SentenceRules, split
from recollect.language.words import words_in

_NEVER = expression(r"(?!)")
_DIGIT = expression(r"\d")
# Abbreviations that many languages share, and that foreign texts quote.
_RULES = SentenceRules(
    never_ends=lists.words("en", "abbreviations") | lists.words("de", "abbreviations"),
    may_end=lists.words("en", "abbreviations_at_end") | lists.words("de", "abbreviations_at_end"),
    asking=_NEVER,
    or_word="\0",
)


class _NoTense:
    """Nothing is known about the verb: a date in digits is taken for the last one there was."""

    def __init__(self, sentence: str) -> None: ...

    def at(self, place: int) -> Says:
        return "past"

    def ahead(self, place: int) -> bool:
        return False

    def wills(self, place: int) -> bool:
        return False


def _sentences_in(text: str) -> Iterator[Sentence]:
    return split(text, _RULES)


def _digits_in(text: str) -> frozenset[str]:
    return frozenset(_DIGIT.findall(text))


def _numeric_rules(words: frozenset[str]) -> list[PhraseRule]:
    return [] if words.isdisjoint(DIGITS) else list(NUMERIC_RULES)


def _no_amount(words: str) -> Amount:
    raise ValueError(words)


_JOINS = Joins(
    relations={},
    relation=_NEVER,
    tails={},
    tail=_NEVER,
    between=_NEVER,
    to=expression(r"\s*[-–—]\s*"),
    and_or_to=_NEVER,
    together=_NEVER,
    end_of=_NEVER,
    starting=_NEVER,
    distance=lambda: _NEVER,
    lasting=lambda: _NEVER,
    beginning=lambda: _NEVER,
    backward=frozenset(),
    more=frozenset(),
    amount_of=_no_amount,
    unit_named=str,
)
_GRAMMAR = TimeGrammar(
    hints=DIGITS,
    words_in=_digits_in,
    sentences=_sentences_in,
    rules_for=_numeric_rules,
    clocks_in=lambda text, words: [],
    repeating_in=lambda text, words: [],
    weekday_in=lambda words: None,
    tense_of=_NoTense,
    is_filler=lambda sentence, found, tense: False,
    joins=_JOINS,
)


class OtherLanguage:
    """A language of which we know the name alone."""

    def __init__(self, code: str) -> None:
        self.code = code

    @property
    def skills(self) -> frozenset[Skill]:
        return frozenset()

    @property
    def nouns_are_capital(self) -> bool:
        return False

    @property
    def speakers(self) -> Mapping[str, str]:
        return {}

    def sentences(self, text: str) -> Iterator[Sentence]:
        return _sentences_in(text)

    def words(self, text: str) -> list[str]:
        return words_in(text)

    def stem(self, word: str) -> str:
        return word.lower()

    def stop_words(self) -> frozenset[str]:
        return frozenset()

    def times(self, text: str, said_at: datetime) -> tuple[TimeMention, ...]:
        return find_times(text, said_at, _GRAMMAR)

    def stretch(self, phrase: str, now: datetime) -> Stretch | None:
        return read_whole(phrase, now, NUMERIC_RULES, plain=frozenset())

    def event_in(self, question: str) -> Iterator[EventPhrase]:
        return iter(())

    def recently_in(self, question: str) -> str | None:
        return None

    def questions(self) -> Mapping[str, tuple[str, ...]]:
        return lists.sections(self.code, "questions") if (lists.FOLDER / self.code / "questions.txt").exists() else {}

    def denies(self, sentence: str) -> bool:
        return False

    def tells_change(self, sentence: str) -> bool:
        return False

    def states(self, sentence: str) -> tuple[StatedState, ...]:
        return ()
