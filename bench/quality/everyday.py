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


def measured(lives: Sequence[Life], *, in_context: bool = True) -> Outcome:
    """Each life in a store of its own, asked all its questions."""
    outcome = Outcome()
    for life in lives:
        with told(life) as memory:
            for question in life.questions:
                _ask(memory, life, question, outcome, in_context)
    return outcome


@contextmanager
def told(life: Life) -> Iterator[recollect.Memory]:
    """A memory that heard it all, on the day after."""
    clock = Clock(to_us(life.turns[0].date))
    with recollect.open(":memory:", clock=clock, config={"upkeep.after_session": False}) as memory:
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
    if question.outdated:
        ranked = [turn for turns in hits for turn in turns]
        outcome.note("current above outdated", bool(newer_first(ranked, question.evidence, question.outdated)))
    outcome.note("wrongly refused", found.abstained)
    place_of = next((at for at, turns in enumerate(hits, start=1) if turns & question.evidence), None)
    if place_of is None or place_of > 3 or found.abstained:
        refused = f", refused: {found.reason}" if found.abstained else ""
        first = found[0].content[:70] if found else ""
        outcome.wrong.append(f"{life.id} {question.text} place {place_of}{refused}; first: {first}")


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
    day = datetime.fromisoformat(raw["date"]).replace(tzinfo=UTC)
    return Said(session=raw["session"], date=day + _SAID_AT, role=raw["role"], name=name, text=raw["text"])


def _asked(raw: dict[str, Any], text: str, category: str, *, answerable: bool) -> AskedOfIt:
    evidence, outdated = (frozenset(map(str, raw[name])) for name in ("evidence", "outdated"))
    return AskedOfIt(text=text, category=category, evidence=evidence, outdated=outdated, answerable=answerable)


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
