"""A disk that fails, below SQLite: every read, write, sync, truncation and removal of a file goes through it.

It is a VFS of apsw over the system's own. Files lie where they lie; beside that it keeps what was written and not yet
synced, so that a power cut can take it back: whole writes, or single sectors of one. A failure is said by its number:
`disk.fail(at, how)` lets the n-th call from then on go wrong, and counts on without it. One `BadDisk` at a time.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512


class How(Enum):
    """What goes wrong. Those that stay go on until `heal`."""

    EIO = "one call fails"
    EIO_STAYS = "every call fails from then on"
    TORN = "a write stops at a sector in the middle, and says so"
    FULL = "no space: writes that make a file longer fail from then on"
    READ_ONLY = "the system made the disk read-only: every change fails from then on, saying so"
    UNWRITABLE = "every change fails from then on"
    SLOW = "one call takes long"
    CUT = "the power goes: nothing works any more, and what was not synced is lost as it comes"


SPARE_READS = (How.READ_ONLY, How.UNWRITABLE)
CHANGES = ("write", "sync", "truncate", "delete")
SLOW_S = 0.05


@dataclass
class _Unsynced:
    """What happened to one file since it was synced, oldest first: (offset, bytes before, bytes after, size before)."""

    changes: list[tuple[int, bytes, bytes | None, int]] = field(default_factory=list)


class BadDisk(apsw.VFS):
    """See above. `lies_from`: from that call on a sync says it is done and does nothing; None if it is honest."""

    def __init__(self) -> None:
        self.calls = 0
        self.by_kind: dict[str, int] = {}
        self.happened: list[str] = []  # which calls went wrong
        self.lies_from: int | None = None
        self.kinds: tuple[str, ...] = ("read", *CHANGES)
        self._at, self._how = -1, How.EIO
        self._stays = False
        self._holding: tuple[str, threading.Event, threading.Event] | None = None
        self._lock = threading.RLock()
        self._unsynced: dict[str, _Unsynced] = {}
        self._removed: dict[str, bytes] = {}  # whose removal is not known to be on the disk
        self.base = apsw.vfs_names()[0]
        super().__init__("bad-disk", self.base, makedefault=True)

    # --- what a test says -----------------------------------------------------------------------------------------

    def fail(self, at: int, how: How, *, kinds: tuple[str, ...] = ("read", *CHANGES)) -> None:
        """What was written before is on the disk."""
        with self._lock:
            self._unsynced, self._removed = {}, {}
            self.calls, self.by_kind, self.happened = 0, {}, []
            self._at, self._how, self._stays, self.kinds = at, how, False, kinds

    def heal(self) -> None:
        with self._lock:
            self._at, self._stays, self.lies_from = -1, False, None

    @contextmanager
    def held(self, kind: str) -> Iterator[threading.Event]:
        """Calls of a kind wait while inside. The event: one has begun to."""
        begun, free = threading.Event(), threading.Event()
        self._holding = (kind, begun, free)
        try:
            yield begun
        finally:
            self._holding = None
            free.set()

    def after_the_cut(self, folder: Path, chance: random.Random) -> None:
        """Have the files of a folder as a disk holds them that lost its power. All connections are closed."""
        with self._lock:
            for place, content in self._removed.items():
                if Path(place).parent == folder and not os.path.exists(place) and chance.random() < 0.5:
                    Path(place).write_bytes(content)
            for place, unsynced in self._unsynced.items():
                if Path(place).parent == folder and os.path.exists(place):
                    _take_back(Path(place), unsynced, chance)
            self._unsynced, self._removed = {}, {}

    # --- what SQLite asks -------------------------------------------------------------------------------------------

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return _File(self, name, flags)

    def xDelete(self, name: str, sync_folder: bool) -> None:
        self.pass_through("delete", name)
        with self._lock:
            if os.path.exists(name):
                unsynced = self._unsynced.pop(name, None)
                if not sync_folder and unsynced is None:
                    self._removed[name] = Path(name).read_bytes()
            super().xDelete(name, sync_folder)

    # --- within -----------------------------------------------------------------------------------------------------

    def pass_through(self, kind: str, place: str, *, longer: bool = False) -> How | None:
        """Count a call, and raise what it ends with. `TORN` is for the caller to do."""
        if (holding := self._holding) is not None and holding[0] == kind:
            holding[1].set()
            holding[2].wait(30)
        with self._lock:
            if (
                self._stays
                and (self._how is not How.FULL or longer)
                and not (self._how in SPARE_READS and kind == "read")
            ):
                raise _ERRORS[self._how](f"{kind}: {self._how.value}")
            if kind not in self.kinds:
                return None
            self.by_kind[kind] = self.by_kind.get(kind, 0) + 1
            number, self.calls = self.calls, self.calls + 1
            if number != self._at:
                return None
            self.happened.append(f"{kind} of {os.path.basename(place)}")
            self._stays = self._how in (How.EIO_STAYS, How.CUT, How.FULL, *SPARE_READS)
            how = self._how
        if how is How.SLOW:
            time.sleep(SLOW_S)
            return None
        if how is How.TORN and kind == "write":
            return How.TORN
        if how is not How.FULL or longer:
            raise _ERRORS[how](f"{kind}: {how.value}")
        return None

    def note(self, place: str, offset: int, before: bytes, after: bytes | None, size: int) -> None:
        self._unsynced.setdefault(place, _Unsynced()).changes.append((offset, before, after, size))

    def synced(self, place: str) -> None:
        with self._lock:
            if self.lies_from is None or self.calls < self.lies_from:
                self._unsynced.pop(place, None)
                self._removed.clear()  # a journal of the file system keeps to the order


_ERRORS: dict[How, type[Exception]] = {
    How.EIO: apsw.IOError,
    How.EIO_STAYS: apsw.IOError,
    How.TORN: apsw.IOError,
    How.CUT: apsw.IOError,
    How.FULL: apsw.FullError,
    How.READ_ONLY: apsw.ReadOnlyError,
    How.UNWRITABLE: apsw.IOError,
}


class _File(apsw.VFSFile):
    def __init__(self, disk: BadDisk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        self._place = str(name.filename() if isinstance(name, apsw.URIFilename) else name or "")
        super().__init__(disk.base, name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:
        self._disk.pass_through("read", self._place)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        size = self.xFileSize()
        torn = self._disk.pass_through("write", self._place, longer=offset + len(data) > size)
        if torn is How.TORN:
            data = data[: len(data) // 2 // SECTOR * SECTOR]
        with self._disk._lock:
            before = super().xRead(min(len(data), max(0, size - offset)), offset) if offset < size else b""
            self._disk.note(self._place, offset, before, bytes(data), size)
            if data:
                super().xWrite(data, offset)
        if torn is How.TORN:
            raise apsw.IOError("write: stopped in the middle")

    def xTruncate(self, size: int) -> None:
        self._disk.pass_through("truncate", self._place)
        with self._disk._lock:
            now = self.xFileSize()
            tail = super().xRead(now - size, size) if now > size else b""
            self._disk.note(self._place, size, tail, None, now)
            super().xTruncate(size)

    def xSync(self, flags: int) -> None:
        self._disk.pass_through("sync", self._place)
        super().xSync(flags)
        self._disk.synced(self._place)


def _take_back(place: Path, unsynced: _Unsynced, chance: random.Random) -> None:
    """Back to what was synced, and from there on a choice of what was written since."""
    with place.open("r+b") as file:
        for offset, before, _, size in reversed(unsynced.changes):
            file.seek(offset)
            file.write(before)
            file.truncate(size)
        keeps = chance.choice((0.0, 0.5, 0.9, 1.0))
        for offset, before, after, _ in unsynced.changes:
            if chance.random() >= keeps:
                continue
            if after is None:
                file.truncate(offset)
                continue
            whole = chance.random() < 0.5
            for at in range(0, len(after), SECTOR):
                if whole or chance.random() < 0.5:
                    file.seek(offset + at)
                    file.write(after[at : at + SECTOR])
            del before


@contextmanager
def bad_disk() -> Iterator[BadDisk]:
    """In use for every connection that is opened inside."""
    disk = BadDisk()
    try:
        yield disk
    finally:
        disk.heal()
        disk.unregister()
