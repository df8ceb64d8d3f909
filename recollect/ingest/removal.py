"""Forgetting: softly, so that it can be undone, or for good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from recollect.clock import Clock
from recollect.errors import StoreError
from recollect.model.query import Criteria
from recollect.model.result import Receipt
from recollect.model.scope import Reach
from recollect.store.base import Store, Tx
from recollect.store.erase import UNTIL_REWRITTEN

_IDS_IN_RECEIPT_MAX = 10_000


class Removal:
    """Deletes over one store. `after_erasure` lets caches outside the database forget too."""

    def __init__(self, store: Store, clock: Clock, after_erasure: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._after_erasure = after_erasure

    def delete(
        self,
        record_id: str,
        *,
        visible: Criteria | None,
        reason: str | None,
        hard: bool,
        actor: str | None,
        if_version: int | None = None,
    ) -> Receipt:
        """Forget one record. A hard delete reaches records that were softly deleted before, too."""

        def work(tx: Tx) -> Receipt:
            pk = tx.records.find_pk(record_id, visible, now=self._clock(), live=not hard)
            tx.records.require_version(pk, if_version)
            scope_pk = tx.records.scope_pk(pk)
            return self._remove(tx, [pk], verb="delete", scope_pk=scope_pk, reason=reason, hard=hard, actor=actor)

        return self._run(work, hard)

    def delete_all(self, criteria: Criteria, *, hard: bool, dry_run: bool, actor: str | None) -> Receipt:
        """Forget everything the criteria name, whatever its validity or tier."""

        def matching(tx: Tx) -> list[int]:
            return tx.records.named(criteria, now=self._clock(), live=not hard)

        if dry_run:
            with self._store.read() as tx:
                pks = matching(tx)
                return Receipt(ids=_ids(tx, pks), count=len(pks), dry_run=True, event="DELETE")

        def work(tx: Tx) -> Receipt:
            # Beyond its own scope it is the owner's affair alone: no handle sees it among its operations.
            scope_pk = None if criteria.reach is Reach.ALL else tx.scopes.ensure(criteria.scope)
            pks = matching(tx)
            if hard:
                self._erase_observed(tx, criteria)
            return self._remove(tx, pks, verb="delete_all", scope_pk=scope_pk, reason=None, hard=hard, actor=actor)

        return self._run(work, hard)

    def delete_named(self, named: Callable[[Tx], list[int]], *, verb: str, hard: bool, actor: str | None) -> Receipt:
        """Forget the records that are named inside the transaction, wherever they are: an affair of the owner's."""

        def work(tx: Tx) -> Receipt:
            return self._remove(tx, named(tx), verb=verb, scope_pk=None, reason=None, hard=hard, actor=actor)

        return self._run(work, hard)

    def _erase_observed(self, tx: Tx, criteria: Criteria) -> None:
        """What coding agents did there goes too, where nothing but a scope or a session is named."""
        if set(criteria.conditions) <= {"session_id"}:
            inside = tx.scopes.visible(criteria.scope, criteria.reach)
            tx.observed.erase(inside, session_id=criteria.session_id)

    def _remove(
        self,
        tx: Tx,
        pks: list[int],
        *,
        verb: str,
        scope_pk: int | None,
        reason: str | None,
        hard: bool,
        actor: str | None,
    ) -> Receipt:
        op = tx.journal.begin(verb, at=self._clock(), scope_pk=scope_pk, actor=actor, reason=None if hard else reason)
        pks = sorted({*pks, *tx.statements.lose_turns(op, pks, erasing=hard)})
        if hard:  # what was concluded from them holds their words, too
            pks = sorted({*pks, *tx.patterns.resting_on(pks)})
        ids = _ids(tx, pks)
        if hard:
            tx.erasure.erase(op, pks)
        else:
            tx.records.retire(op, pks)
        op.finish(len(pks), final=hard)
        return Receipt(operation=op.id, ids=ids, count=len(pks), event="DELETE")

    def _run(self, work: Callable[[Tx], Receipt], hard: bool) -> Receipt:
        if hard:  # files beside the database go first: a process killed in between must not leave them behind
            self._after_erasure()
        receipt = self._store.write(work)
        if hard:
            self._after_erasure()
        if hard and receipt.count:
            try:
                self._store.scrub()
            except StoreError as error:  # what was erased is gone from the tables; only its old places may show
                note = f"the file could not be rewritten now ({error.code}): {UNTIL_REWRITTEN}"
                return replace(receipt, missing=(*receipt.missing, note))
        return receipt


def _ids(tx: Tx, pks: list[int]) -> tuple[str, ...]:
    return tuple(tx.records.ids(pks[:_IDS_IN_RECEIPT_MAX]))
