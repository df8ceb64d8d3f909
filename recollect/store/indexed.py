"""Rows as the derived indexes take them: the live ones of a span of keys, in portions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from recollect.store.base import Group

_RECORDS = (
    "SELECT pk, scope_pk, kind, category, session_pk, coalesce(event_time, created_at), valid_from, valid_until, tier, "
    "turn_pk IS NOT NULL, content, coalesce(speaker, role), tags, metadata FROM record r "
    "WHERE pk BETWEEN ? AND ? AND LIVE(r) ORDER BY pk"
)
_EDGES = (
    "SELECT e.pk, e.label, e.weight * e.confidence, e.valid_from, e.valid_until, m.record_pk, m.role "
    "FROM edge e JOIN member m ON m.edge_pk = e.pk WHERE e.pk BETWEEN ? AND ? AND LIVE(e) ORDER BY e.pk, "
    "m.record_pk, m.role"
)


class IndexedRecord(NamedTuple):
    """One live record; `drawn` says that it is a statement drawn from a turn, `tags` and `metadata` are JSON."""

    pk: int
    scope_pk: int
    kind: str
    category: str
    session_pk: int | None
    event_time: int
    valid_from: int | None
    valid_until: int | None
    tier: str
    drawn: int
    content: str
    speaker: str | None
    tags: str | None
    metadata: str | None


class IndexedEdge(NamedTuple):
    """One live edge; members are (record, role)."""

    pk: int
    label: str
    strength: float  # weight times confidence
    valid_from: int | None
    valid_until: int | None
    members: list[tuple[int, str]]


class IndexedRows(Group):
    """What the derived indexes hold, as the tables have it."""

    def any_record(self) -> bool:
        """Whether anything was ever stored."""
        return bool(self.sql.value("SELECT EXISTS (SELECT 1 FROM record)"))

    def last_edge(self) -> int:
        """The newest key of an edge; 0 where nothing is related."""
        return int(self.sql.value("SELECT max(pk) FROM edge") or 0)

    def records(self, first_pk: int, last_pk: int) -> list[IndexedRecord]:
        """The live records of a span of keys, ascending."""
        return list(map(IndexedRecord._make, self.sql.all(_RECORDS, (first_pk, last_pk))))

    def scopes(self, first_pk: int, last_pk: int) -> dict[int, int]:
        """Whose each live record of a span of keys is, by key."""
        sql = "SELECT pk, scope_pk FROM record r WHERE pk BETWEEN ? AND ? AND LIVE(r) ORDER BY pk"
        return dict(self.sql.all(sql, (first_pk, last_pk)))

    def edges(self, first_pk: int, last_pk: int) -> list[IndexedEdge]:
        """The live edges of a span of keys, ascending."""
        rows = self.sql.all(_EDGES, (first_pk, last_pk))
        return [
            IndexedEdge(pk, label, strength, valid_from, valid_until, [(row[5], row[6]) for row in members])
            for (pk, label, strength, valid_from, valid_until), members in groupby(rows, key=itemgetter(0, 1, 2, 3, 4))
        ]

    def kept(self, pks: Sequence[int]) -> int:
        """How many of these keys still have a row, live or not: the others were erased."""
        return int(self.sql.value("SELECT count(*) FROM record WHERE pk IN KEYS(?)", (self.sql.keys(pks),)))
