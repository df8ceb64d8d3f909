"""The size of an encrypted file in steps, so that it does not tell how much is stored.

Padding is free pages inside the database. They are encrypted like all others and used by what is stored next, so the
file stays as it is until a step is full. Zeros behind the end would be told from encrypted pages at a glance.
"""

from __future__ import annotations

from recollect.store.base import Tx

_ROW_BYTES = 7_000  # takes a page of its own
_FREE_PAGE_BYTES = 8_000


def fill_up(tx: Tx, *, step_pages: int) -> None:
    """Inside a transaction that writes: have the number of pages a multiple of the step."""
    if not _missing(tx, step_pages):
        return
    free = int(tx.sql.value("PRAGMA freelist_count"))
    tx.sql.run("CREATE TABLE padding (zeros BLOB)")
    if free > 1:  # these are taken first, so they must be in use before the file grows
        tx.sql.run("INSERT INTO padding VALUES (zeroblob(?))", (free * _FREE_PAGE_BYTES,))
    while _missing(tx, step_pages):
        tx.sql.run("INSERT INTO padding VALUES (zeroblob(?))", (_ROW_BYTES,))
    tx.sql.run("DROP TABLE padding")


def _missing(tx: Tx, step_pages: int) -> int:
    return -int(tx.sql.value("PRAGMA page_count")) % step_pages
