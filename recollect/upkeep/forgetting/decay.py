"""Forgetting: what has become too weak goes into the archive, and out of it when it is not asked for in time.

Archived records are found by their id, or when the archive is asked for; `update(tier="longterm")` and `undo` bring
them back, fresh. After `decay.archive_days` they are softly deleted, which `undo` reverses too: nothing is destroyed.

What stays: records that never fade (`strength.never_fades`), what has ended (that is history, asked for by its time),
documents and their pieces (they go with their file), entities, turns that a statement still answers through, patterns
with instances, and in the archive whatever a live record rests on. The archive is only emptied of what faded into it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from recollect.clock import DAY_US
from recollect.store.base import Tx
from recollect.store.imprints import Ints
from recollect.store.journal import Op
from recollect.upkeep.forgetting.strength import never_fades, strength_now
from recollect.upkeep.runs.run import Run

PAGE = 20_000  # records whose strength is worked out at a time
PORTION = 40  # records moved in one transaction


class DecayStep:
    """The step that archives and collects."""

    name = "decay"

    def run(self, run: Run) -> None:
        self._archive(run)
        self._collect(run)

    # --- into the archive ---------------------------------------------------------------------------------------

    def _archive(self, run: Run) -> None:
        weak = self._weak(run)
        spared = self._spared(run, weak)
        going = weak[~np.isin(weak, spared)].tolist()
        for start in range(0, len(going), PORTION):
            part = going[start : start + PORTION]
            run.portion(partial(_archive, run=run, pks=part, going=going))
            run.progress(0.5 * (start + len(part)) / len(going))

    def _weak(self, run: Run) -> Ints:
        """Everything that has faded, statements before the turns they may hold."""
        now, after = run.clock(), 0
        found: list[Ints] = []
        turns: list[Ints] = []
        while True:
            with run.store.read() as tx:
                page = tx.imprints.fading(now=now, scope_pks=run.scope_pks, after_pk=after, limit=PAGE)
            if not len(page.pks):
                break
            weak = page.at(strength_now(page, now, run.config) < run.config.decay.gc_threshold)
            found.append(weak.pks[~weak.episodic])
            turns.append(weak.pks[weak.episodic])
            after = int(page.pks[-1])
            run.progress(0.0)
        return np.concatenate([np.empty(0, dtype=np.int64), *found, *turns])

    def _spared(self, run: Run, weak: Ints) -> Sequence[int]:
        with run.store.read() as tx:
            return sorted(tx.statements.held(weak.tolist(), besides=weak.tolist()))

    # --- and out of it ------------------------------------------------------------------------------------------

    def _collect(self, run: Run) -> None:
        now = run.clock()
        with run.store.read() as tx:
            old = _forgotten(tx, run, now)
        gone: list[int] = []
        for start in range(0, len(old), PORTION):
            part = old[start : start + PORTION]
            gone += run.portion(partial(_collect, run=run, pks=part, gone=tuple(gone)))
            run.progress(0.5 + 0.5 * (start + len(part)) / len(old))


def _archive(tx: Tx, op: Op, *, run: Run, pks: Sequence[int], going: Sequence[int]) -> None:
    """Move those that are as weak as they were when they were looked at: a caller may have used them since."""
    again = tx.imprints.fading(now=op.at, scope_pks=run.scope_pks, among=pks)
    strength = dict(zip(again.pks.tolist(), strength_now(again, op.at, run.config).tolist(), strict=True))
    used_at = dict(zip(again.pks.tolist(), again.used_at.tolist(), strict=True))
    weak = [pk for pk in pks if strength.get(pk, 1.0) < run.config.decay.gc_threshold]
    needed = tx.statements.held(weak, besides=going if run.dry_run else weak)
    leaving = [pk for pk in weak if pk not in needed]
    for pk, record_id in zip(leaving, tx.records.ids(leaving), strict=True):
        unused = (op.at - used_at[pk]) / DAY_US
        reason = f"faded to {strength[pk]:.3f}, not used for {unused:.0f} days"
        tx.records.revise(op, pk, {"tier": "archive"}, reason=reason)
        tx.imprints.note_faded(op, pk)
        run.note("archived", record_id, reason)


def _forgotten(tx: Tx, run: Run, now: int, among: Sequence[int] | None = None) -> list[int]:
    """What faded into the archive longer ago than `decay.archive_days`, what rests on others first."""
    before = now - int(run.config.decay.archive_days * DAY_US)
    found = tx.imprints.forgotten(before=before, scope_pks=run.scope_pks, among=among)
    look = tx.imprints.of(found)
    kept = set(look.pks[never_fades(look, run.config)].tolist())  # a person has asked for it to stay since
    return [pk for pk in found if pk not in kept]


def _collect(tx: Tx, op: Op, *, run: Run, pks: Sequence[int], gone: Sequence[int]) -> list[int]:
    """Stop believing those on which nothing rests that is still believed."""
    going = _forgotten(tx, run, op.at, among=pks)
    while needed := tx.statements.sources(going, besides=[*gone, *going]):
        going = [pk for pk in going if pk not in needed]
    going = tx.records.retire(op, going)
    for record_id in tx.records.ids(going):
        run.note("retired", record_id, f"in the archive for more than {run.config.decay.archive_days:g} days")
    return going
