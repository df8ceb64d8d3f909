"""The tables of every database are the same: a step of the schema that one of them lacks shows here."""

from __future__ import annotations

import apsw
import psycopg
from postgres_server import server

from recollect.store.postgres import migrate as of_postgres
from recollect.store.sqlite import migrate as of_sqlite

_TYPES = {"INTEGER": "bigint", "TEXT": "text", "REAL": "double precision", "BLOB": "bytea"}
_OWN_TO_SQLITE = ("record_text", "record_vocabulary", "sqlite_")
_OWN_TO_POSTGRES = {"record_text", "record_text_totals", "key_given"}
Column = tuple[str, str, str, bool]


def columns_of_sqlite() -> set[Column]:
    db = apsw.Connection(":memory:")
    db.create_scalar_function("searched_terms", lambda *row: "")
    of_sqlite.migrate(db, ":memory:")
    rows = db.execute(
        'SELECT t.name, c.name, c.type, c."notnull" OR c.pk > 0 FROM sqlite_schema t '
        "JOIN pragma_table_info(t.name) c WHERE t.type = 'table'"
    )
    return {
        (table, column, _TYPES[kind], bool(needed))
        for table, column, kind, needed in rows
        if not table.startswith(_OWN_TO_SQLITE)
    }


def columns_of_postgres() -> set[Column]:
    with psycopg.connect(server().new()) as db:
        rows = db.execute(
            "SELECT c.table_name, c.column_name, c.data_type, c.is_nullable = 'NO' FROM information_schema.columns c "
            "JOIN information_schema.tables t USING (table_schema, table_name) "
            "WHERE c.table_schema = 'recollect' AND t.table_type = 'BASE TABLE'"
        ).fetchall()
    return {(row[0], row[1], row[2], row[3]) for row in rows if row[0] not in _OWN_TO_POSTGRES}


def test_every_table_has_the_same_columns() -> None:
    sqlite, postgres = columns_of_sqlite(), columns_of_postgres()
    assert len(sqlite) > 300
    assert sqlite - postgres == set()
    assert postgres - sqlite == {
        ("alias", "rowid", "bigint", True)
    }  # the order of arrival, which SQLite keeps by itself


def test_text_is_ordered_by_its_bytes() -> None:
    with psycopg.connect(server().new()) as db:
        rows = db.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'recollect' "
            "AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C' AND table_name <> 'migration'"
        ).fetchall()
    assert rows == []


def test_steps_have_the_same_numbers() -> None:
    first, *later = (number for number, _, _ in of_postgres.steps())
    assert later == [number for number, _, _ in of_sqlite.steps() if number > first]


def test_json_with_a_nul_is_read_where_it_cannot_be_kept() -> None:
    with psycopg.connect(server().new()) as db:
        db.execute("SET search_path = recollect")
        told = r'{"a": "x\u0000\u0000y", "b": "\\u0000", "c": [1, "\u0000"]}'
        row = db.execute(
            "SELECT json_text(%s, '$.a'), json_text(%s, '$.b'), json_int(%s, '$.c[0]')", (told, told, told)
        ).fetchone()
    assert row == ("x\ufffd\ufffdy", r"\u0000", 1)
