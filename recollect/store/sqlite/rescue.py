"""Everything in a damaged file that can still be read, in a new one.

Rows are taken from the tables alone, in the order of their keys; what lies on pages that cannot be read is passed over
and counted. Indexes and vectors are made anew, with them what is only damaged beside the rows. A row that refers to a
lost one goes with it, and so does one that holds what nobody wrote.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import apsw

from recollect.errors import StoreDamaged, UsageError
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store.base import FileKey, Row, Tx
from recollect.store.sqlite.connection import Opening, SqliteStatements
from recollect.store.sqlite.copying import prepare
from recollect.store.sqlite.damage import IS_TEXT, strange
from recollect.store.sqlite.errors import sqlite_errors
from recollect.store.sqlite.fts import configure
from recollect.store.sqlite.migrate import APPLICATION_ID, migrate
from recollect.store.sqlite.rewriting import alone_with
from recollect.store.tables import TABLES

_LISTED = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
_MADE_AGAIN = ("vector", "sealed_vector")  # in the background: of one that is damaged nobody could tell
_VERSION = ("record", "head_pk")
_KEYS_MAX = 1 << 62
_REFERENCES_ROUNDS = 20  # a row goes, then those that refer to it, then those that refer to these
# What SQLite says where a page cannot be read: damaged, not decrypted, beyond the end of the file, or no text.
_UNREADABLE = (apsw.CorruptError, apsw.IOError, apsw.NotADBError, UnicodeDecodeError)


class Salvage:
    """What became of the rows of each table. `lost` is an upper bound: keys between two rows that could be read."""

    def __init__(self) -> None:
        self.kept: dict[str, int] = {}
        self.lost: dict[str, int] = {}

    def lose(self, table: str, count: int) -> None:
        if count:
            self.lost[table] = self.lost.get(table, 0) + count

    def keep(self, table: str, count: int, newest_key: int | None) -> None:
        """So many are there now; more than there ever were keys cannot be lost."""
        self.kept[table] = count
        if newest_key is not None and table in self.lost:
            self.lost[table] = max(1, min(self.lost[table], newest_key - count))


def rescue(opening: Opening, target: Path) -> Salvage:
    """Fill a new file under the same key; `StoreDamaged` if not even the list of tables can be read."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    salvage = Salvage()
    with alone_with(opening, tolerant=True) as source, sqlite_errors(), closing(_new(target, opening.key)) as db:
        with db:
            _fill(source, db, salvage)
        db.pragma("journal_mode", "delete")
    return salvage


def _new(target: Path, key: FileKey) -> apsw.Connection:
    db = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
    prepare(db, key)
    db.pragma("auto_vacuum", "incremental")
    return db


def _fill(source: apsw.Connection, db: apsw.Connection, salvage: Salvage) -> None:
    if source.pragma("application_id") != APPLICATION_ID:
        raise StoreDamaged("it is a database of another program; nothing was changed")
    made, steps = _schema(source)
    tables = [
        (name, sql)
        for sort, name, sql in made
        if sort == "table" and not _is_text(source, name) and name[:7] != "sqlite_"
    ]
    for _, sql in tables:
        db.execute(sql)
    for name, _ in tables:
        if name not in _MADE_AGAIN:
            _take(source, db, name, salvage)
    db.executemany("INSERT OR IGNORE INTO migration VALUES (?, ?, ?)", steps)
    _without_strange(db, salvage)
    _with_scopes(db, salvage)
    _without_dangling(db, salvage)
    for name, _ in tables:
        salvage.keep(name, db.execute(f'SELECT count(*) FROM "{name}"').get, _newest_key(source, name))
    texts = [sql for sort, name, sql in made if sort == "table" and name in ("record_text", "record_vocabulary")]
    for sql in (*sorted(texts, key=lambda sql: "fts5vocab" in sql), *(sql for sort, _, sql in made if sort != "table")):
        db.execute(sql)
    configure(Tx(SqliteStatements(db)))
    _number_on(source, db)
    for name in ("user_version", "application_id"):
        db.pragma(name, source.pragma(name))


