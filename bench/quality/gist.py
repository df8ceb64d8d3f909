"""How much of the gist of the evidence a small window holds: a fiftieth of a conversation's tokens.

The gist of a turn is its telling words. Ours is `context(question, max_tokens=…)` as anybody calls it, prompt, marks
and headings included, before the tree of summaries was built and with it. The naive way takes the best turns by words,
as `date speaker: text`, one after the other until the budget is spent; it pays nothing for a prompt or marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from bench.quality.figures import Figure
from bench.quality.knowing import upkept
from bench.quality.rankers import Bm25, Engine, shown
from bench.quality.sets import Conversation, Question, load
from recollect.language.terms import telling, terms_of
from recollect.memory import Memory
from recollect.providers.tokens import Counter, counter_for
from recollect.upkeep.knowledge.abstraction import AbstractionStep

SET, MODEL = "locomo", "gpt-4o"
PARTS = (50, 100)  # of a conversation's tokens
EVERY = 3  # a question in so many: they are alike, and each is asked four times


def measure(baselines: bool) -> list[Figure]:
    counter = counter_for(MODEL)
    own: dict[tuple[str, int], list[float]] = {}
    for conversation in load(SET):
        turns = {turn.id: shown(turn) for turn in conversation.turns if turn.text.strip()}
        tokens = sum(counter.count(text) + 1 for text in turns.values())
        questions = [each for each in conversation.questions if each.answerable and each.gold][::EVERY]
        gists = {turn.id: gist_of(turn.text) for turn in conversation.turns}
        engine = Engine()
        engine.index(conversation.turns)
        _add(own, "records alone", engine.memory, questions, gists, tokens)
        upkept(engine.memory, AbstractionStep())
        _add(own, "with summaries", engine.memory, questions, gists, tokens)
        engine.close()
        if baselines:
            _naive(own, conversation, turns, questions, gists, counter, tokens)
    return [
        Figure(
            name=f"gist at 1/{part}",
            value=mean(own["with summaries", part]),
            baseline=mean(own["words", part]) if baselines else None,
            note=f"{len(own['records alone', part])} questions; records alone {mean(own['records alone', part]):.3f}",
        )
        for part in PARTS
    ]


def gist_of(text: str) -> frozenset[str]:
    return frozenset(telling(terms_of(text)))


def _add(
    own: dict[tuple[str, int], list[float]],
    way: str,
    memory: Memory,
    questions: Sequence[Question],
    gists: dict[str, frozenset[str]],
    tokens: int,
) -> None:
    for question in questions:
        for part in PARTS:
            window = memory.context(question.text, max_tokens=tokens // part, model=MODEL)
            assert window.tokens <= tokens // part
            own.setdefault((way, part), []).append(_held(question, window.text, gists))


def _naive(
    own: dict[tuple[str, int], list[float]],
    conversation: Conversation,
    turns: dict[str, str],
    questions: Sequence[Question],
    gists: dict[str, frozenset[str]],
    counter: Counter,
    tokens: int,
) -> None:
    ranker = Bm25()
    ranker.index([turn for turn in conversation.turns if turn.id in turns])
    for question in questions:
        order = [turns[id_] for id_, _ in ranker.rank(question.text)]
        for part in PARTS:
            left, kept = tokens // part, []
            for text in order:
                left -= counter.count(text) + 1
                if left < 0:
                    break
                kept.append(text)
            own.setdefault(("words", part), []).append(_held(question, "\n".join(kept), gists))


def _held(question: Question, text: str, gists: dict[str, frozenset[str]]) -> float:
    """The share of the evidence's telling words that a text has."""
    wanted = frozenset[str]().union(*(gists[id_] for id_ in question.gold))
    return len(wanted & gist_of(text)) / len(wanted) if wanted else 1.0
