"""How a client starts this program, whoever set it up: in the shell or on the page."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program() -> list[str]:
    """This program by its full path: what has a window is often started without the person's PATH."""
    own = Path(sys.argv[0])
    if own.stem == "recollect" and own.is_file() and os.access(own, os.X_OK):
        return [str(own.absolute())]
    beside = Path(sys.executable).with_name("recollect")
    found = str(beside) if beside.is_file() else shutil.which("recollect")
    return [os.path.abspath(found)] if found else [sys.executable, "-m", "recollect.interfaces.cli"]


def absolute(store: str) -> str:
    """A client starts its servers in a folder of its own choice."""
    return store if store == ":memory:" or "://" in store else os.path.abspath(os.path.expanduser(store))
