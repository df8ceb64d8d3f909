"""Give back memory that was used while indexes were filled.

The C allocator keeps freed blocks for later; after a bulk load that is tens of megabytes nobody will need again.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import lru_cache


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
