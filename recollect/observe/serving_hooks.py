"""How hooks find a server of their store: a file that names its port, and a lock that it holds while it lives.

The lock goes with the process, however that ends: a port which another program has by now is told to nobody.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import IO

from recollect.hook.process import SERVER


class ServerNotice:
    """Where a process serves a store, told to its hooks."""

    def __init__(self) -> None:
        self._port: int | None = None
        self._held: IO[bytes] | None = None

    def serve_at(self, port: int) -> None:
        """Hooks may come to this port of the loopback address, without a token."""
        self._port = port

    def tell(self, folder: str) -> None:
        """Say so, unless another process does: one of them is enough."""
        if self._port is None or self._held is not None:
            return
        try:
            handle = os.open(os.path.join(folder, SERVER), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            file = os.fdopen(handle, "r+b")
        except OSError:
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.truncate(0)
            file.write(f'{{"port": {self._port}, "pid": {os.getpid()}}}'.encode())
            file.flush()
            self._held = file
        except OSError:
            file.close()

    def end(self) -> None:
        """No hook comes any more."""
        self._port = None
        if self._held is not None:
            with suppress(OSError):
                self._held.truncate(0)
            self._held.close()
            self._held = None


def is_served(folder: str) -> bool:
    """Whether a process serves the store of this folder to its hooks."""
    try:
        with open(os.path.join(folder, SERVER), "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
    except OSError:
        pass
    return False
