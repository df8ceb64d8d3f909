"""What the embedders too slow for `add` share: batches, blank texts, checked answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from recollect.errors import UsageError
from recollect.providers.base import Vectors
from recollect.providers.embedders._vectors import check_dimensions, checked_rows, utf8_prefix

BATCH_MAX = 2_048  # what the largest public endpoints take in one request
BATCH_TEXTS = 64
# Models read some 8,000 tokens at most and several refuse longer texts outright. Natural text in any script
# stays below 0.4 tokens a byte.
TEXT_BYTES_MAX = 20_000


def cut_name(name: str, dimensions: int | None) -> str:
    """The name of a model whose vectors were asked for at a chosen width: they are a space of their own."""
    return name if dimensions is None else f"{name}@{dimensions}"


class BatchedEmbedder(ABC):
    """An `Embedder` whose subclass answers one batch at a time.

    Blank texts are never sent: endpoints refuse them, and refuse the whole batch with them. Dimensions that
    were not given are those of the first answer, and every later answer is held to them. Safe for use by many
    threads if `_ask` is.
    """

    inline = False

    def __init__(self, name: str, *, batch: int, dimensions: int | None) -> None:
        if not 1 <= batch <= BATCH_MAX:
            raise UsageError(f"batch must be 1 to {BATCH_MAX} texts, not {batch}")
        self._name = name
        self._batch = batch
        self._dimensions = None if dimensions is None else check_dimensions(dimensions)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        """Length of every vector; asks the model once if nobody knows yet."""
        if self._dimensions is None:
            self._rows(["dimensions"])
        assert self._dimensions is not None
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        spoken = [index for index, text in enumerate(texts) if text.strip()]
        starts = range(0, len(spoken), self._batch)
        parts = [self._rows([texts[i] for i in spoken[start : start + self._batch]]) for start in starts]
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if parts:
            rows[spoken] = np.concatenate(parts)
        return rows

    def _rows(self, texts: list[str]) -> Vectors:
        answer = self._ask([utf8_prefix(text, TEXT_BYTES_MAX) for text in texts])
        rows = checked_rows(answer, count=len(texts), dimensions=self._dimensions, source=self._name)
        self._dimensions = rows.shape[1]
        return rows

    @abstractmethod
    def _ask(self, texts: list[str]) -> object:
        """One vector per text, in order, as anything numpy can read; a `ProviderError` when there is none."""
