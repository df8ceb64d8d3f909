"""Rows of records and of what joins them, for a drawing of many at once: a few columns, in one statement each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.model.query import Criteria
from recollect.store.base import Group

TEXT_CHARS = 120  # of a record, to name it by


class NodeRow(NamedTuple):
    """A record as a dot."""

    pk: int
    id: str
    kind: str
    text: str
    created_at: int
    event_time: int | None
    valid_until: int | None
    importance: float


class MemberRow(NamedTuple):
    """A record that a relation joins, with what the relation is."""

    edge_pk: int
    record_pk: int
    label: str
    family: str
    strength: float
    valid_until: int | None


class NetworkRows(Group):
    """Many records at once, and what joins them."""

    def newest(self, criteria: Criteria, *, now: int, limit: int) -> list[int]:
        """Keys of records that meet the criteria, the newest first."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        rows = self.sql.all(f"SELECT r.pk FROM record r WHERE {clause} ORDER BY r.pk DESC LIMIT ?", [*params, limit])
        return [row[0] for row in rows]

    def nodes(self, pks: Sequence[int]) -> list[NodeRow]:
        """These records, in the order of their keys."""
        rows = self.sql.all(
            f"SELECT pk, id, kind, substr(content, 1, {TEXT_CHARS}), created_at, event_time, valid_until, importance "
            "FROM record WHERE pk IN KEYS(?) ORDER BY pk",
            (self.sql.keys(pks),),
        )
        return [NodeRow._make(row) for row in rows]

    def members(self, pks: Sequence[int], labels: Sequence[str] | None) -> list[MemberRow]:
        """Which of these records live relations join, relation by relation, their first member first."""
        only = "1 = 1" if labels is None else f"e.label IN ({', '.join('?' * len(labels)) or 'NULL'})"
        rows = self.sql.all(
            "SELECT e.pk, m.record_pk, e.label, e.family, e.weight * e.confidence, e.valid_until FROM member m "
            f"JOIN edge e ON e.pk = m.edge_pk AND LIVE(e) AND {only} WHERE m.record_pk IN KEYS(?) "
            "ORDER BY e.pk, m.position",
            [*(labels or ()), self.sql.keys(pks)],
        )
        return [MemberRow._make(row) for row in rows]

    def beside(self, pks: Sequence[int]) -> list[int]:
        """Records that a live relation joins to one of these."""
        rows = self.sql.all(
            "SELECT DISTINCT there.record_pk FROM member here JOIN edge e ON e.pk = here.edge_pk AND LIVE(e) "
            "JOIN member there ON there.edge_pk = here.edge_pk WHERE here.record_pk IN KEYS(?) ORDER BY 1",
            (self.sql.keys(pks),),
        )
        return [row[0] for row in rows]

    def named(self, pks: Sequence[int]) -> list[tuple[int, int]]:
        """(record, entity) for each live entity that one of these records names."""
        rows = self.sql.all(
            "SELECT DISTINCT m.record_pk, m.entity_pk FROM mention m JOIN entity e ON e.pk = m.entity_pk AND LIVE(e) "
            "WHERE m.record_pk IN KEYS(?) ORDER BY 1, 2",
            (self.sql.keys(pks),),
        )
        return [(row[0], row[1]) for row in rows]
