"""A store written anew under another key: the one way in which a file is encrypted, decrypted or rekeyed.

The file stays as it is while a copy of it is made, and the copy takes its place by a rename. SQLite's own rekeying
works on the file itself: killed in the middle, it leaves a file of two keys and a journal with plain pages.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

import apsw

from recollect.errors import StoreBusy, StoreError
from recollect.store.base import FileKey, Tx
from recollect.store.sqlite.connection import Opening, SqliteStatements, cipher_settings, readable, unlock
from recollect.store.sqlite.errors import sqlite_errors

_WAIT_S = 2.0  # for others to close the store: a command that is just ending


@contextmanager
def alone_with(opening: Opening, *, tolerant: bool = False) -> Iterator[apsw.Connection]:
    """A connection that has the file to itself; `StoreBusy` if it is open elsewhere. No log lies beside it inside.

    `tolerant`: a table that the list of tables does not tell right keeps no other from being read.
    """
    with sqlite_errors():
        db = apsw.Connection(opening.path, flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI)
        try:
            db.set_busy_timeout(int(_WAIT_S * 1000))
            if opening.key is not None:
                unlock(db, opening.key)
            db.pragma("temp_store", "memory")
            db.pragma("writable_schema", tolerant)
            db.pragma("locking_mode", "exclusive")
            _leave_log(db, opening.path)
            yield db
        finally:
            db.close()


def _leave_log(db: apsw.Connection, path: str) -> None:
    """Going back to a rollback journal folds the log into the file, and takes the lock that nobody shares."""
    try:
        left = db.pragma("journal_mode", "delete") == "delete"
        db.execute("BEGIN EXCLUSIVE")
        db.execute("COMMIT")
    except apsw.BusyError:
        left = False
    if not left:
        raise StoreBusy(
            f"{path} is open elsewhere, in another process or by another recollect.open() of this one: close it there, "
            "then try again. Nothing was changed"
        )


def rewrite_copy(target: Path, key: FileKey, rewrite: Callable[[Tx], None]) -> None:
    """Change rows of a copy that nobody else knows yet. Killed in the middle, the copy is worth nothing, and goes."""
    with sqlite_errors():
        db = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            if key is not None:
                unlock(db, key)
            db.pragma("journal_mode", "memory")
            db.pragma("temp_store", "memory")
            db.pragma("secure_delete", True)
            with db:
                rewrite(Tx(SqliteStatements(db)))
        finally:
            db.close()
    _have_on_disk(target)


def _have_on_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def copy_under(db: apsw.Connection, target: Path, key: FileKey) -> None:
    """Write all of the open store into a new file under a key, or plain, and have that on the disk."""
    settings = {"cipher": "sqlcipher", "key": ""} if key is None else cipher_settings(key)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    with sqlite_errors():
        db.execute("VACUUM INTO ?", (f"file:{quote(str(target))}?{urlencode(settings)}",))
    _have_on_disk(target)
    if not readable(Opening(path=str(target), key=key, create=False)):
        raise StoreError("the copy under the new key cannot be read back; nothing was changed")
