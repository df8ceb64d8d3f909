"""Evidence that `reason` gathers beside what one search finds, at the same number of records, without a model.

    python -m bench.quality --set reasoning

On the multi-hop set, whose questions take two to four records, and on LoCoMo's multi-hop questions, whose evidence is
many turns of the same sort: there is no chain to follow there, and reasoning must not do harm.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from bench.quality import measures
from bench.quality.figures import Figure
from bench.quality.rankers import Engine, first_of_each
from bench.quality.sets import Question, load

RECORDS = (5, 10, 20)
_SETS = (("multihop", None), ("locomo", "multi_hop"))


def measure(baselines: bool) -> list[Figure]:
    return [figure for name, category in _SETS for figure in _of_set(name, category, baselines)]


def _of_set(name: str, category: str | None, baselines: bool) -> Iterator[Figure]:
    reasoned: list[tuple[Question, list[str]]] = []
    searched: list[tuple[Question, list[str]]] = []
    took_ms: list[float] = []
    for conversation in load(name):
        ranker = Engine()
        ranker.index(conversation.turns)
        memory = ranker._memory
        assert memory is not None
        for question in conversation.questions:
            if not question.gold or not question.answerable or category not in (None, question.category):
                continue
            start = time.perf_counter()
            found = memory.reason(question.text).evidence
            took_ms.append((time.perf_counter() - start) * 1e3)
            turns = first_of_each((each.metadata["turn"], hit.score) for hit in found for each in hit.sources)
            reasoned.append((question, [turn for turn, _ in turns]))
            searched.append((question, [turn for turn, _ in ranker.rank(question.text)]))
        ranker.close()
    for records in RECORDS:
        yield Figure(
            name=f"R@{records}, {name}",
            value=_recall(reasoned, records),
            note=f"{len(reasoned)} questions",
            baseline=_recall(searched, records) if baselines else None,
        )
    whole, of_search = (_whole(each, 10) for each in (reasoned, searched))
    note = f"questions with all of it; {sorted(took_ms)[len(took_ms) // 2]:.0f} ms"
    yield Figure(name=f"all evidence in 10, {name}", value=whole, baseline=of_search if baselines else None, note=note)


def _recall(found: Sequence[tuple[Question, list[str]]], records: int) -> float | None:
    return measures.mean(measures.recall_at(ranked, question.gold, records) for question, ranked in found)


def _whole(found: Sequence[tuple[Question, list[str]]], records: int) -> float | None:
    return measures.mean(float(question.gold <= set(ranked[:records])) for question, ranked in found)
