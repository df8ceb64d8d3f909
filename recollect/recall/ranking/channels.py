"""Models side by side: each sees the question and the candidates in a space of its own.

The static model weighs the words of a question by how rare they are here, which no sentence model does; a sentence
model knows what is meant by words that are not there. Neither replaces the other, so both are asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Mask

Array = NDArray[Any]

FADING = 0.1  # a seed that is so far behind the best one is heard a third as loud
_ROUNDING = 1e-6  # what is left of a middle when its only voice is taken out


class ModelView(NamedTuple):
    """Where the question points in one space, and the vectors of the candidates there; zero rows where none is.

    `held` says which candidates have one; None: all of them. `alone` are vectors without what the turns beside a
    candidate added; None: nothing was added. `by_sentence` says how near the nearest sentence of each candidate is,
    and `sentence_share` what that counts beside the whole text; None: sentences were not read.
    """

    direction: Array
    vectors: Array
    held: Mask | None = None
    alone: Array | None = None
    by_sentence: Array | None = None
    sentence_share: float = 0.0

    @property
    def by_themselves(self) -> Array:
        """The candidates' own vectors, of length 1."""
        return self.vectors if self.alone is None else self.alone

    def nearness(self, otherwise: Array) -> Array:
        """How near each candidate is to the question, from 0 to 1; `otherwise` says it of those without a vector."""
        near = self.vectors @ self.direction
        if self.by_sentence is not None:
            near += self.sentence_share * (self.by_sentence - near)
        if self.held is not None:
            near = np.where(self.held, near, otherwise)
        return np.asarray(np.maximum(near, 0.0), dtype=np.float64)


def nearness_to_seeds(channels: Sequence[ModelView], seeds: Array, goodness: Array) -> Array:
    """How near each candidate is to the seeds, the mean of all channels; a better seed is heard louder."""
    loudness = np.exp((goodness - goodness.max(initial=-np.inf)) / FADING)
    near = [_nearness(channel.vectors, seeds, loudness) for channel in channels]
    return near[0] if len(near) == 1 else np.asarray(np.mean(near, axis=0))


def _nearness(vectors: Array, seeds: Array, loudness: Array) -> Array:
    """To the weighted middle of the seeds; a seed, to the middle of the others: none vouches for itself."""
    voices = loudness.astype(vectors.dtype)[:, None] * vectors[seeds]  # in double every product takes twice as long
    middle = voices.sum(axis=0)
    near: Array = vectors @ _unit(middle)
    near[seeds] = np.einsum("ij,ij->i", vectors[seeds], _unit(middle - voices))
    return np.asarray(np.maximum(near, 0.0))


def _unit(vectors: Array) -> Array:
    length = np.sqrt(np.add.reduce(vectors * vectors, axis=-1, keepdims=True))
    return np.asarray(vectors / np.where(length > _ROUNDING, length, vectors.dtype.type(np.inf)))
