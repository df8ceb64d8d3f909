"""Affect beside what people felt: the valence with the mean rating of `sentiment_vader`, its sign with `goemotions`.

The baseline is VADER's compound score, whose lexicon is the one used here. The sign is counted on the half of the
labelled turns that nobody looked at while lists were written (`left_out`); a valence of 0 counts as wrong.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from importlib import import_module

import numpy as np

from bench.quality.figures import Figure
from bench.quality.sets import lines_of
from recollect.perceive.traits.affect import affect_of

FILE = "sentiment_vader/sentiment_dev.jsonl.gz"
_TWEETS = "tweets"
LABELLED = "goemotions/goemotions_dev.jsonl.gz"
# The grouping of those who made the set. What it calls ambiguous is in neither.
POSITIVE = frozenset(
    "admiration amusement approval caring desire excitement gratitude joy love optimism pride relief".split()
)
NEGATIVE = frozenset(
    "anger annoyance disappointment disapproval disgust embarrassment fear grief nervousness remorse sadness".split()
)
STANCES = frozenset(("approval", "disapproval"))  # say what somebody thinks, often without any feeling
_SAMPLE = 200


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
        *_signs(),
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


def left_out(text_id: str) -> bool:
    """Whether a labelled turn is of the half that is only counted, never read."""
    return bool(hashlib.sha1(text_id.encode()).digest()[0] & 1)


def _signs() -> list[Figure]:
    """How often the sign of the valence is that of the emotions people saw, where these are of one sign."""
    rows = [row for row in lines_of(LABELLED) if left_out(row["id"]) and _sign(row["emotions"])]
    right = [affect_of(row["text"]).valence * _sign(row["emotions"]) > 0 for row in rows]
    felt = [at for at, row in enumerate(rows) if STANCES.isdisjoint(row["emotions"])]
    sample = sorted(felt, key=lambda at: hashlib.sha1(rows[at]["id"].encode()).hexdigest())[:_SAMPLE]
    return [
        Figure(name=name, value=sum(right[at] for at in chosen) / len(chosen), note=f"{len(chosen)} turns, left out")
        for name, chosen in (
            ("sign right, a sample", sample),
            ("sign right", felt),
            ("sign right, with stances", range(len(rows))),
        )
    ]


def _sign(emotions: Sequence[str]) -> int:
    """1 or -1 where all emotions are of one sign, else 0."""
    told = frozenset(emotions)
    return 1 if told and told <= POSITIVE else -1 if told and told <= NEGATIVE else 0


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
