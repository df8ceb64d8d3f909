"""Verbs about what happened."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from recollect.errors import NotFound, UsageError
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ids import beginning_of_id, parse_id
from recollect.limits import PAGE_RECORDS_MAX
from recollect.model.result import HistoryEntry, Operation, Receipt
from recollect.model.run import RunReport
from recollect.model.scope import GLOBAL


class Past(Handle):
    """History, operations, undo."""

    def history(self, id: str, **scope: Unpack[ScopeArgs]) -> list[HistoryEntry]:
        """What happened to a record, oldest first: each operation with the version it left.

        Args:
            id: The record.
        """
        found = self._engine.past.history(self._id(id, scope, reading=True), visible=self._sight(scope, reading=True))
        if all(each.record is None or each.record.sealed is None for each in found):
            return found
        unsealing = self._engine.unsealing
        return [replace(each, record=each.record and unsealing.record(each.record)) for each in found]

    def operations(self, *, limit: int = 20, before: str | None = None, **scope: Unpack[ScopeArgs]) -> list[Operation]:
        """What was done, newest first.

        Args:
            limit: How many at most.
            before: The id of an operation: only what was done before it.
        """
        where = self._in(scope)
        size = arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        return self._engine.past.operations(
            scope=None if self._owner and where == GLOBAL else where,
            limit=size,
            before=None if before is None else parse_id(before, "operation"),
        )

    def undo(self, operation: str | Operation | Receipt | RunReport, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Take an operation back, whatever it was; the undo can be undone.

        Args:
            operation: Its id, or the first 8 characters of it, as `operations` lists it. In Python also a receipt,
                an operation or the report of a run.
        """
        where = self._in(scope)
        given = operation.operation if isinstance(operation, Receipt | RunReport) else operation
        receipt = self._engine.past.undo(
            self._operation_id(given), scope=None if self._owner and where == GLOBAL else where, actor=self._writer()
        )
        if self._engine.backfill.pending():
            self._engine.worker.poke()
        return receipt

    def _operation_id(self, given: object) -> str:
        """The whole id of an operation; its owner may give only the beginning."""
        beginning = beginning_of_id(given) if self._owner else None
        if beginning is None:
            return parse_id(given, "operation")
        with self._engine.store.read() as tx:
            found = tx.journal.ids_beginning(beginning)
        if len(found) > 1:
            raise UsageError(f"{len(found)} operations begin with {beginning}: {', '.join(found)}; give more of the id")
        if not found:
            raise NotFound(f"no operation has an id that begins with {beginning}; `operations()` lists them")
        return found[0]
