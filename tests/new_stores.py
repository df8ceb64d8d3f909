"""New stores of tests begin as a copy of one that is migrated already: the schema steps take longer than most tests.

What a program does with a new store stays as it is, and so does what makes each store one of its own (its id is given
at its first use, after this). Tests of creating stores are marked `creates_stores` and copy nothing; encrypted stores
and processes that a test starts copy nothing either.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from recollect.store.sqlite import store as sqlite_store
from recollect.store.sqlite.connection import Opening


class Template:
    """An empty, migrated store, and the two places where a new one takes its bytes instead of being migrated."""

    def __init__(self) -> None:
        self.copied = True  # off for tests of creating stores
        self._check_file = sqlite_store.check_file
        self._migrate: Callable[..., int] = sqlite_store.migrate

    def install(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        """Make the template in this folder, and have new stores copied from it."""
        self._path = folder / "template.db"
        sqlite_store.SqliteStore(Opening(path=str(self._path))).close()
        self._bytes = self._path.read_bytes()
        monkeypatch.setattr(sqlite_store, "check_file", self._filled)
        monkeypatch.setattr(sqlite_store, "migrate", self._copied_in_memory)

    def _filled(self, opening: Opening) -> None:
        """The product makes the empty file, with the rights it gives; the copy is what SQLite finds in it."""
        path = Path(opening.path)
        new = self.copied and opening.key is None and not opening.in_memory and not path.exists()
        self._check_file(opening)
        if new:
            path.write_bytes(self._bytes)

    def _copied_in_memory(self, db: apsw.Connection, path: str, **more: Any) -> int:
        if self.copied and path == ":memory:":
            template = apsw.Connection(str(self._path))
            with db.backup("main", template, "main") as backup:
                backup.step()
            template.close()
        return self._migrate(db, path, **more)
