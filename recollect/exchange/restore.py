"""A whole export put into an empty store: the store it came from, again, with its past and the keys it had.

One transaction: all of it or nothing. It is not an operation, since there is nothing to go back to; what was done in
the other store can be undone here as it could there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from recollect.exchange.checked import Line, rows_of
from recollect.exchange.derived import drop_circles, index_records, request_work, scope_of
from recollect.exchange.lines import read_header
from recollect.exchange.source import Source
from recollect.exchange.tables import Table
from recollect.store import changes
from recollect.store.base import Tx
from recollect.store.rows import content_hash

PORTION_ROWS = 1_000
_FILLED = ("scope", "record", "entity", "edge", "operation", "session")
_TOPICS = {"record": "record", "edge": "edge", "entity": "entity"}


def is_empty(tx: Tx) -> bool:
    """Whether nothing was ever stored here."""
    return not any(tx.sql.value(f"SELECT EXISTS (SELECT 1 FROM {table})") for table in _FILLED)


def restore(tx: Tx, source: Source, *, now: int, watch: Callable[[int], None]) -> int:
    """Copy every row of a file that was looked through before; how many relations closed a circle and were left out."""
    tx.sql.run("PRAGMA defer_foreign_keys = ON")  # rows may refer to later ones; at the end all must be there
    header = read_header(source.start().readline())
    for table, lines in groupby(rows_of(source), key=lambda line: line.table):
        for portion in portions(lines):
            _copy(tx, table, [line.values for line in portion])
            watch(portion[-1].done)
    _go_on_after(tx, header.get("keys", {}))
    request_work(tx, now=now)
    return drop_circles(tx, 0, every=False)


def portions(lines: Iterable[Line]) -> Iterator[list[Line]]:
    lines = iter(lines)
    while portion := list(islice(lines, PORTION_ROWS)):
        yield portion


def _copy(tx: Tx, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    if table.name == "scope":
        for row in rows:
            row["key"] = scope_of(row).key
    if table.name == "record":
        for row in rows:
            row["content_hash"] = content_hash(row["content"])
    insert_rows(tx, table.name, rows)
    if table.name == "record":
        index_records(tx, [(row["pk"], row) for row in rows])
    if table.name in _TOPICS:
        for first, last in changes.spans([row["pk"] for row in rows]):
            tx.changes.announce(_TOPICS[table.name], first, last)


def insert_rows(tx: Tx, table: str, rows: Sequence[Mapping[str, Any]], *, again: str = "ABORT") -> None:
    """Insert rows that have different columns: what a row does not say is as the database has it.

    `again` is what becomes of a row that is there already: ABORT or IGNORE.
    """
    for names, alike in groupby(rows, key=tuple):
        into = f"INSERT OR {again} INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        tx.sql.many(into, (tuple(row.values()) for row in alike))


def _go_on_after(tx: Tx, keys: Any) -> None:
    """Keys of rows that were erased or dropped there are not given to others here: the journal may speak of them."""
    for name in ("record", "edge", "entity", "operation"):
        most = keys.get(name) if isinstance(keys, dict) else None
        if type(most) is int and 0 < most < 2**53:
            tx.sql.run(
                "INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0 WHERE NOT EXISTS "
                "(SELECT 1 FROM sqlite_sequence WHERE name = ?)",
                (name, name),
            )
            tx.sql.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (most, name))
