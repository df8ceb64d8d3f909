"""A project whose code is known, as it is held open: what there is to take in, and its graph."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.clock import Clock
from recollect.code.graph import CodeGraph
from recollect.code.project import changed_at, listed, stamp_of
from recollect.errors import RecollectError
from recollect.store.base import Store
from recollect.store.code import FileStanding, ProjectRow

if TYPE_CHECKING:
    from recollect.code.indexing import Indexed, ProjectIntake


class Project:
    """One project of a store. A question loads nothing of what reads files and resolves them."""

    def __init__(self, store: Store, clock: Clock, root: Path) -> None:
        self._store = store
        self._clock = clock
        self.root = root
        self._graph: CodeGraph | None = None
        self._seen: tuple[int, int] | None = None

    def row(self) -> ProjectRow | None:
        with self._store.read() as tx:
            return tx.code.project(str(self.root))

    # What there is to do

    def pending(self) -> dict[str, str]:
        """Files that are not as they were taken in, by path: new, changed or gone. Texts are not looked at."""
        row = self.row()
        known = standing_of(self._store, row)
        if row is not None and self._looks_the_same(row, known):
            return {}
        listing = listed(self.root)
        found = dict.fromkeys(known.keys() - listing.files.keys(), "gone")
        for path, stamp in listing.files.items():
            standing = known.get(path)
            if standing is None:
                found[path] = "new"
            elif (standing.size, standing.mtime_ns) != stamp:
                found[path] = "changed"
        if row is not None and not found:  # a folder has changed, though none of its code
            self._store.write(lambda tx: tx.code.save_folders(row.pk, listing.folders))
        return found

    def _looks_the_same(self, row: ProjectRow, known: dict[str, FileStanding]) -> bool:
        """Whether no file and no folder has changed, without listing any."""
        with self._store.read() as tx:
            folders = tx.code.folders(row.pk)
        base = f"{self.root}{os.sep}"
        return (
            bool(folders)
            and all(changed_at(base + path) == at for path, at in folders.items())
            and all(stamp_of(base + path) == (each.size, each.mtime_ns) for path, each in known.items())
        )

    @cached_property
    def _intake(self) -> ProjectIntake:
        from recollect.code.indexing import ProjectIntake

        return ProjectIntake(self._store, self._clock, self.root)

    def update(self, name: str, only: str | None = None) -> Indexed:
        """Take in whatever is new, changed or gone; with `only`, one file that is known already."""
        try:
            return self._intake.update(self.row(), name, only)
        finally:
            self._graph = None

    # The graph

    def graph(self) -> CodeGraph:
        """The graph as it was last taken in, by this process or another."""
        row = self.row()
        if row is None:
            raise RecollectError("the project is not indexed")
        seen = (row.pk, row.indexed_at)
        if self._graph is None or self._seen != seen:
            with self._store.read() as tx:
                self._graph = CodeGraph(tx.code.graph(row.pk))
            self._seen = seen
        return self._graph


def standing_of(store: Store, row: ProjectRow | None) -> dict[str, FileStanding]:
    """How the files of a project were when they were taken in."""
    if row is None:
        return {}
    with store.read() as tx:
        return tx.code.standing(row.pk)
