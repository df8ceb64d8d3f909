"""Reads what was stored without being read: bulk loads, documents, records from before there was perception.

A durable job. It goes on where it stopped, because a record that was read says so (`perceived`). What a text says of
itself is written beside it without a version: it follows from the text. Statements and names belong to the operation
that stored it, and are undone with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.ingest.drafts import Drafts
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import Material, prepare
from recollect.ingest.revision import TURN
from recollect.ingest.writer import MaterialWriter
from recollect.model.columns import RecordRow
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.upkeep.jobs.worker import Progress
from recollect.upkeep.runs.run import Run

PORTION = 200  # records read between two writes
_READ = (
    "perceived",
    "valence",
    "arousal",
    "intensity",
    "dominance",
    "surprise",
    "facets",
    "subject",
    "predicate",
    "object",
    "event_time",
    "strength",
)
_JOB = Job(pk=0, kind="perceive", payload={}, attempts=1)


class _UnreadRecord(NamedTuple):
    """A record, and the operation that stored it: what is drawn from it belongs to that."""

    pk: int
    operation_pk: int
    row: RecordRow


class Perceiving:
    """The handler of `perceive` jobs."""

    def __init__(self, store: Store, embedding: Embedding, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """Read everything there is to read. Stops early when told to; the next run goes on."""
        last = 0
        while found := self._portion(last):
            last = found[-1].pk
            for _, together in groupby(found, key=lambda each: each.operation_pk):
                self._read(list(together))
            if not progress(0.5):
                raise InterruptedError("stopped before the end")

    def _portion(self, after_pk: int) -> list[_UnreadRecord]:
        with self._store.read() as tx:
            return [
                _UnreadRecord(pk, tx.journal.stored_by(pk), row)
                for pk, row in tx.stretches.unread_after(after_pk, PORTION)
            ]

    def _read(self, found: Sequence[_UnreadRecord]) -> None:
        """What records say that were stored together."""
        before = [{name: getattr(each.row, name) for name in _READ} for each in found]
        turns = [at for at, each in enumerate(found) if each.row.category == TURN and each.row.kind == "episodic"]
        drafts = Drafts(rows=[each.row for each in found], turns=turns)
        material = prepare(drafts, self._embedding, self._config.current, now=self._clock())
        self._store.write(partial(self._keep, found=found, before=before, material=material))

    def _keep(
        self, tx: Tx, *, found: Sequence[_UnreadRecord], before: Sequence[dict[str, Any]], material: Material
    ) -> None:
        """Unless a record was changed meanwhile: then it was read when that happened."""
        at = self._clock()
        same = tx.stretches.still_unread([each.pk for each in found])
        for each, old in zip(found, before, strict=True):
            if each.pk in same:
                new = {name: getattr(each.row, name) for name in _READ if getattr(each.row, name) != old[name]}
                tx.stretches.note_read(each.pk, new)
        changed = [position for position, each in enumerate(found) if each.pk not in same]
        op = tx.journal.of_row(found[0].pk, now=at, verb="perceive")
        MaterialWriter(tx, op, material).note_read([each.pk for each in found], changed=changed)


class PerceiveStep:
    """Reads what was stored without being read. What comes of it belongs to the operation that stored it."""

    name = "perceive"

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def run(self, run: Run) -> None:
        with run.store.read() as tx:
            waiting = tx.stretches.unread_count()
        if run.dry_run and waiting:
            run.problem(f"perceive: {waiting} records are not read yet; a run would read them first and see more")
        elif waiting:
            Perceiving(run.store, self._embedding, run.live, run.clock).run(_JOB, lambda share: _told(run, share))


def _told(run: Run, share: float) -> bool:
    run.progress(share)
    return True
