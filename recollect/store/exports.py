"""What goes out of a store: the rows of its tables, of all of it or of some scopes.

Nothing goes out that touches a record of other scopes: no relation with one, no name that only they used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.model.scope import DIMENSIONS
from recollect.store.base import Group, Row
from recollect.store.tables import TABLES, VECTORS, Table

UNSEALED = "unsealed_tier"  # among the attributes of a record whose text was sealed, and goes out under a passphrase
SEQUENCES = ("record", "edge", "entity", "operation")  # tables whose keys are never given twice
_OWN_RECORD = "{0} IN (SELECT pk FROM record WHERE scope_pk IN KEYS(?))"
_NAMED = "SELECT m.entity_pk FROM mention m JOIN record r ON r.pk = m.record_pk WHERE r.scope_pk IN KEYS(?)"
_OWN_EDGE = (
    "NOT EXISTS (SELECT 1 FROM member m JOIN record r ON r.pk = m.record_pk WHERE m.edge_pk = {0} "
    "AND r.scope_pk NOT IN KEYS(?))"
)
_WITHIN = {
    "scope": f"t.pk IN KEYS(?) OR t.pk IN (SELECT scope_pk FROM entity WHERE pk IN ({_NAMED}))",
    "session": "t.scope_pk IN KEYS(?)",
    "record": "t.scope_pk IN KEYS(?)",
    "gap": _OWN_RECORD.format("t.record_pk"),
    "record_before": _OWN_RECORD.format("t.record_pk"),
    "entity": f"t.scope_pk IN KEYS(?) OR t.pk IN ({_NAMED})",
    "alias": f"{_OWN_RECORD.format('t.record_pk')} OR (t.record_pk IS NULL AND t.entity_pk IN "
    "(SELECT pk FROM entity WHERE scope_pk IN KEYS(?)))",
    "mention": _OWN_RECORD.format("t.record_pk"),
    "edge": f"EXISTS (SELECT 1 FROM member m WHERE m.edge_pk = t.pk) AND {_OWN_EDGE.format('t.pk')}",
    "edge_before": _OWN_EDGE.format("t.edge_pk"),
    "member": _OWN_EDGE.format("t.edge_pk"),
    "space": "t.pk IN (SELECT v.space_pk FROM vector v JOIN record r ON r.pk = v.record_pk "
    "WHERE r.scope_pk IN KEYS(?))",
    "vector": _OWN_RECORD.format("t.record_pk"),
    "sentence_vectors": _OWN_RECORD.format("t.record_pk"),
}
# What is sealed stays: nobody else has the key. An image without its number is that of the row without it.
_TOLD = {("journal", "before"): "CASE t.relation WHEN 'record' THEN JSON_DROP(t.before, '$.sealed') ELSE t.before END"}
_READABLE = (
    f"SELECT {', '.join(f's.{name}' for name in DIMENSIONS)}, n.id, r.kind, r.category, r.id, r.content, r.speaker, "
    "r.role, coalesce(r.event_time, r.valid_from, r.created_at), r.valid_until, r.tags, r.confidence, r.flagged "
    "FROM record r JOIN scope s ON s.pk = r.scope_pk LEFT JOIN session n ON n.pk = r.session_pk "
    "WHERE HEAD(r) AND LIVE(r) AND {} "
    f"ORDER BY {', '.join(f'coalesce(s.{name}, {chr(39) * 2})' for name in DIMENSIONS)}, n.started_at DESC "
    f"NULLS LAST, n.id, "
    "r.kind, 13 DESC, r.pk DESC"
)


class ExportedPart(NamedTuple):
    """What of a store goes out: all of it (`scope_pks` None) or what lies in these scopes, with or without vectors."""

    scope_pks: list[int] | None = None
    vectors: bool = False

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that have rows in it: what was done in a store goes out with all of the store only."""
        return tuple(
            table
            for table in TABLES
            if (self.vectors or table.name not in VECTORS) and (self.scope_pks is None or not table.history)
        )


class Exports(Group):
    """Rows as they leave the store."""

    def size(self, table: Table, part: ExportedPart) -> int:
        """How many rows of a table go out."""
        where, params = self._where(table, part)
        return int(self.sql.value(f"SELECT count(*) FROM {table.name} t WHERE {where}", params))

    def rows(self, table: Table, part: ExportedPart) -> Iterator[Row]:
        """The rows of a table, their key first where they have one, in an order that only depends on what is stored."""
        where, params = self._where(table, part)
        names = ["pk", *table.columns] if table.keyed else list(table.columns)
        columns = ", ".join(_TOLD.get((table.name, name), f"t.{name}") for name in names)
        order = ", ".join(f"t.{name.strip()}" for name in table.order.split(","))
        return self.sql.each(f"SELECT {columns} FROM {table.name} t WHERE {where} ORDER BY {order}", params)

    def keys(self, table: Table, part: ExportedPart) -> NDArray[np.int64]:
        """The keys of the rows that go out, ascending."""
        where, params = self._where(table, part)
        rows = self.sql.each(f"SELECT t.pk FROM {table.name} t WHERE {where} ORDER BY t.pk", params)
        return np.fromiter((row[0] for row in rows), dtype=np.int64)

    def format_version(self) -> int:
        """The version of the tables."""
        return int(self.sql.value("SELECT max(version) FROM migration"))

    def last_keys(self) -> dict[str, int]:
        """The last key that was given in each of the tables that never give one twice."""
        return {name: self.sql.next_key(name) - 1 for name in SEQUENCES}

    def entity_seen(self, entity_pk: int, scope_pks: Sequence[int]) -> tuple[int, int]:
        """When records of these scopes named an entity for the first and for the last time."""
        seen = self.sql.one(
            "SELECT min(coalesce(r.event_time, r.created_at)), max(coalesce(r.event_time, r.created_at)) "
            "FROM mention m JOIN record r ON r.pk = m.record_pk WHERE m.entity_pk = ? AND r.scope_pk IN KEYS(?)",
            (entity_pk, self.sql.keys(scope_pks)),
        )
        assert seen is not None
        return seen[0], seen[1]

    def readable_count(self, scope_pks: Sequence[int] | None) -> int:
        """How many live records there are, of these scopes or of all."""
        where, params = self._scoped(scope_pks)
        return int(self.sql.value(f"SELECT count(*) FROM record r WHERE HEAD(r) AND LIVE(r) AND {where}", params))

    def readable(self, scope_pks: Sequence[int] | None) -> Iterator[Row]:
        """Live records as people read them: by scope, session and kind, the newest first."""
        where, params = self._scoped(scope_pks)
        return self.sql.each(_READABLE.format(where), params)

    def _scoped(self, scope_pks: Sequence[int] | None) -> tuple[str, list[Any]]:
        return ("1 = 1", []) if scope_pks is None else ("r.scope_pk IN KEYS(?)", [self.sql.keys(scope_pks)])

    def _where(self, table: Table, part: ExportedPart) -> tuple[str, list[Any]]:
        if part.scope_pks is not None:
            where = _WITHIN[table.name]
            return where, [self.sql.keys(part.scope_pks)] * where.count("?")
        if table.name == "journal" and not part.vectors:
            return "t.relation <> 'vector'", []
        return "1 = 1", []
