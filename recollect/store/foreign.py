"""Reads a database file of another program: which tables it has, and their rows. Nothing of it is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from recollect.store.sqlite.errors import sqlite_errors

_MAGIC = b"SQLite format 3\x00"


def is_database(path: Path) -> bool:
    """Whether a path names a file that is a database, of this program or of another."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def tables(path: str) -> dict[str, tuple[str, ...]]:
    """The tables of a database and the names of their columns."""
    with sqlite_errors(), closing(_opened(path)) as db:
        named = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: tuple(row[0] for row in db.execute("SELECT name FROM pragma_table_info(?)", (name,)))
            for name in named
        }


def rows(path: str, table: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a table in the order they were stored. The names must be those that `tables` gave."""
    chosen = ", ".join(f'"{column}"' for column in columns)
    with sqlite_errors(), closing(_opened(path)) as db:
        for row in db.execute(f'SELECT {chosen} FROM "{table}" ORDER BY rowid'):
            yield dict(zip(columns, row, strict=True))


def _opened(path: str) -> apsw.Connection:
    return apsw.Connection(f"file:{quote(path)}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
