"""How a store is protected, as far as can be told from outside: without its key, and without opening it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from recollect.model.result import Report
from recollect.security.access import Access
from recollect.security.process import core_dumps_off, undumpable
from recollect.store.open import is_encrypted

BESIDE = ("", "-wal", "-shm", "-journal", ".vault", ".changing", ".old", ".old-wal", ".refused")


def files_of(database: str) -> list[Path]:
    """Every file that belongs to a store, among those that are there."""
    place = Path(database)
    named = [Path(f"{database}{suffix}") for suffix in BESIDE]
    found = [path for path in named if path.exists()]
    if place.parent.is_dir():
        found += sorted(path for path in place.parent.iterdir() if path.name.startswith(f"{place.name}.vectors-"))
    return found


def standing(database: str, *, opened: Access | None = None, encrypted: bool | None = None) -> Report:
    """What protects a store. Of one that is not open here, what its files tell."""
    if encrypted is None:
        encrypted = is_encrypted(database)
    figures: dict[str, Any] = {"store": database, "encrypted": encrypted}
    figures |= _key_figures(database)
    files = files_of(database)
    folder = Path(database).parent
    figures |= {
        "files": {path.name: oct(stat.S_IMODE(path.stat().st_mode))[2:] for path in files},
        "folder": oct(stat.S_IMODE(folder.stat().st_mode))[2:] if folder.is_dir() else None,
        "core_dumps_off": core_dumps_off(),
        "undumpable": undumpable(),
        "key_locked_in_memory": opened is not None and opened.master is not None and opened.master.locked,
    }
    return Report(figures=figures, warnings=tuple(_warnings(figures, files, folder)))


def _key_figures(database: str) -> dict[str, Any]:
    if not os.path.exists(f"{database}.vault"):
        return {"vault": False, "kept": None}
    from recollect.security.header import KeyPlace, read_header
    from recollect.security.keeping import keyring_name
    from recollect.security.unlocked import held_unlocked

    header = read_header(database)
    if header is None or header.key is None:
        return {"vault": False, "kept": None, "changing": header is not None and header.change is not None}
    note = header.key
    figures: dict[str, Any] = {
        "vault": True,
        "kept": note.kept.value,
        "place": keyring_name() if note.kept is KeyPlace.KEYRING else note.place,
        "key": note.check[:8],
        "changing": header.change is not None,
        "unlocked": held_unlocked(header, note) is not None,
    }
    if note.sealed is not None:
        cost = note.sealed.cost
        figures["argon2id"] = {"memory_kib": cost.memory_kib, "iterations": cost.iterations, "lanes": cost.lanes}
    return figures


def _warnings(figures: dict[str, Any], files: list[Path], folder: Path) -> list[str]:
    told = []
    if figures.get("changing"):
        told.append("a change of the key was not finished; the next opening finishes it or takes it back")
    open_files = [path.name for path in files if path.stat().st_mode & 0o077]
    if open_files:
        told.append(f"others on this machine can read {', '.join(open_files)}: chmod 600")
    place = figures.get("place")
    if figures.get("kept") == "file" and place and Path(place).parent == folder:
        told.append("the key file lies beside the store: a copy of the folder is a copy of both")
    if figures.get("kept") == "keyring" and "plaintext" in str(place).lower():
        told.append(f"the keyring in use ({place}) writes keys to a plain file")
    return told
