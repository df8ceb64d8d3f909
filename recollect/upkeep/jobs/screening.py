"""Texts that are stored already, judged again: when their vectors come, and when the screen itself has changed.

`add` judges by words, and by meaning where the words leave a doubt. A moment later, when the text is given its vector,
a smaller doubt is enough. A store whose records an older screen judged, or none, is gone over once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.ingest.screening import marked_columns, quarantined_columns
from recollect.model.columns import RecordRow
from recollect.model.record import Tier
from recollect.model.screening import SCREENED_BY, Screening, ScreeningAction, action_on
from recollect.providers.base import Embedder, Vectors
from recollect.providers.embedders.minilm import SHIPPED
from recollect.security.screening.screen import Screen
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.store.rows import from_json
from recollect.upkeep.jobs.worker import Progress

SCREEN_JOB = "screen"
PORTION = 200
_REASON = "it gives orders to its reader"
_ACTED = (ScreeningAction.MARK, ScreeningAction.QUARANTINE, ScreeningAction.RELEASED)


class Rescreening:
    """Judges stored texts, and quarantines or marks those that `add` would have."""

    def __init__(self, store: Store, screen: Screen, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._screen = screen
        self._config = config
        self._clock = clock

    def begin(self) -> None:
        """Queue the job for a store that another screen judged, or none; a new store has nothing to judge."""
        if not self._config.current.security.injection_screen:
            self._void()
            return
        with self._store.read() as tx:
            if tx.meta.text(SCREENED_BY) == self._screen.version:
                return
            empty = not tx.records.any_live()
        if empty:
            self._store.write(self._note)
        else:
            self._store.write(lambda tx: tx.jobs.enqueue_once(SCREEN_JOB, now=self._clock()))

    def run(self, job: Job, progress: Progress) -> None:
        """Go over all records. Stops early when told to; the next run begins anew, and finds less to do."""
        last = 0
        while True:
            with self._store.read() as tx:
                page = tx.records.live_after(last, PORTION)
            if not page:
                break
            last = page[-1][0]
            judged = [(pk, self._screen.screen(text, role=role, closely=True)) for pk, text, role in page]
            self._act({pk: found for pk, found in judged if found.action != ScreeningAction.KEEP})
            if not progress(0.5):
                raise InterruptedError("stopped before the end")
        self._store.write(self._note)

    def look(
        self, model: Embedder, batch: Sequence[tuple[int, str]], parts: Sequence[Sequence[str]], vectors: Vectors
    ) -> None:
        """Judge texts closely that the shipped encoder has just read; with other models words and signs must do."""
        if not self._config.current.security.injection_screen or SHIPPED not in model.name:
            return
        texts = dict(batch)
        suspects = [pk for pk, text in batch if self._screen.screen(text, closely=True).action != ScreeningAction.KEEP]
        if suspects:
            with self._store.read() as tx:
                roles = {pk: row.role for pk, row in _rows(tx, suspects)}
            judged = {pk: self._screen.screen(texts[pk], role=role, closely=True) for pk, role in roles.items()}
            self._act({pk: found for pk, found in judged.items() if found.action != ScreeningAction.KEEP})

    def _act(self, found: dict[int, Screening]) -> None:
        if found:
            self._store.write(lambda tx: self._apply(tx, found))

    def _apply(self, tx: Tx, found: dict[int, Screening]) -> None:
        """Keep apart or mark those that nobody has decided about: neither a person nor this screen."""
        changed = 0
        for pk, row in _rows(tx, list(found)):
            decided = row.user_verified or action_on(from_json(row.attributes, {})) in _ACTED
            if decided or row.tier == Tier.ARCHIVE.value or row.turn_pk is not None:
                continue
            old = {"attributes": row.attributes, "tier": row.tier}
            op = tx.journal.begin("screen", at=self._clock(), scope_pk=row.scope_pk, reason=_REASON)
            if found[pk].action == ScreeningAction.MARK:
                tx.records.revise(op, pk, marked_columns(old, found[pk]), reason=_REASON)
            else:
                tx.records.revise(op, pk, quarantined_columns(old, found[pk]), reason=_REASON)
                tx.records.retire(op, tx.statements.lose_turns(op, [pk]))
            changed += 1
            op.finish(1)

    def _note(self, tx: Tx) -> None:
        tx.meta.note(SCREENED_BY, self._screen.version)

    def _void(self) -> None:
        """What is stored from here on is judged by nobody, so that all is gone over when texts are screened again."""
        with self._store.read() as tx:
            noted = tx.meta.text(SCREENED_BY) is not None
        if noted:
            self._store.write(lambda tx: tx.meta.forget(SCREENED_BY))


def _rows(tx: Tx, pks: Sequence[int]) -> Iterator[tuple[int, RecordRow]]:
    for pk in pks:
        columns = tx.records.columns_of(pk)
        if columns is not None and columns["retired_at"] is None:
            yield pk, RecordRow(**columns)
