"""What happened: history of one record, operations of all, and taking one back."""

from __future__ import annotations

from recollect.clock import Clock
from recollect.model.query import Criteria
from recollect.model.result import HistoryEntry, Operation, Receipt
from recollect.model.scope import Scope
from recollect.store import jobs
from recollect.store.base import Store, Tx

_IDS_MAX = 1_000  # records that a receipt names


class PastOperations:
    """The journal of one store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def history(self, record_id: str, *, visible: Criteria | None) -> list[HistoryEntry]:
        """Every operation on a record with what it left of it, oldest first; deleted records have one too."""
        with self._store.read() as tx:
            pk = tx.records.find_pk(record_id, visible, now=self._clock(), live=False)
            touched = tx.journal.operations_on_record(pk)
            left = tx.records.left_by_each(pk, tx.journal.replaced_of_record(pk))
        return [HistoryEntry(operation=operation, record=left[key]) for key, operation in touched]

    def operations(self, *, scope: Scope | None, limit: int, before: str | None = None) -> list[Operation]:
        """The newest operations first: all for the owner (`scope=None`), otherwise those of the visible scopes.

        `before` is an operation: only those that were done earlier.
        """
        with self._store.read() as tx:
            scope_pks = None if scope is None else tx.scopes.visible(scope)
            before_pk = None if before is None else tx.journal.operation_pk(before, scope)
            return tx.journal.operations(scope_pks=scope_pks, limit=limit, before_pk=before_pk)

    def undo(self, operation_id: str, *, scope: Scope | None, actor: str | None) -> Receipt:
        """Restore what an operation replaced."""

        def work(tx: Tx) -> Receipt:
            target = tx.journal.operation_pk(operation_id, scope)
            scope_pk = tx.journal.scope_of(target)
            op = tx.undoing.undo(target, clock=self._clock, scope_pk=scope_pk, actor=actor)
            if tx.journal.left_without_vector(op.pk):
                tx.jobs.enqueue_once(jobs.EMBED, now=op.at)
            ids = tx.journal.records_of(op.pk, limit=_IDS_MAX)
            return Receipt(operation=op.id, ids=tuple(ids), count=tx.journal.count_of(op.pk), event="UNDO")

        return self._store.write(work)
