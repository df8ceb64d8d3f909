"""A reader of pairs that goes by a table: which words of an older and of a newer text make it say what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.model.pair import LABELS, PairLabel, PairReading, TextPair


class Told(NamedTuple):
    """Texts with these words are read so, with this probability; the rest goes to `unrelated`."""

    older: str
    newer: str
    label: PairLabel
    probability: float


class ReaderByTable:
    """Everything that the table does not name is unrelated. `pairs` are those that were read."""

    name = "table"

    def __init__(self, *table: Told) -> None:
        self.table = table
        self.pairs: list[TextPair] = []

    def read(self, pairs: Sequence[TextPair]) -> list[PairReading]:
        self.pairs += pairs
        return [self._read(pair) for pair in pairs]

    def _read(self, pair: TextPair) -> PairReading:
        for told in self.table:
            if told.older in pair.older.text and told.newer in pair.newer.text:
                rest = {told.label: told.probability, PairLabel.UNRELATED: 1.0 - told.probability}
                return PairReading.of([rest.get(label, 0.0) for label in LABELS])
        return PairReading.of([1.0 if label is PairLabel.UNRELATED else 0.0 for label in LABELS])
