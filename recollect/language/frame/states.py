"""States that a sentence speaks of: what a language recognises, told in one shape.

A language recognises who, which state and what of it, by its own patterns. How a state is told, which words a question
about it has, its verbs and the names it is compared by are lists (`states.txt`):

    [told]      a state = the sentence about it, with `…` where the value stands
    [topics]    a state = words of a question about the speaker's / about somebody else's
    [verbs]     the third person = the state: forms of the first person / other forms
    [is] [attributes] [places]    a word = what it is called where states of all languages are compared
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from recollect.language import lists
from recollect.language.base import StatedState
from recollect.language.changes import denies
from recollect.language.frame.calendar_words import CalendarWords

_ENGLISH_MONTHS, _ENGLISH_WEEKDAYS = lists.entries("en", "months"), lists.entries("en", "weekdays")
OBJECT_WORDS_MAX = 4
WORD = re.compile(r"\w(?:[\w+#'-]|\.(?=\w))*")


class StatingClause(NamedTuple):
    """A part of a sentence that states something about now or before."""

    text: str
    start: int
    ended: bool
    denied: bool
    new: bool
    past: bool


class SaidOf(NamedTuple):
    """Whom a state is said of."""

    subject: str | None  # None: the speaker
    told: str  # as the text of the language has it, with `{}` for the speaker


SPEAKER = SaidOf(None, "{}")


class StateVerb(NamedTuple):
    first: str  # a form of the first person
    third: str
    predicate: str


class Attribute(NamedTuple):
    """Something that has one value at a time: "my boss", "the meeting"."""

    name: str  # by which it is compared
    told: str
    owned: bool  # by the speaker
    topic: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateWords:
    """The words of a language around its states, and the shapes that are made of them."""

    language: str
    calendar: CalendarWords
    clause_end: re.Pattern[str]
    unreal: re.Pattern[str]  # what is doubted, wished for or to come states nothing about now
    beside: re.Pattern[str]  # nor does what comes beside the rest: two truths rather than the right one retired
    ended: re.Pattern[str]
    now: re.Pattern[str]
    past: re.Pattern[str]
    of_speaker: re.Pattern[str]  # groups `what` and, where it may stand behind, `name`
    named: re.Pattern[str]  # group `who`
    of: str  # something of somebody's: "{what} von {whose}"
    ended_mark: str
    denied_mark: str
    new_mark: str
    marks_first: bool  # whether the marks stand before the verb
    date: re.Pattern[str]  # groups `day`, `month`
    weekday: re.Pattern[str]  # group `weekday`
    hour: re.Pattern[str]  # groups `hour`, `minute`, `clock`
    noise: re.Pattern[str]  # what is no part of a value

    def states_in(self, sentence: str, read: Callable[[StatingClause], StatedState | None]) -> tuple[StatedState, ...]:
        """What `read` recognises in each clause; none for most sentences."""
        return tuple(state for clause in self._clauses(sentence) if (state := read(clause)) is not None)

    def _clauses(self, sentence: str) -> Iterator[StatingClause]:
        begin = 0
        for end in [match.start() for match in self.clause_end.finditer(sentence)] + [len(sentence)]:
            text = sentence[begin:end]
            if text.strip() and not self.unreal.search(text) and not self.beside.search(text):
                yield StatingClause(
                    text=text,
                    start=begin,
                    ended=self.ended.search(text) is not None,
                    denied=denies(self.language, text),
                    new=self.now.search(text) is not None,
                    past=self.past.search(text) is not None,
                )
            begin = end

    def other_in(self, text: str) -> SaidOf | None:
        """Somebody of the speaker's or a name; None if there is none."""
        if owned := self.of_speaker.search(text):
            if name := owned.groupdict().get("name"):
                return SaidOf(name, name)
            what = owned["what"]
            return SaidOf(
                f"{{}}'s {self.pairs('attributes').get(what.lower(), what)}", self.of.format(what=what, whose="{}")
            )
        for named in self.named.finditer(text):
            if named["who"].lower() not in self.listed("no names"):
                return SaidOf(named["who"], named["who"])
        return None

    # --- shapes -----------------------------------------------------------------------------------------------------

    def state(
        self,
        clause: StatingClause,
        who: SaidOf,
        predicate: str,
        value: str,
        *,
        told: str = "",
        topic: str = "",
        past: bool = False,
    ) -> StatedState:
        """A state of somebody; `told` and `topic` are those of its lists where they are not given."""
        own, _, others = self.pairs("topics").get(predicate, "").partition(" / ")
        topic = topic or (own if who.subject is None else others or own)
        content = self._told(clause, who, told or self.pairs("told")[predicate])
        return StatedState(
            subject=who.subject,
            predicate=predicate,
            object=f"{value} now" if clause.new and not clause.ended and value else value,
            content=" ".join(content.replace("…", value).split()),
            denied=clause.denied and not clause.ended,
            ended=clause.ended,
            past=past or clause.past,
            topic=tuple(topic.split()),
            span=(clause.start, clause.start + len(clause.text)),
        )

    def _told(self, clause: StatingClause, who: SaidOf, told: str) -> str:
        """With the words that say how it is so, before the verb or behind it."""
        new = self.new_mark if clause.new and not clause.ended else ""
        mark = f"{new} {self.ended_mark if clause.ended else self.denied_mark if clause.denied else ''}"
        verb, _, rest = told.partition(" ")
        return f"{who.told} {mark} {told}" if self.marks_first else f"{who.told} {verb} {mark} {rest}"

    def value_of(self, clause: StatingClause, thing: Attribute, *, value: str, said: str, changed: bool) -> StatedState:
        """ "Meine Nummer ist …", "la reunión pasa al jueves": `said` is the value as the text has it."""
        new = clause.new or changed
        be = self.pairs("told")["is"]
        return StatedState(
            subject=f"{{}}'s {thing.name}" if thing.owned else f"the {thing.name}",
            predicate="moves to" if changed else "is",
            object=f"{value} now" if new else value,
            content=" ".join(self._told(clause._replace(new=new), SaidOf(None, thing.told), f"{be} {said}").split()),
            past=changed,
            topic=thing.topic,
            span=(clause.start, clause.start + len(clause.text)),
        )

    def in_place(self, place: str) -> str:
        """The name that a town or a country has in English, by which places are known; of its first word if not all."""
        known = self.pairs("places")
        first, space, rest = place.partition(" ")
        return known.get(place.lower()) or f"{known.get(first.lower(), first)}{space}{rest}"

    def compared(self, value: str) -> str:
        """The value as values of all languages are compared: days and hours in one form, anything else as it stands."""
        calendar = self.calendar
        if date := self.date.search(value):
            month = _ENGLISH_MONTHS[calendar.month_of(date["month"]) - 1]
            return f"{month.capitalize()} {int(calendar.number_of(date['day']))}"
        if day := self.weekday.search(value):
            return _ENGLISH_WEEKDAYS[calendar.weekday_of(day["weekday"])].capitalize()
        if hour := self.hour.search(value):
            return hour["clock"] or f"{int(hour['hour'])}:{hour['minute'] or '00'}"
        return " ".join(self.without_noise(value).split()[:OBJECT_WORDS_MAX]).strip(" .")

    def without_noise(self, value: str) -> str:
        return " ".join(self.noise.sub(" ", value).split())

    # --- lists ------------------------------------------------------------------------------------------------------

    def listed(self, heading: str) -> frozenset[str]:
        return lists.sets(self.language, "states")[heading]

    def pairs(self, heading: str) -> dict[str, str]:
        return _pairs(self.language, heading)

    def verbs(self) -> dict[str, StateVerb]:
        """Each form, of the first person or another, and its verb."""
        return _verbs(self.language)[0]

    def first_persons(self) -> frozenset[str]:
        return _verbs(self.language)[1]


@cache
def _pairs(language: str, heading: str) -> dict[str, str]:
    return lists.pairs(lists.sections(language, "states")[heading])


@cache
def _verbs(language: str) -> tuple[dict[str, StateVerb], frozenset[str]]:
    every: dict[str, StateVerb] = {}
    firsts: set[str] = set()
    for entry in lists.sections(language, "states")["verbs"]:
        said, _, forms = entry.partition(": ")
        third, _, predicate = said.partition(" = ")
        first, _, others = (part.split() for part in forms.partition("/"))
        every |= dict.fromkeys([*first, *others], StateVerb(first[0], third, predicate))
        firsts |= set(first)
    return every, frozenset(firsts)
