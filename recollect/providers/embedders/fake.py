"""An embedder for tests and demonstrations: real arithmetic, no model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from recollect.errors import UsageError
from recollect.language.words import RUN
from recollect.providers.base import Vectors
from recollect.providers.embedders._vectors import check_dimensions, scale_to_unit

DIMENSIONS = 64


class FakeEmbedder:
    """Same text, same vector, in every process and on every machine: a bag of hashed words.

    Texts that share words are near each other; nothing is known about meaning. The spec `fake:128` sets the
    dimensions.
    """

    inline = True

    def __init__(self, model: str = "", *, dimensions: int = DIMENSIONS) -> None:
        if model and not model.isdecimal():
            raise UsageError(f"fake:{model} means nothing; what follows the colon is the number of dimensions")
        self._dimensions = check_dimensions(int(model) if model else dimensions)

    def __repr__(self) -> str:
        return f"FakeEmbedder(dimensions={self._dimensions})"

    @property
    def name(self) -> str:
        return f"fake:{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in RUN.findall(text.casefold()):
                hashed = _hash(word)
                row[(hashed >> 1) % self._dimensions] += 1.0 if hashed & 1 else -1.0
        return scale_to_unit(rows)


@lru_cache(maxsize=65_536)
def _hash(word: str) -> int:
    # Not `hash()`: Python salts it anew in every process, and stored vectors outlive processes.
    return int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little")
