"""The writing connection to PostgreSQL: its one transaction at a time, as the writer asks for it.

A transaction begins by taking the advisory lock of its schema and ends by giving it back, so that one process writes at
a time, as with a file. The lock goes after the rows can be seen. So the keys of rows and the numbers of the change feed
are given in the order of the commits, and no reader of the feed ever passes over a number that comes later; what a
write reads is what it writes upon, and no two writes deadlock (docs/adr/0047).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress

import psycopg

from recollect.errors import StoreBusy, StoreError, StoreUnavailable
from recollect.store.base import Row, Tx
from recollect.store.meta import NOTES_OF_MOVES, refuse_noted
from recollect.store.postgres.connection import PostgresStatements, ServerOpening, connect, run_together, setting_up
from recollect.store.postgres.errors import is_gone, translate

_PAUSE_S = 0.05
_PAUSE_MAX_S = 1.0
_TRIES_MAX = 5  # at a group whose connection was cut, or that met another database's lock


class PostgresSession:
    """See `store.writer.WriteSession`."""

    def __init__(self, opening: ServerOpening, db: psycopg.Connection[Row]) -> None:
        self._opening = opening
        self._use(db)
        self._began = ""  # the number of the transaction at hand; '': there is none

    def _use(self, db: psycopg.Connection[Row]) -> None:
        self._db, self._sql = db, PostgresStatements(db)
        self.tx = Tx(self._sql)

    def alone(self) -> AbstractContextManager[object]:
        return nullcontext()

    def begin(self) -> None:
        """Take the lock, waiting while other processes hold it; a connection that was cut is made anew."""
        settings = self._opening.settings
        deadline = time.monotonic() + settings.busy_timeout_s
        pause = _PAUSE_S
        while True:
            try:
                self._lock(max(0.1, deadline - time.monotonic()))
                return
            except psycopg.errors.LockNotAvailable:
                self._leave()
                raise StoreBusy(
                    f"another process held the write lock for {settings.busy_timeout_s:g} s; try again"
                ) from None
            except psycopg.Error as error:
                self._leave()
                if not is_gone(error) or time.monotonic() + pause > deadline:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, _PAUSE_MAX_S)
            with suppress(psycopg.Error):  # the next attempt says it
                self._reconnect()

    def _lock(self, wait_s: float) -> None:
        settings = self._opening.settings
        cursor = run_together(
            self._db,
            "BEGIN",
            setting_up(self._opening.schema, settings.statement_timeout_s),
            f"SET LOCAL lock_timeout = {int(wait_s * 1000)}",
            *([] if settings.durable else ["SET LOCAL synchronous_commit = off"]),
            f"SELECT pg_advisory_xact_lock({self._opening.lock})",
            NOTES_OF_MOVES,
            "SELECT pg_current_xact_id()::TEXT",
        )
        *_, notes, ((began,),) = _answers(cursor)
        self._began = str(began)
        if not self._opening.moving:
            refuse_noted(notes)

    def _reconnect(self) -> None:
        self.close()
        self._use(connect(self._opening))

    def mark(self) -> None:
        self._db.execute("SAVEPOINT work")

    def back_to_mark(self) -> None:
        run_together(self._db, "ROLLBACK TO work", "RELEASE work")

    def forget_mark(self) -> None:
        self._db.execute("RELEASE work")

    def commit(self) -> None:
        """Commit. Where the connection is cut just then, the server is asked whether it happened."""
        told = self._sql.told and self._opening.settings.notify
        self._sql.told = False
        try:
            run_together(self._db, *([f"NOTIFY {self._opening.channel}"] if told else []), "COMMIT")
        except psycopg.Error as error:
            if not is_gone(error) or not self._happened():
                raise
        self._began = ""

    def _happened(self) -> bool:
        """Whether the transaction whose commit was not answered is kept."""
        deadline = time.monotonic() + self._opening.settings.busy_timeout_s
        while True:
            try:
                self._reconnect()
                row = self._db.execute("SELECT pg_xact_status($1::TEXT::XID8)", (self._began,)).fetchone()
            except psycopg.Error:
                row = ("in progress",)
            state = row[0] if row else None
            if state in ("committed", "aborted"):
                return bool(state == "committed")
            if state is None or time.monotonic() > deadline:
                raise StoreError(
                    "the connection was cut while a write was being kept, and the server cannot say whether it was; "
                    "look for it before you write it again"
                )
            time.sleep(_PAUSE_S)

    def roll_back(self) -> None:
        if self._began:
            self._leave()

    def _leave(self) -> None:
        """End the transaction; a connection that cannot is closed, which the server takes for the same."""
        self._began = ""
        try:
            self._db.execute("ROLLBACK")
        except psycopg.Error:
            self.close()

    def ends_all(self, error: BaseException) -> bool:
        return self._db.closed or is_gone(error)

    def translated(self, error: BaseException) -> BaseException:
        return translate(error) if isinstance(error, psycopg.Error) else error

    def contradicts(self, error: BaseException) -> bool:
        return isinstance(error, psycopg.IntegrityError | psycopg.DataError | psycopg.ProgrammingError)

    def again(self, failure: BaseException, attempt: int) -> bool:
        """Where the connection was cut before the commit, nothing happened: the work is done on a new one."""
        return isinstance(failure, StoreUnavailable) and attempt < _TRIES_MAX

    def close(self) -> None:
        with suppress(psycopg.Error):
            self._db.close()


def _answers(cursor: psycopg.Cursor[Row]) -> Iterator[list[Row]]:
    """What each of several statements answered, of those that answer with rows."""
    while True:
        if cursor.description:
            yield cursor.fetchall()
        if not cursor.nextset():
            return
