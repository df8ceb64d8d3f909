"""Which rows an export has, and the numbers they go by in it.

All of a store goes out under its own keys, because its journal speaks of them. A part of it is numbered from 1 on:
the keys of a store tell how much there is of others. Nothing goes out that touches a record of somebody else: no
relation with one, no name that only they used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.exchange.tables import TABLES, VECTORS, Table, selected
from recollect.store.base import Row, Tx
from recollect.store.entities import SPLIT_FROM

_POSITIONS = frozenset(
    {"consolidated_to", "asked_to"}
)  # how far something was gone over: a key, or any number before one

_OWN_RECORD = "{0} IN (SELECT pk FROM record WHERE scope_pk IN KEYS(?))"
_NAMED = "SELECT m.entity_pk FROM mention m JOIN record r ON r.pk = m.record_pk WHERE r.scope_pk IN KEYS(?)"
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
    "edge": "EXISTS (SELECT 1 FROM member m WHERE m.edge_pk = t.pk) AND NOT EXISTS (SELECT 1 FROM member m "
    "JOIN record r ON r.pk = m.record_pk WHERE m.edge_pk = t.pk AND r.scope_pk NOT IN KEYS(?))",
    "edge_before": "NOT EXISTS (SELECT 1 FROM member m JOIN record r ON r.pk = m.record_pk WHERE m.edge_pk = t.edge_pk "
    "AND r.scope_pk NOT IN KEYS(?))",
    "member": "NOT EXISTS (SELECT 1 FROM member m JOIN record r ON r.pk = m.record_pk WHERE m.edge_pk = t.edge_pk "
    "AND r.scope_pk NOT IN KEYS(?))",
    "space": "t.pk IN (SELECT v.space_pk FROM vector v JOIN record r ON r.pk = v.record_pk "
    "WHERE r.scope_pk IN KEYS(?))",
    "vector": _OWN_RECORD.format("t.record_pk"),
}


class Selection(NamedTuple):
    """What of a store is exported: all of it (`scope_pks` None), or what lies in these scopes."""

    scope_pks: list[int] | None = None
    vectors: bool = False

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(
            table
            for table in TABLES
            if (self.vectors or table.name not in VECTORS) and (self.scope_pks is None or not table.history)
        )

    def size(self, tx: Tx, table: Table) -> int:
        where, params = self._where(tx, table)
        return int(tx.sql.value(f"SELECT count(*) FROM {table.name} t WHERE {where}", params))

    def rows(self, tx: Tx, table: Table) -> Iterator[Row]:
        """Rows in an order that depends on nothing but what is stored."""
        where, params = self._where(tx, table)
        order = ", ".join(f"t.{name.strip()}" for name in table.order.split(","))
        return tx.sql.each(f"SELECT {selected(table)} FROM {table.name} t WHERE {where} ORDER BY {order}", params)

    def keys(self, tx: Tx, table: Table) -> NDArray[np.int64]:
        where, params = self._where(tx, table)
        rows = tx.sql.each(f"SELECT t.pk FROM {table.name} t WHERE {where} ORDER BY t.pk", params)
        return np.fromiter((row[0] for row in rows), dtype=np.int64)

    def _where(self, tx: Tx, table: Table) -> tuple[str, list[Any]]:
        if self.scope_pks is not None:
            where = _WITHIN[table.name]
            return where, [tx.sql.keys(self.scope_pks)] * where.count("?")
        if table.name == "journal" and not self.vectors:
            return "t.relation <> 'vector'", []
        return "1", []


class Numbers:
    """The keys of rows as an export has them."""

    def __init__(self, tx: Tx, chosen: Selection) -> None:
        self._own: dict[str, NDArray[np.int64]] | None = None
        if chosen.scope_pks is not None:
            self._own = {table.name: chosen.keys(tx, table) for table in chosen.tables if table.keyed}

    def of(self, table: str, pk: int | None) -> int | None:
        """The number of a row; None for one that is not in the export."""
        if self._own is None or pk is None:
            return pk
        keys = self._own[table]
        at = int(np.searchsorted(keys, pk))
        return at + 1 if at < len(keys) and keys[at] == pk else None

    def reached(self, pk: int) -> int:
        """How many records of the export have keys up to this one."""
        return pk if self._own is None else int(np.searchsorted(self._own["record"], pk, side="right"))

    def put(self, table: Table, values: dict[str, Any]) -> None:
        """Replace the keys in a row by numbers."""
        if self._own is None:
            return
        if table.keyed:
            values["pk"] = self.of(table.name, values["pk"])
        for name, column in table.columns.items():
            if column.refers and values.get(name) is not None:
                values[name] = self.of(column.refers, values[name])
            elif name in _POSITIONS:
                values[name] = self.reached(values[name])
        if table.name == "entity" and SPLIT_FROM in (values["attributes"] or {}):
            origin = self.of("entity", values["attributes"].pop(SPLIT_FROM))
            values["attributes"] |= {} if origin is None else {SPLIT_FROM: origin}
