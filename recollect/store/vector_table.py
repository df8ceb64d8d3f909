"""A database of vectors alone, searched there by sqlite-vec: the back end `sqlite-vec` of the vector indexes.

It is a cache: its file has no name where the system allows that, and is gone with the process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from uuid import uuid4

import apsw

NEAREST_MAX = 4_096  # what the library gives at most
_COLUMNS = {"f32": "float", "i8": "int8", "binary": "bit"}
_VALUES = {"f32": "?", "i8": "vec_int8(?)", "binary": "vec_bit(?)"}
_CACHE_KIB = 2_048
_AMONG = "rowid IN (SELECT value FROM json_each(?))"


class VectorDatabase:
    """Vectors by key, as bytes. One call at a time, from any thread."""

    def __init__(self, width: int, *, precision: str, measure: str, folder: Path | None) -> None:
        """`measure`: cosine or l2; vectors in single bits are compared by how many differ, and their width is that of
        whole bytes."""
        self._value = _VALUES[precision]
        self._lock = Lock()
        self._db = _opened(folder)
        by = "" if precision == "binary" else f" distance_metric={measure}"
        self._db.execute(f"CREATE VIRTUAL TABLE v USING vec0(e {_COLUMNS[precision]}[{width}]{by})")

    def apply(self, rows: Iterable[tuple[int, bytes]], leaving: Sequence[int]) -> None:
        """Drop rows, then add others, whose keys are among those that left or are new."""
        with self._lock, self._db:
            self._db.execute(f"DELETE FROM v WHERE {_AMONG}", (json.dumps(leaving),))
            self._db.executemany(f"INSERT INTO v(rowid, e) VALUES (?, {self._value})", rows)

    def count(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM v_rowids").get)

    def keys(self) -> list[int]:
        with self._lock:
            return [row[0] for row in self._db.execute("SELECT rowid FROM v_rowids")]

    def nearest(self, query: bytes, count: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """Keys and distances of the nearest, at most `NEAREST_MAX`; of all, or among some."""
        sql = f"SELECT rowid, distance FROM v WHERE e MATCH {self._value} AND k = ?"
        params: tuple[object, ...] = (query, count)
        if among is not None:
            sql, params = f"{sql} AND {_AMONG}", (*params, json.dumps(among))
        with self._lock:
            return [(pk, far) for pk, far in self._db.execute(sql, params)]

    def load(self, pks: Sequence[int]) -> dict[int, bytes]:
        """The vectors of those keys that are held."""
        with self._lock:
            found = self._db.execute(f"SELECT rowid, e FROM v WHERE {_AMONG}", (json.dumps(pks),))
            return {pk: data for pk, data in found}  # noqa: C416 - keys and values of known types

    def relieve(self) -> None:
        """Give back what was read of the file."""
        with self._lock:
            self._db.execute("PRAGMA shrink_memory")

    def close(self) -> None:
        with self._lock:
            self._db.close()


def _opened(folder: Path | None) -> apsw.Connection:
    import sqlite_vec

    named = folder is not None and os.name == "posix"
    path = str(folder / f"recollect-{uuid4()}.tmp") if named and folder is not None else ":memory:"
    db = apsw.Connection(path)
    db.enable_load_extension(True)
    db.load_extension(sqlite_vec.loadable_path())
    db.enable_load_extension(False)
    db.execute(f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-{_CACHE_KIB}")
    if named:
        db.execute("PRAGMA locking_mode=EXCLUSIVE; CREATE TABLE held(x)")  # the file is there and ours from here on
        os.chmod(path, 0o600)
        os.unlink(path)
    return db
