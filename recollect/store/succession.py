"""Records that took the place of others, and when that ended what the others say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from recollect.model.query import Criteria
from recollect.store.base import Group
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.journal import SPAN_MAX

_LIFTED = ("valid_from", "valid_until")
_REPLACES = (  # (old one, new one) of everything live that took another's place
    "FROM member old JOIN edge e ON e.pk = old.edge_pk AND e.label = 'supersedes' AND LIVE(e) "
    f"JOIN member new ON new.edge_pk = e.pk AND new.role IN {SOURCE_ROLES} "
    f"JOIN record r ON r.pk = new.record_pk AND LIVE(r) WHERE old.role IN {TARGET_ROLES}"
)
_ENDED_BY = (  # the last operation that holds and said when a record is true, and what it said before
    "SELECT j.operation_pk, j.before FROM journal j JOIN operation o ON o.pk = j.operation_pk "
    "WHERE j.relation = 'record' AND j.first_pk BETWEEN ? AND ? AND j.last_pk >= ? AND o.undone_by IS NULL "
    "AND o.undoes IS NULL AND json_type(j.before, '$.valid_until') IS NOT NULL ORDER BY j.pk DESC LIMIT 1"
)


class Succession(Group):
    """Which record stands for which."""

    def successors(self, pk: int, criteria: Criteria | None, *, now: int) -> list[str]:
        """The ids of what is said instead of a record, at the end of the chain, as far as a reader sees it."""
        clause, params = ("1 = 1", []) if criteria is None else self.tx.criteria.where(criteria, now=now, times=False)
        found = self.sql.all(
            f"WITH RECURSIVE replaced (old, new, id) AS (SELECT old.record_pk, new.record_pk, r.id {_REPLACES} "
            f"AND old.record_pk = ? AND {clause} UNION SELECT old.record_pk, new.record_pk, r.id FROM replaced p "
            f"CROSS JOIN {_REPLACES.removeprefix('FROM ')} AND old.record_pk = p.new AND {clause}) "
            "SELECT DISTINCT id FROM replaced WHERE new NOT IN (SELECT old FROM replaced) ORDER BY new",
            [pk, *params, *params],
        )
        return [row[0] for row in found]

    def ended_only_by(self, pks: Sequence[int]) -> list[tuple[int, int]]:
        """(record, relation) of what these records took the place of, and no other live one does."""
        gone = self.sql.keys(pks)
        rows = self.sql.all(
            f"SELECT DISTINCT old.record_pk, e.pk {_REPLACES} AND new.record_pk IN KEYS(?) "
            "AND old.record_pk NOT IN KEYS(?) AND NOT EXISTS (SELECT 1 FROM member held JOIN edge f "
            "ON f.pk = held.edge_pk AND f.label = 'supersedes' AND LIVE(f) "
            f"JOIN member by ON by.edge_pk = f.pk AND by.role IN {SOURCE_ROLES} AND by.record_pk NOT IN KEYS(?) "
            "JOIN record other ON other.pk = by.record_pk AND LIVE(other) "
            f"WHERE held.record_pk = old.record_pk AND held.role IN {TARGET_ROLES}) ORDER BY 1",
            (gone, gone, gone),
        )
        return [(row[0], row[1]) for row in rows]

    def before_its_end(self, pk: int, edge_pk: int) -> dict[str, Any] | None:
        """When a record was true by what was known before the operation that stored this relation ended it.

        None if another operation has said since when it is true.
        """
        last = self.sql.one(_ENDED_BY, (pk - SPAN_MAX + 1, pk, pk))
        by = self.sql.value(
            "SELECT operation_pk FROM journal WHERE relation = 'edge' AND before IS NULL AND first_pk BETWEEN ? AND ? "
            "AND last_pk >= ?",
            (edge_pk - SPAN_MAX + 1, edge_pk, edge_pk),
        )
        if last is None or last[0] != by:
            return None
        return {name: value for name, value in orjson.loads(last[1]).items() if name in _LIFTED}
