"""How much of what a store holds, in figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.clock import DAY_US
from recollect.model.query import Criteria
from recollect.store.base import Group


class RecordCount(NamedTuple):
    """How many records are alike in what is counted, and when the first and the last of them came."""

    kind: str
    category: str
    tier: str
    live: int
    past: int  # whether it is an earlier version of a record
    records: int
    oldest: int
    newest: int


class GraphCount(NamedTuple):
    """How much of a graph a reader sees."""

    by_kind: dict[str, int]
    sessions: int
    orphans: int
    mentions: int


class DayCount(NamedTuple):
    """What was done alike on one day: how many times, and on how many records."""

    day: int  # since 1970
    what: str  # a verb, or an event of the audit
    actor: str | None
    scope_pk: int | None
    times: int
    records: int


class ValueCount(NamedTuple):
    """How many records are alike in what a list can be narrowed by."""

    kind: str
    category: str
    tier: str
    scope_pk: int
    flagged: int
    waiting: int  # for a person's look
    records: int


class SessionCount(NamedTuple):
    """A session that a reader sees, and how many of its records are visible."""

    id: str
    scope_pk: int
    started_at: int
    last_turn_at: int
    records: int


class FigureRows(Group):
    """Counts over whole tables."""

    def done_by_day(self, scope_pks: Sequence[int] | None, *, since: int, shift: int) -> list[DayCount]:
        """Operations that stand, by day, verb, actor and scope. `shift` is added to a time before it is a day."""
        only = "1 = 1" if scope_pks is None else f"scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
        rows = self.sql.all(
            f"SELECT (at + {shift:d}) / {DAY_US:d}, verb, actor, scope_pk, count(*), sum(count) FROM operation "
            f"WHERE at >= ? AND undone_by IS NULL AND {only} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
            (since,),
        )
        return [DayCount(int(row[0]), row[1], row[2], row[3], int(row[4]), int(row[5] or 0)) for row in rows]

    def asked_by_day(
        self, events: Sequence[str], *, since: int, shift: int, caller: str | None = None
    ) -> list[DayCount]:
        """Entries of the audit of these sorts, by day and caller; only those of one caller where one is given."""
        only = "1 = 1" if caller is None else "caller = ?"
        rows = self.sql.all(
            f"SELECT (at + {shift:d}) / {DAY_US:d}, caller, count(*), sum(count) FROM audit WHERE at >= ? AND event IN "
            f"({', '.join('?' * len(events))}) AND outcome = 'ok' AND {only} GROUP BY 1, 2 ORDER BY 1, 2",
            (since, *events, *(() if caller is None else (caller,))),
        )
        return [DayCount(int(row[0]), "asked", row[1], None, int(row[2]), int(row[3] or 0)) for row in rows]

    def values(self, criteria: Criteria, *, now: int) -> list[ValueCount]:
        """Records by what they are and whose, in one pass."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        rows = self.sql.all(
            "SELECT r.kind, r.category, r.tier, r.scope_pk, r.flagged, r.needs_review, count(*) FROM record r "
            f"WHERE {clause} AND HEAD(r) GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 7 DESC, 1, 2, 3, 4, 5, 6",
            params,
        )
        return [ValueCount._make(row) for row in rows]

    def tags(self, criteria: Criteria, *, now: int, limit: int) -> dict[str, int]:
        """How many records carry which tag, the most frequent first."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        rows = self.sql.all(
            "SELECT item.value, count(*) FROM record r CROSS JOIN EACH_ITEM(r.tags) item "
            f"WHERE r.tags IS NOT NULL AND {clause} AND HEAD(r) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
            [*params, limit],
        )
        return {str(tag): int(count) for tag, count in rows}

    def newest_sessions(self, criteria: Criteria, *, now: int, limit: int) -> list[SessionCount]:
        """The sessions in which something visible was stored, the newest first."""
        visible = self.tx.scopes.visible(criteria.scope, criteria.reach)
        only = "1 = 1" if visible is None else f"n.scope_pk IN ({', '.join(map(str, visible)) or 'NULL'})"
        rows = self.sql.all(
            "SELECT n.id, n.scope_pk, n.started_at, n.last_turn_at, (SELECT count(*) FROM record r "
            "WHERE r.session_pk = n.pk AND HEAD(r) AND LIVE(r)) FROM session n "
            f"WHERE {only} ORDER BY n.last_turn_at DESC, n.pk DESC LIMIT ?",
            (limit,),
        )
        return [SessionCount._make(row) for row in rows]

    def records(self, scope_pks: Sequence[int] | None) -> list[RecordCount]:
        """All records of these scopes (None: all) in one pass over the table: each pass reads all of it."""
        only = "1 = 1" if scope_pks is None else f"scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
        rows = self.sql.all(
            "SELECT kind, category, tier, LIVE(record), head_pk IS NOT NULL, count(*), min(created_at), "
            f"max(created_at) FROM record WHERE {only} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"
        )
        return [RecordCount._make(row) for row in rows]

    def graph(self, criteria: Criteria, *, now: int) -> GraphCount:
        """Records by kind, their sessions, those that no live relation joins, and how often they name an entity."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        seen = f"FROM record r WHERE {clause}"
        joined = "SELECT 1 FROM member m JOIN edge e ON e.pk = m.edge_pk AND LIVE(e) WHERE m.record_pk = r.pk"
        named = f"SELECT count(*) FROM mention m JOIN record r ON r.pk = m.record_pk WHERE {clause}"
        return GraphCount(
            by_kind=dict(self.sql.all(f"SELECT r.kind, count(*) {seen} GROUP BY r.kind", params)),
            sessions=self.sql.value(f"SELECT count(DISTINCT r.session_pk) {seen}", params),
            orphans=self.sql.value(f"SELECT count(*) {seen} AND NOT EXISTS ({joined})", params),
            mentions=self.sql.value(named, params),
        )

    def edges_by_label(self) -> dict[str, int]:
        """Live relations by their label, the most frequent first."""
        rows = self.sql.all("SELECT label, count(*) FROM edge WHERE LIVE(edge) GROUP BY label ORDER BY 2 DESC, 1")
        return dict(rows)

    def orphans(self) -> int:
        """Live records that nothing is related to."""
        return self._count("record r WHERE LIVE(r) AND NOT EXISTS (SELECT 1 FROM member m WHERE m.record_pk = r.pk)")

    def entities(self) -> int:
        return self._count("entity WHERE LIVE(entity)")

    def sessions(self) -> int:
        return self._count("session")

    def scopes(self) -> int:
        return self._count("scope")

    def format(self) -> int:
        """The newest step of the schema that was taken."""
        return int(self.sql.value("SELECT coalesce(max(version), 0) FROM migration"))

    def operations(self) -> int:
        return self._count("operation")

    def _count(self, what: str) -> int:
        return int(self.sql.value(f"SELECT count(*) FROM {what}") or 0)
