"""Backups of an open store: made when they are due or asked for, checked, told of, and taken away after an erasure.

A backup holds all that the store held. So what is erased for good takes the backups with it that may hold it, and what
changes the key takes those under the other key; a new one is made then.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.clock import SECOND_US, Clock, from_us
from recollect.config import LiveConfig
from recollect.errors import Interrupted, RecollectError, StoreBusy, UsageError
from recollect.model.backup import Backup, BackupKind
from recollect.one_thread import OneThread
from recollect.security.wiping import wipe_file
from recollect.store.backup_folder import HEADER_SUFFIX, BackupFile, BackupFolder

if TYPE_CHECKING:
    from recollect.config import Config
    from recollect.store.base import Store

_log = logging.getLogger(__name__)
_HOUR_US = 3600 * SECOND_US
_LOOK_S = 60.0  # how often it is looked whether one is due
_FRESH_US = 600 * SECOND_US  # a change that follows a backup so soon needs no other one
_TURN_S = 60.0  # so long a call waits for another backup to be finished
_CLOSING_BYTES_MAX = 64 * 2**20  # copied and read back in about a second, which is as long as closing may be felt
OLD_DAYS = 7  # from here on health warns


class Backups:
    """Backups of one open store. Safe to use from many threads; several processes take turns."""

    def __init__(
        self, store: Store, live: LiveConfig, clock: Clock, folder: Callable[[Config], BackupFolder | None]
    ) -> None:
        self._store = store
        self._live = live
        self._clock = clock
        self._folder_of = folder
        self._closing = threading.Event()
        self._thread = OneThread(self.make_due, "recollect-backup")
        self._looked_at = time.monotonic()
        self._owed = False  # earlier ones were taken away: the next look makes one
        self._holds_to: tuple[Path, str | None] | None = None  # the newest backup, and the last operation it holds
        self.trouble: str | None = None  # why the newest attempt that nobody asked for came to nothing

    @property
    def folder(self) -> BackupFolder | None:
        """Where they lie; None of a store in memory."""
        return self._folder_of(self._live.current)

    def make(
        self,
        kind: BackupKind = BackupKind.MANUAL,
        *,
        wait_s: float = _TURN_S,
        going_on: Callable[[], bool] | None = None,
    ) -> Backup:
        """Make one now, read it back, and take away the oldest of its kind beyond those that are kept."""
        folder = self._needed()
        goes_on = going_on or (lambda: not self._closing.is_set())
        folder.room_for(self._store.size_bytes())
        with folder.alone(wait_s=wait_s):
            erased = self._newest_erasure()

            def write(path: Path) -> None:
                self._store.back_up(path, goes_on)
                if self._newest_erasure() != erased:
                    raise StoreBusy("something was erased while the backup was made; make it again")

            made = folder.add(kind, self._clock(), write, header=self._header())
        self.trouble, self._owed = None, False
        return self._told(made)

    def listed(self, *, verify: bool = False) -> list[Backup]:
        """All there are, the newest first; with `verify` each is opened and read again."""
        folder = self.folder
        found = [] if folder is None else folder.listed()
        return [self._told(each, self._store.check_backup(each.path) if verify else ()) for each in found]

    def before(self, kind: BackupKind) -> str | None:
        """Make one before a change, unless there is a fresh one or nothing to lose; a word if it could not be made."""
        folder, settings = self.folder, self._live.current.backups
        if folder is None or not settings.before_changes or self._of_server() or not self._holds_anything():
            return None
        newest = next(iter(folder.of_the_store()), None)
        if newest is not None and 0 <= self._clock() - newest.made_at < _FRESH_US:
            return None
        try:
            self.make(kind)
        except RecollectError as error:
            return f"no backup was made before this ({error.code}): {error.message}"
        return None

    def due(self) -> bool:
        """Whether one should be made now: the newest is old enough, and something was done since."""
        hours, folder = self._live.current.backups.interval_hours, self.folder
        if folder is None or not hours or self._of_server():
            return False
        newest = next(iter(folder.of_the_store()), None)
        if newest is not None and 0 <= self._clock() - newest.made_at < hours * _HOUR_US:
            return False
        return self._done_since(newest)

    def look(self) -> None:
        """Begin one in a thread of its own if it is due. Called every moment by a thread that must not wait for it."""
        now = time.monotonic()
        if self._closing.is_set() or self._thread.runs:
            return
        wait_s = 0.0 if self._owed and not self._store.scrub_due else _LOOK_S
        if now - self._looked_at < wait_s:
            return
        self._looked_at = now
        if self._owed or self.due():
            self._thread.begin()

    def make_due(self, **how: Any) -> None:
        """Make the one that is due. What keeps it from being made is told by health, and it is tried again."""
        try:
            self.make(BackupKind.AUTO, **how)
        except (Interrupted, StoreBusy):  # another process makes one, or the memory is being closed
            return
        except RecollectError as error:
            self.trouble = f"[{error.code}] {error.message}"
            _log.warning("no backup was made: %s", error.code)

    def make_before_closing(self, seconds: float) -> None:
        """Make the one that is due if this process has written, and it is done at once; broken off after so long.

        Of a store that has not lived for an interval none is due yet: for whoever opens and closes it all the time, no
        more is at stake than between two backups.
        """
        until = time.monotonic() + seconds
        try:
            if seconds <= 0 or not self._due_before_closing():
                return
        except RecollectError:  # its file is gone, or cannot be read
            return
        self.make_due(wait_s=0.0, going_on=lambda: time.monotonic() < until)

    def _due_before_closing(self) -> bool:
        store, hours = self._store, self._live.current.backups.interval_hours
        if not store.written or not hours or store.path is None:
            return False
        if store.lost or any(each.why is not None for each in store.outages.values()):
            return False
        folder, now = self.folder, self._clock()
        newest = None if folder is None else next(iter(folder.of_the_store()), None)
        if folder is None or (newest is not None and 0 <= now - newest.made_at < hours * _HOUR_US):
            return False
        if store.size_bytes() > _CLOSING_BYTES_MAX or store.scrub_due:
            return False
        with store.read() as tx:
            first, last = tx.journal.oldest_at(), tx.journal.newest_at()
        if first is None or last is None:
            return False
        if newest is None:
            return self._owed or now - first >= hours * _HOUR_US
        return last >= newest.made_at and self._done_since(newest)

    def forget(self) -> None:
        """Wipe all backups: what is being erased is in them. A new one is made when that is done."""
        folder = self.folder
        if folder is None or self._of_server() or not folder.files():
            return
        with folder.alone(wait_s=_TURN_S):
            for path in folder.files():
                wipe_file(path)
        self._owed = bool(self._live.current.backups.interval_hours)

    @contextmanager
    def around_key_change(self) -> Iterator[None]:
        """Make one before the store gets another key; after it, wipe those under the old one and make one anew.

        Before a plain store is encrypted none is made: it would only be more to wipe.
        """
        if self._store.encrypted and (word := self.before(BackupKind.KEY)):
            _log.warning("%s", word.partition(":")[0])
        had = bool(self.folder and self.folder.listed())
        yield
        self.forget()
        if had:
            with suppress(RecollectError):  # `trouble` and the next look see to it
                self.make(BackupKind.AUTO)

    def standing(self) -> dict[str, Any]:
        """For health: the newest, and how many there are."""
        newest = self._newest()
        return {
            "backups": len(self.listed()),
            "backup": None if newest is None else newest.made_at.isoformat(),
            "backup_age_hours": None if newest is None else newest.age_hours,
        }

    def warnings(self) -> list[str]:
        """What a person should see to."""
        found = [] if self.trouble is None else [f"no backup could be made: {self.trouble}"]
        lack = self.lack()
        return found if lack is None else [*found, f"{lack}: `recollect backup` makes one"]

    def lack(self) -> str | None:
        """That a store older than a week has no backup, or none newer than that; None if it has, or none is wanted."""
        newest = self._newest()
        if newest is not None and newest.age_hours <= OLD_DAYS * 24:
            return None
        if not self.due():
            return None
        if newest is not None:
            return f"the newest backup is {newest.age_hours / 24:.0f} days old"
        with self._store.read() as tx:
            first = tx.journal.oldest_at()
        days = 0.0 if first is None else (self._clock() - first) / _HOUR_US / 24
        return f"there is no backup of {days:.0f} days of memories" if days > OLD_DAYS else None

    def close(self) -> None:
        """Stop: a copy under way is broken off and leaves nothing."""
        self._closing.set()
        self._thread.end()

    def _newest(self) -> Backup | None:
        folder = self.folder
        newest = None if folder is None else next(iter(folder.of_the_store()), None)
        return None if newest is None else self._told(newest)

    def _done_since(self, file: BackupFile | None) -> bool:
        """Whether anything was done that a backup does not hold."""
        with self._store.read() as tx:
            done = next(iter(tx.journal.operations(scope_pks=None, limit=1)), None)
        if done is None or file is None:
            return done is not None
        if self._holds_to is None or self._holds_to[0] != file.path:
            with suppress(RecollectError):
                found = self._store.newest_in_backup(file.path)
                self._holds_to = file.path, None if found is None else found[0]
        return self._holds_to is None or self._holds_to != (file.path, done.id)

    def _needed(self) -> BackupFolder:
        folder = self.folder
        if folder is None:
            raise UsageError("a store in memory has no file to back up; export it")
        return folder

    def _told(self, file: BackupFile, faults: Any = ()) -> Backup:
        return Backup(
            name=file.path.name,
            path=str(file.path),
            kind=file.kind,
            made_at=from_us(file.made_at),
            size_bytes=file.size_bytes,
            age_hours=round((self._clock() - file.made_at) / _HOUR_US, 2),
            verified=not faults,
            faults=tuple(faults),
        )

    def _header(self) -> Path | None:
        header = Path(f"{self._store.path}{HEADER_SUFFIX}")
        return header if self._store.path is not None and header.exists() else None

    def _newest_erasure(self) -> int:
        with self._store.read() as tx:
            return tx.journal.newest_erasure()

    def _holds_anything(self) -> bool:
        with self._store.read() as tx:
            return tx.journal.newest_at() is not None

    def _of_server(self) -> bool:
        return self._store.path is None
