"""Vectors made anew where the model makes another one of the same text today.

A record gets a vector when it is stored and another one when its text changes, and another model has a space of its own
(`upkeep.embed`). What is left for replay are vectors that no longer fit their text: of a model that was exchanged under
its name, or damaged. Engram §44.2 would also embed old records together with the names of today's domains.
That was measured and left out: with the older half of a conversation embedded so, vector search alone finds fewer of
the turns that answer (within ten 0.35 instead of 0.41 of LoCoMo's), since what was made with a context and what was
made without one do not compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from recollect.clock import DAY_US
from recollect.errors import ProviderError
from recollect.providers.base import Embedder
from recollect.store import records, vectors
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.vectors import Space
from recollect.upkeep.runs.run import Run

SAME = 0.99  # cosine up to which rounding explains a difference


class _Changed(NamedTuple):
    pk: int
    content_hash: str
    data: bytes
    cosine: float


class Reembedding:
    """Looks again at the vectors of a quick model; one that costs time or money is asked by `reembed` only."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    def go_over(self, run: Run, pks: Sequence[int]) -> None:
        """Those of these records that are older than `replay.reembed_days`."""
        model = self._embedder
        if model is None or not model.inline:
            return
        with run.store.read() as tx:
            space = vectors.find_space(tx, model.name)
            old = _old(tx, pks, run.clock() - int(run.config.replay.reembed_days * DAY_US)) if space else {}
            kept = vectors.load(tx, space, old) if space else None
        if space is None or kept is None or not len(kept[0]) or space.dimensions != model.dimensions:
            return
        keys, stored = kept[0].tolist(), kept[1]
        try:
            made = model.embed([old[pk][1] for pk in keys])
        except ProviderError as error:
            run.problem(f"vectors were not looked at again: {error.message} ({error.code})")
            return
        cosines = (stored * made).sum(axis=1) / np.maximum(np.linalg.norm(stored, axis=1), 1e-9)
        moved = np.flatnonzero((cosines < SAME) & made.any(axis=1)).tolist()
        changed = [_Changed(keys[at], old[keys[at]][0], space.encode(made[at]), float(cosines[at])) for at in moved]
        if changed:
            run.portion(partial(_put, run=run, space=space, changed=changed))


def _old(tx: Tx, pks: Sequence[int], before: int) -> dict[int, tuple[str, str]]:
    rows = tx.all(
        "SELECT pk, content_hash, content FROM record WHERE pk IN carray(?) AND head_pk IS NULL "
        "AND retired_at IS NULL AND updated_at <= ?",
        (tx.pk_list(pks), before),
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def _put(tx: Tx, op: Op, *, run: Run, space: Space, changed: Sequence[_Changed]) -> None:
    """A text that changed meanwhile has got its own vector already."""
    for pk, content_hash, data, cosine in changed:
        row = tx.one("SELECT id, content_hash FROM record WHERE pk = ? AND retired_at IS NULL", (pk,))
        before = tx.value("SELECT data FROM vector WHERE space_pk = ? AND record_pk = ?", (space.pk, pk))
        if row is None or row[1] != content_hash or before is None:
            continue
        op.changed("vector", [pk], {"data": before.hex()}, other_pk=space.pk)
        vectors.write(tx, space.pk, pk, data)
        run.note("re-embedded", records.ids(tx, [pk])[0], f"cosine {cosine:.2f} to what it was")
