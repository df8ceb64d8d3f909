"""Keeps a second copy of SQLite in this process from pulling the log away.

POSIX locks belong to the process, not to the library: when a program also opens the file with the standard library's
`sqlite3`, closing that connection drops the locks of ours, and, since it sees no others, deletes the live log. What was
acknowledged afterwards would sit in a file without a name. A lock of the *open file description* kind on the same
bytes is visible to every copy and to every process, and survives such a close.
"""

from __future__ import annotations

import os
import struct
import sys

# SQLite's range of shared locks: "someone is reading this database".
_SHARED_FIRST = 0x40000000 + 2
_SHARED_BYTES = 510


class FileGuard:
    """Holds the shared range from construction to `release`. Does nothing where the system has no such locks."""

    def __init__(self, path: str) -> None:
        self._fd: int | None = None
        if sys.platform.startswith("linux"):
            self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            self._set(self._fd, shared=True)

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
