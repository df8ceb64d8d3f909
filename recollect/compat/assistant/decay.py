"""DecayService: what has faded below a threshold goes into the archive, by the design's curve."""

from __future__ import annotations

from typing import Any

from recollect.compat.assistant.storage import MemoryStorage
from recollect.facade.upkeep import run_of
from recollect.upkeep.forgetting.strength import ASSISTANT


class DecayService:
    """Prunes by `confidence · exp(-decay_rate · days^0.8)`, whichever curve the store is set to forget by.

    Without a threshold that of the store's settings counts (`decay.gc_threshold`, 0.05).
    """

    def __init__(self, threshold: float | None = None) -> None:
        self._settings: dict[str, Any] = {"decay.curve": ASSISTANT}
        if threshold is not None:
            self._settings["decay.gc_threshold"] = threshold

    def apply(self, storage: MemoryStorage, *, dry_run: bool = False) -> dict[str, Any]:
        """Archive what has faded; how many nodes that were, and the operation that `memory.undo` takes back."""
        report = run_of(storage.memory, "decay", dry_run=dry_run, settings=self._settings)
        return {"pruned": report.counts.get("archived", 0), "operation": report.operation, "dry_run": dry_run}
