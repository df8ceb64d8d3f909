"""Who holds a run: a name that tells on the same machine whether its process still lives.

A lease alone would do: it runs out. The name spares the next process the wait when the one before it was killed. It is
never trusted to say that somebody lives, only that nobody does.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from recollect.ids import new_id

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_STARTED = 19  # the field of /proc/*/stat, counted after the name in brackets, that says when a process began


def own_name() -> str:
    """A name for somebody in this process."""
    return f"{_machine()}/{os.getpid()}/{_started(os.getpid())}/{new_id()}"


def is_gone(owner: str | None) -> bool:
    """Whether the process of that name certainly lives no more; False where nothing can be told."""
    machine, _, rest = (owner or "").partition("/")
    pid, _, rest = rest.partition("/")
    started = rest.partition("/")[0]
    if not machine or machine != _machine() or not pid.isdecimal() or not started:
        return False
    return _started(int(pid)) != started


@cache
def _machine() -> str:
    """This machine since it was switched on, as far as its processes see each other; empty where that is not told."""
    try:
        return f"{_BOOT.read_text(encoding='ascii').strip()}:{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return ""


def _started(pid: int) -> str:
    """When a process began, in the system's own count; empty for one that is not there, or is dead and not buried."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[_STARTED]
