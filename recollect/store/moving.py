"""Rows of a whole store as they are: read in portions, put elsewhere, compared. For moving a store to another place.

Rows are moved with their keys, so whatever refers to a row goes on referring to it. While rows are moved, writes go on:
triggers note the key of every row that is written (`watch`), and what was noted is brought after. What is worked out of
the rows, which is the text index, is written anew along with them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from recollect.store.base import Group, Row
from recollect.store.meta import ABOUT_MOVES, FILLED_FROM
from recollect.store.records import SEARCHED, searched_terms

_RECORD = "record"
_STATE = f"{ABOUT_MOVES}state"
_PRINT_BYTES = 16
PORTION_ROWS, _FIRST_ROWS, PORTION_BYTES = 4_000, 200, 8 << 20


class MovedTable(NamedTuple):
    """A table that is moved: its columns in the order of their names, and those of them that are its key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    binary: tuple[bool, ...]  # which parts of the key are bytes

    @property
    def listed(self) -> str:
        return ", ".join(self.columns)

    @property
    def keyed(self) -> str:
        return ", ".join(self.key)

    def key_of(self, row: Row) -> Row:
        return tuple(row[self.columns.index(name)] for name in self.key)

    def written(self, key: Row) -> str:
        """A key as triggers note it."""
        parts = [part.hex().upper() if isinstance(part, bytes) else part for part in key]
        return orjson.dumps(parts).decode()

    def read(self, noted: str) -> Row:
        """The key that a trigger noted."""
        parts = zip(orjson.loads(noted), self.binary, strict=True)
        return tuple(bytes.fromhex(part) if binary else part for part, binary in parts)


class NotedRow(NamedTuple):
    """A row that was written while its store is moved."""

    seq: int
    table: str
    key: str


class MoveState(NamedTuple):
    """How far a move has come, as the store that is filled notes it."""

    id: str
    runner: str  # who goes on with it: of two that try, the later one does
    format: int  # of the schema when it was begun
    copied: dict[str, str | None]  # by table: the key of the last row; None: all of them


class RowsPrint(NamedTuple):
    """How many rows, and a print of all of them: two tables with the same print hold the same."""

    rows: int
    digest: str


