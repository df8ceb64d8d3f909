"""Damaged pages: where they are, and what of it can be made good.

The rows of the tables are all that cannot be had again. The text index is worked out of them, and a page that no table
uses says nothing: damage there is mended by building the one anew and rewriting the file without the other.
"""

from __future__ import annotations

from collections import deque

from recollect.errors import StoreDamaged
from recollect.model.record import Kind, SecurityTier, Tier
from recollect.store.base import Store, Tx
from recollect.store.sqlite.fts import configure
from recollect.store.tables import TABLES, Table

_FAULTS_SHOWN = 20
IS_TEXT = "(name = 'record_text' OR name = 'record_vocabulary' OR name LIKE 'record~_text~_%' ESCAPE '~')"
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND NOT " + IS_TEXT

_CHOICES = {"kind": Kind, "tier": Tier, "security": SecurityTier}  # of records
_OF_SORT = {  # what holds of a value that is there
    **dict.fromkeys(("id", "text", "name"), "typeof({0}) = 'text'"),
    **dict.fromkeys(("int", "time", "flag"), "typeof({0}) = 'integer'"),
    **dict.fromkeys(("list", "object"), "json_valid({0})"),
    "number": "typeof({0}) IN ('real', 'integer')",
    "blob": "typeof({0}) = 'blob'",
}


def faults(store: Store) -> list[str]:
    """What is wrong with the pages of a store, in SQLite's words; empty if nothing is."""
    try:
        with store.read() as tx:
            # FTS5 checks against a map of its segments that may be another transaction's; a query makes it look again.
            tx.sql.value("SELECT rowid FROM record_text WHERE record_text MATCH 'a' LIMIT 1")
    except StoreDamaged as error:
        return [error.message]
    return [*_checked(store, f"PRAGMA integrity_check({_FAULTS_SHOWN})"), *_strange(store)]


def only_beside_the_rows(store: Store) -> bool:
    """Whether every table but the text index, and every index on one, is sound."""
    try:
        with store.read() as tx:
            tables = [row[0] for row in tx.sql.all(_TABLES)]
    except StoreDamaged:
        return False
    unsound = any(_checked(store, f'PRAGMA integrity_check("{table}")') for table in tables)
    return bool(tables) and not unsound and not _strange(store)


def mend(store: Store) -> bool:
    """Build the text index anew and rewrite the file; whether it is sound afterwards. For `only_beside_the_rows`."""
    store.write(_put_aside_text_index)
    store.scrub()
    store.write(lambda tx: tx.text.rebuild())
    return not faults(store)


def _put_aside_text_index(tx: Tx) -> None:
    """An empty index in the place of the damaged one, whose pages are left to be dropped when the file is rewritten.

    It cannot be dropped as tables are: that reads the pages which cannot be read.
    """
    made = [
        row[0] for row in tx.sql.all("SELECT sql FROM sqlite_schema WHERE name IN ('record_text', 'record_vocabulary')")
    ]
    tx.sql.run("PRAGMA writable_schema = ON")
    try:
        tx.sql.run(f"DELETE FROM sqlite_schema WHERE {IS_TEXT} OR tbl_name LIKE 'record~_text~_%' ESCAPE '~'")
    finally:
        tx.sql.run("PRAGMA writable_schema = RESET")
    for sql in sorted(made, key=lambda sql: "fts5vocab" in sql):
        tx.sql.run(sql)
    configure(tx)


def strange(table: Table) -> str:
    """In SQL: that a row of a table holds what is never written."""
    holds = [
        f"{name} IS NULL AND {int(not column.needed)} OR {_OF_SORT[column.sort].format(name)}"
        for name, column in table.columns.items()
    ]
    if table.name == "record":
        holds += [f"{name} IN ({', '.join(map(repr, map(str, of)))})" for name, of in _CHOICES.items()]
    return f"NOT ({' AND '.join(f'({each})' for each in holds)})"


def _strange(store: Store) -> list[str]:
    """Rows that hold what is never written: a page that fits the others may say something else than it should."""
    found: list[str] = []
    for table in TABLES:
        try:
            with store.read() as tx:
                count = tx.sql.value(f"SELECT count(*) FROM {table.name} WHERE {strange(table)}")
                texts = ", ".join(name for name, column in table.columns.items() if column.sort != "blob")
                deque(tx.sql.each(f"SELECT {texts} FROM {table.name}"), maxlen=0)  # raises at a text that is none
        except StoreDamaged as error:
            return [*found, error.message]
        if count:
            found.append(f"{count} rows of {table.name} hold what was never written")
    return found


def _checked(store: Store, pragma: str) -> list[str]:
    try:
        with store.read() as tx:
            return [str(row[0]) for row in tx.sql.all(pragma) if row[0] != "ok"]
    except StoreDamaged as error:
        return [error.message]
