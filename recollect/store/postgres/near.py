"""Vectors where PostgreSQL itself can search them, by the extension pgvector.

Beside `vector`, which holds what was stored, each space has a table of half-precision vectors under an HNSW index. It
is an index like any other: filled from `vector`, kept fresh by the change feed, made anew where it was left behind. No
write takes part in it. One process of a store keeps it at a time, by an advisory lock of its own. A search reads in its
snapshot how far the table is and compares the rows that changed since one by one, so that what was just stored is found
at once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np
import psycopg
from psycopg import sql as composing

from recollect.errors import RecollectError
from recollect.model.query import Criteria
from recollect.store.base import Row, Tx
from recollect.store.near import Direction, NearRows, NearSearch
from recollect.store.postgres.connection import PostgresStatements, run_together
from recollect.store.postgres.rows import guard_table
from recollect.store.vectors import Space

VERSION_MIN = (0, 8)  # halfvec, and scans that go on until enough rows pass a filter
DIMENSIONS_MAX = 4_000  # that an HNSW index over halfvec takes
INSTALL = "docs/postgres.md, Search in the database"
_PORTION_ROWS = 4_000
_PORTION_CHANGES = 10_000
_TAIL_ROWS_MAX = 20_000  # changed rows that a search compares one by one
_EXACT_ROWS_MAX = 10_000  # rows of the visible scopes that are all compared, rather than asked of the index
_EF_MIN, _EF_MAX = 100, 1_000
_SCAN_TUPLES_MAX = 40_000
_ASK_AGAIN_S = 60.0  # whether the extension came meanwhile
_STATE = (
    "CREATE TABLE IF NOT EXISTS near_state (space_pk BIGINT PRIMARY KEY REFERENCES space(pk) ON DELETE CASCADE, "
    "filled_to BIGINT NOT NULL, watermark BIGINT NOT NULL, whole BIGINT NOT NULL CHECK (whole IN (0, 1)))"
)
_BY_TIME = "CREATE INDEX IF NOT EXISTS record_time ON record (scope_pk, coalesce(event_time, created_at))"
_COPY_HEAD = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
_COPY_TAIL = b"\xff\xff"


@dataclass(slots=True)
class NearKnown:
    """What one process knows of the tables: where the extension is, and which spaces searches may ask there."""

    extension: str = ""  # the schema it is in; '': it is not there
    ready: frozenset[int] = field(default_factory=frozenset)


class PostgresNear(NearSearch):
    """Searches by meaning: in the tables of pgvector where these are ready, else row by row."""

    def nearest(
        self, space: Space, direction: Direction, criteria: Criteria, *, now: int, limit: int
    ) -> NearRows | None:
        known = self._known
        mark = None
        if known is not None and space.pk in known.ready:
            mark = self.sql.value("SELECT watermark FROM near_state WHERE space_pk = ? AND whole = 1", (space.pk,))
        if mark is None:
            return super().nearest(space, direction, criteria, now=now, limit=limit)
        changed, left_out = self._changed_since(space, int(mark))
        held = self._held(space, direction, criteria, now, limit + min(limit, len(changed)))
        fresh = self.tx.records.matching(criteria, now=now, among=changed.tolist()) if len(changed) else []
        compared = self._compared(space, direction, fresh, limit)
        old = ~np.isin(held.pks, changed)
        pks = np.concatenate([held.pks[old], compared.pks])
        cosines = np.concatenate([held.cosines[old], compared.cosines])
        order = np.lexsort((-pks, -cosines))[:limit]
        return NearRows(pks[order], cosines[order], left_out)

    @property
    def _known(self) -> NearKnown | None:
        assert isinstance(self.sql, PostgresStatements)
        return self.sql.near

    def _changed_since(self, space: Space, mark: int) -> tuple[np.ndarray[Any, np.dtype[np.int64]], int]:
        """The newest rows that the table may not hold as they are, ascending, and how many more of them there are."""
        spans = self.sql.all(
            "SELECT first_pk, last_pk FROM change WHERE seq > ? AND (topic = 'record' OR (topic = 'vector' AND "
            "space_pk = ?)) ORDER BY last_pk DESC, first_pk DESC",
            (mark, space.pk),
        )
        rows: set[int] = set()
        left_out = 0
        for first, last in spans:
            room = _TAIL_ROWS_MAX - len(rows)
            rows.update(range(max(first, last - room + 1), last + 1))
            left_out += max(0, last - first + 1 - room)
        return np.array(sorted(rows), dtype=np.int64), left_out

    def _held(self, space: Space, direction: Direction, criteria: Criteria, now: int, limit: int) -> NearRows:
        """The nearest that the table holds: by the index, or all compared where few rows may be returned."""
        where, params = self.tx.criteria.where(criteria, now=now)
        visible = self.tx.scopes.visible(criteria.scope, criteria.reach)
        if visible is not None:
            where = f"n.scope_pk IN ({', '.join(map(str, visible)) or 'NULL'}) AND {where}"
        if visible is None or self._more_than(visible, _EXACT_ROWS_MAX):
            found = self._asked(space, direction, where, params, limit, exact=False)
            if len(found.pks) >= limit or not criteria.conditions:
                return found
        return self._asked(space, direction, where, params, limit, exact=True)

    def _more_than(self, visible: list[int], rows: int) -> bool:
        counted = "SELECT count(*) FROM (SELECT 1 FROM record WHERE scope_pk IN KEYS(?) LIMIT ?) few"
        return int(self.sql.value(counted, (self.sql.keys(visible), rows + 1))) > rows

    def _asked(
        self, space: Space, direction: Direction, where: str, params: list[Any], limit: int, *, exact: bool
    ) -> NearRows:
        assert isinstance(self.sql, PostgresStatements)
        assert self._known is not None
        within = composing.Identifier(self._known.extension).as_string(None)
        if not exact:
            beam = min(_EF_MAX, max(_EF_MIN, limit))
            run_together(
                self.sql.db,
                "SET LOCAL hnsw.iterative_scan = relaxed_order",
                f"SET LOCAL hnsw.ef_search = {beam}",
                f"SET LOCAL hnsw.max_scan_tuples = {_SCAN_TUPLES_MAX}",
            )
        ordered = "" if not exact else " + CAST(0 AS DOUBLE PRECISION)"  # a sum is in no index
        far = f"(n.embedding OPERATOR({within}.<#>) CAST(? AS {within}.halfvec))"
        rows = self.sql.all(
            f"SELECT n.record_pk, {far} FROM {_table(space.pk)} n JOIN record r ON r.pk = n.record_pk "
            f"WHERE {where} ORDER BY {far}{ordered} LIMIT ?",
            [_written(direction), *params, _written(direction), limit],
        )
        pks = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        return NearRows(pks, np.fromiter((-row[1] for row in rows), dtype=np.float32, count=len(rows)))


class PostgresNearKeeper:
    """See `store.near.NearKeeper`."""

    def __init__(
        self,
        known: NearKnown,
        aside: Callable[[], AbstractContextManager[psycopg.Connection[Row]]],
        *,
        lock: int,
        partitions: int,
        role: str,
    ) -> None:
        self._role = role  # that sees rows of some scopes alone
        self._known = known
        self._aside = aside  # a transaction beside the writer's
        self._lock = lock
        self._partitions = partitions
        self._lacks = ""
        self._asked_at = float("-inf")

    def lacks(self) -> str:
        if self._known.extension or monotonic() - self._asked_at < _ASK_AGAIN_S:
            return self._lacks
        self._asked_at = monotonic()
        try:
            with self._aside() as db:
                self._known.extension = _extension(db)
            self._lacks = ""
        except RecollectError as error:
            self._lacks = f"pgvector cannot be asked for ({error.code}): {INSTALL}"
        except _Lacking as lacking:
            self._lacks = str(lacking)
        return self._lacks

    def keep(self, going_on: Callable[[], bool]) -> float:
        if self.lacks():
            return 0.0
        while going_on():
            with self._aside() as db:
                mine = db.execute("SELECT pg_try_advisory_xact_lock($1)", (self._lock,)).fetchone()
                if mine is None or not mine[0] or not self._portion(db):
                    break
        return self._share()

    def behind(self) -> int:
        with self._aside() as db:
            if not _is_there(db):
                return 0
            row = db.execute(
                "SELECT coalesce((SELECT max(seq) FROM change), 0) - coalesce((SELECT min(watermark) FROM near_state "
                "WHERE whole = 1), (SELECT max(seq) FROM change), 0)"
            ).fetchone()
        return max(0, int(row[0])) if row else 0

    def _share(self) -> float:
        """Note which spaces are whole; how much of the active ones is there."""
        with self._aside() as db:
            tx = Tx(PostgresStatements(db))
            if not _is_there(db):
                return 0.0
            states = {row[0]: row[1:] for row in db.execute("SELECT space_pk, filled_to, whole FROM near_state")}
            spaces, last_pk = tx.vectors.spaces(), tx.candidates.last_pk()
        self._known.ready = frozenset(pk for pk, (_, whole) in states.items() if whole)
        wanted = [states.get(space.pk, (0, 0)) for space in spaces if space.state == "active" and _fits(space)]
        return min((1.0 if whole else min(0.99, to / max(1, last_pk)) for to, whole in wanted), default=1.0)

    # --- one portion, in one transaction ----------------------------------------------------------------------

    def _portion(self, db: psycopg.Connection[Row]) -> bool:
        """Do a portion of what is to be done; whether there may be more."""
        tx = Tx(PostgresStatements(db))
        if not _is_there(db):
            db.execute(_STATE)
            if self._role:
                guard_table(db, "near_state", self._role)
            db.execute(_BY_TIME)
        states = {row[0]: row[1:] for row in db.execute("SELECT space_pk, filled_to, watermark, whole FROM near_state")}
        spaces = {space.pk: space for space in tx.vectors.spaces() if _fits(space)}
        for gone in states.keys() - spaces.keys():
            db.execute(f"DROP TABLE IF EXISTS {_table(gone)}")
            db.execute("DELETE FROM near_state WHERE space_pk = $1", (gone,))
        for pk, space in spaces.items():
            if pk not in states:
                self._make(db, tx, space)
                return True
            filled_to, watermark, whole = states[pk]
            if not whole:
                self._fill(db, tx, space, filled_to)
                return True
            if self._follow(db, tx, space, watermark):
                return True
        return False

    def _make(self, db: psycopg.Connection[Row], tx: Tx, space: Space) -> None:
        within = composing.Identifier(self._known.extension).as_string(None)
        name = _table(space.pk)
        apart = self._partitions > 1
        db.execute(f"DROP TABLE IF EXISTS {name}")
        db.execute(
            f"CREATE TABLE {name} (record_pk BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE, "
            f"scope_pk BIGINT NOT NULL, embedding {within}.halfvec({space.dimensions}) NOT NULL, "
            f"PRIMARY KEY (record_pk{', scope_pk' if apart else ''}))"
            f"{' PARTITION BY HASH (scope_pk)' if apart else ''}"
        )
        for part in range(self._partitions if apart else 0):
            db.execute(
                f"CREATE TABLE {name}_{part} PARTITION OF {name} FOR VALUES WITH (MODULUS {self._partitions}, "
                f"REMAINDER {part})"
            )
        if self._role:
            guard_table(db, name, self._role)
        db.execute(
            "INSERT INTO near_state VALUES ($1, 0, $2, 0) ON CONFLICT (space_pk) DO UPDATE SET filled_to = 0, "
            "watermark = excluded.watermark, whole = 0",
            (space.pk, tx.changes.newest()),
        )

    def _fill(self, db: psycopg.Connection[Row], tx: Tx, space: Space, filled_to: int) -> None:
        """The next rows for the first time; after the last of them the index is built."""
        last_pk = tx.candidates.last_pk()
        to = min(filled_to + _PORTION_ROWS, last_pk)
        self._put(db, tx, space, filled_to + 1, to)
        whole = to >= last_pk
        if whole:
            within = composing.Identifier(self._known.extension).as_string(None)
            db.execute("SET LOCAL statement_timeout = 0")
            db.execute(f"CREATE INDEX ON {_table(space.pk)} USING hnsw (embedding {within}.halfvec_ip_ops)")
            db.execute(f"ANALYZE {_table(space.pk)}")
        db.execute("UPDATE near_state SET filled_to = $2, whole = $3 WHERE space_pk = $1", (space.pk, to, int(whole)))

    def _follow(self, db: psycopg.Connection[Row], tx: Tx, space: Space, watermark: int) -> bool:
        """The rows that changed next; whether there may be more."""
        entries = tx.changes.since(watermark, _PORTION_CHANGES)
        if not entries:
            return False
        if tx.changes.oldest() > watermark + 1:  # the feed was trimmed past it: only a fresh start knows everything
            self._make(db, tx, space)
            return True
        rows, done = 0, watermark
        for entry in entries:
            if entry.topic == "record" or (entry.topic == "vector" and entry.space_pk == space.pk):
                if rows and rows + entry.last_pk - entry.first_pk >= _PORTION_ROWS:
                    break
                rows += entry.last_pk - entry.first_pk + 1
                for first in range(entry.first_pk, entry.last_pk + 1, _PORTION_ROWS):
                    self._put(db, tx, space, first, min(first + _PORTION_ROWS - 1, entry.last_pk))
            done = entry.seq
        db.execute("UPDATE near_state SET watermark = $2 WHERE space_pk = $1", (space.pk, done))
        return True

    def _put(self, db: psycopg.Connection[Row], tx: Tx, space: Space, first: int, last: int) -> None:
        """Have the table hold what `vector` holds of the live rows of a span of keys."""
        name = _table(space.pk)
        db.execute(f"DELETE FROM {name} WHERE record_pk BETWEEN $1 AND $2", (first, last))
        pks, vectors = tx.vectors.load_span(space, first, last)
        if not len(pks):
            return
        scopes = tx.indexed.scopes(first, last)
        with db.cursor().copy(f"COPY {name} (record_pk, scope_pk, embedding) FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(_copied(pks, np.array([scopes[pk] for pk in pks.tolist()], dtype=np.int64), vectors))


class _Lacking(Exception):
    """Why there is no pgvector, in words for operators."""


def _extension(db: psycopg.Connection[Row]) -> str:
    """The schema that the extension is in; it is created where the role may. `_Lacking`: there is none."""
    sql = "SELECT n.nspname, e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
    sql += "WHERE e.extname = 'vector'"
    found = db.execute(sql).fetchone()
    if found is None:
        if not db.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone():
            raise _Lacking(f"the server has no pgvector: install its package for this PostgreSQL ({INSTALL})")
        where = db.execute(
            "SELECT CASE WHEN to_regnamespace('public') IS NOT NULL THEN ' SCHEMA public' END"
        ).fetchone()
        try:
            with db.transaction():
                db.execute(f"CREATE EXTENSION IF NOT EXISTS vector{(where and where[0]) or ''}")
        except (psycopg.errors.UniqueViolation, psycopg.errors.DuplicateObject):
            pass  # another process did just now
        except psycopg.errors.InsufficientPrivilege:
            raise _Lacking(
                f"the role may not create extensions: have an administrator run CREATE EXTENSION vector ({INSTALL})"
            ) from None
        found = db.execute(sql).fetchone()
        assert found is not None
    schema, version = found
    if tuple(int(part) for part in version.split(".")[:2]) < VERSION_MIN:
        wanted = ".".join(map(str, VERSION_MIN))
        raise _Lacking(f"pgvector is {version}, {wanted} is needed: ALTER EXTENSION vector UPDATE ({INSTALL})")
    return str(schema)


def _is_there(db: psycopg.Connection[Row]) -> bool:
    row = db.execute("SELECT to_regclass('near_state') IS NOT NULL").fetchone()
    return bool(row and row[0])


def _fits(space: Space) -> bool:
    return space.dimensions <= DIMENSIONS_MAX


def _table(space_pk: int) -> str:
    return f"near_{int(space_pk)}"


def _written(vector: Direction) -> str:
    """A vector as pgvector reads it."""
    length = float(np.linalg.norm(vector)) or 1.0
    return "[" + ",".join(f"{number:.6g}" for number in (np.asarray(vector) / length).tolist()) + "]"


def _copied(pks: Any, scopes: Any, vectors: Any) -> bytes:
    """Rows as COPY takes them in binary."""
    count, dimensions = vectors.shape
    rows = np.zeros(
        count,
        dtype=[
            ("fields", ">i2"),
            ("pk_bytes", ">i4"),
            ("pk", ">i8"),
            ("scope_bytes", ">i4"),
            ("scope", ">i8"),
            ("bytes", ">i4"),
            ("dimensions", ">i2"),
            ("unused", ">i2"),
            ("numbers", ">f2", (dimensions,)),
        ],
    )
    rows["fields"], rows["pk_bytes"], rows["scope_bytes"] = 3, 8, 8
    rows["pk"], rows["scope"] = pks, scopes
    rows["bytes"], rows["dimensions"], rows["numbers"] = 4 + 2 * dimensions, dimensions, vectors
    return _COPY_HEAD + rows.tobytes() + _COPY_TAIL
