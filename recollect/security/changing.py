"""A store given a key, another key, or none: in steps that a kill cannot leave halfway.

The names of the files tell how far a change went:

| | `memory.db` | `memory.db.changing` | `memory.db.old` | the change is |
|---|---|---|---|---|
| 1 | old | | | taken back |
| 2 | old | the copy, perhaps half | | taken back |
| 3 | old | the copy | the same file as `memory.db` | taken back |
| 4 | new | | old | finished |
| 5 | new | | half wiped, or gone | finished |

Whoever opens the store next, or `recollect vault migrate`, takes back or finishes what was left. A key is kept before
the first step that needs it, and forgotten after the last.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import RecollectError, StoreError
from recollect.security import keeping
from recollect.security.access import page_key
from recollect.security.header import KeyNote, VaultHeader, read_header, remove_header, write_header
from recollect.security.keys import MasterKey
from recollect.security.wiping import wipe_file
from recollect.store.backup_folder import SUFFIX as BACKUPS
from recollect.store.backup_folder import BackupFolder
from recollect.store.place import sync_folder

if TYPE_CHECKING:
    from recollect.store.base import Store, Tx

Step = Callable[[str], None]
_LOCK_WAIT_S, _LOCK_PAUSE_S = 1.0, 0.02  # another process may be finishing what a kill left: a moment's work


@contextmanager
def change_lock(database: str) -> Iterator[bool]:
    """Whether this is the only one that changes keys in the folder of the store; the lock ends with its process."""
    descriptor = os.open(Path(database).parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield _taken(descriptor, time.monotonic() + _LOCK_WAIT_S)
    finally:
        os.close(descriptor)


def _taken(descriptor: int, deadline: float) -> bool:
    import fcntl

    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_LOCK_PAUSE_S)


def _no_step(name: str) -> None:
    """Nobody follows the steps."""


class Changing:
    """The change of one store's key. For whoever holds the `change_lock`."""

    def __init__(self, database: str, *, step: Step = _no_step) -> None:
        self._database = Path(database)
        self._copy = Path(f"{database}.changing")
        self._old = Path(f"{database}.old")
        self._old_log = Path(f"{database}.old-wal")
        self._step = step
        self.left_linked = False  # the old file had another name, which was left alone

    def begin(
        self,
        store: Store,
        header: VaultHeader,
        note: KeyNote | None,
        master: MasterKey | None,
        rewrite: Callable[[Tx], None] | None = None,
    ) -> None:
        """Take the store from the key of its header to another; `note` None makes it plain.

        `rewrite` changes what is under keys of its own, in the copy.

        Anything that goes wrong before the new file is in its place leaves everything as it was.
        """
        write_header(self._database, header.changing(note))
        try:
            self._step("noted")
            if note is not None:
                assert master is not None
                keeping.keep(header, note, master)
            self._step("key kept")
            self._discard_copy()
            self._hold_log()
            store.change_file(None if master is None else page_key(master), self._copy, self._switch, rewrite)
        except BaseException:
            with suppress(RecollectError):  # what cannot be taken back now is taken back by the next opening
                if not self._switched():
                    self._take_back(header.changing(note))
            raise
        self._step("taken up")
        self._clear(header.changing(note).switched())

    def finish(self) -> VaultHeader | None:
        """Finish a change that its process did not, or take it back; the header afterwards, None of a plain store."""
        header = read_header(self._database)
        if header is None or header.change is None:
            return header
        if header.change.switched:
            return self._clear(header)
        if self._switched():
            return self._clear(header.switched())
        return self._take_back(header)

    def _hold_log(self) -> None:
        """Give the log a second name: SQLite removes its own when the log is folded, and wipes nothing."""
        self._old_log.unlink(missing_ok=True)
        try:
            os.link(f"{self._database}-wal", self._old_log)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"the file system of {self._database} has no hard links: {error.strerror}") from None

    def _switch(self) -> None:
        """Put the copy into the place of the file, which keeps another name until it is wiped."""
        self._step("copied")
        try:
            self._old.unlink(missing_ok=True)
            os.link(self._database, self._old)
            self._step("linked")
            os.replace(self._copy, self._database)
            sync_folder(self._database.parent)
        except OSError as error:
            raise StoreError(f"the new file could not take its place: {error.strerror}") from None
        self._step("switched")

    def _switched(self) -> bool:
        """Whether the new file is in its place: the old one has another name, and is another file."""
        try:
            return not self._old.samefile(self._database)
        except FileNotFoundError:
            return False

    def _clear(self, header: VaultHeader) -> VaultHeader | None:
        """The new file is in its place: do away with the old one, with what was made of it, and with the old key."""
        assert header.change is not None
        write_header(self._database, header)
        self._step("header written")
        self.left_linked = not wipe_file(self._old)
        for path in (self._old_log, *self._made_of_it()):
            wipe_file(path)
        self._step("wiped")
        keeping.settle(header, header.key, header.change.other)
        self._step("old key forgotten")
        return self._without_change(header)

    def _take_back(self, header: VaultHeader) -> VaultHeader | None:
        """The old file is in its place, and stays."""
        assert header.change is not None
        self._old.unlink(missing_ok=True)  # another name of the file itself
        wipe_file(self._old_log)  # if it is the log itself, only this name goes
        self._discard_copy()
        keeping.forget(header, header.change.other)
        return self._without_change(header)

    def _without_change(self, header: VaultHeader) -> VaultHeader | None:
        if header.key is None:
            remove_header(self._database)
            return None
        left = replace(header, change=None)
        write_header(self._database, left)
        return left

    def _discard_copy(self) -> None:
        """A copy that never took its place may be a plain one: wiped."""
        for path in (self._copy, Path(f"{self._copy}-journal")):
            wipe_file(path)

    def _made_of_it(self) -> list[Path]:
        """Vector files for quick starts, and backups, which are under the old key or none."""
        name = escape(self._database.name)
        backups = BackupFolder(Path(f"{self._database}{BACKUPS}"), keep=1).files()
        return [*sorted(self._database.parent.glob(f"{name}.vectors-*")), *backups]
