"""Reciprocal rank fusion over the union of what the sources found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.model.result import TraceStep
from recollect.recall.sources.base import Ranking


@dataclass(slots=True)
class Fused:
    """One candidate: its share of the best possible score, and what each source said of it."""

    pk: int
    score: float
    steps: list[TraceStep] = field(default_factory=list)


def fuse(rankings: Sequence[Ranking], weights: Mapping[str, float], k: int) -> list[Fused]:
    """Candidates best first. A score of 1 means first in every source that took part.

    A space being built weighs like the active one: `vector:name` uses the weight of `vector`.
    """
    best = sum(weights[r.source.partition(":")[0]] for r in rankings if len(r.found.pks)) / (k + 1)
    if best <= 0:
        return []
    merged: dict[int, Fused] = {}
    for ranking in rankings:
        weight = weights[ranking.source.partition(":")[0]]
        scores = ranking.found.scores.tolist()
        for rank, pk in enumerate(ranking.found.pks.tolist()):
            share = weight / (k + 1 + rank) / best
            candidate = merged.get(pk)
            if candidate is None:
                candidate = merged[pk] = Fused(pk, 0.0)
            candidate.score += share
            candidate.steps.append(
                TraceStep(source=ranking.source, rank=rank + 1, score=scores[rank], contribution=share)
            )
    return sorted(merged.values(), key=lambda c: (-c.score, -c.pk))
