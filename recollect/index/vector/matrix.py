"""Rows of one width that grow at the end: in memory, or in a file that is read as it is needed.

The file has no name: it is gone with the process, and nothing is left of it after a crash. In front may be rows of a
saved index, which are never written to.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_GROWTH = 1.5
_ROWS_MIN = 1_024


class GrowingMatrix:
    """One thread appends, any thread reads what was there when it began."""

    def __init__(
        self,
        width: int,
        dtype: type[np.generic],
        *,
        folder: Path | None = None,
        fixed: Array | None = None,
        let_go: Callable[[], None] | None = None,
    ) -> None:
        """`folder`: keep the rows in a file there. `fixed`: rows in front, and `let_go` what frees their memory."""
        self._width, self._dtype = width, dtype
        self._folder = folder if hasattr(os, "posix_fallocate") else None  # Linux; elsewhere rows stay in memory
        self._fixed = np.empty((0, width), dtype=dtype) if fixed is None else fixed
        self._let_go = let_go
        self._file: int | None = None  # a descriptor, as a file of the library would warn when it is just let go
        self._own: Array = np.empty((0, width), dtype=dtype)
        self._map: mmap.mmap | None = None
        self._used = 0

    @property
    def fixed(self) -> int:
        """How many rows in front are never written to."""
        return len(self._fixed)

    def __len__(self) -> int:
        return len(self._fixed) + self._used

    def append(self, rows: Array) -> None:
        needed = self._used + len(rows)
        if needed > len(self._own):
            self._own = self._roomy(max(_ROWS_MIN, needed, int(len(self._own) * _GROWTH)))
        self._own[self._used : needed] = rows
        self._used = needed

    def overwrite(self, at: Array, rows: Array | int) -> None:
        """Put other rows in the place of some; a reader may see one of them half changed, once."""
        self._own[at - len(self._fixed)] = rows

    def take(self, at: Array) -> Array:
        """These rows, one below the other."""
        if not len(self._fixed):
            return self._own[at]
        own = at >= len(self._fixed)
        if not own.any():
            return self._fixed[at]
        found = np.empty((len(at), self._width), dtype=self._dtype)
        found[~own] = self._fixed[at[~own]]
        found[own] = self._own[at[own] - len(self._fixed)]
        return found

    def blocks(self, size: int) -> Iterator[tuple[int, Array]]:
        """The first `size` rows in as few pieces as they lie in, each with the number of its first row."""
        if len(self._fixed):
            yield 0, self._fixed[:size]
        if size > len(self._fixed):
            yield len(self._fixed), self._own[: size - len(self._fixed)]

    def relieve(self) -> None:
        """Give back the memory of rows that are in a file."""
        if self._let_go is not None:
            self._let_go()
        if self._map is not None:
            self._map.madvise(mmap.MADV_DONTNEED)

    def _roomy(self, rows: int) -> Array:
        """As many rows; readers keep what they took."""
        if self._folder is None:
            larger = np.empty((rows, self._width), dtype=self._dtype)
            larger[: self._used] = self._own[: self._used]
            return larger
        if self._file is None:
            with TemporaryFile(dir=self._folder, prefix="recollect-") as file:
                self._file = os.dup(file.fileno())
            finalize(self, os.close, self._file)
        size = rows * self._width * np.dtype(self._dtype).itemsize
        os.posix_fallocate(self._file, 0, size)  # a full disk is told here: writing to a map would end us
        self._map = mmap.mmap(self._file, size)
        return np.frombuffer(self._map, dtype=self._dtype).reshape(rows, self._width)
