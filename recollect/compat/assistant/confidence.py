"""Confidence as the assistant's design has it: less with every day since a fact was used, a little more with each use.

    confidence · exp(-decay_rate · days^0.8), and + 0.05 · ln(1 + uses / 20) for being found

Nothing is written down for it: the figure is worked out when somebody asks, by the curve that `decay.curve =
"assistant"` forgets by, whichever curve the store is set to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from recollect.config import Config
from recollect.facade.handle import engine_in_use, sight_of
from recollect.memory import Memory
from recollect.model.record import Record
from recollect.upkeep.forgetting.strength import ASSISTANT, fading

LOW = 0.5  # a fact that is as likely wrong as right needs a word


@dataclass(frozen=True, slots=True, kw_only=True)
class Weak:
    """A fact, and how sure it still is."""

    record: Record
    confidence: float


class Confidence:
    """How sure the facts of one memory are now."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._given: Config | None = None
        self._config: Config | None = None

    @property
    def config(self) -> Config:
        """The settings of the memory, with the design's curve."""
        current = self._memory.config
        if self._config is None or current is not self._given:
            self._given, self._config = current, current.with_changes({"decay.curve": ASSISTANT})
        return self._config

    def now(self, ids: Iterable[str]) -> dict[str, float]:
        """By the ids of records; those that are no longer believed are not in it."""
        engine = engine_in_use(self._memory)
        with engine.store.read() as tx:
            found = tx.imprints.of(tx.records.pks_of(list(ids)))
            known = tx.records.ids(found.pks.tolist())
        left = fading(found, engine.clock(), self.config).strength
        return dict(zip(known, left.round(4).tolist(), strict=True))

    def weak(self, limit: int | None, *, below: float = LOW) -> list[Weak]:
        """Facts that have become less sure than this, the least sure first; what a person confirmed is sure."""
        engine, now = engine_in_use(self._memory), engine_in_use(self._memory).clock()
        with engine.store.read() as tx:
            found = tx.imprints.fading_seen(sight_of(self._memory), now=now)
            found = found.at(~found.episodic)
            state = fading(found, now, self.config)
            low = np.flatnonzero((state.strength < below) & ~found.verified)
            first = low[np.lexsort((found.pks[low], state.strength[low]))][:limit]
            pks: Sequence[int] = found.pks[first].tolist()
            loaded = tx.records.load(pks)
        left = state.strength[first].round(4).tolist()
        return [Weak(record=loaded[pk], confidence=each) for pk, each in zip(pks, left, strict=True) if pk in loaded]
