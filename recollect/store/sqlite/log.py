"""The write-ahead log: folded into the file by a thread of its own, and emptied for good after an erasure.

An erasure is finished when no byte of what it removed is left, in the file or in its log. That takes the file for
itself for a moment, which another process can prevent. So the erasure notes in its own transaction that this is due,
and whoever has the store open next sees to it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import apsw

from recollect.errors import StoreBusy, StoreError, StoreReplaced
from recollect.store.base import Tx
from recollect.store.sqlite.connection import ERASURE_DUE, Opening, SqliteStatements, connect
from recollect.store.sqlite.errors import sqlite_errors
from recollect.store.sqlite.guard import FileGuard
from recollect.store.sqlite.times import make_coarse
from recollect.store.writer import Writer

_log = logging.getLogger(__name__)

_LOG_FULL_FACTOR = 8  # the log may grow to this many checkpoints before a commit waits for one
_TICK_S = 1.0  # how soon it is noticed that somebody moved the file away
_LOOK_S = 5.0  # how often it is tried to finish an erasure
_LOOK_AROUND_S = 60.0  # … and looked whether another process left one
_ATTEMPT_MS = 250  # one attempt at emptying the log keeps writers waiting for so long
_PAUSE_S = 0.02


def due_mark(tx: Tx) -> str | None:
    """The mark of the newest erasure whose bytes may still be there."""
    found = tx.sql.value("SELECT value FROM meta WHERE key = ?", (ERASURE_DUE,))
    return None if found is None else str(found)


class LogKeeper:
    """Keeps the log of one open file short, so that commits never pay for it, and empties it when that is asked for."""

    def __init__(self, opening: Opening, write_db: apsw.Connection, guard: FileGuard, pages: int) -> None:
        self._opening = opening
        self._write_db = write_db
        self._guard = guard
        self._pages = pages
        self._log_pages = 0
        self._db = connect(opening)  # opened once: by its path, one might meet another file later
        self._folding = threading.Lock()  # whoever folds; the two ways of doing it fail when they meet
        self._wake = threading.Event()
        self._closing = False
        self._rewritten: str | None = None  # the mark of an erasure after which the file was rewritten
        try:
            self._waiting = due_mark(Tx(SqliteStatements(self._db)))  # … of one that was not finished when last looked
        except BaseException:
            self._db.close()
            raise
        self._looked_at = time.monotonic()
        self._grown_at: float | None = time.monotonic()  # when the log was last written to; None: it is empty
        self._writer: Writer | None = None
        self._thread = threading.Thread(target=self._keep, name="recollect-checkpoint", daemon=True)

    def start(self, writer: Writer) -> None:
        self._writer = writer
        self._on_writer(lambda tx: self._write_db.set_wal_hook(self._grew))  # the connection is that thread's
        self._thread.start()

    def _grew(self, db: Any, name: str, pages: int) -> int:
        self._log_pages = pages
        self._grown_at = time.monotonic()
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
        while not self._closing:
            grown = self._wake.wait(_TICK_S)
            self._wake.clear()
            if self._closing:
                return
            try:
                self._guard.check()
                if grown:
                    self._fold()
                self._finish_erasures()
                self._empty_when_idle()
                if self._opening.coarse_times:
                    make_coarse(self._opening.path)
            except StoreReplaced:
                self._let_go()
                return
            except StoreError as error:  # no space, say: the log keeps what it has, and the next commit asks again
                _log.warning("checkpoint failed, the write-ahead log stays: %s", error.code)

    def _fold(self) -> None:
        with self._folding, sqlite_errors(), suppress(apsw.BusyError):
            self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _empty_when_idle(self) -> None:
        """Of an encrypted store nothing tells for long how much was written: after a pause the log is emptied."""
        idle_s, grown_at = self._opening.idle_checkpoint_s, self._grown_at
        if self._opening.key is None or not idle_s or grown_at is None or time.monotonic() - grown_at < idle_s:
            return
        self._grown_at = None  # before: a write meanwhile is noticed
        with self._folding:
            if not self._on_writer(lambda tx: self._truncate()):
                self._grown_at = self._grown_at or time.monotonic()  # a reader is in the way: again after a pause

    def _let_go(self) -> None:
        """The file is gone from its place: what the log holds belongs to the file we have open, and to no other.

        Left where it is, the log would be played into whatever file stands in that place by then.
        """
        _log.error("the database was removed or replaced while it was open; nothing more is written")
        with suppress(StoreError):
            self._on_writer(lambda tx: self._truncate())

    def checkpoint(self) -> None:
        """Fold all of the log, as far as others let us."""
        with self._folding:
            self._on_writer(lambda tx: self._truncate())

    # --- after an erasure --------------------------------------------------------------------------------------------

    def scrub(self, *, wait_s: float) -> None:
        """Rewrite the file from what is live, then empty the log. `StoreBusy` if others kept it from that."""
        self._guard.check()
        deadline = time.monotonic() + wait_s
        with self._folding:  # our own thread must not be folding the log while it is to be emptied
            mark = self._waiting = self._on_writer(due_mark)
            self._on_writer(lambda tx: self._rewrite(tx, mark, wait_ms=max(_ATTEMPT_MS, int(wait_s * 1000))))
            while not self._on_writer(lambda tx: self._truncate()):
                if self._closing or time.monotonic() >= deadline:
                    raise StoreBusy("the log is being read and could not be folded into the file; try again")
                time.sleep(_PAUSE_S)
            self._on_writer(
                lambda tx: tx.sql.run("DELETE FROM meta WHERE key = ? AND value IS ?", (ERASURE_DUE, mark)), bare=False
            )
            self._waiting = None

    def _rewrite(self, tx: Tx, mark: str | None, *, wait_ms: int) -> None:
        """On the writer's thread. Whatever was erased before is in no page afterwards.

        `secure_delete` wipes rows where they are deleted, but rows also move between pages, and the places they left
        are not wiped.
        """
        if mark is None or mark != self._rewritten:
            with self._patience(wait_ms):
                _vacuum(tx, encrypted=self._opening.key is not None)
            self._rewritten = mark

    def _truncate(self) -> bool:
        """On the writer's thread. Whether all of the log is in the file, and no byte of it left where it was."""
        with self._patience(_ATTEMPT_MS):
            try:
                self._write_db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except apsw.BusyError:
                return False
        return True

    @contextmanager
    def _patience(self, wait_ms: int) -> Iterator[None]:
        """How long the writer waits for others inside."""
        self._write_db.set_busy_timeout(wait_ms)
        try:
            yield
        finally:
            self._write_db.set_busy_timeout(int(self._opening.busy_timeout_s * 1000))

    def _finish_erasures(self) -> None:
        """What an erasure left to be done, here or in a process that died, unless somebody else did it meanwhile."""
        now, known = time.monotonic(), self._waiting
        if now < self._looked_at + (_LOOK_AROUND_S if known is None else _LOOK_S):
            return
        self._looked_at = now
        if self._due() and known is not None:  # who made it gets some time to finish it
            with suppress(StoreError):  # health tells, and the next look tries again
                self.scrub(wait_s=0.0)

    def _on_writer(self, work: Callable[[Tx], Any], *, bare: bool = True) -> Any:
        assert self._writer is not None
        return self._writer.submit(work, bare=bare)

    def close(self) -> None:
        """Before the writer closes. What an erasure left to be done is tried once more."""
        self._closing = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        with suppress(StoreError):
            if self._guard.lost:
                self._let_go()
            elif self._due():
                self.scrub(wait_s=0.0)
        self._db.close()

    def abandon(self) -> None:
        """Stop, and leave the log as it is: the store was never open."""
        self._closing = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        self._db.close()

    def _due(self) -> bool:
        with sqlite_errors():
            self._waiting = due_mark(Tx(SqliteStatements(self._db)))
        return self._waiting is not None


def _vacuum(tx: Tx, *, encrypted: bool) -> None:
    """On the writer's thread. A plain copy goes through a file, an encrypted one must not."""
    if not encrypted:
        tx.sql.run("PRAGMA temp_store = file")
    try:
        tx.sql.run("VACUUM")
    finally:
        tx.sql.run("PRAGMA temp_store = memory")
