"""What the derived indexes promise.

All of them are keyed by the integer `pk` of a record row and know nothing of records, SQL or policy. They are
fed by `index.follow` alone, from one thread; searches come from any thread at any time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Pks = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Scored(NamedTuple):
    """Rows best first with their scores: two arrays of one length."""

    pks: Pks
    scores: NDArray[np.float32]


class TextRow(NamedTuple):
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

    def apply(self, puts: Sequence[TextRow], deletes: Sequence[int]) -> None:
        """Insert or replace rows, drop others. Idempotent; a pk in both is put."""

    def search(self, terms: Sequence[str], *, limit: int, among: Selection) -> Scored:
        """The best `limit` allowed rows that hold at least one of the terms."""

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
