"""Affect beside what people felt: Pearson's correlation of the valence with the mean rating of `sentiment_vader`.

The baseline is VADER's compound score, whose lexicon is the one used here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib import import_module

import numpy as np

from bench.quality.figures import Figure
from bench.quality.sets import lines_of
from recollect.perceive.traits.affect import affect_of

FILE = "sentiment_vader/sentiment_dev.jsonl.gz"
_TWEETS = "tweets"


def measure(baselines: bool) -> list[Figure]:
    rows = list(lines_of(FILE))
    rated = [float(row["score"]) for row in rows]
    started = time.process_time()
    own = [affect_of(row["text"]).valence for row in rows]
    seconds = time.process_time() - started
    other = _vader([row["text"] for row in rows]) if baselines else None
    tweets = [at for at, row in enumerate(rows) if row["id"].startswith(_TWEETS)]
    return [
        _correlation("overall", range(len(rows)), rated, own, other),
        _correlation("tweets", tweets, rated, own, other),
        Figure(name="µs a text", value=seconds / len(rows) * 1e6, note=f"{len(rows)} texts"),
    ]


def _correlation(
    name: str, chosen: Sequence[int], rated: list[float], own: list[float], other: list[float] | None
) -> Figure:
    wanted = [rated[at] for at in chosen]
    return Figure(
        name=name,
        value=pearson([own[at] for at in chosen], wanted),
        baseline=pearson([other[at] for at in chosen], wanted) if other else None,
        note=f"{len(wanted)} texts",
    )


def pearson(one: Sequence[float], other: Sequence[float]) -> float | None:
    """None where there is nothing to go by."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _vader(texts: Sequence[str]) -> list[float] | None:
    try:
        analyzer = import_module("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    except ImportError:
        return None
    return [float(analyzer.polarity_scores(text)["compound"]) for text in texts]
