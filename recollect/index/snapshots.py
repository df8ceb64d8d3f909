"""Vector indexes on disk, for cold starts: beside the database, mapped instead of read, thrown away when in doubt."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import TypeVar

from recollect.errors import RecollectError
from recollect.index.base import GrowingVectors, Stamp, VectorBackends, VectorIndex
from recollect.store.vectors import Space

_log = logging.getLogger(__name__)
V = TypeVar("V")


class Snapshots:
    """Files of one store. `database=None` (in memory, encrypted, or switched off) keeps none."""

    def __init__(self, database: Path | None, store_id: str, backends: VectorBackends) -> None:
        self._database = database
        self._backends = backends
        self._store_id = store_id

    def view(self, space: Space) -> tuple[VectorIndex, Stamp] | None:
        """The saved index, mapped and read-only; None if there is none that can be used, or no file in its place."""
        return self._open(space, self._backends.view)

    def load(self, space: Space) -> tuple[GrowingVectors, Stamp] | None:
        """The saved index, to be kept up to date from its watermark on; None also where another one is chosen now."""
        return self._open(space, self._backends.load)

    def save(self, space: Space, index: GrowingVectors, watermark: int) -> None:
        """Write the index, replacing the file at once; a full disk costs only the next cold start."""
        if (database := self._database) is None:
            return
        try:
            index.save(_path(database, space), space=self._name(space), watermark=watermark)
        except (OSError, RecollectError) as error:
            _log.warning("vector snapshot not saved: %s", type(error).__name__)

    def leave(self) -> None:
        """Look at no file any more, and write none: the store is about to be encrypted."""
        self._database = None

    def forget(self) -> None:
        """Remove every file: they may hold vectors of erased records."""
        if (database := self._database) is not None:
            for path in database.parent.glob(f"{escape(database.name)}.vectors-*"):
                with suppress(OSError):
                    path.unlink()

    def _open(self, space: Space, opener: Callable[..., tuple[V, Stamp]]) -> tuple[V, Stamp] | None:
        if (database := self._database) is None or not (path := _path(database, space)).is_file():
            return None
        try:
            return opener(path, space=self._name(space), dimensions=space.dimensions)
        except RecollectError as error:  # foreign or damaged: it is only a cache
            _log.warning("vector snapshot ignored: %s", error.code)
            return None

    def _name(self, space: Space) -> str:
        return f"{self._store_id}/{space.name}"


def _path(database: Path, space: Space) -> Path:
    return database.with_name(f"{database.name}.vectors-{space.pk}")
