"""The folder of a store: its owner's alone, and left out by what looks through folders."""

from __future__ import annotations

import os
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
