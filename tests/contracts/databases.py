"""The databases that a store can be kept in. A new one is one more entry, and has the whole contract to fulfil."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

# How each is opened, by the folder it may write into; the first is what the others are compared with.
DATABASES: Mapping[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: str(folder / "m.db"),
    "sqlite-memory": lambda folder: ":memory:",
}
