"""A SQLite file as a `Store`."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

import apsw

from recollect.errors import StoreBusy, StoreClosed, StoreError, UsageError
from recollect.store.base import Tx
from recollect.store.migrate import migrate
from recollect.store.sqlite.connection import PAGE_BYTES, Opening, SqliteTx, check_file, connect
from recollect.store.sqlite.errors import sqlite_errors
from recollect.store.sqlite.guard import FileGuard
from recollect.store.sqlite.writer import Writer

_log = logging.getLogger(__name__)
T = TypeVar("T")
_LOG_FULL_FACTOR = 8  # the log may grow to this many checkpoints before a commit waits for one


class SqliteStore:
    """One file, one writer, a pool of readers; several processes may hold it open at once."""

    def __init__(
        self,
        opening: Opening,
        *,
        readers: int = 4,
        queue_max: int = 10_000,
        group_max: int = 512,
        checkpoint_pages: int = 4_000,
    ) -> None:
        self.opening = opening
        self._pid = os.getpid()
        self._closed = False
        with sqlite_errors():
            check_file(opening)
            self._write_db = connect(opening, writer=True)
            try:
                migrate(self._write_db, opening.path)
            except BaseException:
                self._write_db.close()
                raise
        self._guard = None if opening.in_memory else FileGuard(opening.path)
        self._pool = _Shared(self._write_db) if opening.in_memory else _Pool(opening, readers)
        self._log = None if opening.in_memory else _LogKeeper(opening, self._write_db, checkpoint_pages)
        self._writer = Writer(
            self._write_db,
            queue_max=queue_max,
            group_max=group_max,
            busy_timeout_s=opening.busy_timeout_s,
            guard=self._pool.lock if isinstance(self._pool, _Shared) else nullcontext(),
            after_commit=self._log.after_commit if self._log else _nothing,
        )

    @property
    def path(self) -> Path | None:
        """The file, or None in memory."""
        return None if self.opening.in_memory else Path(self.opening.path)

    @property
    def encrypted(self) -> bool:
        return self.opening.key is not None

    @property
    def queue_depth(self) -> int:
        return self._writer.depth

    @contextmanager
    def read(self) -> Iterator[Tx]:
        self._check_usable()
        with sqlite_errors(), self._pool.connection() as db:
            if db.in_transaction:  # in memory there is one connection: a read inside a read shares its snapshot
                yield SqliteTx(db)
                return
            db.execute("BEGIN")
            try:
                yield SqliteTx(db)
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def write(self, work: Callable[[Tx], T]) -> T:
        self._check_usable()
        if isinstance(self._pool, _Shared) and self._pool.user == threading.get_ident():
            raise UsageError(
                "a store in memory cannot be written from inside a read: the two would wait for each other"
            )
        return self._writer.submit(work)

    def change_seq(self) -> int:
        self._check_usable()
        with sqlite_errors(), self._pool.connection() as db:
            row = db.execute("SELECT seq FROM change ORDER BY seq DESC LIMIT 1").fetchone()
        return int(row[0]) if row else 0

    def checkpoint(self) -> None:
        if self._log is not None:
            self._log.run(apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def scrub(self) -> None:
        """Rewrite the file from what is live.

        `secure_delete` wipes rows where they are deleted, but rows also move between pages, and the places they left
        are not wiped. After this, no byte of what was erased is left in the file or its log.
        """
        if self._log is not None:
            self._writer.submit(self._vacuum, bare=True)
            if not self._log.run(apsw.SQLITE_CHECKPOINT_TRUNCATE):
                raise StoreBusy("the log is being read and could not be folded into the file; try again")

    def _vacuum(self, tx: Tx) -> None:
        """On the writer's thread. A plain copy goes through a file, an encrypted one must not."""
        if not self.encrypted:
            tx.run("PRAGMA temp_store = file")
        try:
            tx.run("VACUUM")
        finally:
            tx.run("PRAGMA temp_store = memory")

    def size_bytes(self) -> int:
        if self.path is None:
            with self.read() as tx:
                return int(tx.value("PRAGMA page_count")) * PAGE_BYTES
        return sum(
            file.stat().st_size for file in (Path(f"{self.path}{suffix}") for suffix in ("", "-wal")) if file.exists()
        )

    def close(self) -> None:
        if self._closed or self.inherited:
            return
        self._closed = True
        self._writer.close()
        if self._log is not None:
            self._log.close()
        self._pool.close()
        if self._guard is not None:
            self._guard.release()
        with suppress(apsw.Error):  # the last one to close folds the log into the file; a busy log is left as it is
            self._write_db.close()
        if self._guard is not None:
            self._guard.close()

    @property
    def inherited(self) -> bool:
        return os.getpid() != self._pid

    def _check_usable(self) -> None:
        if self._closed:
            raise StoreClosed("this memory is closed; open it again")
        if self.inherited:
            raise StoreClosed("this memory was opened before a fork; open it again in the child process")


