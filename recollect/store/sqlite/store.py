"""A SQLite file as a `Store`."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from recollect.clock import now_us
from recollect.config.storage import StoreSettings
from recollect.deadline import current
from recollect.errors import RecollectError, StoreBusy, StoreClosed, StoreDamaged, UsageError
from recollect.model.backup import BackupKind
from recollect.model.query import Criteria
from recollect.outage import Outage
from recollect.store.audit import AuditSeal
from recollect.store.backup_folder import HEADER_SUFFIX
from recollect.store.base import ROWS, TEXT_INDEX, WRITES, FileKey, Tx
from recollect.store.meta import refuse_moved
from recollect.store.place import hide
from recollect.store.sqlite import damage
from recollect.store.sqlite.connection import (
    PAGE_BYTES,
    Opening,
    SqliteStatements,
    check_file,
    connect,
    has_moved,
)
from recollect.store.sqlite.copying import check_copy, newest_of, sound_copy
from recollect.store.sqlite.errors import sqlite_errors
from recollect.store.sqlite.guard import FileGuard, refuse_foreign_log, was_left_open
from recollect.store.sqlite.log import LogKeeper, due_mark
from recollect.store.sqlite.mending import TextMender
from recollect.store.sqlite.migrate import is_current, migrate
from recollect.store.sqlite.padding import fill_up
from recollect.store.sqlite.rewriting import alone_with, copy_under, rewrite_copy
from recollect.store.sqlite.session import SqliteSession
from recollect.store.sqlite.suspicion import Suspicion
from recollect.store.sqlite.times import make_coarse
from recollect.store.textual import TextIndexDamaged
from recollect.store.writer import Writer

T = TypeVar("T")


_STEPS_A_LOOK = 20_000  # of SQLite's machine, between two looks whether an answer is still wanted: a millisecond
SPARED_CACHE_MB = 1  # of the writer's pages, where memory is short


class SqliteStore:
    """One file, one writer, a pool of readers; several processes may hold it open at once."""

    def __init__(
        self,
        opening: Opening,
        *,
        settings: StoreSettings = StoreSettings(),
    ) -> None:
        self.opening = opening
        self._pid = os.getpid()
        self._closed = False
        self._was_left_open = not opening.in_memory and was_left_open(opening.path)
        with sqlite_errors():
            check_file(opening)
            if not opening.in_memory:
                refuse_foreign_log(opening.path)
            self._write_db = connect(opening, writer=True)
            try:
                if not opening.in_memory and has_moved(self._write_db):
                    raise StoreBusy(f"{opening.path} was replaced while it was being opened; open it again")
                migrate(self._write_db, opening.path, before=self._back_up_first)
                if not opening.moving:
                    refuse_moved(Tx(SqliteStatements(self._write_db)))
            except BaseException:
                self._write_db.close()
                raise
        self._settings = settings
        self._changing = threading.Lock()
        self._mender = TextMender(self)
        self._suspicion = Suspicion(self)
        self._guard: FileGuard | None = None
        self._log: LogKeeper | None = None
        try:
            with sqlite_errors():
                self._begin(opening)
        except BaseException:
            self._abandon()
            raise

    def _begin(self, opening: Opening) -> None:
        """What keeps the open file: its guard, its readers, its log and the thread that writes."""
        self._guard = None if opening.in_memory else FileGuard(opening.path)
        self._pool = (
            _Shared(self._write_db) if self._guard is None else _Pool(opening, self._settings.readers, self._guard)
        )
        self._log = self._new_log()
        self._writer = Writer(
            self._session(),
            queue_max=self._settings.queue_max,
            group_max=self._settings.group_max,
            after_commit=self._after_commit,
        )
        if self._log is not None:
            self._log.start(self._writer)
        if opening.hidden and not opening.in_memory:
            hide(opening.path)
        self._fill_up()

    def _back_up_first(self) -> None:
        """A copy of the file as an earlier release left it. Where there is no room for one, the file is left alone."""
        folder, path = self.opening.backups, Path(self.opening.path)
        if folder is None or not self.opening.before_changes:
            return
        folder.room_for(path.stat().st_size)
        header = Path(f"{path}{HEADER_SUFFIX}")
        with folder.alone(wait_s=self.opening.busy_timeout_s):
            if is_current(self._write_db, self.opening.path):  # another process did all of it meanwhile
                return
            folder.add(
                BackupKind.MIGRATION,
                now_us(),
                lambda copy: sound_copy(self._write_db, copy, self.opening, lambda: True),
                header=header if header.exists() else None,
            )

    def _abandon(self) -> None:
        """Leave nothing open of a store that could not be opened whole: no lock, no thread, no descriptor."""
        self._closed = True
        if self._log is not None:
            self._log.abandon()
        if writer := getattr(self, "_writer", None):
            writer.close()
        with suppress(apsw.Error):
            self._write_db.close()
        if self._guard is not None:
            self._guard.close()

    def _new_log(self) -> LogKeeper | None:
        if self._guard is None:
            return None
        return LogKeeper(self.opening, self._write_db, self._guard, self._settings.checkpoint_pages)

    def _session(self) -> SqliteSession:
        return SqliteSession(
            self._write_db,
            busy_timeout_s=self.opening.busy_timeout_s,
            guard=self._pool.lock if isinstance(self._pool, _Shared) else nullcontext(),
            check=self._guard.check if self._guard else _nothing,
            before_commit=self._before_commit,
            begun=_whatever if self.opening.moving else refuse_moved,
        )

    def _before_commit(self, tx: Tx) -> None:
        if step_pages := self.opening.step_pages:
            fill_up(tx, step_pages=step_pages)

    def _fill_up(self) -> None:
        """Have the size of the file in its steps now, instead of with the next write."""
        if self.opening.step_pages:
            self._writer.submit(lambda tx: None)

    def _after_commit(self) -> None:
        if self._log is not None:
            self._log.after_commit()

    @property
    def path(self) -> Path | None:
        """The file, or None in memory."""
        return None if self.opening.in_memory else Path(self.opening.path)

    @property
    def place(self) -> str:
        return self.opening.path

    @property
    def in_memory(self) -> bool:
        return self.opening.in_memory

    @property
    def encrypted(self) -> bool:
        return self.opening.key is not None

    @property
    def audit_seal(self) -> AuditSeal | None:
        """How a vault keeps the key of the audit; None where there is none."""
        return self._writer.audit_seal

    @audit_seal.setter
    def audit_seal(self, seal: AuditSeal | None) -> None:
        self._writer.audit_seal = seal

    @property
    def queue_depth(self) -> int:
        return self._writer.depth

    @property
    def readers_idle(self) -> int | None:
        return self._pool.idle

    @property
    def written(self) -> bool:
        return self._writer.written

    @property
    def trouble(self) -> RecollectError | None:
        """Why the newest write failed, if that was the fault of the store: no space, no rights, no file."""
        return self._writer.refused.why

    def free_bytes(self) -> int | None:
        """What is left on the disk; None in memory, or where the system does not tell."""
        if self.path is None:
            return None
        try:
            return shutil.disk_usage(self.path.parent).free
        except OSError:
            return None

    @contextmanager
    def read(self, seen_by: Criteria | None = None) -> Iterator[Tx]:
        self._check_usable()
        with self._suspicion.watching(), sqlite_errors(), self._pool.connection() as db:
            if db.in_transaction:  # in memory there is one connection: a read inside a read shares its snapshot
                yield self._reading(db)
                return
            db.execute("BEGIN")
            limit = current()
            if limit is not None:
                db.set_progress_handler(limit.look, _STEPS_A_LOOK)
            try:
                yield self._reading(db)
            finally:
                if limit is not None:
                    db.set_progress_handler(None)
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def _reading(self, db: apsw.Connection) -> Tx:
        tx = Tx(SqliteStatements(db, partial(self._mender.met, self._mender.made)), snapshot=True)
        tx.audit_seal = self._writer.audit_seal
        return tx

    def write(self, work: Callable[[Tx], T]) -> T:
        self._check_usable()
        if isinstance(self._pool, _Shared) and self._pool.user == threading.get_ident():
            raise UsageError(
                "a store in memory cannot be written from inside a read: the two would wait for each other"
            )
        made = self._mender.made
        with self._suspicion.watching():
            try:
                return self._writer.submit(work)
            except TextIndexDamaged:
                if not self._mender.mend(made):
                    raise
            return self._writer.submit(work)

    @property
    def outages(self) -> Mapping[str, Outage[RecollectError]]:
        return {WRITES: self._writer.refused, TEXT_INDEX: self._mender.damaged, ROWS: self._suspicion.damaged}

    def aside(self, work: Callable[[Tx], T]) -> T:
        return self.write(work)

    def change_seq(self) -> int:
        self._check_usable()
        with sqlite_errors(), self._pool.connection() as db:
            row = db.execute("SELECT seq FROM change ORDER BY seq DESC LIMIT 1").fetchone()
        return int(row[0]) if row else 0

    def listen(self) -> None:
        """A file tells nobody."""

    def stirred(self) -> bool:
        return True

    @property
    def near(self) -> None:
        """A file has no index over vectors."""

    def spare(self, readers: bool, pages: bool) -> None:
        self._check_usable()
        size = SPARED_CACHE_MB if pages else self.opening.cache_mb
        self._writer.submit(lambda tx: tx.sql.run(f"PRAGMA cache_size = -{1024 * size}"))
        if pages:
            self._writer.submit(lambda tx: tx.sql.run("PRAGMA shrink_memory"))
        if isinstance(self._pool, _Pool):
            self._pool.spare(readers or pages)

    def checkpoint(self) -> None:
        if self._log is not None:
            self._log.checkpoint()

    def scrub(self) -> None:
        """Rewrite the file from what is live, and empty its log; what cannot be done now is done later by itself.

        After this, no byte of what was erased is left in the file or its log.
        """
        self._check_usable()
        if self._log is not None:
            self._log.scrub(wait_s=self.opening.busy_timeout_s)
            self._fill_up()

    @property
    def scrub_due(self) -> bool:
        """Whether bytes of something erased may still be in the file or its log."""
        if self._log is None:
            return False
        with self.read() as tx:
            return due_mark(tx) is not None

    @property
    def lost(self) -> bool:
        """Whether the file was removed or replaced while it was open here: then nothing more is written."""
        return self._guard is not None and self._guard.lost

    def size_bytes(self) -> int:
        if self.path is None:
            with self.read() as tx:
                return int(tx.sql.value("PRAGMA page_count")) * PAGE_BYTES
        return sum(
            file.stat().st_size for file in (Path(f"{self.path}{suffix}") for suffix in ("", "-wal")) if file.exists()
        )

    def back_up(self, target: Path, going_on: Callable[[], bool] = lambda: True) -> None:
        self._check_usable()
        if self._guard is None:
            raise UsageError("a store in memory has no file to back up; export it")
        with sqlite_errors():
            db = connect(self.opening)
        try:
            self._guard.check()
            sound_copy(db, target, self.opening, going_on)
        finally:
            db.close()

    def newest_in_backup(self, path: Path) -> tuple[str, int] | None:
        return newest_of(path, self.opening.key)

    def check_backup(self, path: Path) -> list[str]:
        return check_copy(path, self.opening.key)

    @property
    def was_left_open(self) -> bool:
        return self._was_left_open

    def faults(self) -> list[str]:
        return damage.faults(self)

    def rows_are_sound(self) -> bool:
        return damage.only_beside_the_rows(self)

    def mend(self) -> bool:
        return damage.mend(self)

    def dangling_rows(self) -> int:
        with self.read() as tx:
            return len(tx.sql.all("PRAGMA foreign_key_check"))

    def take_as_is(self, on: bool) -> None:
        def switch(tx: Tx) -> None:
            self._write_db.pragma("foreign_keys", not on)
            self._write_db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 if on else 1)

        self._check_usable()
        self._writer.submit(switch, bare=True)

    def check_references(self) -> None:
        if dangling := self.dangling_rows():
            raise StoreDamaged(f"{dangling} rows refer to rows that are not there")

    def change_file(
        self, key: FileKey, copy: Path, switch: Callable[[], None], rewrite: Callable[[Tx], None] | None = None
    ) -> None:
        self._check_usable()
        if self._log is None:
            raise UsageError("a store in memory has no file to encrypt")
        with self._changing:
            self._log.close()
            try:
                self._writer.submit(lambda tx: self._change_file(key, copy, switch, rewrite), bare=True)
            finally:
                self._log = self._new_log()
                assert self._log is not None
                self._log.start(self._writer)
            self._fill_up()

    def _change_file(
        self, key: FileKey, copy: Path, switch: Callable[[], None], rewrite: Callable[[Tx], None] | None
    ) -> None:
        """On the writer's thread, so that no write is under way."""
        assert isinstance(self._pool, _Pool)
        assert self._guard is not None
        self._guard.check()
        with self._pool.emptied(self.opening.busy_timeout_s):
            self._guard.release()
            self._write_db.close()
            self._guard.close()
            opening = self.opening
            try:
                with alone_with(opening) as db:
                    copy_under(db, copy, key)
                    if rewrite is not None:
                        rewrite_copy(copy, key, rewrite)
                    switch()
                opening = replace(opening, key=key)
            finally:
                self._take_up(opening)

    def _take_up(self, opening: Opening) -> None:
        assert isinstance(self._pool, _Pool)
        with sqlite_errors():
            self.opening, self._write_db = opening, connect(opening, writer=True)
            migrate(self._write_db, opening.path)  # reads, which opens the log that the last to close folds
        self._guard = FileGuard(opening.path)
        self._pool.use(opening, self._guard)
        self._writer.use(self._session())

    def close(self) -> None:
        if self._closed or self.inherited:
            return
        self._mender.close(self._settings.close_timeout_s)
        self._closed = True
        if self._log is not None:
            self._log.close()
        self._writer.close()
        self._pool.close()
        if self._guard is not None:
            self._guard.release()
        try:
            if self.opening.held is not None:
                with sqlite_errors():
                    self.opening.held.keep(self._write_db.serialize("main"))
        finally:
            self._close_file()

    def _close_file(self) -> None:
        with suppress(apsw.Error):  # the last one to close folds the log into the file; a busy log is left as it is
            self._write_db.close()
        if self._guard is not None:
            self._guard.close()
        if self.opening.coarse_times:
            make_coarse(self.opening.path)

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


