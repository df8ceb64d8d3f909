"""Numbered schema steps, each recorded in the transaction that applies it.

Two processes that start at once both ask for the exclusive lock; the second finds the work done. A file written
by a newer program, or by another program altogether, is refused before anything is touched.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from recollect.clock import now_us
from recollect.errors import MigrationFailed, StoreDamaged, StoreNewer
from recollect.model.labels import label_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

APPLICATION_ID = 0x5265636F  # "Reco", in the file header where `file` and other tools see it
_TABLE = "CREATE TABLE migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT"


_FOLDER = Path(__file__).with_name("migrations")  # `importlib.resources` would take 6 ms of every command to load


def steps() -> list[tuple[int, str, str]]:
    """(number, name, SQL) of every step this program knows, in order."""
    return [(int(name[:4]), name[5:-4], (_FOLDER / name).read_text(encoding="utf-8")) for name in _names()]


def migrate(
    db: apsw.Connection,
    path: str,
    known: Sequence[tuple[int, str, str]] | None = None,
    before: Callable[[], None] = lambda: None,
) -> int:
    """Bring the file to the newest version this program knows; the version it has afterwards.

    `before` is called first if there is a file of an earlier version to be changed.
    """
    newest = int(_names()[-1][:4]) if known is None else known[-1][0]
    version = _version(db, path, newest)
    if version == newest:
        return newest
    if version:
        before()
    known = steps() if known is None else known
    db.execute("BEGIN EXCLUSIVE")
    try:
        version = _version(db, path, newest)  # again, now that nobody else can be migrating
        if version == 0:
            db.execute(_TABLE)
            db.pragma("application_id", APPLICATION_ID)
        db.create_scalar_function("searched_terms", _searched_terms)
        for number, name, sql in known:
            if number > version:
                db.execute(sql)
                db.execute("INSERT INTO migration VALUES (?, ?, ?)", (number, name, now_us()))
        db.execute("COMMIT")
    except BaseException as error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        if isinstance(error, apsw.SQLError | apsw.ConstraintError | apsw.MismatchError):
            raise MigrationFailed(f"a schema step failed and was rolled back, {path} is as it was: {error}") from error
        raise
    return newest


def is_current(db: apsw.Connection, path: str) -> bool:
    """Whether the file has the newest version by now."""
    newest = int(_names()[-1][:4])
    return _version(db, path, newest) == newest


def _names() -> list[str]:
    return sorted(name for name in os.listdir(_FOLDER) if name.endswith(".sql"))


def _searched_terms(*row: Any) -> str:
    """What the text index holds of a row, by which steps that change the analysis write it anew."""
    from recollect.language.terms import terms_of

    content, category, tags, metadata = row
    return " ".join([*terms_of(content), *label_terms(category, tags, metadata)])


def _version(db: apsw.Connection, path: str, newest: int) -> int:
    """The version of the file, 0 for an empty one; refuses files that are not ours or are newer."""
    names = {row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not names:
        return 0
    if "migration" not in names or db.pragma("application_id") != APPLICATION_ID:
        raise StoreDamaged(
            f"{path} is a SQLite database of another program: move it away, or give another path; nothing was changed"
        )
    version = int(db.execute("SELECT coalesce(max(version), 0) FROM migration").get)
    if version > newest:
        raise StoreNewer(
            f"{path} has format {version}, this program knows up to {newest}; upgrade recollect to open it"
        )
    return version