class RowPrinter:
    """Sums up rows, in whatever order they come."""

    def __init__(self) -> None:
        self._rows, self._sum = 0, 0

    def take(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._rows += 1
            self._sum += int.from_bytes(blake2b(repr(row).encode(), digest_size=_PRINT_BYTES).digest(), "big")

    @property
    def told(self) -> RowsPrint:
        return RowsPrint(self._rows, f"{self._sum % (1 << 8 * _PRINT_BYTES):032x}")


class Moving(Group):
    """Rows of every table that is moved. A database says which there are, notes writes, and takes rows in quickly."""

    @abstractmethod
    def tables(self) -> list[MovedTable]:
        """The tables that are moved, by name: all that are not worked out of others."""

    @abstractmethod
    def watch(self, tables: Sequence[MovedTable]) -> None:
        """Have the key of every row that is written from now on be noted, whoever writes it. Harmless twice."""

    @abstractmethod
    def unwatch(self) -> None:
        """Note nothing any more, and forget what was noted. Harmless where nothing is watched."""

    @abstractmethod
    def keys_given(self) -> dict[str, int]:
        """The largest key that was ever given, of tables that give none twice."""

    @abstractmethod
    def _put(self, table: MovedTable, rows: Sequence[Row]) -> None:
        """Insert rows as they are."""

    @abstractmethod
    def _after_rows(self, table: MovedTable) -> None:
        """What a table needs when its last row is there."""

    def portion(self, table: MovedTable, after: Row | None, limit: int) -> list[Row]:
        """The next rows in the order of their keys."""
        conditions, params = _own_rows(table), []
        if after is not None:
            conditions.append(f"({table.keyed}) > ({', '.join('?' * len(after))})")
            params = list(after)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return self.sql.all(
            f"SELECT {table.listed} FROM {table.name}{where} ORDER BY {table.keyed} LIMIT ?", [*params, limit]
        )

    def rows(self, table: MovedTable, keys: Sequence[Row]) -> list[Row]:
        """The rows of these keys that are there."""
        own = "".join(f" AND {each}" for each in _own_rows(table))
        select = f"SELECT {table.listed} FROM {table.name}"
        if table.key == ("pk",):
            return self.sql.all(f"{select} WHERE pk IN KEYS(?)", (self.sql.keys(key[0] for key in keys),))
        named = " AND ".join(f"{name} = ?" for name in table.key)
        found = (self.sql.one(f"{select} WHERE {named}{own}", key) for key in keys)
        return [row for row in found if row is not None]

    def bring(self, table: MovedTable, keys: Sequence[Row], rows: Sequence[Row]) -> None:
        """Have the rows of these keys be these, and no others."""
        if table.key == ("pk",):
            self.sql.run(f"DELETE FROM {table.name} WHERE pk IN KEYS(?)", (self.sql.keys(key[0] for key in keys),))
        else:
            named = " AND ".join(f"{name} = ?" for name in table.key)
            self.sql.many(f"DELETE FROM {table.name} WHERE {named}", keys)
        if rows:
            self._put(table, rows)
        if table.name == _RECORD:
            if keys:
                self.tx.text.drop([key[0] for key in keys])
            self._index(table, rows)

    def add(self, table: MovedTable, rows: Sequence[Row]) -> None:
        """Insert rows that are not there."""
        self._put(table, rows)
        if table.name == _RECORD:
            self._index(table, rows)

    def _index(self, table: MovedTable, rows: Sequence[Row]) -> None:
        at, places = table.columns.index("pk"), [table.columns.index(name) for name in SEARCHED]
        self.tx.text.put(
            (row[at], searched_terms(dict(zip(SEARCHED, (row[place] for place in places), strict=True))))
            for row in rows
        )

    def clear(self, tables: Sequence[MovedTable]) -> None:
        """Leave no row in these tables."""
        for table in tables:
            own = _own_rows(table)
            self.sql.run(f"DELETE FROM {table.name}" + (f" WHERE {own[0]}" if own else ""))
        if any(table.name == _RECORD for table in tables):
            self.tx.text.rebuild()

    def count(self, table: MovedTable) -> int:
        own = _own_rows(table)
        return int(self.sql.value(f"SELECT count(*) FROM {table.name}" + (f" WHERE {own[0]}" if own else "")))

    def print_of(self, table: MovedTable) -> RowsPrint:
        """How many rows there are, and a print of them."""
        printer, last, limit = RowPrinter(), None, _FIRST_ROWS
        while rows := self.portion(table, last, limit):
            printer.take(rows)
            last, limit = table.key_of(rows[-1]), next_limit(rows, limit)
        return printer.told

    def take_keys(self, given: dict[str, int], tables: Sequence[MovedTable]) -> None:
        """Never give these keys again, and have each table ready for its next row."""
        for name, last in given.items():
            self.sql.skip_keys(name, last)
        for table in tables:
            self._after_rows(table)

    def noted(self, after: int, limit: int) -> list[NotedRow]:
        """Rows that were written since they are watched, in the order of the notes."""
        rows = self.sql.all("SELECT seq, what, key FROM move_note WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit))
        return [NotedRow(*row) for row in rows]

    def noted_count(self) -> int:
        return int(self.sql.value("SELECT count(*) FROM move_note"))

    def forget_noted(self, notes: Iterable[int]) -> None:
        """These notes were gone by. By number: another may have been kept late under a smaller one."""
        self.sql.run("DELETE FROM move_note WHERE seq IN KEYS(?)", (self.sql.keys(notes),))

    def state(self) -> MoveState | None:
        """How far the move that fills this store has come; None if none does."""
        noted = self.tx.meta.text(_STATE)
        return None if noted is None else MoveState(**orjson.loads(noted))

    def keep_state(self, state: MoveState) -> None:
        self.tx.meta.note(_STATE, orjson.dumps(state._asdict()).decode())

    def forget_state(self) -> None:
        """The store is all here, or nothing of it."""
        for note in (_STATE, FILLED_FROM):
            self.tx.meta.forget(note)

    def format(self) -> int:
        """The newest step of the schema."""
        return int(self.sql.value("SELECT max(version) FROM migration"))


def next_limit(rows: Sequence[Row], limit: int) -> int:
    """How many rows to ask for next, so that a portion stays within its bytes."""
    size = sum(len(value) for row in rows for value in row if isinstance(value, str | bytes)) + len(rows)
    return max(20, min(PORTION_ROWS, limit * PORTION_BYTES // size, 4 * limit))


def _own_rows(table: MovedTable) -> list[str]:
    return [f"substr(key, 1, {len(ABOUT_MOVES)}) <> '{ABOUT_MOVES}'"] if table.name == "meta" else []


def any_value(rows: Sequence[Row], found: str) -> Any:
    """The first row with a text that holds these characters; None where there is none."""
    return next((row for row in rows if any(isinstance(value, str) and found in value for value in row)), None)