def _schema(source: apsw.Connection) -> tuple[list[tuple[str, str, str]], list[Row]]:
    """(sort, name, SQL) of all that this release makes, with the steps to it; of an older file, what it has itself."""
    with closing(apsw.Connection(":memory:")) as fresh:
        version = newest = migrate(fresh, ":memory:")
        with suppress(*_UNREADABLE, apsw.SQLError):
            version = source.execute("SELECT max(version) FROM migration").get or newest
        try:
            there = {name for (name,) in source.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            made = list((fresh if version == newest else source).execute(_LISTED))
        except _UNREADABLE:
            there, made = set(), []
        if not there & {name for sort, name, _ in made if sort == "table"}:
            raise StoreDamaged("not even the list of tables can be read; `recollect restore` has backups")
        return made, list(fresh.execute("SELECT * FROM migration")) if version == newest else []


def _is_text(source: apsw.Connection, name: str) -> bool:
    return bool(source.execute(f"SELECT {IS_TEXT} FROM (SELECT ? AS name)", (name,)).get)


def _take(source: apsw.Connection, db: apsw.Connection, table: str, salvage: Salvage) -> None:
    """Copy what can be read of a table."""
    known = db.execute(f'PRAGMA table_info("{table}")').fetchall()
    listed = ", ".join(f'"{row[1]}"' for row in known)
    put = f'INSERT OR IGNORE INTO "{table}" ({listed}) VALUES ({", ".join("?" * len(known))})'
    order = [str(row[1]) for row in sorted(known, key=lambda row: int(row[5] or 0)) if row[5]]
    keyed = _has_keys(db, table)
    try:
        for row in _by_key(source, table, listed, salvage) if keyed else _from_both_ends(source, table, listed, order):
            try:
                db.execute(put, row)
            except apsw.ConstraintError:
                salvage.lose(table, 1)
    except apsw.SQLError:  # the list of tables does not tell it right
        salvage.lose(table, _above(source, table, 0))


def _has_keys(db: apsw.Connection, table: str) -> bool:
    try:
        db.execute(f'SELECT rowid FROM "{table}" LIMIT 0')
    except apsw.SQLError:
        return False
    return True


def _by_key(source: apsw.Connection, table: str, listed: str, salvage: Salvage) -> Iterator[Row]:
    """The rows in the order of their keys, from the next key on that can be read where some cannot."""
    after = -1
    while True:
        query = f'SELECT rowid, {listed} FROM "{table}" NOT INDEXED WHERE rowid > ? ORDER BY rowid'
        try:
            for row in source.execute(query, (after,)):
                yield row[1:]
                after = row[0]
            return
        except _UNREADABLE:
            found = _next_key(source, table, after)
            if found is None:
                salvage.lose(table, _above(source, table, after))
                return
            salvage.lose(table, found - after - 1)
            after = found - 1
            try:  # its key can be read; so may the rest of it
                for row in source.execute(f"{query} LIMIT 1", (after,)):
                    yield row[1:]
            except _UNREADABLE:
                salvage.lose(table, 1)
            after = found


def _next_key(source: apsw.Connection, table: str, after: int) -> int | None:
    """The first key behind damaged pages, found by steps that double and then by halves."""
    low, high = after, after + 1
    while (found := _key_from(source, table, high)) is None:
        if high > _KEYS_MAX:
            return None
        low, high = high, 2 * high - after
    while high - low > 1:
        middle = (low + high) // 2
        nearer = _key_from(source, table, middle)
        low, high = (middle, high) if nearer is None else (low, middle)
        found = found if nearer is None else nearer
    return found


def _key_from(source: apsw.Connection, table: str, key: int) -> int | None:
    """The first key from this one on; None where that page cannot be read."""
    try:
        found = source.execute(
            f'SELECT rowid FROM "{table}" NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1', (key,)
        )
        row = found.fetchone()
    except _UNREADABLE:
        return None
    return int(row[0]) if row else None


def _above(source: apsw.Connection, table: str, after: int) -> int:
    """How many keys may have been behind the last row that could be read."""
    return max(1, (_newest_key(source, table) or 0) - max(0, after))


def _newest_key(source: apsw.Connection, table: str) -> int | None:
    with suppress(*_UNREADABLE, apsw.SQLError):
        newest = source.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).get
        return None if newest is None else int(newest)
    return None


