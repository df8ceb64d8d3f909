"""The step that forgets weak relations, as the verb `prune` does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.upkeep.runs.run import Run

PORTION = 200  # relations changed in one transaction


class PruneStep:
    """Forgets weak relations, as the verb `prune` does, of the whole store."""

    name = "prune"

    def run(self, run: Run) -> None:
        settings = run.config.graph
        if run.scope_pks is not None or not settings.prune_nightly:
            return
        with run.store.read() as tx:
            found = tx.edges.to_prune(
                run.clock(),
                min_confidence=settings.prune_min_confidence,
                max_per_record=settings.prune_max_edges_per_node,
                decay_factor=settings.prune_decay_factor,
                decay_days=settings.prune_decay_days,
            )
        total = len(found.decayed) + len(found.gone)
        for start in range(0, len(found.decayed), PORTION):
            run.portion(partial(_weaken, run=run, changes=found.decayed[start : start + PORTION]))
            run.progress(start / total)
        for start in range(0, len(found.gone), PORTION):
            run.portion(partial(_retire, run=run, pks=found.gone[start : start + PORTION]))
            run.progress((len(found.decayed) + start) / total)


def _weaken(tx: Tx, op: Op, *, run: Run, changes: Sequence[tuple[int, dict[str, Any]]]) -> None:
    live = tx.edges.live_ids(pk for pk, _ in changes)
    for pk, values in changes:
        if pk in live:
            tx.edges.revise(op, pk, values)
            run.note("weakened", live[pk], "found automatically, and not stated since")


def _retire(tx: Tx, op: Op, *, run: Run, pks: Sequence[int]) -> None:
    live = tx.edges.live_ids(pks)
    for pk in tx.edges.retire(op, pks):
        run.note("retired", live[pk], "too weak a relation, or one too many of its record")