def _nothing() -> None:
    """A store in memory has no log to look after."""


class _Pool:
    """Reading connections, opened on demand, the most recently used first (its pages are warm)."""

    def __init__(self, opening: Opening, size: int) -> None:
        self._opening = opening
        self._idle: list[apsw.Connection] = []
        self._slots = threading.BoundedSemaphore(size)
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[apsw.Connection]:
        with self._slots:
            try:
                db = self._idle.pop()
            except IndexError:
                with sqlite_errors():
                    db = connect(self._opening)
            try:
                yield db
            finally:
                if self._closed:
                    db.close()
                else:
                    self._idle.append(db)

    def close(self) -> None:
        """Close what is idle now and the rest as it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()


class _Shared:
    """The writer's connection, one user at a time: a database in memory has no other way in."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self.lock = threading.RLock()
        self.user: int | None = None  # the thread that reads now

    @contextmanager
    def connection(self) -> Iterator[apsw.Connection]:
        with self.lock:
            outer, self.user = self.user, threading.get_ident()
            try:
                yield self._db
            finally:
                self.user = outer

    def close(self) -> None:
        """The writer's connection is closed by its owner."""


class _LogKeeper:
    """Folds the write-ahead log into the file on a thread of its own, so that commits never pay for it."""

    def __init__(self, opening: Opening, write_db: apsw.Connection, pages: int) -> None:
        self._opening = opening
        self._write_db = write_db
        self._pages = pages
        self._log_pages = 0
        self._wake = threading.Event()
        self._closing = False
        write_db.set_wal_hook(self._grew)
        self._thread = threading.Thread(target=self._keep, name="recollect-checkpoint", daemon=True)
        self._thread.start()

    def _grew(self, db: Any, name: str, pages: int) -> int:
        self._log_pages = pages
        if pages >= self._pages:
            self._wake.set()
        return 0

    def after_commit(self) -> None:
        """On the writer's thread: only when the keeper cannot keep up does a commit wait for the log."""
        if self._log_pages >= _LOG_FULL_FACTOR * self._pages:
            self._log_pages = 0
            with suppress(apsw.Error):
                self._write_db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)

    def _keep(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._closing:
                return
            try:
                self.run(apsw.SQLITE_CHECKPOINT_PASSIVE)
            except StoreError as error:  # no space, say: the log keeps what it has, and the next commit asks again
                _log.warning("the log was not folded into the file: %s", error.code)

    def run(self, mode: int) -> bool:
        """Whether it got through; a busy log is left to the next one."""
        with sqlite_errors():
            db = connect(self._opening)
            try:
                db.wal_checkpoint(mode=mode)
            except apsw.BusyError:
                return False
            finally:
                db.close()
        return True

    def close(self) -> None:
        self._closing = True
        self._wake.set()
        self._thread.join()
