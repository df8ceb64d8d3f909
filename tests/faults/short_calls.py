"""System calls of SQLite that do less than they were asked to, as POSIX lets them: short reads and writes, interrupts.

Under every file of the process that SQLite opens: it asks for its system calls by name, and gets these instead.
"""

from __future__ import annotations

import ctypes
import errno
import random
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_int, c_long, c_size_t, c_ssize_t, c_void_p

import apsw

_LIBC = ctypes.CDLL(None, use_errno=True)
_CALL = ctypes.CFUNCTYPE(c_ssize_t, c_int, c_void_p, c_size_t, c_long, use_errno=True)
_ONE_IN = 3


class ShortCalls:
    """How many calls were cut short, or interrupted before they did anything."""

    def __init__(self, seed: int) -> None:
        self.short, self.interrupted, self.whole = 0, 0, 0
        self._chance = random.Random(seed)
        self._vfs = apsw.VFS("short-calls", "unix")
        self._before: dict[str, int | None] = {}
        self._callbacks = [self._replaced("pread64"), self._replaced("pwrite64")]  # freed, they would be called still

    def _replaced(self, name: str) -> object:
        really = getattr(_LIBC, name)
        really.argtypes, really.restype = [c_int, c_void_p, c_size_t, c_long], c_ssize_t

        def call(descriptor: int, place: int, size: int, offset: int) -> int:
            if size > 1 and self._chance.randrange(_ONE_IN) == 0:
                if self._chance.random() < 0.5:
                    self.interrupted += 1
                    ctypes.set_errno(errno.EINTR)
                    return -1
                self.short += 1
                size = self._chance.randrange(1, size)
            else:
                self.whole += 1
            done: int = really(descriptor, place, size, offset)
            return done

        callback = _CALL(call)
        self._before[name] = self._vfs.xGetSystemCall(name)
        self._vfs.xSetSystemCall(name, ctypes.cast(callback, c_void_p).value)
        return callback

    def put_back(self) -> None:
        for name, pointer in self._before.items():
            self._vfs.xSetSystemCall(name, pointer)
        self._vfs.unregister()


@contextmanager
def short_calls(seed: int) -> Iterator[ShortCalls]:
    calls = ShortCalls(seed)
    try:
        yield calls
    finally:
        calls.put_back()
