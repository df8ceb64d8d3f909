"""How much memory this process has, and giving back what it does not use."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import lru_cache


def resident_mb() -> float | None:
    """Resident memory of this process, where the system tells."""
    if not sys.platform.startswith("linux"):
        return None
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


@lru_cache(maxsize=1)
def _malloc_trim() -> Callable[[int], int] | None:
    """glibc's own; other allocators have none and return memory by themselves."""
    if not sys.platform.startswith("linux"):
        return None
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim


def release_free_memory() -> None:
    """Return free blocks to the system. Costs milliseconds; for the end of bulk work only."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)
