"""The writing connection of a SQLite file: its one transaction at a time, as the writer asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import apsw

from recollect.errors import StoreBusy
from recollect.store.base import Tx
from recollect.store.sqlite.connection import SqliteStatements
from recollect.store.sqlite.errors import translate
from recollect.store.sqlite.fts import committing

_BUSY_PAUSE_S = 0.002


class SqliteSession:
    """See `store.writer.WriteSession`. A store in memory shares `guard` with its readers."""

    def __init__(
        self,
        db: apsw.Connection,
        *,
        busy_timeout_s: float,
        guard: AbstractContextManager[object],
        check: Callable[[], None],
        before_commit: Callable[[Tx], None],
        begun: Callable[[Tx], None],
    ) -> None:
        self._db = db
        self.tx = Tx(SqliteStatements(db))
        self._busy_timeout_s = busy_timeout_s
        self._guard = guard
        self._check = check  # raises when what is written would be lost
        self._before_commit = before_commit
        self._begun = begun  # raises where nothing may be written

    def alone(self) -> AbstractContextManager[object]:
        return self._guard

    def begin(self) -> None:
        """Take the write lock, waiting while other processes hold it.

        SQLite's own busy handler already sleeps and retries; it gives up at once in a few states (a checkpoint
        restarting the log), so the deadline is kept here as well.
        """
        self._check()
        deadline = time.monotonic() + self._busy_timeout_s
        while True:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                break
            except apsw.BusyError:
                if time.monotonic() >= deadline:
                    raise StoreBusy(
                        f"another process held the write lock for {self._busy_timeout_s:g} s; try again"
                    ) from None
                time.sleep(_BUSY_PAUSE_S)
        self._begun(self.tx)

    def mark(self) -> None:
        self._db.execute("SAVEPOINT work")

    def back_to_mark(self) -> None:
        self._db.execute("ROLLBACK TO work")
        self._db.execute("RELEASE work")

    def forget_mark(self) -> None:
        self._db.execute("RELEASE work")

    def commit(self) -> None:
        self._before_commit(self.tx)
        with committing():
            self._db.execute("COMMIT")
        self._check()

    def roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def ends_all(self, error: BaseException) -> bool:
        return not self._db.in_transaction or isinstance(error, apsw.FullError | apsw.IOError | apsw.CorruptError)

    def translated(self, error: BaseException) -> BaseException:
        return translate(error) if isinstance(error, apsw.Error) else error

    def contradicts(self, error: BaseException) -> bool:
        return isinstance(error, apsw.ConstraintError)

    def again(self, failure: BaseException, attempt: int) -> bool:
        """Never: what fails here fails for a reason that a second attempt meets again."""
        return False
