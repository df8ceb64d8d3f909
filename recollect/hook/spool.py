"""Events on their way to the store: appended in one write by whoever has one, taken in by whoever opens the store.

A frame is a line of its own: its length, a checksum, the event as JSON. It begins with a line end, so that what follows
a frame that was cut in the middle is read all the same. A file that is taken in, or has grown, gets a name of its own
first. Writers hold a shared lock while they write and look that the file is still the one under its name; whoever takes
a file in waits for that lock, so nothing is appended to a file that was read.
"""

from __future__ import annotations

import fcntl
import os
import time
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CURRENT = "spool"
FILE_BYTES_MAX = 4 << 20
FILES_MAX = 16  # waiting; what comes then is not kept, and counted as a failure
FRAME_BYTES_MAX = 64 << 10  # of what is kept of an event
FAILURES = "failures"
FAILURES_BYTES_MAX = 64 << 10
LOCK_WAIT_S = 0.02
_TRIES = 3
_HEAD = 18  # eight digits of length, a blank, eight of checksum, a blank


class NotKept(Exception):
    """An event that could not be spooled; the message is a word for `hooks status`."""


def append(folder: str, body: bytes) -> None:
    """Add one event. Whole or not at all for whoever reads it; at most 20 ms are spent on waiting."""
    if len(body) > FRAME_BYTES_MAX:
        raise NotKept("too large")
    frame = b"\n%08x %08x %b\n" % (len(body), zlib.crc32(body), body)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, CURRENT)
    for _ in range(_TRIES):
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            _lock(handle, fcntl.LOCK_SH)
            mine = os.fstat(handle)
            if not _is_at(path, mine):
                continue  # it was taken in since it was opened
            if mine.st_size + len(frame) > FILE_BYTES_MAX:
                _set_aside(folder, path)
                continue
            if os.write(handle, frame) != len(frame):
                raise NotKept("disk full")
            return
        finally:
            os.close(handle)
    raise NotKept("moved")


def _set_aside(folder: str, path: str) -> None:
    if len(waiting(folder)) >= FILES_MAX:
        raise NotKept("spool full")
    set_aside(folder, path)


def set_aside(folder: str, path: str) -> str:
    """Give a file a name of its own, by which it is taken in once. Names are in the order of time."""
    name = os.path.join(folder, f"{CURRENT}-{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}")
    os.rename(path, name)
    return name


def waiting(folder: str) -> list[str]:
    """The files that were set aside and not taken in, oldest first."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names) if name.startswith(f"{CURRENT}-")]


def is_empty(folder: str) -> bool:
    """Whether there is nothing to take in: one look at a file, and at the folder where there is one."""
    try:
        if os.stat(os.path.join(folder, CURRENT)).st_size:
            return False
    except OSError:
        pass
    return not waiting(folder)


def settled(path: str) -> bytes:
    """All that a file which was set aside will ever hold: whoever still writes to it is waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)  # writers hold theirs for one write
        data = b""
        while portion := os.read(handle, 1 << 20):
            data += portion
            if len(data) > 2 * FILE_BYTES_MAX:
                break
        return data
    finally:
        os.close(handle)


def frames(data: bytes) -> Iterator[bytes | None]:
    """The events of a file; None for each line that is none, because it was cut or written over."""
    for line in data.split(b"\n"):
        if not line:
            continue
        body = line[_HEAD:]
        try:
            sound = int(line[:8], 16) == len(body) and int(line[9:17], 16) == zlib.crc32(body)
        except ValueError:
            sound = False
        yield body if sound else None


def note_failure(folder: str, why: str) -> None:
    """Leave a word for `hooks status` and `doctor`; content is none of it. Failing to is not worth a word."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, FAILURES)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            if os.fstat(handle).st_size < FAILURES_BYTES_MAX:
                word = "".join(char if char.isalnum() or char in " _-." else "?" for char in why[:80])
                os.write(handle, f"{time.time_ns() // 1000} {word}\n".encode())
        finally:
            os.close(handle)
    except OSError:
        pass


def failures(folder: str) -> list[tuple[int, str]]:
    """(when, why) of what hooks failed at since somebody looked, oldest first."""
    try:
        with open(os.path.join(folder, FAILURES), "rb") as file:
            lines = file.read(2 * FAILURES_BYTES_MAX).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    split = (line.partition(" ") for line in lines)
    return [(int(at), why) for at, _, why in split if at.isdigit()]


def forget_failures(folder: str) -> None:
    """Somebody has looked at them."""
    try:
        os.unlink(os.path.join(folder, FAILURES))
    except OSError:
        pass


def _lock(handle: int, how: int) -> None:
    """Wait for a lock, not for long."""
    until = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() > until:
                raise NotKept("locked") from None
            time.sleep(0.002)


def _is_at(path: str, mine: os.stat_result) -> bool:
    try:
        now = os.stat(path)
    except OSError:
        return False
    return (now.st_ino, now.st_dev) == (mine.st_ino, mine.st_dev)
