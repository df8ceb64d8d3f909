"""Verbs that look at the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from recollect.errors import UsageError, nearest, shown
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX
from recollect.model.audit import AuditEvent
from recollect.model.scope import GLOBAL

if TYPE_CHECKING:
    from recollect.model.audit import AuditEntry, AuditReport


class AuditVerbs(Handle):
    """Who did what, and whether somebody changed the account of it."""

    def audit(
        self,
        *,
        since: Any = None,
        caller: str | None = None,
        event: str | None = None,
        older_than: int | None = None,
        limit: int = 100,
        **scope: Unpack[ScopeArgs],
    ) -> list[AuditEntry]:
        """Who did what and when, newest first: writes, reads, refusals and keys; hashes in the place of texts.

        The owner sees every entry; a scoped handle the entries of its own calls.

        Args:
            since: Only from this time on.
            caller: Only calls of this one: owner, handle, upkeep, or the name somebody acts under.
            event: Only this sort, such as memory_searched or access_denied.
            older_than: Only what has a lower number: that of the last entry that was read, for the next page.
            limit: How many at most.
        """
        where = self._in(scope)
        mine = None if self._owner else self._as_caller().name
        if mine is not None and caller not in (None, mine):
            return []
        return self._opened.audit.entries(
            limit=arguments.count(limit, "limit", PAGE_RECORDS_MAX),
            since=check.moment(since, "since", now=self._now()),
            caller=mine if caller is None else check.name(caller, "caller"),
            event=None if event is None else _event(event),
            before=None if older_than is None else arguments.count(older_than, "older_than", 2**62),
            scope=None if self._owner and where == GLOBAL else where.key,
        )

    def audit_verify(self) -> AuditReport:
        """Look whether an entry of the audit was removed, changed, moved or put in by somebody."""
        self._owner_only("verifying the audit")
        return self._opened.audit.verify()


def _event(given: Any) -> str:
    if given not in AuditEvent.__members__.values():
        known = [event.value for event in AuditEvent]
        raise UsageError(f"event must be one of {', '.join(known)}, not {shown(given, 40)}{nearest(str(given), known)}")
    return str(AuditEvent(given).value)
