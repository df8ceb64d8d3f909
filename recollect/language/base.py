"""What the engine asks of a language. A language is a folder with lists and rules, and one class that answers this.

Nothing here keeps state, reads a clock or stores anything: a `Language` is handed a text and says what it finds in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from recollect.language.calendar import Stretch
from recollect.language.finding import TimeMention
from recollect.language.found import Relation
from recollect.language.sentences import Sentence

Skill = Literal["times", "statements"]
SKILLS: tuple[Skill, ...] = ("times", "statements")


class EventPhrase(NamedTuple):
    """The event a question counts from: "since the move" is `since` the event that `span` says."""

    relation: Relation
    begin: int  # of the whole phrase, with its relation
    span: tuple[int, int]  # of the event


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedState:
    """A state that a sentence speaks of, told in the third person: who, what of them, and whether it is so.

    `predicate` is the English verb by which states of all languages are compared ("lives in", "works at"), in the third
    person and positive. `subject` is None where the speaker says it of themselves, and has `{}` for the speaker where
    it is something of theirs. `ended` says that it was so and is no more.
    """

    subject: str | None
    predicate: str
    object: str
    content: str  # the statement in the language itself, with `{}` where the speaker stands
    topic: tuple[str, ...] = ()  # words of the language by which a question is about this
    denied: bool = False
    past: bool = False
    ended: bool = False
    span: tuple[int, int] = (0, 0)


class Language(Protocol):
    """One human language."""

    @property
    def code(self) -> str:
        """Its two letters in ISO 639, or `und`."""
        ...

    @property
    def skills(self) -> frozenset[Skill]:
        """What can be read in a text of this language; what is not here is said to be `missing`."""
        ...

    @property
    def nouns_are_capital(self) -> bool:
        """Whether every noun has a capital letter, so that a capital says nothing about names."""
        ...

    @property
    def speakers(self) -> Mapping[str, str]:
        """What a speaker without a name is called in a statement: of "the user" and "the assistant"."""
        ...

    def sentences(self, text: str) -> Iterator[Sentence]:
        """The sentences of a text, one at a time."""
        ...

    def words(self, text: str) -> list[str]:
        """The words of a text in small letters."""
        ...

    def stem(self, word: str) -> str:
        """What the forms of a word have in common; the word in small letters."""
        ...

    def stop_words(self) -> frozenset[str]:
        """Function words, which tell nothing about a text."""
        ...

    def times(self, text: str, said_at: datetime) -> tuple[TimeMention, ...]:
        """Every time a text names, resolved against the moment it was said."""
        ...

    def stretch(self, phrase: str, now: datetime) -> Stretch | None:
        """The stretch of the calendar that a phrase names, if it names one and says nothing else."""
        ...

    def event_in(self, question: str) -> Iterator[EventPhrase]:
        """The events that a question may count from: "since the move", "seit dem Umzug"."""
        ...

    def recently_in(self, question: str) -> str | None:
        """The word by which a question asks for what is recent, None if there is none."""
        ...

    def questions(self) -> Mapping[str, tuple[str, ...]]:
        """Phrases by which a question says what it is after, by the name of their sign."""
        ...

    def denies(self, sentence: str) -> bool:
        """Whether a sentence says that something is not so."""
        ...

    def tells_change(self, sentence: str) -> bool:
        """Whether a sentence says that something is different now: "no longer", "moved", "nicht mehr", "jetzt"."""
        ...

    def states(self, sentence: str) -> tuple[StatedState, ...]:
        """The states a sentence speaks of.

        None for English: its sentences are taken apart by `perceive.grammar`, which finds more than states.
        """
        ...
