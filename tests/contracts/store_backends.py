"""The kinds of store that every contract is held against. A further database is a further entry of `BACKENDS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from postgres_server import server

from recollect.config import Config
from recollect.store.base import Store
from recollect.store.open import open_store


@dataclass(frozen=True, kw_only=True)
class Backend:
    """How a kind of store is opened, by the folder it may write into, and what is true of it alone."""

    url: Callable[[Path], str]
    key: bytes | None = None
    shared: bool = True  # a second store object sees the same data
    keeps_readers_apart: bool = True  # a read goes on while a write happens

    def __call__(self, folder: Path) -> Bench:
        return Bench(self, folder)


class Bench:
    """Stores of one kind in one folder: each further one is opened as another process would."""

    def __init__(self, backend: Backend, folder: Path) -> None:
        self._backend = backend
        self._folder = folder
        self._opened: list[Store] = []
        self.shared = backend.shared
        self.keeps_readers_apart = backend.keeps_readers_apart

    def open(self) -> Store:
        store = open_store(self._backend.url(self._folder), key=self._backend.key, config=Config())
        self._opened.append(store)
        return store

    def close(self) -> None:
        for store in self._opened:
            store.close()


_databases: dict[Path, str] = {}


def _database(folder: Path) -> str:
    """The database that stands for a folder."""
    if folder not in _databases:
        _databases[folder] = f"{server().new()}&schema=recollect"
    return _databases[folder]


BACKENDS: Mapping[str, Backend] = {
    "sqlite": Backend(url=lambda folder: str(folder / "s.db")),
    "sqlite-encrypted": Backend(url=lambda folder: str(folder / "s.db"), key=bytes(range(32))),
    "sqlite-memory": Backend(url=lambda folder: ":memory:", shared=False, keeps_readers_apart=False),
    "postgres": Backend(url=_database),
}
# For what does not depend on how pages are written; the first is what the others are compared with.
DATABASES = [name for name, backend in BACKENDS.items() if backend.key is None]
