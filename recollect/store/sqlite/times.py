"""File times without the hour: when a store was used is nobody's business."""

from __future__ import annotations

import os
from contextlib import suppress

_DAY_S = 86_400
_FILES = ("", "-wal", "-shm", ".vault")


def make_coarse(database: str) -> None:
    """Set the times of the files of a store back to the beginning of the day (UTC). The inode's own time stays."""
    for suffix in _FILES:
        with suppress(OSError):
            path = f"{database}{suffix}"
            times = os.stat(path)
            read, written = (int(at) // _DAY_S * _DAY_S for at in (times.st_atime, times.st_mtime))
            if (read, written) != (times.st_atime, times.st_mtime):
                os.utime(path, (read, written))
