"""A whole export put into an empty store: the store it came from, again, with its past and the keys it had.

One transaction: all of it or nothing. It is not an operation, since there is nothing to go back to; what was done in
the other store can be undone here as it could there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

from recollect.exchange.admitting import Admitting
from recollect.exchange.arriving import Sealing, index_records, request_work, scope_of, seal_rows
from recollect.exchange.checked import ExportLine, rows_of
from recollect.exchange.lines import read_header
from recollect.exchange.source import ImportSource
from recollect.store import changes
from recollect.store.base import Tx
from recollect.store.rows import content_hash
from recollect.store.tables import Table

PORTION_ROWS = 1_000
_TOPICS = {"record": "record", "edge": "edge", "entity": "entity"}


def restore(tx: Tx, source: ImportSource, admitting: Admitting, *, now: int, watch: Callable[[int], None]) -> int:
    """Copy every row of a file that was looked through before; how many relations closed a circle and were left out."""
    tx.arrivals.copy_exactly()
    header = read_header(source.start().readline())
    for table, lines in groupby(admitting.of(rows_of(source)), key=lambda line: line.table):
        for portion in portions(lines):
            _copy(tx, table, [line.values for line in portion], admitting.sealed)
            watch(portion[-1].done)
    keys = header.get("keys", {})
    tx.arrivals.go_on_after(keys if isinstance(keys, dict) else {})
    request_work(tx, now=now)
    return tx.arrivals.drop_circles(0, every=False)


def portions(lines: Iterable[ExportLine]) -> Iterator[list[ExportLine]]:
    lines = iter(lines)
    while portion := list(islice(lines, PORTION_ROWS)):
        yield portion


def _copy(tx: Tx, table: Table, rows: Sequence[dict[str, Any]], sealed: Sealing) -> None:
    if table.name == "scope":
        for row in rows:
            row["key"] = scope_of(row).key
    if table.name == "record":
        for row in rows:
            row["content_hash"] = content_hash(row["content"])
        seal_rows(tx, rows, sealed)
    tx.arrivals.insert(table.name, rows)
    if table.name == "record":
        index_records(tx, [(row["pk"], row) for row in rows])
    if table.name in _TOPICS:
        for first, last in changes.spans([row["pk"] for row in rows]):
            tx.changes.announce(_TOPICS[table.name], first, last)
