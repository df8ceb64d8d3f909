"""How much of what a store holds, in figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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


class FigureRows(Group):
    """Counts over whole tables."""

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

    def operations(self) -> int:
        return self._count("operation")

    def _count(self, what: str) -> int:
        return int(self.sql.value(f"SELECT count(*) FROM {what}") or 0)
