"""How much of the evidence a context holds at a number of tokens, beside naive ways to fill as many.

Ours is `context(question, max_tokens=…)` as anybody calls it, everything in it counted: prompt, marks, headings. An
evidence turn counts as covered when it stands in the window in full. The naive ways are the best turns by vectors or
by words, one after the other as `date speaker: text` until the budget is spent, and the end of the whole history; they
pay nothing for a prompt or marks. All are counted with the same vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean

from bench.quality.figures import Figure
from bench.quality.rankers import Bm25, Engine, Ranker, Vectors, shown
from bench.quality.sets import Conversation, Question, load
from recollect.model.context import Detail
from recollect.providers.tokens import Counter, counter_for

SETS = ("locomo", "realtalk", "beam100k")
BUDGETS = (1000, 2000, 4000, 8000)
MODEL = "gpt-4o"  # whose vocabulary is counted with
Curve = dict[int, list[float]]


def measure(baselines: bool) -> list[Figure]:
    counter = counter_for(MODEL)
    figures = []
    for name in SETS:
        own: Curve = {budget: [] for budget in BUDGETS}
        in_part: Curve = {budget: [] for budget in BUDGETS}
        naive: dict[str, Curve] = {way: {budget: [] for budget in BUDGETS} for way in ("vectors", "words", "newest")}
        for conversation in load(name):
            _ours(conversation, own, in_part)
            if baselines:
                _naive(conversation, counter, naive)
        for budget in BUDGETS:
            best = max((mean(curve[budget]) for curve in naive.values() if curve[budget]), default=None)
            figures.append(
                Figure(
                    name=f"{name} at {budget}",
                    value=mean(own[budget]),
                    baseline=best,
                    note=f"in part {mean(in_part[budget]):.3f}" + _of_naive(naive, budget),
                )
            )
    return figures


def _of_naive(naive: dict[str, Curve], budget: int) -> str:
    return "".join(f", {way} {mean(curve[budget]):.3f}" for way, curve in naive.items() if curve[budget])


def _ours(conversation: Conversation, own: Curve, in_part: Curve) -> None:
    engine = Engine()
    engine.index(conversation.turns)
    memory = engine.memory
    for question in _answerable(conversation):
        for budget in BUDGETS:
            window = memory.context(question.text, max_tokens=budget, model=MODEL, mode="standard")
            assert window.tokens <= budget
            turns = {hit.id: {source.metadata["turn"] for source in hit.sources} for hit in window.hits}
            details = {item.id: item.detail for part in window.parts for item in part.items}
            own[budget].append(_share(question.gold, (turns[id_] for id_ in turns if details[id_] is Detail.FULL)))
            in_part[budget].append(_share(question.gold, turns.values()))
    engine.close()


def _naive(conversation: Conversation, counter: Counter, naive: dict[str, Curve]) -> None:
    turns = {turn.id: turn for turn in conversation.turns if turn.text.strip()}
    cost = {id_: counter.count(shown(turn)) + 1 for id_, turn in turns.items()}
    rankers: dict[str, Ranker] = {"vectors": Vectors("wordllama"), "words": Bm25()}
    for ranker in rankers.values():
        ranker.index(list(turns.values()))
    for question in _answerable(conversation):
        orders = {way: [turn for turn, _ in ranker.rank(question.text)] for way, ranker in rankers.items()}
        orders["newest"] = list(reversed(turns))
        for way, order in orders.items():
            for budget in BUDGETS:
                naive[way][budget].append(_share(question.gold, [_stuffed(order, cost, budget)]))


def _stuffed(order: Sequence[str], cost: dict[str, int], budget: int) -> set[str]:
    """The first turns until one does not fit."""
    kept: set[str] = set()
    for turn in order:
        budget -= cost[turn]
        if budget < 0:
            break
        kept.add(turn)
    return kept


def _share(gold: frozenset[str], found: Iterable[set[str]]) -> float:
    return len(gold & set().union(*found)) / len(gold)


def _answerable(conversation: Conversation) -> list[Question]:
    return [question for question in conversation.questions if question.answerable and question.gold]
