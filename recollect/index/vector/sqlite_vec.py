"""Vectors in a database of their own, searched there by sqlite-vec: next to no memory, and a scan of a file.

The file has no name where the system allows that: it is a cache, gone with the process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from recollect.index.base import Pks, Scored, Selection
from recollect.index.vector.filtering import hunted
from recollect.index.vector.flat import NOTHING, Vectors, best, last_of_each, unit
from recollect.index.vector.precision import PRECISIONS

if TYPE_CHECKING:
    import apsw

_FETCH_MAX = 4_096  # what the library gives at most
_NARROW = 20_000  # keys of allowed rows that are handed to the query
_COLUMNS = {"f32": "float", "i8": "int8", "binary": "bit"}
_CACHE_KIB = 2_048


class SqliteVecVectors:
    """The back end `sqlite-vec`. One thread applies, any thread searches, one at a time."""

    def __init__(self, dimensions: int, *, precision: str, metric: str, folder: Path | None) -> None:
        self._dimensions, self._precision = dimensions, precision
        # Rows are of length 1: the nearest by product or by distance are the nearest by angle.
        self._measure = "hamming" if precision == "binary" else "l2" if metric == "l2" else "cosine"
        self._wide = -(-dimensions // 8) * 8 if precision == "binary" else dimensions
        self._lock = Lock()
        self._db = _opened(folder)
        self._db.execute(
            f"CREATE VIRTUAL TABLE v USING vec0(e {_COLUMNS[precision]}[{self._wide}]"
            + (")" if precision == "binary" else f" distance_metric={self._measure})")
        )
        self._count = 0

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def count(self) -> int:
        return self._count

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        pks, vectors = last_of_each(puts, self._dimensions)
        leaving = json.dumps([*deletes, *pks.tolist()])
        rows = zip(pks.tolist(), self._coded(vectors), strict=True)
        with self._lock, self._db:
            self._db.execute("DELETE FROM v WHERE rowid IN (SELECT value FROM json_each(?))", (leaving,))
            self._db.executemany(f"INSERT INTO v(rowid, e) VALUES (?, {self._as('?')})", rows)
            self._count = int(self._db.execute("SELECT count(*) FROM v_rowids").get)

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        direction = unit(query)
        if direction is None or limit <= 0 or not among.count or not self._count:
            return NOTHING
        narrow = among.count < among.total and among.count <= _NARROW
        return hunted(
            limit,
            among,
            nearest=partial(self._nearest, direction),
            compared=partial(self._compared, direction, limit),
            worth=lambda fetch: not narrow and fetch <= _FETCH_MAX,
        )

    def _nearest(self, direction: Vectors, count: int, only: str = "", params: tuple[Any, ...] = ()) -> Scored:
        sql = f"SELECT rowid, distance FROM v WHERE e MATCH {self._as('?')} AND k = ? {only}"
        with self._lock:
            rows = self._db.execute(sql, (self._coded(direction[None])[0], count, *params)).fetchall()
        pks = np.array([pk for pk, _ in rows], dtype=np.int64)
        return best(pks, self._scores(np.array([far for _, far in rows], dtype=np.float32)), count)

    def _compared(self, direction: Vectors, limit: int, pks: Pks | None) -> Scored:
        if pks is None or len(pks) > _FETCH_MAX or limit > _FETCH_MAX:
            pks = self._keys() if pks is None else pks
            rows = self.vectors(pks)
            held = rows.any(axis=1)
            return best(pks[held], rows[held] @ direction, limit)
        only = "AND rowid IN (SELECT value FROM json_each(?))"
        return self._nearest(direction, limit, only, (json.dumps(pks.tolist()),))

    def _keys(self) -> Pks:
        with self._lock:
            return np.array([row[0] for row in self._db.execute("SELECT rowid FROM v_rowids")], dtype=np.int64)

    def _scores(self, distances: Vectors) -> Vectors:
        """Distances as the cosines they stand for."""
        if self._measure == "hamming":
            return np.cos(np.pi * distances / self._dimensions).astype(np.float32)
        near = 1.0 - (distances**2 / 2 if self._measure == "l2" else distances)
        return np.asarray(near, dtype=np.float32)

    def vectors(self, pks: Pks) -> Vectors:
        out = np.zeros((len(pks), self._dimensions), dtype=np.float32)
        sql = "SELECT rowid, e FROM v WHERE rowid IN (SELECT value FROM json_each(?))"
        with self._lock:
            found: dict[int, bytes] = dict(self._db.execute(sql, (json.dumps(pks.tolist()),)).fetchall())  # type: ignore[arg-type]
        if found:
            rows = dict(zip(found, self._decoded(b"".join(found.values()), len(found)), strict=True))
            for at, pk in enumerate(pks.tolist()):
                if pk in rows:
                    out[at] = rows[pk]
        return out

    def _as(self, value: str) -> str:
        return {"f32": value, "i8": f"vec_int8({value})", "binary": f"vec_bit({value})"}[self._precision]

    def _coded(self, vectors: Vectors) -> list[bytes]:
        if self._precision == "binary":
            return [row.tobytes() for row in np.packbits(vectors > 0, axis=1)]
        return [row.tobytes() for row in PRECISIONS[self._precision].encode(vectors)]

    def _decoded(self, data: bytes, count: int) -> Vectors:
        if self._precision == "binary":
            bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8).reshape(count, -1), axis=1)
            signs = bits[:, : self._dimensions].astype(np.float32) * 2 - 1
            return np.asarray(signs / np.sqrt(np.float32(self._dimensions)))
        numbers = PRECISIONS[self._precision]
        return numbers.decode(np.frombuffer(data, dtype=numbers.bits).reshape(count, self._dimensions))

    def relieve(self) -> None:
        with self._lock:
            self._db.execute("PRAGMA shrink_memory")

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        return False


def _opened(folder: Path | None) -> apsw.Connection:
    import apsw
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
