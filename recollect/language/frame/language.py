"""A language that is read by rules and lists, as the engine asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from recollect.language import lists
from recollect.language.base import SKILLS, EventPhrase, Skill, StatedState
from recollect.language.calendar import Stretch
from recollect.language.finding import TimeGrammar, TimeMention, find_times
from recollect.language.frame.phrases import Phrases
from recollect.language.frame.questions import TimeQuestions
from recollect.language.sentences import Sentence, SentenceRules, split
from recollect.language.words import words_in


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledLanguage:
    """A `Language` made of its parts. Names and feelings are not among them: what languages share reads those."""

    code: str
    speakers: Mapping[str, str]
    nouns_are_capital: bool
    sentence_rules: SentenceRules
    phrases: Phrases
    grammar: TimeGrammar
    time_questions: TimeQuestions
    stemmed: Callable[[str], str]
    denying: Callable[[str], bool]
    changing: Callable[[str], bool]
    stating: Callable[[str], tuple[StatedState, ...]]
    skills: frozenset[Skill] = frozenset(SKILLS)

    def sentences(self, text: str) -> Iterator[Sentence]:
        return split(text, self.sentence_rules)

    def words(self, text: str) -> list[str]:
        return words_in(text)

    def stem(self, word: str) -> str:
        return self.stemmed(word)

    def stop_words(self) -> frozenset[str]:
        return lists.words(self.code, "stop_words")

    def times(self, text: str, said_at: datetime) -> tuple[TimeMention, ...]:
        return find_times(text, said_at, self.grammar)

    def stretch(self, phrase: str, now: datetime) -> Stretch | None:
        return self.phrases.read(phrase, now)

    def event_in(self, question: str) -> Iterator[EventPhrase]:
        return self.time_questions.events_in(question)

    def recently_in(self, question: str) -> str | None:
        return self.time_questions.recently_in(question)

    def questions(self) -> Mapping[str, tuple[str, ...]]:
        return lists.sections(self.code, "questions")

    def denies(self, sentence: str) -> bool:
        return self.denying(sentence)

    def tells_change(self, sentence: str) -> bool:
        return self.changing(sentence)

    def states(self, sentence: str) -> tuple[StatedState, ...]:
        return self.stating(sentence)
