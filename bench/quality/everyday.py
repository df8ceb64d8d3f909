"""Everyday use: somebody's chats with an assistant over months, and what they ask on the day after.

    python -m bench.quality.everyday [weeks|stories [LANGUAGE …]]

`weeks` are lives of a hundred turns and fifty ordinary questions each; `stories` are short ones in which a fact
changes, each with one question about how things are. Turns are added in order, for one user, with session, date, role
and the user's name, then consolidated; the clock stands at the day after the last turn when questions are asked.
Evidence is found by a hit that is it or that rests on it; of several evidence turns any one will do.

    first hit                  the first hit is evidence
    top 3                      one of the first three is
    in the context             evidence is in a context of 900 tokens
    current above outdated     evidence comes before every turn that says what is no longer so
    as of an earlier day       evidence for that day comes first of what is hit when the question is asked of it
    retired                    statements of turns that say what is no longer so that have ended
    wrongly retired            statements of evidence, or of turns that still hold, that have ended
    in doubt, changed          … of the former, those that are known to have changed perhaps
    in doubt, unchanged        … and of the latter
    wrongly refused            questions with an answer that a search abstained on
    unanswerable flagged       questions without one that it did abstain on
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

import recollect
from bench.quality.figures import Figure
from bench.quality.measures import newer_first
from bench.quality.sets import NoData, lines_of, place
from recollect.clock import to_us
from recollect.model.result import Hit

WEEKS = "weeks/week_*.json"
STORIES = "truth/stories_dev.jsonl"
CONTEXT_TOKENS = 900
_DEPTH = 10  # hits asked for, as by default
_SAID_AT = timedelta(hours=12)  # the sets know days only


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    session: str
    date: datetime
    role: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOfIt:
    """A question; `evidence` and `outdated` are places among the turns."""

    text: str
    category: str
    evidence: frozenset[str]
    outdated: frozenset[str]
    answerable: bool
    holds: frozenset[str] = frozenset()  # turns that a careless reader would take for outdated
    as_of: tuple[datetime, frozenset[str]] | None = None  # an earlier day, and what answers the question of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    id: str
    user: str
    turns: Sequence[Said]
    questions: Sequence[AskedOfIt]
    language: str = "en"


@dataclass(slots=True)
class Outcome:
    """How often each measure was looked at and was so, and the questions that went wrong."""

    every: Counter[str] = field(default_factory=Counter)
    so: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def note(self, measure: str, is_so: bool) -> None:
        self.every[measure] += 1
        self.so[measure] += is_so

    def figures(self, where: str = "") -> list[Figure]:
        return [
            Figure(name=f"{measure}{where}", value=self.so[measure] / count, note=f"{count} questions")
            for measure, count in self.every.items()
        ]


class Clock:
    """A clock that is where it was put, and a little later at every look."""

    def __init__(self, now: int) -> None:
        self.now = now

    def __call__(self) -> int:
        self.now += 1
        return self.now


def measure_weeks(baselines: bool) -> list[Figure]:
    """Figures over all weeks, then of each."""
    lives = weeks()
    apart = {life.id: measured([life]) for life in lives}
    return together(apart.values()).figures() + _apart(apart)


def measure_stories(baselines: bool) -> list[Figure]:
    """Figures over all stories, over those that are not in English, then of each language.

    Stories are about what is true, and each holds its answer: no more is looked at than where that comes.
    """
    by_language = stories_by_language(stories())
    foreign = together(each for language, each in by_language.items() if language != "en")
    whole = together(by_language.values())
    return whole.figures() + foreign.figures(", not in English") + _apart(by_language)


def stories_by_language(lives: Sequence[Life]) -> dict[str, Outcome]:
    languages = sorted({life.language for life in lives})
    return {each: measured([life for life in lives if life.language == each], in_context=False) for each in languages}


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Several outcomes as one."""
    whole = Outcome()
    for one in outcomes:
        whole.every += one.every
        whole.so += Counter({measure: one.so[measure] for measure in one.every})
        whole.wrong += one.wrong
    return whole


def _apart(outcomes: Mapping[str, Outcome]) -> list[Figure]:
    return [figure for name, each in outcomes.items() for figure in each.figures(f", {name}")]


def measured(lives: Sequence[Life], *, in_context: bool = True, embedder: str | None = None) -> Outcome:
    """Each life in a store of its own, asked all its questions."""
    outcome = Outcome()
    for life in lives:
        with told(life, embedder=embedder) as memory:
            for question in life.questions:
                _ask(memory, life, question, outcome, in_context)
                _look(memory, question, outcome)
    return outcome


@contextmanager
def told(life: Life, *, embedder: str | None = None) -> Iterator[recollect.Memory]:
    """A memory that heard it all, on the day after; with the default embedder unless another is named."""
    clock = Clock(to_us(life.turns[0].date))
    config = {"upkeep.after_session": False} | ({} if embedder is None else {"embedder": embedder})
    with recollect.open(":memory:", clock=clock, config=config) as memory:
        numbered = enumerate(life.turns)
        for session, turns in groupby(numbered, key=lambda turn: turn[1].session):
            said = list(turns)
            clock.now = max(clock.now, to_us(said[-1][1].date))
            memory.add([_message(at, turn) for at, turn in said], session_id=session, user_id=user_of(life))
        clock.now = to_us(life.turns[-1].date + timedelta(days=1))
        memory.consolidate(user_id=user_of(life))
        memory.settle()
        yield memory


def user_of(life: Life) -> str:
    return life.user.lower()


