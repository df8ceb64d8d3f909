"""Moving a store into a schema or out of one, in PostgreSQL's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson
import psycopg

from recollect.errors import UsageError
from recollect.store.base import Row, Tx
from recollect.store.moving import MovedTable, Moving, any_value

if TYPE_CHECKING:
    from recollect.store.postgres.connection import PostgresStatements

_LEFT = ("migration", "move_note", "key_given", "record_text", "record_text_totals")
_NEAR = "near_"  # tables of vectors that are searched here: filled from `vector`, wherever it comes from
_REFERENCES = "move:references"  # what says which references there are while none is checked
_TABLES = (
    "SELECT c.relname FROM pg_class c WHERE c.relnamespace = current_schema()::REGNAMESPACE "
    "AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.relname"
)
_COLUMNS = (
    "SELECT c.relname, a.attname, array_position(i.indkey::INT2[], a.attnum), a.atttypid = 'BYTEA'::REGTYPE "
    "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
    "LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary "
    "WHERE c.relnamespace = current_schema()::REGNAMESPACE AND c.relkind IN ('r', 'p') AND NOT c.relispartition "
    "AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY c.relname, a.attname"
)
_REFERRING = (
    "SELECT c.conname, c.conrelid::REGCLASS::TEXT, pg_get_constraintdef(c.oid) FROM pg_constraint c "
    "WHERE c.connamespace = current_schema()::REGNAMESPACE AND c.contype = 'f' AND c.conparentid = 0 {} "
    "ORDER BY c.conname, c.conrelid"
)
_LOG = (
    "CREATE TABLE IF NOT EXISTS move_note (seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
    'what TEXT COLLATE "C" NOT NULL, key TEXT COLLATE "C" NOT NULL)'
)


class PostgresMoving(Moving):
    """See `store.moving.Moving`."""

    sql: PostgresStatements

    def tables(self) -> list[MovedTable]:
        found: dict[str, list[Row]] = {}
        for name, *column in self.sql.all(_COLUMNS):
            found.setdefault(name, []).append(tuple(column))
        return [
            _table(name, columns) for name, columns in found.items() if name not in _LEFT and not name.startswith(_NEAR)
        ]

    def watch(self, tables: Sequence[MovedTable]) -> None:
        self.sql.run(_LOG)
        for table in tables:
            new, old = (
                f"INSERT INTO move_note (what, key) VALUES ('{table.name}', {_noted(table, row)});"
                for row in ("NEW", "OLD")
            )
            watching = f"move_watch_{table.name}"
            self.sql.run(
                f"CREATE OR REPLACE FUNCTION {watching}() RETURNS TRIGGER LANGUAGE plpgsql AS $body$ BEGIN "
                f"IF TG_OP <> 'INSERT' THEN {old} END IF; IF TG_OP <> 'DELETE' THEN {new} END IF; "
                "RETURN NULL; END $body$"
            )
            self.sql.run(
                f"CREATE OR REPLACE TRIGGER {watching} AFTER INSERT OR UPDATE OR DELETE ON {table.name} "
                f"FOR EACH ROW EXECUTE FUNCTION {watching}()"
            )

    def unwatch(self) -> None:
        watching = self.sql.all(
            "SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::REGNAMESPACE "
            "AND starts_with(proname, 'move_watch_') ORDER BY proname"
        )
        for (name,) in watching:
            self.sql.run(f"DROP FUNCTION {name}() CASCADE")
        self.sql.run("DROP TABLE IF EXISTS move_note")

    def keys_given(self) -> dict[str, int]:
        names = self.sql.all("SELECT name FROM key_given ORDER BY name")
        return {name: self.sql.next_key(name) - 1 for (name,) in names}

    def _put(self, table: MovedTable, rows: Sequence[Row]) -> None:
        types = self._types(table)
        with self.sql.db.cursor() as cursor:
            try:
                with cursor.copy(f"COPY {table.name} ({table.listed}) FROM STDIN (FORMAT BINARY)") as copy:
                    copy.set_types(types)
                    for row in rows:
                        copy.write_row(row)
            except psycopg.DataError:
                held = any_value(rows, "\x00")
                if held is None:
                    raise
                raise UsageError(
                    f"the row {table.written(table.key_of(held))} of table {table.name} holds a NUL character, which "
                    "PostgreSQL cannot keep: change or erase it, then begin again; nothing was changed at the source"
                ) from None

    def _types(self, table: MovedTable) -> list[str]:
        rows = self.sql.all(
            "SELECT a.attname, a.atttypid::REGTYPE::TEXT FROM pg_attribute a "
            "WHERE a.attrelid = CAST(? AS TEXT)::REGCLASS AND a.attnum > 0 AND NOT a.attisdropped",
            (table.name,),
        )
        known: dict[str, str] = dict(rows)
        return [known[name] for name in table.columns]

    def _after_rows(self, table: MovedTable) -> None:
        if "rowid" in table.columns:
            self.sql.run(
                f"SELECT setval(pg_get_serial_sequence('{table.name}', 'rowid'), "
                f"1 + coalesce((SELECT max(rowid) FROM {table.name}), 0), FALSE)"
            )


def _table(name: str, columns: list[Row]) -> MovedTable:
    keys = sorted((place, column, bool(binary)) for column, place, binary in columns if place is not None)
    keys = keys or [(0, "rowid", False)]
    return MovedTable(
        name,
        tuple(column for column, _, _ in columns),
        tuple(column for _, column, _ in keys),
        tuple(binary for _, _, binary in keys),
    )


def _noted(table: MovedTable, row: str) -> str:
    parts = (
        f"upper(encode({row}.{name}, 'hex'))" if binary else f"{row}.{name}"
        for name, binary in zip(table.key, table.binary, strict=True)
    )
    return f"json_build_array({', '.join(parts)})::TEXT"


def take_as_is(tx: Tx) -> None:
    """Have rows be taken as they come: triggers rest, references are not checked. What was worked out of rows goes."""
    sql = tx.sql
    for (table,) in sql.all(_TABLES):
        if table.startswith(_NEAR):
            sql.run(f"DROP TABLE {table} CASCADE")
    references = sql.all(_REFERRING.format(""))
    if references:
        tx.meta.note(_REFERENCES, orjson.dumps(references).decode())
    for name, table, _ in references:
        sql.run(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    for (table,) in sql.all(_TABLES):
        sql.run(f"ALTER TABLE {table} DISABLE TRIGGER USER")


def take_with_care(tx: Tx) -> None:
    """Have triggers work again, and what is written from now on refer to rows that are there."""
    sql = tx.sql
    for name, table, wanted in orjson.loads(tx.meta.text(_REFERENCES) or "[]"):
        sql.run(f"ALTER TABLE {table} ADD CONSTRAINT {name} {wanted} NOT VALID")
    for (table,) in sql.all(_TABLES):
        sql.run(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    tx.meta.forget(_REFERENCES)


def check_references(tx: Tx) -> None:
    """See that all that was taken as it came refers to rows that are there."""
    tx.sql.run("SET LOCAL statement_timeout = 0")
    for name, table, _ in tx.sql.all(_REFERRING.format("AND NOT c.convalidated")):
        tx.sql.run(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}")
