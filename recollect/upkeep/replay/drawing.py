"""Drawing lots: some of many, each as likely as its weight, the same ones for the same run."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from recollect.store.imprints import Floats


def lots_of(run: str) -> np.random.Generator:
    """The lots of a run: another process that goes on with it draws the same."""
    return np.random.default_rng(int.from_bytes(hashlib.blake2b(run.encode(), digest_size=8).digest(), "little"))


def draw(lots: np.random.Generator, weights: Floats, count: int) -> NDArray[np.int64]:
    """At most `count` positions. Of two positions the one with twice the weight is drawn exactly twice as often.

    All are laid end to end in a random order, each as long as its weight, and a comb of `count` teeth is put down
    somewhere: drawing one by one instead would favour the heavy less, the more are drawn.
    """
    if count <= 0 or not len(weights):
        return np.empty(0, dtype=np.int64)
    if count >= len(weights):
        return np.arange(len(weights))
    order = lots.permutation(len(weights))
    ends = np.cumsum(weights[order])
    teeth = (lots.random() + np.arange(count)) * (ends[-1] / count)
    hit = np.minimum(np.searchsorted(ends, teeth, side="right"), len(order) - 1)
    return np.asarray(order[np.unique(hit)], dtype=np.int64)
