"""The reader of pairs that ships: small decision trees over the numbers of `features`, each correcting those before it.

`pairs.npz` holds the trees, one after the other by label, and the scale and shifts that make their sums calibrated
probabilities. `training/reader/fit.py` writes it from the stories of `training/data`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.model.pair import LABELS, PairReading, TextPair
from recollect.perceive.reader.features import NAMES, features_of

WEIGHTS = Path(__file__).with_name("pairs.npz")


class Trees(NamedTuple):
    """Trees of equal size: a row each, a node a column. A node without children names itself and holds a value."""

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    below: NDArray[np.int64]  # the child for values up to the threshold …
    above: NDArray[np.int64]  # … and for those above it
    value: NDArray[np.float64]
    depth: int
    scale: float
    shifts: NDArray[np.float64]

    def sums(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the trees say of each row, by label: all trees take their steps down together."""
        count = len(self.feature)
        trees = np.arange(count)
        at = np.zeros((len(rows), count), dtype=np.int64)
        each = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            goes_up = rows[each, self.feature[trees, at]] > self.threshold[trees, at]
            at = np.where(goes_up, self.above[trees, at], self.below[trees, at])
        said = self.value[trees, at]
        found: NDArray[np.float64] = said.reshape(len(rows), count // len(LABELS), len(LABELS)).sum(axis=1)
        return found


class BoostedReader:
    """Reads a pair in a fraction of a millisecond; nothing but numpy is needed. The weights load with the first pair.

    Safe for use by many threads.
    """

    name = "pairs"

    def __init__(self, weights: Path = WEIGHTS) -> None:
        self._weights = weights
        self._loading = threading.Lock()
        self._trees: Trees | None = None

    def read(self, pairs: Sequence[TextPair]) -> list[PairReading]:
        if not pairs:
            return []
        trees = self._loaded()
        sums = trees.sums(features_of(pairs)) * trees.scale + trees.shifts
        powers = np.exp(sums - sums.max(axis=1, keepdims=True))
        return [PairReading.of(row) for row in (powers / powers.sum(axis=1, keepdims=True)).tolist()]

    def _loaded(self) -> Trees:
        with self._loading:
            if self._trees is None:
                with np.load(self._weights) as kept:
                    assert tuple(kept["names"]) == NAMES, "the trees were fitted to other features"
                    trees = {name: kept[name] for name in Trees._fields if name not in ("depth", "scale")}
                    self._trees = Trees(**trees, depth=int(kept["depth"]), scale=float(kept["scale"]))
            return self._trees
