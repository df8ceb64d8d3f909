"""Which rows an export has, and the numbers they go by in it.

All of a store goes out under its own keys, because its journal speaks of them. A part of it is numbered from 1 on:
the keys of a store tell how much there is of others. Nothing goes out that touches a record of somebody else: no
relation with one, no name that only they used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.store.base import Tx
from recollect.store.entities import SPLIT_FROM
from recollect.store.exports import ExportedPart
from recollect.store.tables import Table

_POSITIONS = frozenset(
    {"consolidated_to", "asked_to"}
)  # how far something was gone over: a key, or any number before one


class Numbers:
    """The keys of rows as an export has them."""

    def __init__(self, tx: Tx, chosen: ExportedPart) -> None:
        self._own: dict[str, NDArray[np.int64]] | None = None
        if chosen.scope_pks is not None:
            self._own = {table.name: tx.exports.keys(table, chosen) for table in chosen.tables if table.keyed}

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
