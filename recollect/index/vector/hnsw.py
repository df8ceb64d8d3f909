"""Approximate nearest neighbours in a graph (HNSW, by usearch), and its file for quick starts.

usearch searches the whole graph and takes no filter. So the few rows of a narrow selection are compared one
by one; of a wide one more neighbours are fetched than wanted, and filtered. Whichever is cheaper is done, and
the first again when the second did not find enough: a filter never costs a search its results.

The library promises nothing about searching while adding, and adding may move the graph in memory: every call
takes its turn at a lock. Adding goes in chunks of a few milliseconds, and a search that waits comes next.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.config.storage import IndexSettings
from recollect.errors import StoreReadOnly
from recollect.index.base import Mask, Pks, Scored, Selection, Stamp
from recollect.index.keys import among as held_among
from recollect.index.vector.files import GRAPH_FORM, SealedFile, sealing
from recollect.index.vector.filtering import hunted
from recollect.index.vector.flat import NOTHING, Vectors, best, last_of_each, unit
from recollect.index.vector.precision import PRECISIONS, lengths
from recollect.providers.native import share_cpp_runtime

_ADD_CHUNK = 32  # vectors added while searches wait: some 5 ms
# After each vector a worker asks for the interpreter's lock, to look for signals, and while other Python code
# runs gets it only every 5 ms: two workers then add 400 vectors/s instead of 5,500. A worker for each vector
# waits but once: 1,000 when it is crowded, though a quarter slower when it is not.
_ADD_THREADS = os.cpu_count() or 1
_ADD_THREADS_CROWDED = _ADD_CHUNK
_CROWDED_S = 0.000_5  # a vector took longer than this: crowded; alone it takes less than half
_SCAN_BLOCK = 4_096
_SCANNED_PER_FETCHED = 8  # rows compared one by one in the time the graph finds one more, and exactly

MIRRORED_MAX = 20_000  # rows of a graph whose vectors are kept a second time
_GROWTH = 1.5


class _MirrorRows(NamedTuple):
    """One moment: keys ascending, and for each the row of the matrix that holds its vector."""

    pks: Pks
    at: NDArray[np.int64]
    matrix: Vectors
    used: int  # rows of the matrix that were given out; what was replaced or dropped is among them


class Mirror:
    """The vectors of a graph once more, as rows of a matrix: read many at once, compared many at once.

    usearch hands out vectors one object a row, in half precision; a store of some thousand rows spent a third of every
    search on that. A kilobyte a row is little for few rows and much for many, so only a small graph is mirrored. One
    thread applies, any thread reads: rows that a reader may see are never written again.
    """

    def __init__(self, pks: Pks, vectors: Vectors) -> None:
        order = np.argsort(pks, kind="stable")
        self._rows = _MirrorRows(pks[order], order.astype(np.int64), vectors, len(pks))

    def apply(self, pks: Pks, vectors: Vectors, deletes: Pks) -> None:
        """Insert or replace rows, each key once, and drop others."""
        rows = self._rows
        kept = ~held_among(rows.pks, np.concatenate([pks, deletes]))
        matrix, used = rows.matrix, rows.used
        if used + len(pks) > len(matrix):
            at = rows.at[kept]
            matrix = np.empty((int((len(at) + len(pks)) * _GROWTH) + 1, matrix.shape[1]), dtype=np.float32)
            matrix[: len(at)] = rows.matrix[at]
            rows, used = rows._replace(pks=rows.pks[kept], at=np.arange(len(at))), len(at)
            kept = np.ones(len(at), dtype=np.bool_)
        matrix[used : used + len(pks)] = vectors
        held = np.concatenate([rows.pks[kept], pks])
        at = np.concatenate([rows.at[kept], np.arange(used, used + len(pks))])
        order = np.argsort(held, kind="stable")
        self._rows = _MirrorRows(held[order], at[order], matrix, used + len(pks))

    def read(self, pks: Pks) -> tuple[Mask, Vectors]:
        """Which of the keys are held, and their vectors one below the other."""
        rows = self._rows
        if not len(rows.pks):
            return np.zeros(len(pks), dtype=np.bool_), rows.matrix[:0]
        place = np.minimum(rows.pks.searchsorted(pks), len(rows.pks) - 1)
        known = rows.pks[place] == pks
        return known, rows.matrix[rows.at[place if known.all() else place[known]]]


class HnswVectors:
    """The `VectorIndex` for many rows. One thread applies and saves, any thread searches."""

    def __init__(self, dimensions: int, *, settings: IndexSettings = IndexSettings(), dtype: str = "f16") -> None:
        share_cpp_runtime()
        from usearch.index import Index  # a small store is scanned, and does without

        self._dimensions = dimensions
        self._precision = PRECISIONS[dtype]
        self._scan_max = settings.scan_max
        self._index: Any = Index(
            ndim=dimensions,
            metric="cos",
            dtype=dtype,
            connectivity=settings.hnsw_m,
            expansion_add=settings.hnsw_ef_construction,
            expansion_search=settings.hnsw_ef_search,
        )
        self._file: SealedFile | None = None  # set: this is a view of it and takes no changes
        self._turnstile, self._graph = Lock(), Lock()
        nothing = np.empty(0, dtype=np.int64), np.empty((0, dimensions), dtype=np.float32)
        self._mirror = Mirror(*nothing) if dtype in ("f16", "i8") else None  # as long as there are few rows

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def read_only(self) -> bool:
        return self._file is not None

    def count(self) -> int:
        return len(self._index)

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        if self.read_only:  # usearch would end the process
            raise StoreReadOnly("a vector index viewed from its file takes no changes")
        pks, vectors = last_of_each(puts, self._dimensions)
        gone = np.setdiff1d(np.array(deletes, dtype=np.int64), pks)
        if len(gone):
            with self._alone():
                self._remove(gone)
        self._reflect(pks, vectors, gone)
        threads = _ADD_THREADS
        for start in range(0, len(pks), _ADD_CHUNK):
            chunk = slice(start, start + _ADD_CHUNK)
            with self._alone():
                begin = time.perf_counter()
                self._remove(pks[chunk])  # a pk may be there once only
                self._index.add(pks[chunk], self._precision.encode(vectors[chunk]), threads=threads)
                crowded = time.perf_counter() - begin > _CROWDED_S * _ADD_CHUNK
            threads = _ADD_THREADS_CROWDED if crowded else _ADD_THREADS

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        direction = unit(query)
        rows = min(among.count, self.count())
        if direction is None or limit <= 0 or not rows:
            return NOTHING
        return hunted(
            limit,
            among,
            nearest=partial(self._neighbours, direction),
            compared=lambda pks: self._scan(direction, limit, self._keys() if pks is None else pks),
            worth=lambda fetch: rows > self._scan_max and rows > fetch * _SCANNED_PER_FETCHED,
        )

    def vectors(self, pks: Pks) -> Vectors:
        known, rows = self._rows(pks)
        if known.all():
            return rows
        out = np.zeros((len(pks), self._dimensions), dtype=np.float32)
        out[known] = rows
        return out

    def close(self) -> None:
        with self._alone():
            self._index.reset()
            if self._file is not None:
                self._file.close()

    def held(self, pks: Pks) -> Pks:
        """Those of the keys that are in the graph."""
        with self._alone():
            return pks[self._index.contains(pks)] if len(pks) else pks

    def copied(self, settings: IndexSettings) -> HnswVectors:
        """What is viewed from a file, in memory and ready for changes."""
        assert self._file is not None
        whole = HnswVectors(self._dimensions, settings=settings, dtype=self._precision.name)
        whole._index.load(self._file.payload)
        whole._mirror = None
        return whole

    def relieve(self) -> None:
        """Give back the memory of what is mapped from a file."""
        if self._file is not None:
            self._file.let_go()

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        """Write the graph and its stamp, whole or not at all. For the thread that applies; searches go on."""
        stamp = Stamp(space, self._dimensions, self._precision.name, self.count(), watermark, GRAPH_FORM)
        with sealing(path, stamp) as temporary:
            self._index.save(temporary)
        return True

    @classmethod
    def view(
        cls, path: Path, *, space: str, dimensions: int, settings: IndexSettings = IndexSettings()
    ) -> tuple[HnswVectors, Stamp]:
        """Search straight from the file. `StoreDamaged` unless it is whole and of this space."""
        file, index = cls._open(path, space, dimensions, settings)
        with file.refusing():
            index._index.view(file.payload)
        index._file, index._mirror = file, None
        return index, file.stamp

    @classmethod
    def load(
        cls, path: Path, *, space: str, dimensions: int, settings: IndexSettings = IndexSettings()
    ) -> tuple[HnswVectors, Stamp]:
        """The same in memory, ready for changes since its watermark."""
        file, index = cls._open(path, space, dimensions, settings)
        with file.refusing():
            index._index.load(file.payload)
        file.close()
        if index._mirror is not None:
            pks = index._keys()[:MIRRORED_MAX]
            index._mirror = (
                Mirror(pks, index._precision.decode(index._held(pks)[1])) if len(pks) == index.count() else None
            )
        return index, file.stamp

    @classmethod
    def _open(cls, path: Path, space: str, dimensions: int, settings: IndexSettings) -> tuple[SealedFile, HnswVectors]:
        file = SealedFile.of(path, form=GRAPH_FORM, space=space, dimensions=dimensions)
        return file, cls(dimensions, settings=settings, dtype=file.stamp.dtype)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One at a time. Who waits for the graph holds the turnstile, so bulk adds cannot overtake it."""
        with self._turnstile:
            self._graph.acquire()
        try:
            yield
        finally:
            self._graph.release()

    def _remove(self, pks: Pks) -> None:
        held = pks[self._index.contains(pks)]
        if len(held):
            self._index.remove(held)

    def _keys(self) -> Pks:
        with self._alone():
            return np.asarray(self._index.keys[: len(self._index)]).astype(np.int64)

    def _neighbours(self, direction: Vectors, count: int) -> Scored:
        with self._alone():
            found = self._index.search(self._precision.encode(direction[None])[0], count, threads=1)
        return Scored(found.keys.astype(np.int64), (1.0 - found.distances).astype(np.float32))

    def _scan(self, direction: Vectors, limit: int, pks: Pks) -> Scored:
        """The nearest of these rows, each compared."""
        found = NOTHING
        rounded = self._precision.rounded(direction[None])[0]
        rounded /= np.linalg.norm(rounded)
        for start in range(0, len(pks), _SCAN_BLOCK):
            block = pks[start : start + _SCAN_BLOCK]
            known, rows = self._rows(block)
            if not len(rows):
                continue
            scores = rows @ rounded / lengths(rows)
            found = best(np.concatenate([found.pks, block[known]]), np.concatenate([found.scores, scores]), limit)
        return found

    def _reflect(self, pks: Pks, vectors: Vectors, gone: Pks) -> None:
        """Keep the mirror like the graph, or give it up when there are too many rows."""
        if self._mirror is not None:
            if self.count() + len(pks) > MIRRORED_MAX:
                self._mirror = None
            else:
                self._mirror.apply(pks, self._precision.rounded(vectors), gone)

    def _rows(self, pks: Pks) -> tuple[Mask, Vectors]:
        """Which of the pks are held, and their vectors one below the other."""
        mirror = self._mirror
        if mirror is not None:
            return mirror.read(pks)
        known, rows = self._held(pks)
        return known, self._precision.decode(rows)

    def _held(self, pks: Pks) -> tuple[Mask, NDArray[Any]]:
        """The same as the graph has it, bit by bit."""
        nothing = np.empty((0, self._dimensions), dtype=self._precision.bits)
        if not len(pks):
            return np.empty(0, dtype=np.bool_), nothing
        with self._alone():
            known: Mask = self._index.contains(pks)
            # `Index.get` wraps each row in Python; what it calls gives the same bytes in a third of the time.
            share_cpp_runtime()
            from usearch.compiled import ScalarKind

            kind = {"f16": ScalarKind.F16, "f32": ScalarKind.F32, "i8": ScalarKind.I8}[self._precision.name]
            rows = self._index._compiled.get_many(pks[known].astype(np.uint64), kind) if known.any() else ()
        if not rows:
            return known, nothing
        return known, np.concatenate(rows).view(self._precision.bits).reshape(-1, self._dimensions)
