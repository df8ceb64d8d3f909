"""German, as the engine asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from recollect.language import changes, lists
from recollect.language.base import EventPhrase, Skill, StatedState
from recollect.language.calendar import Stretch
from recollect.language.de.phrases import read_phrase
from recollect.language.de.questions import events_in, recently_in
from recollect.language.de.sentence_rules import sentences_in
from recollect.language.de.states import states_in
from recollect.language.de.times import times_in
from recollect.language.finding import TimeMention
from recollect.language.sentences import Sentence
from recollect.language.terms import stem_in
from recollect.language.words import words_in


class German:
    """German: times, questions, negation and states; names and feelings are read by what languages share."""

    code = "de"
    skills: frozenset[Skill] = frozenset(("times", "statements"))
    nouns_are_capital = True
    speakers: Mapping[str, str] = MappingProxyType({"the user": "der Nutzer", "the assistant": "der Assistent"})

    def sentences(self, text: str) -> Iterator[Sentence]:
        return sentences_in(text)

    def words(self, text: str) -> list[str]:
        return words_in(text)

    def stem(self, word: str) -> str:
        return stem_in("german", word)

    def stop_words(self) -> frozenset[str]:
        return lists.words("de", "stop_words")

    def times(self, text: str, said_at: datetime) -> tuple[TimeMention, ...]:
        return times_in(text, said_at)

    def stretch(self, phrase: str, now: datetime) -> Stretch | None:
        return read_phrase(phrase, now)

    def event_in(self, question: str) -> Iterator[EventPhrase]:
        return events_in(question)

    def recently_in(self, question: str) -> str | None:
        return recently_in(question)

    def questions(self) -> Mapping[str, tuple[str, ...]]:
        return lists.sections("de", "questions")

    def denies(self, sentence: str) -> bool:
        return changes.denies(self.code, sentence)

    def tells_change(self, sentence: str) -> bool:
        return changes.tells_change(self.code, sentence)

    def states(self, sentence: str) -> tuple[StatedState, ...]:
        return states_in(sentence)