def _from_both_ends(source: apsw.Connection, table: str, listed: str, order: Sequence[str]) -> Iterator[Row]:
    """The rows of a table without keys, forwards and backwards, each until the first page that cannot be read."""
    for way in ("ASC", "DESC"):
        by = ", ".join(f'"{name}" {way}' for name in order)
        try:
            yield from source.execute(f'SELECT {listed} FROM "{table}" ORDER BY {by}')
        except _UNREADABLE:
            continue
        return


def _without_strange(db: apsw.Connection, salvage: Salvage) -> None:
    for table in TABLES:
        db.execute(f"DELETE FROM {table.name} WHERE {strange(table)}")
        salvage.lose(table.name, db.changes())


def _with_scopes(db: apsw.Connection, salvage: Salvage) -> None:
    """What was in a scope that is lost, or contradicts itself, is the owner's alone: nobody guesses whose it is."""
    for pk, key, *values in db.execute(f"SELECT pk, key, {', '.join(DIMENSIONS)} FROM scope").fetchall():
        if _key_of_row(values) != key:
            db.execute("DELETE FROM scope WHERE pk = ?", (pk,))
    lost = set[int]()
    for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        for name in [row[3] for row in db.execute(f'PRAGMA foreign_key_list("{table}")') if row[2] == "scope"]:
            missing = f'SELECT DISTINCT "{name}" FROM "{table}" WHERE "{name}" NOT IN (SELECT pk FROM scope)'
            lost |= {row[0] for row in db.execute(missing)}
    for pk in sorted(lost):
        scope = Scope(user_id=f"rescued-{pk}")
        db.execute("INSERT INTO scope (pk, key, user_id) VALUES (?, ?, ?)", (pk, scope.key, scope.user_id))
    salvage.lost.pop("scope", None)
    salvage.lose("scope", len(lost))


def _key_of_row(values: Sequence[Any]) -> str | None:
    try:
        return Scope(**dict(zip(DIMENSIONS, values, strict=True))).key
    except UsageError:
        return None


def _without_dangling(db: apsw.Connection, salvage: Salvage) -> None:
    """Rows that refer to a lost one go, too; a reference that may be empty is emptied instead."""
    for _ in range(_REFERENCES_ROUNDS):
        broken: Sequence[Any] = db.execute("PRAGMA foreign_key_check").fetchall()
        if not broken:
            return
        for table, key, _, number in broken:
            names = [row[3] for row in db.execute(f'PRAGMA foreign_key_list("{table}")') if row[0] == number]
            try:
                if (table, *names) == _VERSION:
                    raise apsw.ConstraintError("a version whose record is lost is none that holds now")
                emptied = ", ".join(f'"{name}" = NULL' for name in names)
                db.execute(f'UPDATE "{table}" SET {emptied} WHERE rowid = ?', (key,))
            except (apsw.ConstraintError, apsw.SQLError):
                _drop(db, table, key, names)
                salvage.lose(table, 1)


def _drop(db: apsw.Connection, table: str, key: int | None, names: Sequence[str]) -> None:
    if key is not None:
        db.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (key,))
        return
    for row in db.execute(f'PRAGMA foreign_key_list("{table}")').fetchall():  # it has no keys: by what it refers to
        if row[3] in names:
            parent, column = row[2], row[4] or "pk"
            db.execute(f'DELETE FROM "{table}" WHERE "{row[3]}" NOT IN (SELECT "{column}" FROM "{parent}")')


def _number_on(source: apsw.Connection, db: apsw.Connection) -> None:
    """No key is given twice, not even one of a lost row."""
    with suppress(*_UNREADABLE):
        for name, newest in source.execute("SELECT name, seq FROM sqlite_sequence").fetchall():
            db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (newest, name))
            if not db.changes():
                db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, newest))
