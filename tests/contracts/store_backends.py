"""The kinds of store that every contract is held against. A further database is a further entry of `BACKENDS`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from recollect.store.base import Store
from recollect.store.sqlite.connection import Opening
from recollect.store.sqlite.store import SqliteStore

KEY = bytes(range(32))


class Bench:
    """One kind of store, and how to open it once more as another process would."""

    def __init__(self, open_: Callable[[], Store], *, shared: bool, keeps_readers_apart: bool) -> None:
        self._open = open_
        self._opened: list[Store] = []
        self.shared = shared  # a second store object sees the same data
        self.keeps_readers_apart = keeps_readers_apart  # a read goes on while a write happens

    def open(self) -> Store:
        store = self._open()
        self._opened.append(store)
        return store

    def close(self) -> None:
        for store in self._opened:
            store.close()


def sqlite_file(folder: Path) -> Bench:
    return Bench(lambda: SqliteStore(Opening(path=str(folder / "s.db"))), shared=True, keeps_readers_apart=True)


def sqlite_encrypted(folder: Path) -> Bench:
    opening = Opening(path=str(folder / "s.db"), key=KEY)
    return Bench(lambda: SqliteStore(opening), shared=True, keeps_readers_apart=True)


def sqlite_in_memory(folder: Path) -> Bench:
    return Bench(lambda: SqliteStore(Opening(path=":memory:")), shared=False, keeps_readers_apart=False)


BACKENDS = {"sqlite": sqlite_file, "sqlite-encrypted": sqlite_encrypted, "sqlite-memory": sqlite_in_memory}
