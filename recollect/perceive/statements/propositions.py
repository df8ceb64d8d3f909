"""Atomic, self-contained statements out of one turn, without a model.

"I use Rust and React" said by Ana is two statements: "Ana uses Rust", "Ana uses React". Sentences are taken apart into
clauses (`coordination`), each is read (`clauses`), freed of what points outside (`references`), told in the third
person (`voice`), and given its manner (`manner`) and category. Questions, code, quotations, greetings, requests,
conditions and everything that is not plainly understood are left out: the turn itself is kept word for word
elsewhere, so a missed statement costs little and a wrong one is believed. So it is with English; of a text in another
language the states are drawn that its rules know (`Language.states`), and none of a language without rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from recollect.language.base import Language
from recollect.language.finding import TimeMention
from recollect.language.sentences import Sentence
from recollect.language.spoken import language_for, times_in
from recollect.limits import STATEMENTS_PER_TEXT_MAX
from recollect.model.record import Kind
from recollect.model.roles import is_machine
from recollect.perceive.grammar.clauses import MAX_PLACE, Clause, Who, may_be_clause, read_clause
from recollect.perceive.grammar.coordination import (
    clauses_in,
    finite_verbs,
    further_verbs,
    object_parts,
    share_what_follows,
    verb_parts,
)
from recollect.perceive.grammar.manner import Manner, Polarity, Tense, manner_of
from recollect.perceive.grammar.references import Antecedents, resolve_pronouns, write_out_subject
from recollect.perceive.grammar.words import Words, words_of
from recollect.perceive.statements.categories import category_of, kind_of
from recollect.perceive.statements.instructions import instruction_at, instruction_in, says_it_lasts, wish_in
from recollect.perceive.statements.surety import is_sure
from recollect.perceive.statements.trimming import is_complete, trim, without_tail
from recollect.perceive.statements.voice import Speaker, name_speaker, speaker_of, tell_in_third_person
from recollect.perceive.statements.worth import is_worth_keeping
from recollect.perceive.states.holdings import AS_SAID, holdings_of
from recollect.perceive.states.values import Stated

Window = tuple[datetime | None, datetime | None]

CONFIDENCE = 0.7  # of what a rule found
HEDGED_CONFIDENCE = 0.5  # "maybe", "might", "I think"
LOOSE_CONFIDENCE = 0.6  # a pronoun was resolved, or the subject is "the deadline" and the like
ASSISTANT_CONFIDENCE = 0.5
SAME_WORDS = 0.85  # overlap at which two statements are one; `ingest.fact_similarity`
WORDS_MIN = 3  # shorter pieces state nothing; `perceive.statement_words_min`
WORDS_MAX = 60
SENTENCE_CHARS_MAX = 1_500  # people do not write longer ones; clauses are sought from each word to each
_PREFERENCES = frozenset(("likes", "loves", "hates"))
_NOT_IN_PROSE = re.compile(r"[|{}\\<>=]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposition:
    """One statement. `span` is where it was said, `predicate` is positive and present: `polarity` and `tense` say
    the rest. `ended` says that it was so once and is no more; `event_time` is the time it names, end exclusive. `rule`
    names what drew it, for audits: what the clause is about, and what was done to it ("own+resolved")."""

    content: str
    subject: str | None
    predicate: str | None
    object: str | None
    category: str
    confidence: float
    polarity: Polarity
    tense: Tense
    span: tuple[int, int]
    ended: bool = False
    event_time: Window | None = None
    rule: str = ""
    gloss: str | None = None  # the same in English, of a text in another language: what states are compared by
    topic: tuple[str, ...] = ()  # words of that language by which a question is about this

    @property
    def kind(self) -> Kind:
        """The kind of record it becomes."""
        return kind_of(self.category)


def propositions_of(
    text: str,
    *,
    speaker: str | None = None,
    role: str | None = None,
    said_at: datetime | None = None,
    words_min: int = WORDS_MIN,
    same_words: float = SAME_WORDS,
    sentences: Iterable[Sentence] | None = None,
    times: tuple[TimeMention, ...] | None = None,
    language: Language | None = None,
) -> tuple[Proposition, ...]:
    """What the turn states, in its order, each thing once. At most `STATEMENTS_PER_TEXT_MAX`. Give the `sentences` of
    the text, the `times` in it and its `language` where they are known, and they are not looked for again."""
    who = speaker_of(speaker, role)
    assistant = is_machine(role)
    language = language or language_for(text)
    antecedents = Antecedents()
    kept = _DistinctStatements(same_words)
    for sentence in language.sentences(text) if sentences is None else sentences:
        if sentence.is_question or sentence.in_code or sentence.in_quote or not _is_prose(text, sentence):
            antecedents.move_on()
            continue
        drawn = (
            _in_sentence(sentence, who, antecedents, words_min)
            if language.code == "en"
            else _states_in(sentence, who, language)
        )
        for found in drawn:
            if not assistant:
                kept.add(found)
            elif sentence.text[-1] in ".!" and _holds_for_an_assistant(found, who):
                kept.add(replace(found, confidence=min(found.confidence, ASSISTANT_CONFIDENCE)))
        if kept.full:
            break
    if times is None and said_at is not None and kept.all:
        times = language.times(text, said_at)
    return _dated(kept.all, text, times or ())


def _is_prose(text: str, sentence: Sentence) -> bool:
    """Not a heading, a row of a table, a formula or a piece of code without its fence."""
    return not _NOT_IN_PROSE.search(sentence.text) and text[max(0, sentence.span[0] - 2) : sentence.span[0]] != "# "


def _holds_for_an_assistant(found: Proposition, who: Speaker) -> bool:
    """What an assistant did, and what it says of something with a name or a number; not advice and offers."""
    if found.subject is None or found.subject.endswith("and others"):
        return False
    if found.subject.lower() == who.name.lower():
        return found.tense == "past"
    return any(word[0].isdigit() or word[0].isupper() for word in found.content.split()[1:])


def _in_sentence(sentence: Sentence, who: Speaker, antecedents: Antecedents, words_min: int) -> Iterator[Proposition]:
    if len(sentence.text) > SENTENCE_CHARS_MAX:
        return
    words = trim(words_of(sentence.text))
    if len(words) < words_min:
        return
    further = instruction_at(words)
    instruction = instruction_in(words if further is None else words[further:])
    if instruction is not None:
        yield _instruction(name_speaker(instruction, who), sentence, sure=says_it_lasts(instruction))
        if further is None:
            return
        words = words[: further - 1]
    for at, piece in enumerate(clauses_in(wish_in(words) or words)):
        antecedents.hear(piece)
        bare = at > 0 or antecedents.about_another
        clauses = [each for each in _readable(trim(piece), antecedents) if not bare or not _is_elided(each)]
        antecedents.move_on()
        for clause in clauses:
            found = _stated(clause, sentence, who, words_min)
            antecedents.note(clause)
            if found is not None:
                yield found


def _states_in(sentence: Sentence, who: Speaker, language: Language) -> Iterator[Proposition]:
    """The states that a sentence of another language than English speaks of."""
    called = language.speakers.get(who.name, who.name)
    for state in language.states(sentence.text):
        subject = who.name if state.subject is None else state.subject.replace("{}", who.name)
        yield Proposition(
            content=_capital(state.content.replace("{}", called)),
            subject=_capital(subject),
            predicate=state.predicate,
            object=state.object or None,
            category="preference" if state.predicate in _PREFERENCES else "fact",
            confidence=CONFIDENCE,
            polarity="-" if state.denied else "+",
            tense="past" if state.past else "present",
            ended=state.ended,
            rule=f"state+{language.code}",
            gloss=f"{subject} {state.predicate} {state.object}".strip(),
            topic=state.topic,
            span=(sentence.span[0] + state.span[0], sentence.span[0] + state.span[1]),
        )


def _readable(words: Words, antecedents: Antecedents) -> Iterator[Clause]:
    """The clauses these words come to, each free of what points outside."""
    clause = _clause_of(words, antecedents)
    if clause is None:
        return
    further = further_verbs(clause)
    if further and not share_what_follows(clause, further):
        parts = [_clause_of(part, Antecedents(), whole=True) for part in verb_parts(clause, further)]
        if None not in parts:
            for part in parts:
                yield from _objects(cast(Clause, part)._replace(resolved=clause.resolved, taken_apart=True))
            return
    yield from _objects(clause)


def _objects(clause: Clause) -> Iterator[Clause]:
    parts = object_parts(clause)
    for part in parts:
        found = clause if len(parts) == 1 else read_clause(part)
        if found is not None:
            yield found._replace(resolved=clause.resolved, taken_apart=clause.taken_apart or len(parts) > 1)


def _clause_of(words: Words, antecedents: Antecedents, *, whole: bool = False) -> Clause | None:
    """The clause, its pronouns resolved; where its tail only says why and points outside, without the tail."""
    if not words or not may_be_clause(words) or not is_complete(words):
        return None
    found = resolve_pronouns(write_out_subject(words), antecedents)
    if found is None and not whole:
        shorter = without_tail(words)
        found = None if shorter is None else resolve_pronouns(write_out_subject(shorter), antecedents)
    if found is None or len(found[0]) > WORDS_MAX:
        return None
    clause = read_clause(found[0])
    return clause._replace(resolved=found[1]) if clause is not None else None


def _stated(clause: Clause, sentence: Sentence, who: Speaker, words_min: int) -> Proposition | None:
    """The statement a clause makes, None if it makes none worth keeping."""
    manner = manner_of(clause)
    if manner.unreal or not is_worth_keeping(clause):
        return None
    category = category_of(clause, manner)
    drawn: list[Proposition] = []  # once, and only where it is needed: about half of the clauses are not sure enough

    def is_state() -> bool:
        drawn.append(_drawn(clause, manner, category, sentence, who))
        return _tells_a_state(drawn[0])

    if not is_sure(clause, manner, category, is_state=is_state):
        return None
    found = drawn[0] if drawn else _drawn(clause, manner, category, sentence, who)
    return found if found.content.count(" ") + 1 >= words_min else None


def _drawn(clause: Clause, manner: Manner, category: str, sentence: Sentence, who: Speaker) -> Proposition:
    """A clause as a statement about its speaker, in the third person."""
    no_longer = manner.ended and clause.group.negated and clause.group.helpers[:1] != ("did",)
    said = tell_in_third_person(clause, who, also_agree=finite_verbs(clause), no_longer=no_longer)
    content = said.content.replace(" can not ", " cannot ")
    start = sentence.span[0]
    # What was taken apart begins with its verb: a time before it is that of another.
    first = clause.words[clause.group.main :] if clause.taken_apart else clause.words
    return Proposition(
        content=content,
        subject=_capital(said.subject),
        predicate=said.predicate,
        object=said.object or None,
        category=category,
        confidence=_confidence(clause, manner),
        polarity=manner.polarity,
        tense=manner.tense,
        ended=manner.ended,
        rule=_rule(clause),
        span=(start + min(word.start for word in first), start + max(word.end for word in clause.words)),
    )


def _tells_a_state(found: Proposition) -> bool:
    """Whether it says where a person lives, what they own, whom they are with and the like."""
    stated = Stated(
        content=found.content,
        subject=found.subject,
        predicate=found.predicate,
        object=found.object,
        polarity=found.polarity,
        tense=found.tense,
        ended=found.ended,
    )
    return any(not each.respect.startswith(AS_SAID) for each in holdings_of(stated))


def _rule(clause: Clause) -> str:
    """What drew a statement: its kind of subject, and what was done before it was one."""
    steps = [clause.who.value]
    if clause.resolved:
        steps.append("resolved")
    if _is_elided(clause):
        steps.append("elided")
    if clause.taken_apart:
        steps.append("taken_apart")
    if clause.subject > 0:
        steps.append("led_in")
    return "+".join(steps)


def _is_elided(clause: Clause) -> bool:
    """Whether the speaker was not named: "Got a dog". In the middle of a sentence, or of a story, it may be another."""
    return clause.words[clause.subject].start >= MAX_PLACE


def _confidence(clause: Clause, manner: Manner) -> float:
    if manner.hedged:
        return HEDGED_CONFIDENCE
    loose = clause.resolved or clause.who in (Who.DEFINITE, Who.GENERIC, Who.THERE)
    return LOOSE_CONFIDENCE if loose else CONFIDENCE


def _instruction(content: str, sentence: Sentence, *, sure: bool) -> Proposition:
    negative = content.lower().startswith(("never", "do not", "avoid"))
    return Proposition(
        content=content,
        subject=None,
        predicate=None,
        object=None,
        category="instruction",
        confidence=CONFIDENCE if sure else LOOSE_CONFIDENCE,
        polarity="-" if negative else "+",
        tense="present",
        span=sentence.span,
        rule="instruction",
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class _DistinctStatements:
    """Statements without repeats: one that says the same in nearly the same words is the same."""

    def __init__(self, same_words: float) -> None:
        self.all: list[Proposition] = []
        self._words: list[frozenset[str]] = []
        self._same_words = same_words

    @property
    def full(self) -> bool:
        return len(self.all) >= STATEMENTS_PER_TEXT_MAX

    def add(self, found: Proposition) -> None:
        words = frozenset(found.content.lower().split())
        if self.full or any(
            other.polarity == found.polarity
            and _overlap(words, known) >= self._same_words
            and not _differ(words ^ known)
            for other, known in zip(self.all, self._words, strict=True)
        ):
            return
        self.all.append(found)
        self._words.append(words)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _differ(words: frozenset[str]) -> bool:
    """Whether a number is among the words that only one of two has."""
    return any(word[0].isdigit() for word in words)


def add_times(found: list[Proposition], text: str, said_at: datetime | None) -> tuple[Proposition, ...]:
    """The statements, each with the time that its own words name."""
    if said_at is None or not found:
        return tuple(found)
    return _dated(found, text, times_in(text, said_at))


def _dated(found: list[Proposition], text: str, times: tuple[TimeMention, ...]) -> tuple[Proposition, ...]:
    own = tuple(each for each in times if each.kind != "repeating" and not _says_which(text, each))
    return tuple(replace(each, event_time=_time_in(each.span, own)) for each in found) if own else tuple(found)


def _says_which(text: str, time: TimeMention) -> bool:
    """ "New Year's celebrations", "better than yesterday", "tomorrow sir" in quotes: which one it is, not when."""
    before, after = text[max(0, time.span[0] - 8) : time.span[0]].rstrip(), text[time.span[1] : time.span[1] + 2]
    whose = after in ("'s", "’s") or time.surface.endswith(("'s", "’s"))
    return whose or before.endswith((" than", "“")) or (before.endswith('"') and '"' not in after)


def _time_in(span: tuple[int, int], mentions: tuple[TimeMention, ...]) -> Window | None:
    """The first time within the span."""
    for each in mentions:
        if span[0] <= each.span[0] and each.span[1] <= span[1]:
            return each.window
    return None
