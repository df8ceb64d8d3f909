"""What is worth asking about: current statements that contradict each other, stale ones, entities often named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.store.base import Group

_CONTRADICTIONS = (
    "SELECT a.scope_pk, min(a.pk, b.pk), max(a.pk, b.pk), max(e.confidence * min(a.confidence, b.confidence)) "
    "FROM edge e JOIN member m ON m.edge_pk = e.pk JOIN member n ON n.edge_pk = e.pk AND n.record_pk > m.record_pk "
    "JOIN record a ON a.pk = m.record_pk JOIN record b ON b.pk = n.record_pk AND b.scope_pk = a.scope_pk "
    "WHERE e.label IN ({labels}) AND LIVE(e) AND HOLDS(e, ?) "
    "AND HEAD(a) AND LIVE(a) AND a.tier <> 'archive' AND HOLDS(a, ?) "
    "AND HEAD(b) AND LIVE(b) AND b.tier <> 'archive' AND HOLDS(b, ?) AND a.user_verified = b.user_verified "
    "AND {within} "
    "GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT ?"
)
_STALE = (
    "SELECT a.scope_pk, a.pk, a.access_count + coalesce(t.access_count, 0) AS uses FROM record a "
    "LEFT JOIN record t ON t.pk = a.turn_pk WHERE a.kind IN ('semantic', 'opinion', 'procedural') "
    "AND HEAD(a) AND LIVE(a) AND a.tier <> 'archive' AND HOLDS(a, ?) "
    "AND a.updated_at <= ? AND uses >= ? AND {within} ORDER BY uses DESC, a.pk LIMIT ?"
)
_OFTEN_NAMED = (
    "SELECT a.scope_pk, a.pk, a.type, a.folded, count(*) FROM entity a JOIN mention m ON m.entity_pk = a.pk "
    "WHERE LIVE(a) AND a.type IN ({types}) AND {within} GROUP BY a.pk HAVING count(*) >= ? "
    "ORDER BY 5 DESC, a.pk LIMIT ?"
)
_ABOUT = (
    "SELECT a.subject, coalesce(a.predicate, ''), coalesce(a.object, '') FROM record a WHERE a.scope_pk = ? "
    "AND a.subject COLLATE NOCASE BETWEEN ? AND ? AND HEAD(a) AND LIVE(a) AND a.tier <> 'archive' AND HOLDS(a, ?)"
)


class Contradiction(NamedTuple):
    """Two current statements of one scope, and how sure it is that they contradict each other."""

    scope_pk: int
    one: int
    other: int
    sure: float


class StaleRow(NamedTuple):
    """A statement that is used much, and was not said again or changed for long."""

    scope_pk: int
    pk: int
    uses: int


class OftenNamed(NamedTuple):
    """An entity that many records name."""

    scope_pk: int
    pk: int
    type: str
    folded: str
    mentions: int


class GapRows(Group):
    """Where something is missing, wrong or old. `scope_pks` None looks everywhere."""

    def contradictions(
        self, scope_pks: Sequence[int] | None, labels: Sequence[str], *, now: int, limit: int
    ) -> list[Contradiction]:
        """Pairs of which a person confirmed both or neither, the surest first."""
        sql = _CONTRADICTIONS.format(labels=", ".join("?" * len(labels)), within=_within(scope_pks))
        return [Contradiction._make(row) for row in self.sql.all(sql, (*labels, now, now, now, limit))]

    def stale(
        self, scope_pks: Sequence[int] | None, *, before: int, uses_min: int, now: int, limit: int
    ) -> list[StaleRow]:
        """Statements untouched since `before`, the most used first."""
        rows = self.sql.all(_STALE.format(within=_within(scope_pks)), (now, before, uses_min, limit))
        return [StaleRow._make(row) for row in rows]

    def often_named(
        self, scope_pks: Sequence[int] | None, types: Sequence[str], *, mentions_min: int, limit: int
    ) -> list[OftenNamed]:
        """Entities of these types, the most named first."""
        sql = _OFTEN_NAMED.format(types=", ".join("?" * len(types)), within=_within(scope_pks))
        return [OftenNamed._make(row) for row in self.sql.all(sql, (*types, mentions_min, limit))]

    def said_of(self, scope_pk: int, folded: str, *, now: int) -> list[tuple[str, str, str]]:
        """(subject, predicate, object) of what is said of a thing of that name, and of what belongs to it."""
        rows = self.sql.all(_ABOUT, (scope_pk, folded, f"{folded}'\uffff", now))
        return [(row[0], row[1], row[2]) for row in rows]


def _within(scope_pks: Sequence[int] | None) -> str:
    return "1" if scope_pks is None else f"a.scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
