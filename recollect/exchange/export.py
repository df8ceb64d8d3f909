"""Writing an export: every row of a store, or of a part of it, as lines that tell the same each time.

All of a store goes out under its own keys, because its journal speaks of them. A part of it is numbered from 1 on:
the keys of a store tell how much there is of others. Nothing goes out that touches a record of another scope: no
relation with one, no name that only that scope used.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from recollect.exchange.lines import LineWriter
from recollect.ingest.progress import report
from recollect.security.fields import FieldCipher
from recollect.security.screening.policy import SECRETS
from recollect.security.signing import Paper, SigningKey
from recollect.store.base import Row, Tx
from recollect.store.entities import SPLIT_FROM
from recollect.store.exports import UNSEALED, ExportedPart
from recollect.store.tables import BY_NAME, Table

SIGNED_BY = "signed_by"  # in the header: the id of the key that signed the end
_REPORT_ROWS = 1_000
_FOREIGN = ("aliases", "summary", "attributes")  # of an entity of a wider scope: what others may have told of it

_TO_JSON: dict[str, Callable[[Any], Any]] = {
    "list": orjson.loads,
    "object": orjson.loads,
    "blob": lambda data: b64encode(data).decode(),
}
_POSITIONS = frozenset(
    {"consolidated_to", "asked_to"}
)  # how far something was gone over: a key, or any number before one


def write_lines(
    tx: Tx,
    chosen: ExportedPart,
    file: IO[bytes],
    key: SigningKey | None = None,
    whole: FieldCipher | None = None,
) -> dict[str, Any]:
    """Write what was chosen, signed if there is a key; figures about it. One snapshot of the store, row by row.

    With `whole` records of a tier go out with what is sealed of them, but for secrets.
    """
    boxes = {} if whole is None else tx.sealed.by_row()
    counts = {table.name: tx.exports.size(table, chosen) for table in chosen.tables}
    lines = LineWriter(file, None if key is None else lambda digest: key.sign(Paper.EXPORT, digest.encode()))
    lines.header(_facts(tx, chosen, counts) | ({} if key is None else {SIGNED_BY: key.id}))
    numbers = Numbers(tx, chosen)
    total, done = sum(counts.values()), 0
    for table in chosen.tables:
        shaped = _shaper(tx, table, chosen)
        for row in tx.exports.rows(table, chosen):
            values = shaped(row)
            if whole is not None and table.name == "record" and values["pk"] in boxes:
                _unseal(tx, values, boxes[values["pk"]], whole)
            numbers.put(table, values)
            lines.row({"table": table.name} | {name: each for name, each in values.items() if each is not None})
            done += 1
            if done % _REPORT_ROWS == 0:
                report(done, total)
    lines.end()
    report(total, total)
    told = {"count": counts["record"], "rows": counts, "lines": lines.count, "bytes": lines.bytes}
    return {**told, "sha256": lines.digest, "signed": key is not None}


def _facts(tx: Tx, chosen: ExportedPart, counts: Mapping[str, int]) -> dict[str, Any]:
    """The header. Neither when nor where it was written: the same store gives the same file."""
    whole = chosen.scope_pks is None
    facts: dict[str, Any] = {
        "schema": tx.exports.format_version(),
        "complete": whole,
        "vectors": chosen.vectors,
        "counts": dict(counts),
    }
    if whole:
        facts["keys"] = tx.exports.last_keys()
    return facts


def _shaper(tx: Tx, table: Table, chosen: ExportedPart) -> Callable[[Row], dict[str, Any]]:
    """What makes the values of a line of a row: JSON is JSON there, bytes are base64."""
    names = ["pk", *table.columns] if table.keyed else list(table.columns)
    turned = [(name, _TO_JSON[column.sort]) for name, column in table.columns.items() if column.sort in _TO_JSON]

    def shaped(row: Row) -> dict[str, Any]:
        values = dict(zip(names, row, strict=True))
        for name, turn in turned:
            if values[name] is not None:
                values[name] = turn(values[name])
        return values

    if table.name != "entity" or chosen.scope_pks is None:
        return shaped
    return lambda row: _own_side(tx, shaped(row), chosen.scope_pks or [])


def _unseal(tx: Tx, values: dict[str, Any], ref: int, whole: FieldCipher) -> None:
    """A record with its originals, marked with the tier that it is to have again. What does not open stays hidden."""
    opened = whole.opened_as_far(tx.sealed.load([ref]).values()).get(ref, {})
    originals = {name: each for name, each in opened.items() if name != SECRETS}
    columns = BY_NAME["record"].columns
    for name, each in originals.items():
        values[name] = each if each is None else _TO_JSON.get(columns[name].sort, str)(each)
    if originals:
        values["attributes"] = {**(values["attributes"] or {}), UNSEALED: values["security"]}


def _own_side(tx: Tx, entity: dict[str, Any], scope_pks: list[int]) -> dict[str, Any]:
    """An entity as its part of a store knows it. Of one that belongs to a wider scope only what its own records say."""
    entity["summary"] = None
    if entity["scope_pk"] not in scope_pks:
        first, last = tx.exports.entity_seen(entity["pk"], scope_pks)
        entity |= {**dict.fromkeys(_FOREIGN), "first_seen": first, "last_seen": last, "found": 1}
    return entity


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