def _whatever(tx: Tx) -> None:
    """A move writes to what was moved away, and to what is not all there."""


class _Pool:
    """Reading connections, opened on demand, the most recently used first (its pages are warm)."""

    def __init__(self, opening: Opening, size: int, guard: FileGuard) -> None:
        self._opening = opening
        self._guard = guard
        self._idle: list[apsw.Connection] = []
        self._size = self._kept = size
        self._slots = threading.BoundedSemaphore(size)
        self._closed = False
        self._used = 0  # a level for people: nothing is decided by it

    @property
    def idle(self) -> int | None:
        """How many more reads may begin at once."""
        return max(0, self._size - self._used)

    def spare(self, on: bool) -> None:
        """Keep one connection open for who comes next, and close the others with their pages; or keep all."""
        self._kept = 1 if on else self._size
        while len(self._idle) > self._kept:
            self._idle.pop(0).close()
        if on and self._idle:
            with self.connection() as db:
                db.pragma("shrink_memory")

    @contextmanager
    def emptied(self, wait_s: float) -> Iterator[None]:
        """While inside, nothing is read, and no connection of the pool is open. `StoreBusy` if a read does not end."""
        deadline, taken = time.monotonic() + wait_s, 0
        try:
            while taken < self._size:
                if not self._slots.acquire(timeout=max(0.0, deadline - time.monotonic())):
                    raise StoreBusy("a read of this store goes on and does not end; try again when it is done")
                taken += 1
            while self._idle:
                self._idle.pop().close()
            yield
        finally:
            for _ in range(taken):
                self._slots.release()

    def use(self, opening: Opening, guard: FileGuard) -> None:
        """Open further connections this way. For whoever emptied the pool."""
        self._opening, self._guard = opening, guard

    @contextmanager
    def connection(self) -> Iterator[apsw.Connection]:
        with self._slots:
            try:
                db = self._idle.pop()
            except IndexError:
                with sqlite_errors():
                    db = self._connect()
            self._used += 1
            try:
                yield db
            finally:
                self._used -= 1
                if self._closed or len(self._idle) >= self._kept:
                    db.close()
                else:
                    self._idle.append(db)

    def _connect(self) -> apsw.Connection:
        """A further connection, to the file that the others have open: its place may hold another one by now."""
        self._guard.check()
        db = connect(self._opening)
        try:
            self._guard.check()
        except BaseException:
            db.close()
            raise
        return db

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
        self.idle: int | None = None  # reads and writes take turns

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
