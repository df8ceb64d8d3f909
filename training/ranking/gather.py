"""Gather what the ranking is fitted on: `python -m training.ranking.gather SET… --out FOLDER`.

Each set is told to the engine as its users would tell it, and asked all its questions that have an answer. What each
part said of the candidates is read from the trace that `explain=True` gives. Writes `SET.jsonl` into the folder. The
sets are those of `bench.quality`, in `$RECOLLECT_EVAL_DATA`.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import recollect
from bench.quality import sets
from bench.quality.everyday import Life, stories, told, turns_of, user_of, weeks
from bench.quality.rankers import Engine
from recollect.config.reading import RankingSettings
from recollect.model.result import Recollection, TraceStep
from recollect.recall.ranking.rank import STEEPNESS, part_weights
from training.ranking.cases import Candidate, Case, write

DEPTH = 100  # hits asked for: about as many as there are candidates
LIVES: Mapping[str, Callable[[], list[Life]]] = {"weeks": weeks, "stories": stories}
PARTS = tuple(part_weights(RankingSettings()))
_SCORE_MAX = 1.0 - 1e-9  # what is nearer to 1 has no sum any more


def of_lives(name: str) -> Iterator[Case]:
    """Cases of a set that is told life by life."""
    for life in LIVES[name]():
        with told(life) as memory:
            for question in life.questions:
                if question.answerable and question.evidence:
                    found = memory.search(question.text, user_id=user_of(life), top_k=DEPTH, explain=True)
                    yield Case(
                        set=name,
                        question=f"{life.id}: {question.category}",
                        evidence=question.evidence,
                        newer=question.evidence,
                        outdated=question.outdated,
                        candidates=candidates(found),
                    )


def of_conversations(name: str) -> Iterator[Case]:
    """Cases of a set that is told conversation by conversation."""
    engine = Engine()
    for conversation in sets.load(name):
        engine.index(conversation.turns)
        for question in conversation.questions:
            if question.answerable and question.gold:
                yield Case(
                    set=name,
                    question=question.id,
                    evidence=question.gold,
                    newer=question.newer,
                    outdated=question.older,
                    candidates=candidates(_asked(engine.memory, question.text)),
                )
        engine.close()


def _asked(memory: recollect.Memory, text: str) -> Recollection:
    return memory.search(text, top_k=DEPTH, explain=True)


def candidates(found: Recollection) -> tuple[Candidate, ...]:
    """The hits of a search with `explain=True`, each with what its parts put into the sum.

    A traced score is the sum, bent into [0, 1] and then scaled by how likely the question has an answer; both are
    undone. A part that the fit does not weigh, such as an update that was raised above what it replaces, is left out.
    """
    assert found.trace is not None, "ask with explain=True"
    steps = {id_: [step for step in each if step.source in PARTS] for id_, each in found.trace.hits.items()}
    scores = {id_: _score(each) for id_, each in steps.items()}
    best = max(scores.values(), default=0.0)
    scale = best / found.quality.answerable**2 if found.quality.answerable else 0.0
    return tuple(
        Candidate(turns=tuple(sorted(turns_of(hit))), parts=_unbent(steps.get(hit.id, []), scale)) for hit in found
    )


def _score(steps: list[TraceStep]) -> float:
    return sum(step.contribution for step in steps)


def _unbent(steps: list[TraceStep], scale: float) -> dict[str, float]:
    """What each part put into the sum, before it was bent: traced contributions are in proportion to it."""
    traced = _score(steps)
    if traced <= 0:
        return {}
    total = -math.log1p(-min(traced * scale, _SCORE_MAX)) / STEEPNESS
    return {step.source: step.contribution * total / traced for step in steps}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("sets", nargs="+", choices=[*LIVES, *sets.FILES], metavar="SET")
    arguments.add_argument("--out", type=Path, required=True, help="the folder to write into")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.sets:
        count = write(given.out / f"{name}.jsonl", of_lives(name) if name in LIVES else of_conversations(name))
        print(f"{name}: {count} questions", flush=True)


if __name__ == "__main__":
    main()
