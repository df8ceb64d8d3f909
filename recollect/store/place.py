"""The folder of a store: its owner's alone, left out by what looks through folders, and flushed after renames."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

OWN_NAME = ".recollect"  # the default folder, which is ours whoever made it
# Git, Android's media scanner and macOS's Spotlight leave a folder alone that holds these.
_MARKS = {".gitignore": b"*\n", ".nomedia": b"", ".noindex": b""}


def make_folder(folder: Path) -> None:
    """See that there is a folder. One that is made here, or has our name, is kept private; any other is its owner's."""
    ours = not folder.exists() or folder.name == OWN_NAME
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if ours:
        keep_private(folder)


def keep_private(folder: Path) -> None:
    """Shut the others of this machine out of a folder of ours, and mark it; what cannot be done is left."""
    with suppress(OSError):
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
        for name, content in _MARKS.items():
            with suppress(FileExistsError):
                descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)


_FILES = ("", "-wal", "-shm", ".vault")
_WINDOWS_HIDDEN = 0x2


def hide(database: str) -> None:
    """Give the files of a store the attribute hidden, where the system has one; a listing that asks for all has them.

    Elsewhere a file is hidden by a name that begins with a dot, and names are the caller's.
    """
    for path in (f"{database}{suffix}" for suffix in _FILES):
        with suppress(OSError):
            if sys.platform == "win32":
                import ctypes

                kernel = ctypes.windll.kernel32
                known = kernel.GetFileAttributesW(path)
                if known != 0xFFFFFFFF and not known & _WINDOWS_HIDDEN:
                    kernel.SetFileAttributesW(path, known | _WINDOWS_HIDDEN)
            elif (chflags := getattr(os, "chflags", None)) is not None:
                chflags(path, os.stat(path).st_flags | stat.UF_HIDDEN)  # type: ignore[attr-defined]


def place_decoy(path: str) -> bool:
    """An experiment: a plain database that looks like the settings of some program, where people would look first.

    A file that is there already is left alone. Whoever looks further is not deceived: see docs/adr/0041.
    """
    place = Path(path).expanduser()
    if place.exists():
        return False
    import sqlite3

    make_folder(place.parent)
    with sqlite3.connect(place) as db:
        db.execute("CREATE TABLE app_config (version TEXT, theme TEXT, language TEXT)")
        db.execute("INSERT INTO app_config VALUES ('1.0', 'light', 'en')")
    db.close()
    place.chmod(0o600)
    return True


def sync_folder(folder: Path) -> None:
    """Have renames in a folder on the disk too. Windows keeps them by itself and opens no folders."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
