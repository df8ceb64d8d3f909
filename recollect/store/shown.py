"""Records as an answer shows them, and what other records say of them: what a hit is made of and judged by.

A whole record has twice as many columns, half of them JSON. Where a context asks for hundreds of candidates, to read
and unpack what no hit shows took longer than to find them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from recollect.model.edge import CONTRADICTION_LABELS
from recollect.model.place import Place
from recollect.model.query import Criteria
from recollect.model.record import Kind, SecurityTier
from recollect.store import before
from recollect.store.base import Group, Row
from recollect.store.rows import reader

_COLUMNS = (
    "id",
    "content",
    "kind",
    "category",
    "created_at",
    "updated_at",
    "event_time",
    "valid_from",
    "valid_until",
    "metadata",
    "tags",
    "place",
    "role",
    "speaker",
    "security",
    "version",
    "confidence",
    "importance",
    "half_life_days",
    "access_count",
    "success_count",
    "failure_count",
    "user_verified",
    "flagged",
    "provenance_sessions",
    "attributes",
    "sealed",
)
_SELECT = (
    f"SELECT r.pk, {', '.join(f'r.{name}' for name in _COLUMNS)}, n.id FROM record r "
    "LEFT JOIN session n ON n.pk = r.session_pk WHERE r.pk IN KEYS(?) ORDER BY r.pk"
)
_RESTS_ON, _SUPPORTED_BY, _CONTRADICTED_BY = "rests on", "supported by", "contradicted by"
_AGAINST = ", ".join(f"'{label}'" for label in CONTRADICTION_LABELS)
_FACTS = f"""
    WITH asked (pk, head) AS (SELECT pk, coalesce(head_pk, pk) FROM record WHERE pk IN KEYS(?))
    SELECT a.pk, CASE WHEN e.label IN ({_AGAINST}) THEN '{_CONTRADICTED_BY}'
                      WHEN e.label = 'derived_from' THEN '{_RESTS_ON}' ELSE '{_SUPPORTED_BY}' END AS what,
           count(DISTINCT r.pk)
    FROM asked a
    JOIN member here ON here.record_pk = a.head
    JOIN edge e ON e.pk = here.edge_pk AND {{edge_believed}} AND HOLDS(e, ?)
         AND (e.label IN ({_AGAINST}) OR (e.label = 'derived_from' AND here.role = 'subject')
              OR (e.label IN ('supports', 'validates') AND here.role = 'object'))
    JOIN member there ON there.edge_pk = e.pk AND there.record_pk <> a.head
    JOIN record r ON r.pk = there.record_pk AND {{record_believed}}
    WHERE (e.label NOT IN ({_AGAINST}) OR r.valid_until IS NULL OR r.valid_until > ?) AND {{visible}}
    GROUP BY a.pk, what
"""


class ShownRecord(NamedTuple):
    """One row; every field is what the record's field of that name is."""

    id: str
    content: str
    kind: Kind
    category: str
    created_at: datetime
    updated_at: datetime
    event_time: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    metadata: dict[str, Any]
    tags: tuple[str, ...]
    place: Place | None
    role: str | None
    speaker: str | None
    security: SecurityTier
    version: int
    confidence: float
    importance: float
    half_life_days: float | None
    access_count: int
    success_count: int
    failure_count: int
    user_verified: bool
    flagged: bool
    provenance_sessions: tuple[str, ...]
    attributes: dict[str, Any]
    sealed: int | None
    session_id: str | None


class Facts(NamedTuple):
    """What other records say of one."""

    rests_on: int = 0  # records it was derived from
    supported_by: int = 0  # records that support or validate it
    contradicted: bool = False  # by one that still holds

    def sources(self, sessions: int) -> int:
        """How many speak for it, itself included; `sessions` are those that confirmed it."""
        return max(1, self.rests_on, sessions) + self.supported_by


NO_FACTS = Facts()


class ShownRecords(Group):
    """What an answer shows of records."""

    def load(self, pks: Sequence[int], *, known_at: int | None = None) -> dict[int, ShownRecord]:
        """Rows by key, in one statement; keys without a row are left out. With `known_at` as they were judged then."""
        rows = self.sql.all(_SELECT, (self.sql.keys(pks),))
        if known_at is not None:
            held = self.tx.before.of_rows(pks, known_at)
            rows = [_as_held(row, held.get(row[0], {})) for row in rows]
        read = _reader()
        return {row[0]: read(row) for row in rows}

    def facts(self, pks: Sequence[int], *, now: int, visible: Criteria | None = None) -> dict[int, Facts]:
        """What is related to these records, in one statement; records without relations are left out.

        With `visible`, what the reader may not see does not count: a figure must not tell of it; and where that asks
        what was known at a time, neither does what came later.
        """
        if not self.tx.edges.any_edge():
            return {}
        clause, params = ("1 = 1", []) if visible is None else self.tx.criteria.where(visible, now=now, times=False)
        known_at = None if visible is None else visible.known_at
        sql = _FACTS.format(
            visible=clause,
            edge_believed=before.edge_believed(known_at),
            record_believed=before.record_believed(known_at),
        )
        counts: dict[int, dict[str, int]] = {}
        for pk, what, count in self.sql.all(sql, [self.sql.keys(pks), now, now, *params]):
            counts.setdefault(pk, {})[what] = count
        return {
            pk: Facts(found.get(_RESTS_ON, 0), found.get(_SUPPORTED_BY, 0), _CONTRADICTED_BY in found)
            for pk, found in counts.items()
        }


@cache
def _reader() -> Callable[[Row], Any]:
    return reader(ShownRecord, ("_", *_COLUMNS, "session_id"))


def _as_held(row: Row, held: dict[str, Any]) -> Row:
    """A row with the columns that were judged otherwise at a time."""
    if not held:
        return row
    values = (held.get(name, value) for name, value in zip(_COLUMNS, row[1:], strict=False))
    return (row[0], *values, row[-1])
