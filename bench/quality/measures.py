"""What is counted. Definitions are those of information retrieval: binary relevance, averages over questions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np

Found = Sequence[tuple[str, float]]  # turn and score, best first


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    return len(set(ranked[:k]) & set(gold)) / len(gold)


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int = 10) -> float:
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(gold), k)))
    return sum(1 / math.log2(place + 2) for place, turn in enumerate(ranked[:k]) if turn in gold) / ideal


def newer_first(ranked: Sequence[str], newer: Collection[str], older: Collection[str]) -> float:
    """1 if a turn with the current fact stands above every turn with the outdated one."""
    place = {turn: at for at, turn in enumerate(ranked)}
    first = [min((place.get(turn, math.inf) for turn in turns), default=math.inf) for turns in (newer, older)]
    return float(first[0] < first[1])


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """How often a question with an answer scores above one without; ties count half."""
    if not positive or not negative:
        return None
    above = np.subtract.outer(np.asarray(positive), np.asarray(negative))
    return float((above > 0).mean() + 0.5 * (above == 0).mean())


def mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def interval(values: Sequence[float], *, draws: int = 2_000) -> tuple[float, float]:
    """95 % of the means of resampled questions."""
    drawn = np.random.default_rng(0).integers(0, len(values), (draws, len(values)))
    low, high = np.percentile(np.asarray(values)[drawn].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
