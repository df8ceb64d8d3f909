"""How like each other two texts are, on one scale for every embedder.

Cosines mean nothing across models: turns of one talk are at 0.4 with static vectors and at 0.7 with others, and
unrelated texts at 0.1 or 0.5. So each embedder is shown a few short talks of ours once: what their turns have in common
with their own talk is 1, with other talks 0.
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.providers.base import Embedder
from recollect.working.background import background
from recollect.working.sample_talks import TALKS

Vector = NDArray[np.float32]

_ALPHA = 0.3
_LEAST_SPREADS = 2.0  # between unrelated and related: the default embedder has 4.3, hashed words have 0.6
_LEAST_DISTANCE = 0.02


class Likeness(NamedTuple):
    """The scale of one embedder."""

    unrelated: float  # cosine of a turn and a talk it is not of, on average
    related: float  # … and of its own
    spread: float = 0.0  # how far the unrelated ones are from their mean

    @property
    def tells(self) -> bool:
        """Whether the embedder tells our talks apart; of one that does not, cosines say nothing about a topic."""
        return self.related - self.unrelated >= max(_LEAST_SPREADS * self.spread, _LEAST_DISTANCE)

    def scaled(self, similarity: float) -> float:
        """0 is unrelated, 1 is a turn of the same talk, on average; a text may be below or above."""
        return (similarity - self.unrelated) / max(self.related - self.unrelated, _LEAST_DISTANCE)


_scales: dict[str, Likeness] = {}  # by the name of the embedder, of which a process has a few
_asked: set[str] = set()
_measuring = Lock()


def likeness_of(embedder: Embedder) -> Likeness | None:
    """The scale of an embedder, measured when it is first asked for; None while a slow one is being asked."""
    name = embedder.name
    found = _scales.get(name)
    if found is not None:
        return found
    if embedder.inline:
        with _measuring:
            return _scales.get(name) or _measure(embedder)
    with _measuring:
        if name in _asked:
            return None
        _asked.add(name)
    background.submit(lambda: _measure(embedder))
    return None


def _measure(embedder: Embedder) -> Likeness:
    found = _scales[embedder.name] = measured(embedder)
    return found


def measured(embedder: Embedder) -> Likeness:
    """Embed the talks, and compare the last turn of each with the beginnings of all."""
    rows = embedder.embed([turn for talk in TALKS for turn in talk])
    talks = np.asarray(rows, dtype=np.float32).reshape(len(TALKS), len(TALKS[0]), -1)
    beginnings = np.stack([_mean(talk[:-1]) for talk in talks])
    own: list[float] = []
    other: list[float] = []
    for at, talk in enumerate(talks):
        for index, beginning in enumerate(beginnings):
            (own if index == at else other).append(cosine(talk[-1], beginning))
    return Likeness(unrelated=float(np.mean(other)), related=float(np.mean(own)), spread=float(np.std(other)))


def _mean(turns: NDArray[np.float32]) -> Vector:
    mean: Vector = turns[0]
    for turn in turns[1:]:
        mean = mean + np.float32(_ALPHA) * (turn - mean)
    return mean


def cosine(one: Vector, other: Vector) -> float:
    """From -1 to 1; 0 when one of them is nothing."""
    lengths = float(np.sqrt(one @ one) * np.sqrt(other @ other))
    return float(one @ other) / lengths if lengths else 0.0


def unit(vector: Vector) -> Vector:
    """The same direction with length 1; nothing stays nothing."""
    length = float(np.sqrt(vector @ vector))
    return (vector / length).astype(np.float32) if length else vector.astype(np.float32)
