"""What the derived indexes promise.

All of them are keyed by the integer `pk` of a record row and know nothing of records, SQL or policy. They are
fed by `index.follow` alone, from one thread; searches come from any thread at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.config.storage import IndexSettings

Pks = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Scored(NamedTuple):
    """Rows best first with their scores: two arrays of one length."""

    pks: Pks
    scores: NDArray[np.float32]


class TermsRow(NamedTuple):
    """One row as the text index sees it. `terms` comes from `language.terms.terms_of`, here and in queries alike."""

    pk: int
    scope_pk: int
    terms: Sequence[str]


class Selection(Protocol):
    """The rows a search may return: scope, kind and time already decided."""

    @property
    def count(self) -> int:
        """How many rows are allowed."""

    @property
    def total(self) -> int:
        """How many rows there are; `count == total` means nothing is filtered out."""

    @property
    def scope_pks(self) -> Sequence[int] | None:
        """Scopes that contain every allowed row, for indexes that filter by scope natively; None: any scope."""

    def allows(self, pks: Pks) -> Mask:
        """Which of these rows are allowed."""

    def pks(self) -> Pks:
        """All allowed rows, ascending."""


class TextIndex(Protocol):
    """BM25 over terms. What was applied is found by the next search, committed or not."""

    def apply(self, puts: Sequence[TermsRow], deletes: Sequence[int]) -> None:
        """Insert or replace rows, drop others. Idempotent; a pk in both is put."""

    def search(self, terms: Sequence[str], *, limit: int, among: Selection) -> Scored:
        """The best `limit` allowed rows that hold at least one of the terms."""

    def commit(self) -> None:
        """Put what was applied where searching it is cheapest. For the feeding thread, now and then."""

    def count(self) -> int: ...

    def close(self) -> None: ...


class VectorIndex(Protocol):
    """Nearest neighbours by cosine similarity. Never calls an embedder."""

    @property
    def dimensions(self) -> int: ...

    def apply(self, puts: tuple[Pks, NDArray[np.float32]] | None, deletes: Sequence[int]) -> None:
        """Insert or replace vectors (unit rows), drop others. Idempotent; a pk in both is put."""

    def search(self, query: NDArray[np.float32], *, limit: int, among: Selection) -> Scored:
        """The `limit` allowed rows most similar to the query; scores are cosines."""

    def vectors(self, pks: Pks) -> NDArray[np.float32]:
        """The stored vectors in the order asked; a zero row where there is none."""

    def count(self) -> int: ...

    def close(self) -> None: ...


class VectorBody(VectorIndex, Protocol):
    """What a back end is: a vector index that may be kept for the next start, and can do with less memory."""

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        """Write it for the next start; False where reading a file would be no quicker than the rows."""

    def relieve(self) -> None:
        """Give back memory that can be had again."""


class BackendChoice(NamedTuple):
    """Which back end holds the vectors of a space, how precisely, and by what they are compared."""

    backend: str
    precision: str
    metric: str = "cosine"

    def __str__(self) -> str:
        return "/".join(self)


class GrowingVectors(VectorBody, Protocol):
    """A vector index that takes new rows at once and settles them for quick searches in its own time."""

    choice: BackendChoice  # what it settles rows into

    @property
    def small(self) -> bool:
        """Whether nothing was settled yet: rows are few and scanned."""

    portion: int  # how many rows are settled in a few milliseconds
    searches: int  # how often it was searched

    def unsettled(self) -> int:
        """Rows that were applied and have yet to be settled."""

    def settle(self, rows_max: int | None = None) -> None:
        """Settle rows, all of them or the oldest few; for the feeding thread."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a saved index is: whose vectors, how many, and up to which change; `form` is what can read it."""

    space: str
    dimensions: int
    dtype: str
    count: int
    watermark: int
    form: str = "hnsw"


class Pressure(IntEnum):
    """How far the memory of the process is from what it may take."""

    NORMAL = 0
    ELEVATED = 1
    CRITICAL = 2


class VectorBackends(Protocol):
    """Which back ends there are: how one is chosen and made, and how it is opened from its file."""

    def choose(
        self,
        space: str,
        *,
        rows: int,
        searches: int = 0,
        pressure: Pressure = Pressure.NORMAL,
        now: BackendChoice | None = None,
    ) -> BackendChoice:
        """What should hold so many vectors of a space, held by `now` so far. `ConfigInvalid`: what is set clashes."""

    def make(self, choice: BackendChoice, space: str, dimensions: int) -> GrowingVectors:
        """An index that settles rows into this back end. `MissingExtra`: its library is not installed."""

    def leave_files(self) -> None:
        """Make nothing any more that keeps vectors in a file."""

    def view(self, path: Path, *, space: str, dimensions: int) -> tuple[VectorIndex, Stamp]:
        """Search straight from a file. `StoreDamaged` unless it is whole and of this space."""

    def load(self, path: Path, *, space: str, dimensions: int) -> tuple[GrowingVectors, Stamp]:
        """Go on from a file, ready for changes since its watermark; `StoreDamaged` also if another is chosen now."""


class Implementations(NamedTuple):
    """Which indexes are used."""

    text: Callable[[IndexSettings], TextIndex]
    vectors: VectorBackends
