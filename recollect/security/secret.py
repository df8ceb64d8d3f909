"""A secret in memory: out of the swap file while it is there, overwritten when it is no longer needed."""

from __future__ import annotations

import ctypes
import hmac
import sys
from functools import lru_cache
from typing import Any


class Secret:
    """Bytes in one buffer of our own, which is locked into memory where the system allows it, and can be wiped.

    What is made of it for a library (`bytes(secret)`, hex for SQLite) is an object of Python's, which nothing can wipe:
    see docs/vault.md.
    """

    __slots__ = ("_buffer", "locked")

    def __init__(self, given: bytes | bytearray) -> None:
        self._buffer = bytearray(given)
        self.locked = _lock(self._buffer)
        if isinstance(given, bytearray):
            wipe(given)

    def __bytes__(self) -> bytes:
        return bytes(self._buffer)

    def __len__(self) -> int:
        return len(self._buffer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._buffer, other._buffer)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> Any:
        raise TypeError("a secret is not written anywhere")

    @property
    def wiped(self) -> bool:
        return not any(self._buffer)

    def wipe(self) -> None:
        """Overwrite the buffer; the secret is of no use afterwards."""
        wipe(self._buffer)

    def __del__(self) -> None:
        if getattr(self, "_buffer", None) is not None:
            self.wipe()


def wipe(buffer: bytearray) -> None:
    """Overwrite what is in the buffer, in place."""
    buffer[:] = bytes(len(buffer))


@lru_cache(maxsize=1)
def _mlock() -> Any:
    if sys.platform == "win32":
        return None
    try:
        return ctypes.CDLL(None, use_errno=True).mlock
    except (OSError, AttributeError):
        return None


def _lock(buffer: bytearray) -> bool:
    """Keep the pages of the buffer out of the swap file. False where the system refuses (RLIMIT_MEMLOCK) or cannot."""
    mlock = _mlock()
    if mlock is None or not buffer:
        return False
    held = (ctypes.c_char * len(buffer)).from_buffer(buffer)
    return bool(mlock(ctypes.c_void_p(ctypes.addressof(held)), ctypes.c_size_t(len(buffer))) == 0)
