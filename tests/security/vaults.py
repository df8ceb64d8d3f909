"""What tests of the vault share: a filled store, every byte beside it, keyrings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import keyring

import recollect
from recollect.memory import Memory

MARKER = "quetzalcoatlus"


def filled(path: Path, **options: Any) -> Memory:
    """An open store with a few records that hold the marker."""
    memory = recollect.open(path, **{"embedder": "fake", **options})
    for number in range(8):
        memory.add(f"the {MARKER} number {number} flew over the lake", user_id="ana")
    return memory


def contents(memory: Memory) -> set[str]:
    return {record.content for record in memory.get_all(reach="all")}


def files_with(folder: Path, marker: str = MARKER) -> list[str]:
    """The names of files below a folder in which the marker stands in the clear, in UTF-8 or UTF-16."""
    forms = (marker.encode(), marker.encode("utf-16-le"))
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    )


@contextmanager
def keyring_in(folder: Path) -> Iterator[Any]:
    """A real keyring in a file, of keyrings.alt."""
    from keyrings.alt.file import PlaintextKeyring

    ring = PlaintextKeyring()
    ring.file_path = str(folder / "keyring.cfg")
    with using(ring):
        yield ring


@contextmanager
def using(ring: Any) -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(ring)
    try:
        yield
    finally:
        keyring.set_keyring(before)
