"""When a search abstains: on questions it can answer, on unanswerable ones, and on questions about somebody else.

    python -m bench.quality --set refusals

Every conversation of a set is asked its own questions and some of another one's, of which it can answer hardly any.
What a search takes for near (`recall/ranking/abstain.py`) was chosen on these figures: few of its own questions
refused, many of the others' flagged, on every set at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from bench.quality import everyday
from bench.quality.figures import Figure
from bench.quality.rankers import Engine
from bench.quality.sets import load

SETS = ("locomo", "realtalk", "multihop", "prefeval", "beam100k")
LIVES = {"weeks": everyday.weeks, "stories": everyday.stories}
OTHERS = 40  # questions of another conversation
T = TypeVar("T")
_REFUSED, _UNANSWERABLE, _ANOTHERS = "wrongly refused", "unanswerable flagged", "another's flagged"


def measure(baselines: bool) -> list[Figure]:
    lives = [figure for name, told in LIVES.items() for figure in _lives(name, told())]
    return [*lives, *(figure for name in SETS for figure in _set(name))]


def _set(name: str) -> list[Figure]:
    conversations = load(name)
    abstained: dict[str, list[bool]] = {}
    engine = Engine()
    for at, conversation in enumerate(conversations):
        engine.index(conversation.turns)
        for question in conversation.questions:
            if question.gold or not question.answerable:
                found = engine.memory.search(question.text)
                abstained.setdefault(_REFUSED if question.answerable else _UNANSWERABLE, []).append(found.abstained)
        for question in spread(conversations[(at + 1) % len(conversations)].questions, OTHERS):
            abstained.setdefault(_ANOTHERS, []).append(engine.memory.search(question.text).abstained)
    engine.close()
    return _figures(name, abstained)


def _lives(name: str, lives: Sequence[everyday.Life]) -> list[Figure]:
    abstained: dict[str, list[bool]] = {}
    for at, life in enumerate(lives):
        with everyday.told(life) as memory:
            for question in life.questions:
                found = memory.search(question.text, user_id=everyday.user_of(life))
                abstained.setdefault(_REFUSED if question.answerable else _UNANSWERABLE, []).append(found.abstained)
            another = lives[(at + len(lives) // 2) % len(lives)]  # neighbours are of one category
            for question in spread(another.questions, OTHERS):
                found = memory.search(question.text, user_id=everyday.user_of(life))
                abstained.setdefault(_ANOTHERS, []).append(found.abstained)
    return _figures(name, abstained)


def spread(questions: Sequence[T], count: int) -> Sequence[T]:
    """So many of them, from all over the list."""
    return questions[:: max(1, -(-len(questions) // count))]


def _figures(name: str, abstained: dict[str, list[bool]]) -> list[Figure]:
    return [
        Figure(name=f"{measure}, {name}", value=sum(each) / len(each), note=f"{len(each)} questions")
        for measure, each in sorted(abstained.items())
    ]
