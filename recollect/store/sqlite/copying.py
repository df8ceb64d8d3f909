"""A whole copy of a store while it goes on being used, by SQLite's online backup, under the same key.

The copy is one moment of the store: a read is held open on the source, so that what is written meanwhile neither gets
in nor makes the copy begin again. It goes in portions and leaves the interpreter free in each.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw

from recollect.errors import Interrupted, StoreBusy, StoreDamaged, StoreError
from recollect.store.base import FileKey
from recollect.store.sqlite.connection import PAGE_BYTES, Opening, unlock
from recollect.store.sqlite.errors import sqlite_errors
from recollect.store.sqlite.migrate import APPLICATION_ID

_PORTION_PAGES = 1024
_FAULTS_SHOWN = 5
_BUSY_PAUSE_S = 0.05
_BUSY_TRIES_MAX = 200


def copy_online(
    source: apsw.Connection, target: Path, key: FileKey, going_on: Callable[[], bool] = lambda: True
) -> None:
    """Copy what `source` has open into a new file under its own key, and have that on the disk.

    `Interrupted` when it may not go on: the file is then worth nothing.
    """
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    with sqlite_errors():
        db = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            prepare(db, key)
            source.execute("BEGIN")
            try:
                source.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # from here on it is one moment
                _copy(source, db, going_on)
            finally:
                source.execute("ROLLBACK")
            db.pragma("journal_mode", "delete")  # one file, with no log that belongs to it
        finally:
            db.close()
    _flush(target)


def prepare(db: apsw.Connection, key: FileKey) -> None:
    """A new file to be filled in one go: under its key from the first page on, and without a journal."""
    db.pragma("temp_store", "memory")
    if key is not None:
        unlock(db, key)
        db.pragma("page_size", PAGE_BYTES)
        db.execute(
            "CREATE TABLE copied (row)"
        )  # until a page is written, the file has no key: the copy would be refused
    db.pragma("journal_mode", "off")
    db.pragma("synchronous", "off")


def _copy(source: apsw.Connection, db: apsw.Connection, going_on: Callable[[], bool]) -> None:
    tries = 0
    with db.backup("main", source, "main") as running:
        while not running.done:
            if not going_on():
                raise Interrupted("the backup was broken off: the memory is being closed")
            try:
                running.step(_PORTION_PAGES)
            except (apsw.BusyError, apsw.LockedError):
                tries += 1
                if tries > _BUSY_TRIES_MAX:
                    raise StoreBusy("the store is locked by another process; try the backup again") from None
                time.sleep(_BUSY_PAUSE_S)


def check_copy(path: Path, key: FileKey) -> list[str]:
    """What is wrong with a copy, in words; empty if it is a store of ours, every page of which can be read."""
    if not path.is_file():
        return ["it is not there"]
    try:
        with sqlite_errors():
            return _checked(path, key)
    except StoreError as error:
        return [error.message]


def _checked(path: Path, key: FileKey) -> list[str]:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        if key is not None:
            unlock(db, key)
        if not db.execute("SELECT count(*) FROM sqlite_schema").get or db.pragma("application_id") != APPLICATION_ID:
            return ["it is no store of Recollect"]
        db.pragma("journal_mode", "delete")
        return [str(row[0]) for row in db.execute(f"PRAGMA quick_check({_FAULTS_SHOWN})") if row[0] != "ok"]
    except apsw.NotADBError:
        return ["it cannot be read with this key, or its beginning is damaged"]
    finally:
        db.close()
        for suffix in ("-wal", "-shm"):
            with suppress(OSError):
                os.unlink(f"{path}{suffix}")


def newest_of(path: Path, key: FileKey) -> tuple[str, int] | None:
    """(id, time) of the last thing that was done in a copy; None if nothing ever was."""
    with sqlite_errors():
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            if key is not None:
                unlock(db, key)
            row = db.execute("SELECT id, at FROM operation ORDER BY pk DESC LIMIT 1").fetchone()
        finally:
            db.close()
    return None if row is None else (str(row[0]), int(row[1]))


def sound_copy(source: apsw.Connection, target: Path, opening: Opening, going_on: Callable[[], bool]) -> None:
    """A copy that was read back and found sound; `StoreDamaged` if it was not."""
    copy_online(source, target, opening.key, going_on)
    if faults := check_copy(target, opening.key):
        raise StoreDamaged(
            f"the backup was read back and is not sound ({'; '.join(faults)}): the store itself may be damaged, "
            "`recollect doctor` looks; no earlier backup was touched"
        )


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
