"""Where a talk is going: a running mean of its turns, its last movement, and how settled it is.

"Ok, now deploy it" says next to nothing, and finds the project only if the talk so far is part of the question.

The design measures a change of direction by comparing the last movement with a vector of zeros, which every movement
is equally far from. Here it is how unlike the talk the new turn is, on the scale of the embedder (`likeness`): a turn
like the ones before makes the talk more settled, another one less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.config.window import WorkingSettings
from recollect.working.likeness import Likeness, Vector, cosine, unit


class Momentum:
    """The topic of one talk as a vector. Not safe to share between threads: its mind takes turns."""

    def __init__(self, likeness: Likeness | None = None) -> None:
        self.likeness = likeness  # None: not known yet
        self.certainty = 0.0
        self.turns = 0
        self._pull = 0.0
        self._centroid: NDArray[np.float32] | None = None
        self._velocity: NDArray[np.float32] | None = None

    def like(self, vector: Vector) -> float | None:
        """How like the talk a text is: 0 for unrelated ones, 1 for turns of one topic. None when that is not known."""
        if self._centroid is None or self.likeness is None or not self.likeness.tells:
            return None
        if len(vector) != len(self._centroid) or not vector.any():
            return None
        return self.likeness.scaled(cosine(vector, self._centroid))

    def move(self, vector: Vector, settings: WorkingSettings) -> None:
        """Another turn of the talk."""
        if not vector.any() or (self._centroid is not None and len(vector) != len(self._centroid)):
            return
        self.turns += 1
        if self._centroid is None:
            self._centroid, self._velocity = vector.astype(np.float32), np.zeros_like(vector, dtype=np.float32)
            self.certainty = 1.0 - settings.momentum_keep
            return
        like = self.like(vector)
        unlike = 0.5 if like is None else 1.0 - min(max(like, 0.0), 1.0)
        alpha = max(settings.momentum_alpha, self._pull)
        self._pull = 0.0
        self._velocity = vector - self._centroid
        self._centroid = (self._centroid + alpha * self._velocity).astype(np.float32)
        grown = min(1.0, self.certainty * settings.momentum_keep + 1.0 - settings.momentum_keep)
        self.certainty = grown * (1.0 - unlike * settings.momentum_turn_loss)

    def let_go(self, share: float) -> None:
        """The next turn is about something else: it becomes so much of the topic, and nothing is settled.

        The rest stays as what the talk came from. Had the change been a mistake, the next turn is like that again.
        """
        self.certainty, self._pull = 0.0, share

    def restart(self) -> None:
        """There is no talk any more."""
        self.certainty, self.turns, self._centroid, self._velocity = 0.0, 0, None, None

    def centroid(self) -> Vector | None:
        """What the talk is about, of length 1."""
        return None if self._centroid is None else unit(self._centroid)

    def predicted(self, settings: WorkingSettings) -> Vector | None:
        """Where the next turn is expected, of length 1: half a step further along the last movement."""
        if self._centroid is None or self._velocity is None:
            return self.centroid()
        return unit(self._centroid + 0.5 * settings.momentum_alpha * self._velocity)

    def share(self, settings: WorkingSettings) -> float:
        """How much of a query the talk should be; nothing before there is one."""
        return 0.0 if self._centroid is None else self.certainty * settings.momentum_share_max

    def blended(self, query: Vector, settings: WorkingSettings) -> Vector:
        """A query moved towards the talk, of length 1."""
        if self._centroid is None or len(query) != len(self._centroid):
            return query
        share = self.share(settings)
        return unit((1.0 - share) * query + share * unit(self._centroid))

    def saved(self) -> Motion:
        """For a snapshot."""
        return Motion(self._centroid, self._velocity, self.certainty, self.turns)

    def restore(self, motion: Motion) -> None:
        """As it was saved; a talk of another embedder cannot go on."""
        self._centroid, self._velocity, self.certainty, self.turns = motion


class Motion(NamedTuple):
    """What a talk's momentum comes to."""

    centroid: Vector | None
    velocity: Vector | None
    certainty: float
    turns: int
