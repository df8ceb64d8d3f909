"""Numbered schema steps, each recorded in the transaction that applies it.

Processes that start at once wait for each other by the lock that writers take, too; the second finds the work done. A
schema written by a newer program, or by another program altogether, is refused before anything is touched. Numbers are
those of the SQLite schema: the first step makes all tables as they were at its number.
"""

from __future__ import annotations

import os
from pathlib import Path

import psycopg
from psycopg import sql as composing

from recollect.clock import now_us
from recollect.errors import MigrationFailed, NotFound, StoreDamaged, StoreError, StoreNewer
from recollect.store.base import Row
from recollect.store.postgres.connection import VERSION_MIN, ServerOpening
from recollect.store.postgres.errors import first_line

_FOLDER = Path(__file__).with_name("migrations")
_TABLE = "CREATE TABLE migration (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)"


def steps() -> list[tuple[int, str, str]]:
    """(number, name, SQL) of every step this program knows, in order."""
    return [(int(name[:4]), name[5:-4], (_FOLDER / name).read_text(encoding="utf-8")) for name in _names()]


def migrate(db: psycopg.Connection[Row], opening: ServerOpening) -> int:
    """Bring the schema to the newest version this program knows; the version it has afterwards."""
    if db.info.server_version < VERSION_MIN:
        raise StoreError(
            f"the server is PostgreSQL {db.info.server_version // 10_000}; Recollect needs "
            f"{VERSION_MIN // 10_000} or newer"
        )
    newest = int(_names()[-1][:4])
    if _version(db, opening, newest) == newest:
        return newest
    if not opening.create and _version(db, opening, newest) == 0:
        raise NotFound(f"there is no store at {opening.place} yet")
    name = composing.Identifier(opening.schema).as_string(None)
    with db.transaction():
        db.execute(f"SET LOCAL lock_timeout = {int(opening.settings.busy_timeout_s * 1000)}")
        db.execute(f"SELECT pg_advisory_xact_lock({opening.lock})")
        version = _version(db, opening, newest)  # again, now that nobody else can be migrating
        try:
            with db.transaction():
                if version == 0:
                    db.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
                db.execute(f"SET LOCAL search_path = {name}")
                if version == 0:
                    db.execute(_TABLE)
                for number, title, sql in steps():
                    if number > version:
                        db.execute(sql)
                        db.execute("INSERT INTO migration VALUES ($1, $2, $3)", (number, title, now_us()))
        except (psycopg.ProgrammingError, psycopg.IntegrityError, psycopg.DataError) as error:
            if isinstance(error, psycopg.errors.InsufficientPrivilege):
                raise
            raise MigrationFailed(
                f"a schema step failed and was rolled back, {opening.place} is as it was: {first_line(error)}"
            ) from error
    return newest


def _names() -> list[str]:
    return sorted(name for name in os.listdir(_FOLDER) if name.endswith(".sql"))


def _version(db: psycopg.Connection[Row], opening: ServerOpening, newest: int) -> int:
    """The version of the schema, 0 where there is none; refuses schemas that are not ours or are newer."""
    found = db.execute(
        "SELECT count(*), count(*) FILTER (WHERE tablename = 'migration') FROM pg_tables WHERE schemaname = $1",
        (opening.schema,),
    ).fetchone()
    assert found is not None
    tables, ours = found
    if not tables:
        return 0
    if not ours:
        raise StoreDamaged(
            f"schema {opening.schema} holds tables of another program; nothing was changed; give another schema="
        )
    name = composing.Identifier(opening.schema).as_string(None)
    row = db.execute(f"SELECT coalesce(max(version), 0) FROM {name}.migration").fetchone()
    assert row is not None
    version = int(row[0])
    if version > newest:
        raise StoreNewer(
            f"{opening.place} has format {version}, this program knows up to {newest}; upgrade recollect to open it"
        )
    return version
