"""The graph read from its file as it is needed, for machines where it does not fit into memory.

What changes goes beside it: new rows are compared one by one, rows that are gone are passed over. When there are many,
the whole is built anew, as a graph in memory that is then written; whoever follows the feed does that.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np

from recollect.config.storage import IndexSettings
from recollect.index.base import Mask, Pks, Scored, Selection, Stamp
from recollect.index.keys import among as keys_among
from recollect.index.vector.flat import Vectors, best
from recollect.index.vector.hnsw import HnswVectors
from recollect.index.vector.scanned import ScannedVectors

_NONE = np.empty(0, dtype=np.int64)
_NEWER_MIN = 10_000  # rows beside the file that are compared one by one
_NEWER_PART = 10  # of those in the file


class _Without:
    """A selection without some rows."""

    def __init__(self, among: Selection, gone: Pks) -> None:
        self._among, self._gone = among, gone
        self.total = among.total + len(gone)  # more than are allowed, so a search looks
        self.count = among.count
        self.scope_pks = among.scope_pks

    def allows(self, pks: Pks) -> Mask:
        return self._among.allows(pks) & ~keys_among(pks, self._gone)

    def pks(self) -> Pks:
        pks = self._among.pks()
        return pks[~keys_among(pks, self._gone)]


class MappedVectors:
    """The back end `mapped`. One thread applies and saves, any thread searches."""

    def __init__(
        self,
        dimensions: int,
        *,
        settings: IndexSettings,
        precision: str,
        folder: Path | None,
        base: HnswVectors | None = None,
    ) -> None:
        """`folder`: where the graph is written; None, as in a store without files, keeps it in memory."""
        self._dimensions, self._settings, self._precision, self._folder = dimensions, settings, precision, folder
        self._base = base or HnswVectors(dimensions, settings=settings, dtype=precision)
        self._newer = ScannedVectors(dimensions, precision=precision)
        self._gone = _NONE  # rows of the file that count no more, ascending

    @classmethod
    def load(cls, path: Path, *, space: str, dimensions: int, settings: IndexSettings) -> tuple[MappedVectors, Stamp]:
        base, stamp = HnswVectors.view(path, space=space, dimensions=dimensions, settings=settings)
        made = cls(dimensions, settings=settings, precision=stamp.dtype, folder=path.parent, base=base)
        return made, stamp

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def count(self) -> int:
        return self._base.count() - len(self._gone) + self._newer.count()

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        if not self._base.read_only:
            self._base.apply(puts, deletes)
            return
        coming = _NONE if puts is None else puts[0]
        leaving = np.unique(np.concatenate([coming, np.array(deletes, dtype=np.int64)]))
        self._gone = np.union1d(self._gone, self._base.held(leaving))
        self._newer.apply(puts, deletes)
        if self._newer.count() > max(_NEWER_MIN, self._base.count() // _NEWER_PART):
            self._write_anew()

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        base, newer, gone = self._base, self._newer, self._gone
        newest = newer.search(query, limit=limit, among=among)
        older = base.search(query, limit=limit, among=_Without(among, gone) if len(gone) else among)
        if not len(newest.pks):
            return older
        fresh = ~keys_among(older.pks, newest.pks)
        return best(
            np.concatenate([newest.pks, older.pks[fresh]]), np.concatenate([newest.scores, older.scores[fresh]]), limit
        )

    def vectors(self, pks: Pks) -> Vectors:
        found = self._base.vectors(pks)
        found[keys_among(pks, self._gone)] = 0.0
        newer = self._newer.vectors(pks)
        held = newer.any(axis=1)
        found[held] = newer[held]
        return found

    def relieve(self) -> None:
        """Read from the file what was built in memory, and let go of what was read."""
        if not self._base.read_only and self._base.count():
            self._write_anew()
        self._base.relieve()

    def close(self) -> None:
        self._base.close()
        self._newer.close()

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        return self._whole().save(path, space=space, watermark=watermark)

    def _whole(self) -> HnswVectors:
        """The graph with all changes, in memory."""
        if not self._base.read_only:
            return self._base
        whole = self._base.copied(self._settings)
        pks = self._newer.keys()
        whole.apply((pks, self._newer.vectors(pks)), self._gone.tolist())
        return whole

    def _write_anew(self) -> None:
        """Write the graph with all changes to a file without a name, and search that. The old one ends with its last
        search."""
        if self._folder is None:
            return
        path = self._folder / f"recollect-{uuid4()}.tmp"
        try:
            self._whole().save(path, space="", watermark=0)
            base, _ = HnswVectors.view(path, space="", dimensions=self._dimensions, settings=self._settings)
        finally:
            path.unlink(missing_ok=True)
        self._base, self._gone = base, _NONE
        self._newer = ScannedVectors(self._dimensions, precision=self._precision)
