"""Watches over the file of an open store: that nobody pulls its log away, and that it is still where it was.

POSIX locks belong to the process, not to the library: when a program also opens the file with the standard library's
`sqlite3`, closing that connection drops the locks of ours, and, since it sees no others, deletes the live log. What was
acknowledged afterwards would sit in a file without a name. A lock of the *open file description* kind on the same
bytes is visible to every copy and to every process, and survives such a close.

A file that was removed, or replaced by another, is still open here, and takes writes that nobody will ever read. Its
log is worse: found beside another file, SQLite plays it into that one. So the places of both are looked at with every
commit, and a log that is in use for another file is not opened.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from pathlib import Path

from recollect.errors import StoreReplaced

# SQLite's range of shared locks: "someone is reading this database".
_SHARED_FIRST = 0x40000000 + 2
_SHARED_BYTES = 510
_LOOKS = 3  # before a log is taken for another file's: who opens or closes the store just now holds half of the locks
_PAUSE_S = 0.05

Identity = tuple[int, int]


class FileGuard:
    """Holds the shared range from construction to `release`. Does nothing where the system has no such locks."""

    def __init__(self, path: str) -> None:
        self._fd: int | None = None
        self._places = {place: _identity(place) for place in (path, f"{path}-wal")}
        self._path = path
        self._gone = False
        if sys.platform.startswith("linux"):
            self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            self._set(self._fd, shared=True)

    @property
    def lost(self) -> bool:
        """Whether the file, or its log, is no longer where it was opened. Once it is, it stays so."""
        if not self._gone:
            self._gone = any(seen is not None and _identity(place) != seen for place, seen in self._places.items())
        return self._gone

    def check(self) -> None:
        """`StoreReplaced` if the file that is open is not the one in its place any more."""
        if self.lost:
            raise StoreReplaced(
                f"{self._path} was removed or replaced while it was open: nothing more is written; "
                "put it back or close this memory and open it again"
            )

    def release(self) -> None:
        """Before the last connection closes, so that it may fold the log into the file."""
        if self._fd is not None:
            self._set(self._fd, shared=False)

    def close(self) -> None:
        """After the last connection closed: closing a descriptor drops this process's locks on the file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    @staticmethod
    def _set(fd: int, *, shared: bool) -> None:
        import fcntl

        kind = fcntl.F_RDLCK if shared else fcntl.F_UNLCK
        flock = struct.pack("hhqqi4x", kind, os.SEEK_SET, _SHARED_FIRST, _SHARED_BYTES, 0)
        fcntl.fcntl(fd, fcntl.F_OFD_SETLK, flock)


def is_held(path: str) -> bool:
    """Whether any process has the file open as a store. False where the system does not tell."""
    if not sys.platform.startswith("linux"):
        return False
    import fcntl

    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, _SHARED_FIRST, _SHARED_BYTES, 0)
        answered = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked)
        return bool(struct.unpack("hhqqi4x", answered)[0] != fcntl.F_UNLCK)
    finally:
        os.close(descriptor)


def refuse_foreign_log(path: str) -> None:
    """`StoreReplaced` if the log beside a file is in use for another one, which was there before.

    Told by the system's list of locks, because to open the log's files and close them again would drop the locks of
    this process. Where there is no such list, nothing is refused.
    """
    for _ in range(_LOOKS):
        if not _log_is_foreign(path):
            return
        time.sleep(_PAUSE_S)
    raise StoreReplaced(
        f"a process still has a file open that was at {path} before, and its log lies beside the new one: "
        "end that process, then open this again"
    )


def _log_is_foreign(path: str) -> bool:
    shared, file = _identity(f"{path}-shm"), _identity(path)
    if shared is None or file is None or (held := _locked()) is None:
        return False
    return _is_among(shared, held) and file[1] not in {inode for _, inode in held}


def was_left_open(path: str) -> bool:
    """Whether the last process that had a file open as a store ended without closing it: its log is still there, and
    nobody holds the file. To be asked before the file is opened. False where the system does not tell.
    """
    try:
        if not os.stat(f"{path}-wal").st_size:
            return False
    except OSError:
        return False
    file, held = _identity(path), _locked()
    return file is not None and held is not None and not _is_among(file, held)


def _locked() -> frozenset[tuple[str, int]] | None:
    """(device, inode) of every file of this system that is locked; None where there is no such list."""
    try:
        locks = Path("/proc/locks").read_text(encoding="ascii")
    except OSError:
        return None
    places = {place.rpartition(":") for line in locks.splitlines() for place in line.split() if place.count(":") == 2}
    return frozenset((device, int(inode)) for device, _, inode in places)


def _is_among(file: Identity, held: frozenset[tuple[str, int]]) -> bool:
    return (f"{os.major(file[0]):02x}:{os.minor(file[0]):02x}", file[1]) in held


def _identity(path: str) -> Identity | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
