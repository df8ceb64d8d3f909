"""The process that holds a key: no core dump of it, and no other process of the same user may read its memory."""

from __future__ import annotations

import ctypes
import sys
from functools import lru_cache
from typing import Any

_PR_GET_DUMPABLE, _PR_SET_DUMPABLE = 3, 4


def harden() -> None:
    """Turn core dumps off and make the process undumpable (`ptrace`, `/proc/PID/mem`), as far as the system can.

    It holds for the whole process and for good; programs that it starts are not concerned.
    """
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    if (prctl := _prctl()) is not None:
        prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def core_dumps_off() -> bool:
    if sys.platform == "win32":
        return False
    import resource

    return resource.getrlimit(resource.RLIMIT_CORE)[0] == 0


def undumpable() -> bool:
    """Whether other processes of the same user are kept from this one's memory."""
    prctl = _prctl()
    return prctl is not None and prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) == 0


@lru_cache(maxsize=1)
def _prctl() -> Any:
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "prctl", None)
