"""English, as the engine asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from recollect.language import lists
from recollect.language.base import SKILLS, EventPhrase, Skill, StatedState
from recollect.language.calendar import Stretch
from recollect.language.en.phrases import read_phrase
from recollect.language.en.questions import events_in, recently_in
from recollect.language.en.sentence_rules import sentences_in
from recollect.language.en.times import times_in
from recollect.language.expression import expression
from recollect.language.finding import TimeMention
from recollect.language.sentences import Sentence
from recollect.language.terms import stem_of
from recollect.language.words import words_in

NOT = expression(r"\b(?:not|never|no longer|stopped|quit|cannot)\b|n['’]t\b", re.IGNORECASE)
_CHANGE = expression(
    r"\b(?:no longer|not any ?more|anymore|now(?! that)|these days|moved|switched|changed|quit|stopped|left|joined"
    r"|instead)\b",
    re.IGNORECASE,
)


class English:
    """English: all that the engine reads, it reads in English."""

    code = "en"
    skills: frozenset[Skill] = frozenset(SKILLS)
    nouns_are_capital = False
    speakers: Mapping[str, str] = MappingProxyType({})

    def sentences(self, text: str) -> Iterator[Sentence]:
        return sentences_in(text)

    def words(self, text: str) -> list[str]:
        return words_in(text)

    def stem(self, word: str) -> str:
        return stem_of(word)

    def stop_words(self) -> frozenset[str]:
        return lists.words("en", "stop_words")

    def times(self, text: str, said_at: datetime) -> tuple[TimeMention, ...]:
        return times_in(text, said_at)

    def stretch(self, phrase: str, now: datetime) -> Stretch | None:
        return read_phrase(phrase, now)

    def event_in(self, question: str) -> Iterator[EventPhrase]:
        return events_in(question)

    def recently_in(self, question: str) -> str | None:
        return recently_in(question)

    def questions(self) -> Mapping[str, tuple[str, ...]]:
        return lists.sections("en", "questions")

    def denies(self, sentence: str) -> bool:
        return NOT.search(sentence) is not None

    def tells_change(self, sentence: str) -> bool:
        return _CHANGE.search(sentence) is not None

    def states(self, sentence: str) -> tuple[StatedState, ...]:
        return ()