def _message(at: int, turn: Said) -> dict[str, Any]:
    who = {"name": turn.name} if turn.role == "user" else {}
    return {"role": turn.role, "content": turn.text, "timestamp": turn.date, "metadata": {"turn": str(at)}, **who}


def _ask(memory: recollect.Memory, life: Life, question: AskedOfIt, outcome: Outcome, in_context: bool) -> None:
    found = memory.search(question.text, user_id=user_of(life), top_k=_DEPTH)
    if not question.answerable:
        outcome.note("unanswerable flagged", found.abstained)
        return
    hits = [turns_of(hit) for hit in found]
    outcome.note("first hit", any(turns & question.evidence for turns in hits[:1]))
    outcome.note("top 3", any(turns & question.evidence for turns in hits[:3]))
    if in_context:
        window = memory.context(question.text, user_id=user_of(life), max_tokens=CONTEXT_TOKENS)
        outcome.note("in the context", any(turns_of(hit) & question.evidence for hit in window.hits))
    if question.as_of is not None:
        then, evidence = question.as_of
        past = memory.search(question.text, user_id=user_of(life), top_k=_DEPTH, as_of=then)
        ranked = [turn for hit in past for turn in turns_of(hit)]
        outcome.note("as of an earlier day", bool(ranked) and not evidence.isdisjoint(ranked[:1]))
    if question.outdated:
        ranked = [turn for turns in hits for turn in turns]
        outcome.note("current above outdated", bool(newer_first(ranked, question.evidence, question.outdated)))
    outcome.note("wrongly refused", found.abstained)
    place_of = next((at for at, turns in enumerate(hits, start=1) if turns & question.evidence), None)
    if place_of is None or place_of > 3 or found.abstained:
        refused = f", refused: {found.reason}" if found.abstained else ""
        first = found[0].content[:70] if found else ""
        outcome.wrong.append(f"{life.id} {question.text} place {place_of}{refused}; first: {first}")


def _look(memory: recollect.Memory, question: AskedOfIt, outcome: Outcome) -> None:
    """What has become of the statements of the turns that a question is about."""
    with memory._engine.store.read() as tx:
        rows = tx.sql.all(
            "SELECT r.metadata ->> '$.turn', r.valid_until IS NOT NULL, EXISTS (SELECT 1 FROM member m JOIN edge e "
            "ON e.pk = m.edge_pk AND e.label = 'may_replace' AND e.retired_at IS NULL WHERE m.position = 1 "
            "AND m.record_pk IN (r.pk, r.turn_pk)), r.content FROM record r "
            "WHERE r.turn_pk IS NOT NULL AND r.head_pk IS NULL AND r.retired_at IS NULL"
        )
    for turn, ended, doubted, content in rows:
        if turn in question.outdated:
            outcome.note("retired", bool(ended))
            outcome.note("in doubt, changed", bool(doubted))
        elif turn in question.evidence | question.holds:
            outcome.note("wrongly retired", bool(ended))
            outcome.note("in doubt, unchanged", bool(doubted))
            if ended:
                outcome.wrong.append(f"wrongly retired: {content}")


def turns_of(hit: Hit) -> set[str]:
    """The turns that a hit is or rests on."""
    return {str(source.metadata["turn"]) for source in hit.sources if "turn" in source.metadata}


# --- the sets --------------------------------------------------------------------------------------------------------


def weeks() -> list[Life]:
    files = sorted(place().glob(WEEKS))
    if not files:
        raise NoData(f"no {WEEKS} in {place()}")
    return [_week(json.loads(file.read_text(encoding="utf-8"))) for file in files]


def _week(raw: dict[str, Any]) -> Life:
    turns = [_said(turn, raw["user"]) for turn in raw["turns"]]
    asked = [_asked(q, q["q"], q["category"], answerable=q["answerable"]) for q in raw["questions"]]
    return Life(id=raw["id"], user=raw["user"], turns=turns, questions=asked)


def stories() -> list[Life]:
    return [_story(raw) for raw in lines_of(STORIES)]


def _story(raw: dict[str, Any]) -> Life:
    turns = [_said(turn, turn["speaker"]) for turn in raw["turns"]]
    user = next(turn.name for turn in turns if turn.role == "user")
    asked = _asked(raw, raw["question"], raw["category"], answerable=True)
    return Life(id=raw["id"], user=user, turns=turns, questions=[asked], language=raw["language"])


def _said(raw: dict[str, Any], name: str) -> Said:
    return Said(session=raw["session"], date=_noon(raw["date"]), role=raw["role"], name=name, text=raw["text"])


def _noon(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC) + _SAID_AT


def _asked(raw: dict[str, Any], text: str, category: str, *, answerable: bool) -> AskedOfIt:
    evidence, outdated, holds = (
        frozenset(map(str, raw.get(name, ()))) for name in ("evidence", "outdated", "still_true")
    )
    past = raw.get("as_of")
    return AskedOfIt(
        text=text,
        category=category,
        evidence=evidence,
        outdated=outdated,
        answerable=answerable,
        holds=holds,
        as_of=None if past is None else (_noon(past["date"]), frozenset(map(str, past["evidence"]))),
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["stories"]:
        chosen = sys.argv[2:]
        lives = [life for life in stories() if not chosen or life.language in chosen]
        by_language = stories_by_language(lives)
        result = together(by_language.values())
        figures = result.figures() + _apart(by_language)
    else:
        result = measured(weeks())
        figures = result.figures()
    print(*result.wrong, sep="\n")
    for each in figures:
        print(f"{each.name}: {each.value:.3f} of {each.note}")
