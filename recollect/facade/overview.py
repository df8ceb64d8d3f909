"""Verbs that show a store at a glance: what was done day by day, and how many records there are of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from recollect.facade import arguments
from recollect.facade.arguments import ReadArgs, ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX
from recollect.model.result import Report
from recollect.model.scope import GLOBAL

_DAYS_MAX = 366
_OFFSET_MAX = 14 * 60  # the farthest any clock on earth is from UTC, in minutes


class Overview(Handle):
    """Figures for whoever looks after a memory."""

    def activity(self, *, days: int = 14, offset_minutes: int = 0, **scope: Unpack[ScopeArgs]) -> Report:
        """What was learned, changed, forgotten and asked, day by day and agent by agent.

        What was undone does not count. A scoped handle is told of its own questions only.

        Args:
            days: How many days, today included.
            offset_minutes: How far your clock is ahead of UTC, so that a day begins when yours does.
        """
        from recollect.insight.activity import activity

        engine, where = self._opened, self._in(scope)
        engine.audit.flush()
        return activity(
            engine.store,
            None if self._owner and where == GLOBAL else where,
            caller=None if self._owner else self._as_caller().name,
            days=arguments.count(days, "days", _DAYS_MAX),
            offset_minutes=round(check.within(offset_minutes, -_OFFSET_MAX, _OFFSET_MAX, "offset_minutes")),
            now=engine.clock(),
        )

    def counts(
        self,
        *,
        kinds: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        tiers: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        as_of: Any = None,
        known_at: Any = None,
        after: Any = None,
        before: Any = None,
        limit: int = 50,
        **scope: Unpack[ReadArgs],
    ) -> Report:
        """How many records there are by kind, category, tier, person, agent, project, tag; and the newest sessions.

        With conditions, only records that meet them: what a list can be narrowed by further.

        Args:
            kinds: Only these kinds.
            categories: Only these categories.
            tiers: Only these tiers; the archive is counted only when named.
            tags: Only records with all of these tags.
            filters: A tree of conditions.
            session_id: Only what comes from this session.
            as_of: What was true at this time.
            known_at: What we believed at this time.
            after: Events from this time on.
            before: Events before this time.
            limit: How many values of each at most.
        """
        from recollect.insight.activity import counts

        engine = self._opened
        criteria = self._criteria(
            scope,
            kinds=kinds,
            categories=categories,
            tiers=tiers,
            tags=tags,
            filters=filters,
            session_id=session_id,
            as_of=as_of,
            known_at=known_at,
            after=after,
            before=before,
        )
        most = arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        return counts(engine.store, criteria, limit=most, now=engine.clock())
