"""How good answers have been lately: figures of each search, a sliding window over them, and what it teaches.

Nobody grades a search as it happens, so its own scores stand in: relevancy is their mean, and nDCG says how far the
final order (after variety, belief and reranking) departs from the order of the scores.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from recollect.config.reading import RecallSettings

WINDOW = 100  # searches looked back upon
JUDGED_MIN = 5  # reranked searches of a kind before their gain is believed
GAIN_MIN = 0.02  # nDCG that reranking must win on average to be worth its time


class Measured(NamedTuple):
    """One search."""

    latency_ms: float
    relevancy: float
    ndcg: float
    hits: int


def ndcg(scores: Sequence[float]) -> float:
    """Of an order, by its own scores: 1 when the best stand first; 0 when there is nothing to order."""
    ideal = _discounted(sorted(scores, reverse=True))
    return _discounted(scores) / ideal if ideal > 0 else 0.0


def ndcg_of_part(kept: Sequence[float], every: Sequence[float]) -> float:
    """How much of what an order is worth is left where some of it is not kept (0 in its place), by discounted gain."""
    whole = _discounted(every)
    return _discounted(kept) / whole if whole > 0 else 0.0


def _discounted(gains: Sequence[float]) -> float:
    """Their sum, each worth less the later it comes."""
    return float(sum(gain / math.log2(place) for place, gain in enumerate(gains, start=2)))


def relevancy(scores: Sequence[float]) -> float:
    """The mean score of what was returned."""
    return sum(scores) / len(scores) if scores else 0.0


class QualityWindow:
    """The last searches. Everything is counted in memory; `health` reads it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: deque[Measured] = deque(maxlen=WINDOW)
        self._poor_in_a_row = 0
        self._gains: dict[str, deque[float]] = {}

    def note(self, measured: Measured, settings: RecallSettings) -> None:
        """Count one search. One that found nothing says nothing about the order of what is stored."""
        with self._lock:
            self._last.append(measured)
            if measured.hits:
                poor = measured.relevancy < settings.low_relevancy
                self._poor_in_a_row = self._poor_in_a_row + 1 if poor else 0

    def note_rerank(self, kind: str, gain: float) -> None:
        """What reranking won, by the reranker's own judgement, for a kind of question."""
        with self._lock:
            self._gains.setdefault(kind, deque(maxlen=WINDOW)).append(gain)

    def reranking_pays(self, kind: str) -> bool:
        """Whether questions of this kind are worth a reranker's time; unknown kinds are tried."""
        gains = self._gains.get(kind, ())
        return len(gains) < JUDGED_MIN or sum(gains) / len(gains) >= GAIN_MIN

    def latencies_ms(self) -> list[float]:
        return [one.latency_ms for one in self._last]

    def figures(self) -> dict[str, float | int | None]:
        """Averages over the window; None before the first search that found something."""
        found = [one for one in list(self._last) if one.hits]
        if not found:
            return {"relevancy_avg": None, "ndcg_avg": None, "searches_without_hits": len(self._last)}
        return {
            "relevancy_avg": round(sum(one.relevancy for one in found) / len(found), 4),
            "ndcg_avg": round(sum(one.ndcg for one in found) / len(found), 4),
            "searches_without_hits": len(self._last) - len(found),
        }

    def embedder_doubtful(self, settings: RecallSettings) -> bool:
        """So many poor answers in a row that the vectors may be stale or of another language."""
        return self._poor_in_a_row >= settings.low_recalls

    def warnings(self, settings: RecallSettings) -> list[str]:
        """What the window says needs a hand."""
        out = []
        if self.embedder_doubtful(settings):
            out.append(
                f"the last {self._poor_in_a_row} searches found little of relevance; "
                "check that the embedder suits the stored language, or run reembed"
            )
        average = self.figures()["relevancy_avg"]
        if average is not None and average < settings.low_average and len(self._last) >= settings.low_recalls:
            out.append(f"search relevancy averages {average:.2f} over the last {len(self._last)} searches")
        return out


class Stage:
    """Measures what is done inside `with`. Not a generator: a search enters eight of them."""

    __slots__ = ("_name", "_stages", "_start")

    def __init__(self, stages: dict[str, float], name: str) -> None:
        self._stages = stages
        self._name = name
        self._start = 0.0

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        took = (time.perf_counter() - self._start) * 1e3
        self._stages[self._name] = round(self._stages.get(self._name, 0.0) + took, 3)


class Stopwatch:
    """Starts when it is made. A stage that comes twice is counted together."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.stages: dict[str, float] = {}

    def stage(self, name: str) -> Stage:
        return Stage(self.stages, name)

    def total_ms(self) -> float:
        return round((time.perf_counter() - self._start) * 1e3, 3)
