"""What the derived indexes promise.

All of them are keyed by the integer `pk` of a record row and know nothing of records, SQL or policy. They are
fed by `index.follow` alone, from one thread; searches come from any thread at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

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


class GrowingVectors(VectorIndex, Protocol):
    """A vector index that takes new rows at once and settles them for quick searches in its own time."""

    def unsettled(self) -> int:
        """Rows that were applied and have yet to be settled."""

    def settle(self, rows_max: int | None = None) -> None:
        """Settle rows, all of them or the oldest few; for the feeding thread."""

    def save(self, path: Path, *, space: str, watermark: int) -> bool:
        """Write it for the next start; False where reading a file would be no quicker than the rows."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a saved index is: whose vectors, how many, and up to which change."""

    space: str
    dimensions: int
    dtype: str
    count: int
    watermark: int


V_co = TypeVar("V_co", covariant=True)


class Opener(Protocol[V_co]):
    """Opens an index from its file. `StoreDamaged` unless the file is whole and of this space."""

    def __call__(self, path: Path, *, space: str, dimensions: int, settings: IndexSettings) -> tuple[V_co, Stamp]: ...


class Implementations(NamedTuple):
    """Which indexes are used: how each is made, and how vectors are opened from their file.

    `view` searches straight from the file, `load` has it in memory, ready for changes since its watermark.
    """

    text: Callable[[IndexSettings], TextIndex]
    vectors: Callable[[int, IndexSettings], GrowingVectors]
    view: Opener[VectorIndex]
    load: Opener[GrowingVectors]
