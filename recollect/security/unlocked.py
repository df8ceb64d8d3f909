"""A store that a person unlocked: its key stays in memory of the system, for this login, until it is locked again.

The key lies in `$XDG_RUNTIME_DIR/recollect/`, a folder in memory that belongs to one user and ends with the login.
Nothing is written to a disk; without such a folder nothing is kept.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

from recollect.errors import StoreError, StoreLocked, UsageError
from recollect.security.header import KeyNote, VaultHeader
from recollect.security.keys import MasterKey
from recollect.security.wiping import wipe_file

RUNTIME = "XDG_RUNTIME_DIR"


def _since_boot_s() -> int:
    """A clock that nobody can set back, and that goes on while the machine sleeps. The folder does not outlive it."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform.startswith("linux") else time.monotonic())


def keep_unlocked(header: VaultHeader, note: KeyNote, master: MasterKey, *, for_s: int | None) -> Path:
    """Have the key at hand until the login ends or `for_s` seconds are over."""
    path = _path(header, note)
    if path is None:
        raise UsageError(
            f"there is no folder in memory to keep an unlocked key in (${RUNTIME} is not set, or others can read it): "
            "give --key-file or key= with each call, or keep the key in a keyring"
        )
    until = "" if for_s is None else str(_since_boot_s() + for_s)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        wipe_file(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{master.raw().hex()} {until}\n")
    except OSError as error:
        raise StoreError(f"cannot keep the unlocked key in {path.parent}: {error.strerror}") from None
    return path


def held_unlocked(header: VaultHeader, note: KeyNote) -> MasterKey | None:
    """The key of a store that was unlocked; None if it was not, or the time is over: then the key is wiped."""
    path = _path(header, note)
    if path is None:
        return None
    try:
        about = path.lstat()
        words = path.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return None
    if not stat.S_ISREG(about.st_mode) or about.st_mode & 0o077 or about.st_uid != os.geteuid() or not words:
        return None
    if len(words) > 1 and not (words[1].isdigit() and _since_boot_s() < int(words[1])):
        lock_again(header, note)
        return None
    try:
        master = MasterKey.from_hex(words[0], str(path))
    except UsageError:
        return None
    return master if master.check == note.check else None


def lock_again(header: VaultHeader, note: KeyNote) -> bool:
    """Wipe the key that was kept at hand; whether there was one."""
    path = _path(header, note)
    if path is None or not path.exists():
        return False
    with suppress(StoreError):
        wipe_file(path)
    if path.exists():
        raise StoreLocked(f"cannot remove {path}; remove it yourself, it holds the key of the store")
    return True


def _path(header: VaultHeader, note: KeyNote) -> Path | None:
    named = os.environ.get(RUNTIME)
    if not named or os.name != "posix":
        return None
    try:
        about = os.stat(named)
    except OSError:
        return None
    if not stat.S_ISDIR(about.st_mode) or about.st_mode & 0o077 or about.st_uid != os.geteuid():
        return None
    return Path(named) / "recollect" / f"{header.id}.{note.check[:8]}"
