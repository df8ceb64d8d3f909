"""All vectors one after the other, in as few bytes as is set: exact, or coarse first and then exact for the best.

In f32, f16 or i8 every vector is compared. Coarse codes (`binary`, `pq`) tell which are worth a closer look, and these
few are compared in eight bits: that row may lie in a file, so that only codes and what is searched for often are in
memory. Adding costs next to nothing, which is what a bulk load wants and what a graph cannot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recollect.index.base import Mask, Pks, Scored, Selection, Stamp
from recollect.index.vector.codes import BINARY, PRODUCT, TRAINING_ROWS, Coding, coding
from recollect.index.vector.files import SCAN_FORM, SealedFile, sealing
from recollect.index.vector.flat import NOTHING, Vectors, best, last_of_each, unit
from recollect.index.vector.matrix import Array, GrowingMatrix
from recollect.index.vector.precision import PRECISIONS
from recollect.providers.native import share_cpp_runtime

COARSE = (BINARY, PRODUCT)
_BEHIND = "i8"  # what coarse codes are checked with
_BLOCK = 1 << 16  # codes compared at once: they and what comes of them fit a processor's cache
_RESCORED = 8  # for each row that is wanted
_RESCORED_SHARE = 1 / 500  # of all rows: the more there are, the more lie between the nearest by their codes
_NARROW = 4_096  # allowed rows that are compared straight away
_NARROW_SHARE = 0.02
_MARGIN, _GROWTH = 1.5, 4
_DEAD_MIN = 4_096  # fewer are not worth to be cleared away
_HEAD_BYTES_MAX = 4_096


class _ScannedRows(NamedTuple):
    """One moment: rows by their place, whose each is, whether it counts, and where a key is."""

    rows: GrowingMatrix
    codes: Array | None
    pks: Pks
    alive: Mask
    keys: Pks  # ascending
    order: Array | None  # where each key is; None: in the order of the keys
    dead: int

    def places(self, pks: Pks) -> tuple[Array, Mask]:
        """The place of each key, and whether it was ever there."""
        if not len(self.keys):
            return np.zeros(len(pks), dtype=np.intp), np.zeros(len(pks), dtype=np.bool_)
        at = np.minimum(self.keys.searchsorted(pks), len(self.keys) - 1)
        known = self.keys[at] == pks
        return at if self.order is None else self.order[at], known


class ScannedVectors:
    """The back end `flat`. One thread applies and saves, any thread searches."""

    def __init__(
        self, dimensions: int, *, precision: str = "f16", metric: str = "cosine", folder: Path | None = None
    ) -> None:
        """`folder`: where rows behind coarse codes may lie; None keeps them in memory. `hamming` compares signs."""
        self._dimensions = dimensions
        self._signs = metric == "hamming"
        self._precision = precision
        self._coarse: Coding | None = coding(precision, dimensions) if precision in COARSE else None
        self._numbers = PRECISIONS[_BEHIND if self._coarse else precision]
        self._folder = folder if self._coarse else None
        self._held = self._nothing()

    def _nothing(self) -> _ScannedRows:
        rows = GrowingMatrix(self._dimensions, self._numbers.numbers, folder=self._folder)
        none = np.empty(0, np.int64)
        return _ScannedRows(rows, None, none, np.empty(0, np.bool_), none, None, 0)

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def count(self) -> int:
        return len(self._held.pks) - self._held.dead

    def keys(self) -> Pks:
        """Whose rows are held, ascending."""
        held = self._held
        return np.sort(held.pks[held.alive])

    # --- taking in ---------------------------------------------------------------------------------------------------

    def apply(self, puts: tuple[Pks, Vectors] | None, deletes: Sequence[int]) -> None:
        pks, vectors = last_of_each(puts, self._dimensions)
        at, known = self._held.places(pks)
        rows = self._numbers.encode(vectors)
        again = known & (at >= self._held.rows.fixed)  # in its place
        moved = pks[known & ~again]  # rows of a file are not written to: they come once more
        self._kill(np.concatenate([np.setdiff1d(np.array(deletes, dtype=np.int64), pks), moved]))
        if again.any():
            self._put_again(at[again], rows[again], vectors[again])
        if not again.all():
            self._append(pks[~again], rows[~again], vectors[~again])
        if self._held.dead > max(_DEAD_MIN, len(self._held.pks) // 4):
            self._clear()

    def _kill(self, leaving: Pks) -> None:
        """Let rows count no more; what a file of ours held of them is wiped."""
        held = self._held
        at, known = held.places(leaving)
        at = at[known]
        at = at[held.alive[at]]
        if not len(at):
            return
        alive = held.alive.copy()
        alive[at] = False
        self._held = held._replace(alive=alive, dead=held.dead + len(at))
        held.rows.overwrite(at[at >= held.rows.fixed], 0)

    def _put_again(self, at: Array, rows: Array, vectors: Vectors) -> None:
        held = self._held
        held.rows.overwrite(at, rows)
        if held.codes is not None and self._coarse is not None:
            held.codes[:, at] = self._coarse.encode(vectors)
        back = at[~held.alive[at]]
        if len(back):
            alive = held.alive.copy()
            alive[back] = True
            self._held = held._replace(alive=alive, dead=held.dead - len(back))

    def _append(self, pks: Pks, rows: Array, vectors: Vectors) -> None:
        held = self._held
        before = len(held.pks)
        held.rows.append(rows)
        codes = self._coded(before, vectors)
        every = np.concatenate([held.pks, pks])
        alive = np.concatenate([held.alive, np.ones(len(pks), dtype=np.bool_)])
        keys, order = every, None
        if held.order is not None or (before and held.pks[-1] >= pks[0]):
            order = np.argsort(every, kind="stable")  # of a key that is there twice, the later place counts
            keys = every[order]
            last = np.append(keys[1:] != keys[:-1], True)
            keys, order = keys[last], order[last]
        self._held = _ScannedRows(held.rows, codes, every, alive, keys, order, held.dead)

    def _coded(self, before: int, vectors: Vectors) -> Array | None:
        """The codes with those of new rows; the first time there are enough to learn from, of all rows."""
        coarse, held = self._coarse, self._held
        total = before + len(vectors)
        if coarse is None or not (coarse.ready or total >= TRAINING_ROWS):
            return None
        if not coarse.ready:
            sample = np.random.default_rng(total).choice(total, TRAINING_ROWS, replace=False)
            coarse.train(self._decoded(held.rows, np.sort(sample)))
            before, vectors = 0, self._decoded(held.rows, np.arange(total))
        codes = held.codes
        if codes is None or total > codes.shape[1]:
            room = total if codes is None else max(total, int(codes.shape[1] * _MARGIN))
            larger = np.empty((coarse.height, room), dtype=coarse.dtype)
            if codes is not None:
                larger[:, :before] = codes[:, :before]
            codes = larger
        codes[:, before:total] = coarse.encode(vectors)
        return codes

    def _clear(self) -> None:
        """Leave out what counts no more: everything once more, in new places, while searches end in the old ones."""
        held, fresh = self._held, self._nothing()
        at = np.flatnonzero(held.alive)
        at = at[np.argsort(held.pks[at], kind="stable")]
        for start in range(0, len(at), _BLOCK):
            fresh.rows.append(held.rows.take(at[start : start + _BLOCK]))
        codes = None if held.codes is None else np.ascontiguousarray(held.codes[:, at])
        pks = held.pks[at]
        self._held = _ScannedRows(fresh.rows, codes, pks, np.ones(len(pks), dtype=np.bool_), pks, None, 0)

    # --- searching ---------------------------------------------------------------------------------------------------

    def search(self, query: Vectors, *, limit: int, among: Selection) -> Scored:
        direction = unit(query)
        held = self._held
        if direction is None or limit <= 0 or not among.count or not len(held.pks):
            return NOTHING
        if among.count == among.total:
            return self._best_of(held, self._near(held, direction, limit), direction, limit, None)
        if among.count > max(_NARROW, _NARROW_SHARE * len(held.pks)):
            fetch = math.ceil(limit * _MARGIN * among.total / among.count)
            while fetch < len(held.pks):
                found = self._best_of(held, self._near(held, direction, fetch), direction, limit, among)
                if len(found.pks) == limit:
                    return found
                fetch *= _GROWTH
        at, known = held.places(among.pks())
        at = at[known]
        if self._coarse is not None and held.codes is not None and len(at) > self._wanted(limit, len(at)):
            at = _fewer(at, self._coarse.distances(direction, held.codes[:, at]), self._wanted(limit, len(at)))[0]
        return self._best_of(held, at, direction, limit, None)

    def _near(self, held: _ScannedRows, direction: Vectors, count: int) -> Array:
        """Places of at least this many of the nearest rows, as far as their codes tell, in no order."""
        size = len(held.pks)
        if self._coarse is None or held.codes is None:
            return self._nearest(held, direction, min(size, count + held.dead))
        wanted = self._wanted(count, size) + held.dead
        at, far = np.empty(0, dtype=np.intp), np.empty(0)
        pending: list[tuple[Array, Array]] = []
        waiting, bound = 0, math.inf
        for start in range(0, size, _BLOCK):
            distances = self._coarse.distances(direction, held.codes[:, start : min(start + _BLOCK, size)])
            near = np.flatnonzero(distances <= bound)
            pending.append((near + start, distances[near]))
            waiting += len(near)
            if waiting > wanted or start + _BLOCK >= size:
                at = np.concatenate([at, *(places for places, _ in pending)])
                far = np.concatenate([far, *(each for _, each in pending)])
                at, far = _fewer(at, far, wanted)
                pending, waiting = [], 0
                bound = float(far.max()) if len(at) == wanted else math.inf
        return at

    def _wanted(self, count: int, size: int) -> int:
        """How many rows get a closer look for so many that are wanted."""
        assert self._coarse is not None
        return max(self._coarse.rescored_min, _RESCORED * count, int(size * _RESCORED_SHARE))

    def _nearest(self, held: _ScannedRows, direction: Vectors, count: int) -> Array:
        """The nearest rows of all, each compared."""
        at, near = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32)
        for first, rows in held.rows.blocks(len(held.pks)):
            own, scores = (
                (np.arange(len(rows)), rows @ direction)
                if self._precision == "f32"
                else _compared(rows, self._numbers.encode(direction[None]), min(count, len(rows)))
            )
            at, near = np.concatenate([at, own + first]), np.concatenate([near, scores])
        return _fewer(at, -near, count)[0]

    def _best_of(
        self, held: _ScannedRows, at: Array, direction: Vectors, limit: int, among: Selection | None
    ) -> Scored:
        """The nearest of the rows in these places, each compared with all that is kept of it."""
        at = at[held.alive[at]]
        if among is not None:
            at = at[among.allows(held.pks[at])]
        found = NOTHING
        for start in range(0, len(at), _BLOCK):
            block = at[start : start + _BLOCK]
            near = self._compared(held, block, direction)
            pks = held.pks[block]
            found = best(np.concatenate([found.pks, pks]), np.concatenate([found.scores, near]), limit)
        return found

    def _compared(self, held: _ScannedRows, at: Array, direction: Vectors) -> Vectors:
        if self._signs and self._coarse is not None and held.codes is not None:  # the angle that so many signs tell of
            differing = self._coarse.distances(direction, held.codes[:, at])
            return np.asarray(np.cos(differing * (np.pi / self._dimensions)), dtype=np.float32)
        return np.asarray(self._decoded(held.rows, at) @ direction)

    def vectors(self, pks: Pks) -> Vectors:
        held = self._held
        at, known = held.places(pks)
        out = np.zeros((len(pks), self._dimensions), dtype=np.float32)
        known[known] = held.alive[at[known]]
        if known.any():
            out[known] = self._decoded(held.rows, at[known])
        return out

    def _decoded(self, rows: GrowingMatrix, at: Array) -> Vectors:
        return self._numbers.decode(rows.take(at).view(self._numbers.bits))

    # --- life --------------------------------------------------------------------------------------------------------

    def relieve(self) -> None:
        """Give back the memory of rows in files; codes and keys stay."""
        self._held.rows.relieve()

    def close(self) -> None:
        self._held = self._nothing()

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        """Write everything that counts for the next start, whole or not at all."""
        held = self._held
        if held.dead or held.order is not None:
            self._clear()
            held = self._held
        parts: list[Array] = [held.pks]
        if self._coarse is not None:
            parts.append(self._coarse.learned())
        if held.codes is not None:
            parts.append(held.codes[:, : len(held.pks)])
        stamp = Stamp(space, self._dimensions, self._precision, self.count(), watermark, SCAN_FORM)
        with sealing(path, stamp) as temporary, temporary.open("wb") as file:
            for part in parts:
                np.lib.format.write_array(file, np.ascontiguousarray(part), version=(1, 0), allow_pickle=False)
            for start in range(0, len(held.pks), _BLOCK):
                file.write(held.rows.take(np.arange(start, min(start + _BLOCK, len(held.pks)))).tobytes())
        return True

    @classmethod
    def load(
        cls, path: Path, *, space: str, dimensions: int, folder: Path | None, metric: str = "cosine"
    ) -> tuple[ScannedVectors, Stamp]:
        """From its file, where rows stay if they may; ready for changes since its watermark."""
        file = SealedFile.of(path, form=SCAN_FORM, space=space, dimensions=dimensions)
        index = cls(dimensions, precision=file.stamp.dtype, metric=metric, folder=folder)
        with file.refusing():
            index._read(file)
        return index, file.stamp

    def _read(self, file: SealedFile) -> None:
        parts = _ArraysInFile(file.payload)
        pks, codes = parts.array().copy(), None
        if self._coarse is not None:
            self._coarse.learn(parts.array().copy())
            codes = parts.array().copy() if self._coarse.ready else None
        rows = parts.rest(self._numbers.numbers).reshape(-1, self._dimensions)
        if len(rows) != len(pks) or len(pks) != file.stamp.count:
            raise ValueError("keys and rows do not fit each other")
        kept = GrowingMatrix(
            self._dimensions,
            self._numbers.numbers,
            folder=self._folder,
            fixed=rows if self._folder is not None else rows.copy(),
            let_go=file.let_go if self._folder is not None else None,
        )
        self._held = _ScannedRows(kept, codes, pks, np.ones(len(pks), dtype=np.bool_), pks, None, 0)


class _ArraysInFile:
    """Arrays one after the other in a mapped file."""

    def __init__(self, payload: memoryview) -> None:
        self._payload = payload
        self._at = 0

    def array(self) -> Array:
        head = BytesIO(self._payload[self._at : self._at + _HEAD_BYTES_MAX])
        np.lib.format.read_magic(head)
        shape, _, dtype = np.lib.format.read_array_header_1_0(head)
        self._at += head.tell()
        count = math.prod(shape)
        found = np.frombuffer(self._payload, dtype=dtype, count=count, offset=self._at).reshape(shape)
        self._at += count * dtype.itemsize
        return found

    def rest(self, dtype: type[np.generic]) -> Array:
        return np.frombuffer(self._payload, dtype=dtype, offset=self._at)


def _fewer(at: Array, far: Array, count: int) -> tuple[Array, Array]:
    """Of places and their distances the nearest few."""
    if len(at) <= count:
        return at, far
    keep = np.argpartition(far, count - 1)[:count]
    return at[keep], far[keep]


def _compared(rows: Array, query: Array, count: int) -> tuple[Array, Vectors]:
    """The rows nearest to a question and their cosines, by instructions that know these numbers."""
    share_cpp_runtime()
    from usearch.compiled import MetricKind
    from usearch.index import search

    found = search(rows, query, count, MetricKind.Cos, exact=True, threads=1)
    near = np.float32(1.0) - np.asarray(found.distances, dtype=np.float32).reshape(-1)
    return np.asarray(found.keys).reshape(-1).astype(np.intp), near
