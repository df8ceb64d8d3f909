"""Vectors in lists around typical ones, by FAISS: a search looks into the lists nearest to the question (IVF).

Until there are enough rows to learn what is typical, they are scanned; when there are many times as many, what is
typical is learned again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from recollect.index.base import Pks, Scored, Selection
from recollect.index.vector.filtering import hunted
from recollect.index.vector.flat import NOTHING, FlatVectors, Vectors, best, last_of_each, unit

_LEARNED_ROWS = 4_096  # enough for PQ's 256 typical fours, and for 64 lists
_LEARNED_ROWS_MAX = 65_536
_LISTS_PER_ROOT = 1.0
_PROBED_SHARE = 1 / 8  # of the lists: .99 of the ten nearest among 32,000 sentences, if learned from all of these
_AGAIN = 2  # times as many rows as when it was learned: .83 of the ten nearest where an eighth taught the lists
_PART = 4  # numbers that share a byte of a product code
_ROUNDS = 4  # of learning typical fours: its own 25 take 23 s for 4,200 rows of 64 numbers
_LEARNED_PER_CENTRE = 32
_NARROW = 20_000
_KINDS = {"f32": "Flat", "f16": "SQfp16", "i8": "SQ8", "pq": "PQ{parts}x8"}


class FaissVectors:
    """The back end `faiss`. One thread applies, any thread searches, one at a time."""

    def __init__(self, dimensions: int, *, precision: str, metric: str) -> None:
        self._faiss = _library()
        self._dimensions = dimensions
        self._kind = _KINDS[precision].format(parts=dimensions // _PART)
        self._l2 = metric == "l2"
        self._few: FlatVectors | None = FlatVectors(dimensions)
        self._lists: Any = None
        self._learned_at = 0
        self._lock = Lock()

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def count(self) -> int:
        few = self._few
        return few.count() if few is not None else int(self._lists.ntotal)

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        if self._few is not None:
            self._few.apply(puts, deletes)
            if self._few.count() >= _LEARNED_ROWS:
                self._learn(*self._few.rows())
            return
        pks, vectors = last_of_each(puts, self._dimensions)
        leaving = np.unique(np.concatenate([pks, np.array(deletes, dtype=np.int64)]))
        with self._lock:
            self._lists.remove_ids(self._faiss.IDSelectorArray(leaving))
            if len(pks):
                self._lists.add_with_ids(np.ascontiguousarray(vectors), pks)
        if self.count() > _AGAIN * self._learned_at:
            every = self._keys()
            self._learn(every, self.vectors(every))

    def _learn(self, pks: Pks, vectors: Vectors) -> None:
        """Lists around what is typical of these rows, with them in it."""
        faiss, count = self._faiss, max(1, int(_LISTS_PER_ROOT * math.sqrt(len(pks))))
        metric = faiss.METRIC_L2 if self._l2 else faiss.METRIC_INNER_PRODUCT
        lists = faiss.index_factory(self._dimensions, f"IVF{count},{self._kind}", metric)
        if hasattr(lists, "pq"):
            lists.pq.cp.niter, lists.pq.cp.min_points_per_centroid = _ROUNDS, 1
            lists.pq.cp.max_points_per_centroid = _LEARNED_PER_CENTRE
        pick = np.random.default_rng(len(pks)).permutation(len(pks))[:_LEARNED_ROWS_MAX]
        lists.train(np.ascontiguousarray(vectors[np.sort(pick)]))
        lists.set_direct_map_type(faiss.DirectMap.Hashtable)
        lists.nprobe = max(1, math.ceil(count * _PROBED_SHARE))
        lists.add_with_ids(np.ascontiguousarray(vectors), np.ascontiguousarray(pks))
        with self._lock:
            self._lists, self._few, self._learned_at = lists, None, len(pks)

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        direction, few = unit(query), self._few
        if few is not None:
            return few.search(query, limit=limit, among=among)
        if direction is None or limit <= 0 or not among.count or not self.count():
            return NOTHING
        narrow = among.count < among.total and among.count <= _NARROW
        return hunted(
            limit,
            among,
            nearest=partial(self._nearest, direction),
            compared=partial(self._compared, direction, limit),
            worth=lambda fetch: not narrow and fetch < self.count() * _PROBED_SHARE,
        )

    def _nearest(self, direction: Vectors, count: int, params: Any = None) -> Scored:
        with self._lock:
            scores, pks = self._lists.search(direction[None], count, params=params)
        held = pks[0] >= 0
        near = 1.0 - scores[0] / 2 if self._l2 else scores[0]
        return best(pks[0][held], near[held].astype(np.float32), count)

    def _compared(self, direction: Vectors, limit: int, pks: Pks | None) -> Scored:
        """Every list is looked into, for the allowed rows alone."""
        every = {"nprobe": int(self._lists.nlist)}
        if pks is not None:
            every["sel"] = self._faiss.IDSelectorBatch(np.ascontiguousarray(pks))
        return self._nearest(direction, min(limit, self.count()), self._faiss.SearchParametersIVF(**every))

    def _keys(self) -> Pks:
        with self._lock:
            lists = self._lists.invlists
            found = [
                self._faiss.rev_swig_ptr(lists.get_ids(number), lists.list_size(number)).copy()
                for number in range(self._lists.nlist)
                if lists.list_size(number)
            ]
        return np.sort(np.concatenate([*found, np.empty(0, dtype=np.int64)]))

    def vectors(self, pks: Pks) -> Vectors:
        if self._few is not None:
            return self._few.vectors(pks)
        out = np.zeros((len(pks), self._dimensions), dtype=np.float32)
        with self._lock:
            for at, pk in enumerate(pks.tolist()):
                try:
                    out[at] = self._lists.reconstruct(pk)
                except RuntimeError:  # not held
                    continue
        return out

    def relieve(self) -> None: ...

    def close(self) -> None:
        with self._lock:
            self._few, self._lists = FlatVectors(self._dimensions), None

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        return False


def _library() -> Any:
    import faiss

    faiss.omp_set_num_threads(1)  # a search leaves the other cores to others
    return faiss
