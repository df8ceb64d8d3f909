"""A schema of a PostgreSQL database as a `Store`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import psycopg
from psycopg import sql as composing
from psycopg_pool import ConnectionPool, PoolTimeout

from recollect.deadline import current
from recollect.errors import RecollectError, StoreClosed, UsageError
from recollect.model.query import Criteria
from recollect.outage import Outage
from recollect.store.audit import AuditSeal
from recollect.store.base import SERVER, WRITES, FileKey, Row, Tx
from recollect.store.meta import NOTES_OF_MOVES, refuse_noted
from recollect.store.postgres import moving
from recollect.store.postgres.connection import (
    ERASURE_DUE,
    PostgresStatements,
    ServerOpening,
    connect,
    connection_options,
    run_together,
    setting_up,
)
from recollect.store.postgres.errors import is_gone, postgres_errors, translate
from recollect.store.postgres.listening import WriteListener
from recollect.store.postgres.migrate import migrate
from recollect.store.postgres.near import NearKnown, PostgresNearKeeper
from recollect.store.postgres.rows import guard, taken_on
from recollect.store.postgres.session import PostgresSession
from recollect.store.postgres.values import adapt
from recollect.store.writer import Writer

T = TypeVar("T")
_PAUSE_S = 0.05
_TURN_S = 2.0  # so long the pool tries to connect, and a reader waits before it asks anew: who is away may be back
_TRIES_MAX = 5  # at opening, where connections are cut meanwhile


class PostgresStore:
    """One schema, one writer a process, a pool of readers; many processes and machines may have it open at once."""

    def __init__(self, opening: ServerOpening) -> None:
        self.opening = opening
        self._pid = os.getpid()
        self._closed = False
        settings = opening.settings
        self._name = composing.Identifier(opening.schema).as_string(None)
        with postgres_errors():
            db = self._first_connection()
        self._session = PostgresSession(opening, db)
        self._pool: ConnectionPool[psycopg.Connection[Row]] = ConnectionPool(
            opening.conninfo,
            kwargs=connection_options(settings),
            configure=adapt,
            min_size=0,
            max_size=settings.readers,
            timeout=settings.busy_timeout_s,
            reconnect_timeout=_TURN_S,
            num_workers=1,
            open=True,
        )
        self._readers = settings.readers
        self._writer = Writer(self._session, queue_max=settings.queue_max, group_max=settings.group_max)
        setting = setting_up(opening.schema, settings.statement_timeout_s)
        self._begin_read = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {setting}"
        self._begin_aside = f"BEGIN; {setting}"
        self._away: Outage[RecollectError] = Outage()
        self._listener = WriteListener(opening, self._ask)
        self._near_known = NearKnown()
        self._near = PostgresNearKeeper(
            self._near_known,
            self._aside,
            lock=opening.lock_of("near"),
            partitions=settings.partitions,
            role=settings.scoped_role,
        )

    def _first_connection(self) -> psycopg.Connection[Row]:
        """A connection to a schema of this program's version; one that is cut meanwhile is made anew."""
        for attempt in range(1, _TRIES_MAX + 1):
            db = connect(self.opening)
            try:
                migrate(db, self.opening)
                if not self.opening.moving:
                    refuse_noted(db.execute(NOTES_OF_MOVES.replace("FROM meta", f"FROM {self._name}.meta")).fetchall())
                if self.opening.settings.scoped_role:
                    guard(db, self.opening)
                return db
            except BaseException as error:
                db.close()
                if attempt == _TRIES_MAX or not is_gone(error):
                    raise
            time.sleep(_PAUSE_S)
        raise AssertionError

    def _lock_out(self, db: psycopg.Connection[Row], tx: Tx, seen_by: Criteria | None) -> None:
        """Have the server itself keep rows of other scopes from a read, if a role for that is set."""
        role = self.opening.settings.scoped_role
        visible = tx.scopes.visible(seen_by.scope, seen_by.reach) if role and seen_by is not None else None
        if visible is not None:
            run_together(db, taken_on(role, visible))

    def listen(self) -> None:
        if self.opening.settings.notify:
            self._listener.start()

    def stirred(self) -> bool:
        return self._listener.stirred()

    @property
    def near(self) -> PostgresNearKeeper:
        return self._near

    @property
    def path(self) -> Path | None:
        return None

    @property
    def place(self) -> str:
        return self.opening.place

    @property
    def in_memory(self) -> bool:
        return False

    @property
    def encrypted(self) -> bool:
        return False

    @property
    def audit_seal(self) -> AuditSeal | None:
        return self._writer.audit_seal

    @audit_seal.setter
    def audit_seal(self, seal: AuditSeal | None) -> None:
        self._writer.audit_seal = seal

    @property
    def queue_depth(self) -> int:
        return self._writer.depth

    @property
    def readers_idle(self) -> int | None:
        return None

    @property
    def written(self) -> bool:
        return self._writer.written

    @property
    def trouble(self) -> RecollectError | None:
        return self._writer.refused.why

    @property
    def outages(self) -> Mapping[str, Outage[RecollectError]]:
        return {WRITES: self._writer.refused, SERVER: self._away}

    def free_bytes(self) -> int | None:
        return None

    @contextmanager
    def read(self, seen_by: Criteria | None = None) -> Iterator[Tx]:
        self._check_usable()
        with postgres_errors(), self._connection(self._begin_read) as db:
            tx = Tx(PostgresStatements(db, self._near_known), snapshot=True)
            tx.audit_seal = self._writer.audit_seal
            try:
                self._lock_out(db, tx, seen_by)
                yield tx
            finally:
                with suppress(psycopg.Error):  # one that cannot is not taken back into the pool
                    db.execute("ROLLBACK")

    @contextmanager
    def _aside(self) -> Iterator[psycopg.Connection[Row]]:
        """A transaction beside the writer's, for what is worked out of the rows."""
        self._check_usable()
        with postgres_errors(), self._connection(self._begin_aside) as db:
            try:
                yield db
            except BaseException:
                with suppress(psycopg.Error):
                    db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    @contextmanager
    def _connection(self, first: str) -> Iterator[psycopg.Connection[Row]]:
        """A connection of the pool on which `first` was run."""
        db, _ = self._begun(first)
        try:
            yield db
        finally:
            self._pool.putconn(db)

    def _begun(self, first: str) -> tuple[psycopg.Connection[Row], Row | None]:
        """A connection of the pool, and what `first` answered on it; those that were cut meanwhile are made anew.

        Who is waited for until a certain moment waits no longer than that for a server that is away.
        """
        limit, wait_s = current(), self.opening.settings.busy_timeout_s
        deadline = time.monotonic() + (wait_s if limit is None else min(wait_s, limit.left_s))
        try:
            begun = self._begun_before(deadline, first)
        except psycopg.Error as error:
            if is_gone(error):
                self._away.begins(translate(error))
            raise
        self._away.ends()
        return begun

    def _begun_before(self, deadline: float, first: str) -> tuple[psycopg.Connection[Row], Row | None]:
        was_away = self._away.why is not None
        while True:
            try:
                db = self._pool.getconn(timeout=min(_TURN_S, max(0.1, deadline - time.monotonic())))
            except PoolTimeout:
                if time.monotonic() < deadline:
                    continue
                connect(self.opening).close()  # raises what keeps the pool from connecting, if anything does
                if not was_away:
                    raise
                was_away, deadline = False, time.monotonic() + _TURN_S  # it is back, which the pool notices by then
                continue
            try:
                cursor = db.execute(first)
                return db, cursor.fetchone() if cursor.description else None
            except psycopg.Error as error:
                self._pool.putconn(db)
                if not is_gone(error) or time.monotonic() + _PAUSE_S > deadline:
                    raise
            except BaseException:
                self._pool.putconn(db)
                raise
            time.sleep(_PAUSE_S)

    def write(self, work: Callable[[Tx], T]) -> T:
        self._check_usable()
        return self._writer.submit(work)

    def aside(self, work: Callable[[Tx], T]) -> T:
        with self._aside() as db:
            return work(Tx(PostgresStatements(db)))

    def change_seq(self) -> int:
        self._check_usable()
        with postgres_errors():
            row = self._ask(f"SELECT seq FROM {self._name}.change ORDER BY seq DESC LIMIT 1")
        return int(row[0]) if row else 0

    def _ask(self, sql: str) -> Row | None:
        """One row for a statement that needs no transaction."""
        db, row = self._begun(sql)
        self._pool.putconn(db)
        return row

    def spare(self, readers: bool, pages: bool) -> None:
        self._check_usable()
        self._pool.resize(0, 1 if readers else self._readers)  # its pages are the server's

    def checkpoint(self) -> None:
        """The server folds its log by itself."""

    def scrub(self) -> None:
        """Rewrite the tables from what is live, so that no byte of what was erased is left in them.

        What the server's log, its replicas and its backups still hold is theirs to forget (docs/postgres.md).
        """
        self._check_usable()
        with self.read() as tx:
            due = _due(tx)
            tables = [
                row[0] for row in tx.sql.all("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
            ]
        with postgres_errors(), connect(self.opening) as db:
            db.execute(f"SET lock_timeout = {int(self.opening.settings.busy_timeout_s * 1000)}")
            for table in tables:
                db.execute(f"VACUUM (FULL) {self._name}.{composing.Identifier(table).as_string(None)}")
        if due is not None:
            self.write(lambda tx: tx.sql.run("DELETE FROM meta WHERE key = ? AND value = ?", (ERASURE_DUE, due)))

    @property
    def scrub_due(self) -> bool:
        with self.read() as tx:
            return _due(tx) is not None

    @property
    def lost(self) -> bool:
        return False

    def size_bytes(self) -> int:
        with self.read() as tx:
            return int(
                tx.sql.value(
                    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
                    "WHERE c.relnamespace = current_schema()::REGNAMESPACE AND c.relkind IN ('r', 'p')"
                )
            )

    def back_up(self, target: Path, going_on: Callable[[], bool] = lambda: True) -> None:
        from recollect.store.postgres.dumping import dump  # seldom asked for

        dump(self.opening, target, going_on)

    def newest_in_backup(self, path: Path) -> tuple[str, int] | None:
        return None

    def check_backup(self, path: Path) -> list[str]:
        from recollect.store.postgres.dumping import check_dump

        return check_dump(path, self.opening)

    @property
    def was_left_open(self) -> bool:
        """False: how processes end is nothing to the server, which looks after its own pages."""
        return False

    def faults(self) -> list[str]:
        """What the server says when every row is read: it checks its pages then."""
        with self.read() as tx:
            tables = [
                row[0] for row in tx.sql.all("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
            ]
        found = []
        for table in tables:
            try:
                with self.read() as tx:
                    tx.sql.value(f'SELECT count(t.*) FROM "{table}" t')
            except RecollectError as error:
                found.append(f"{table}: {error.message}")
        return found

    def rows_are_sound(self) -> bool:
        return not self.faults()

    def mend(self) -> bool:
        """Fill the text index anew; pages are the server's to mend."""
        self.write(lambda tx: tx.text.rebuild())
        return not self.faults()

    def dangling_rows(self) -> int:
        """None: the server refuses a row that refers to nothing."""
        return 0

    def take_as_is(self, on: bool) -> None:
        self.write(moving.take_as_is if on else moving.take_with_care)

    def check_references(self) -> None:
        self.write(moving.check_references)

    def change_file(
        self, key: FileKey, copy: Path, switch: Callable[[], None], rewrite: Callable[[Tx], None] | None = None
    ) -> None:
        raise UsageError("a database server keeps this store: there is no file to change")

    def close(self) -> None:
        if self._closed or self.inherited:
            return
        self._closed = True
        self._listener.close()
        self._writer.close()
        self._session.close()
        self._pool.close()

    @property
    def inherited(self) -> bool:
        return os.getpid() != self._pid

    def _check_usable(self) -> None:
        if self._closed:
            raise StoreClosed("this memory is closed; open it again")
        if self.inherited:
            raise StoreClosed("this memory was opened before a fork; open it again in the child process")


def _due(tx: Tx) -> str | None:
    found = tx.sql.value("SELECT value FROM meta WHERE key = ?", (ERASURE_DUE,))
    return None if found is None else str(found)
