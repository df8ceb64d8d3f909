"""Loads a local model on a thread of its own, from the moment a store is opened."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from recollect.errors import RecollectError
from recollect.providers.base import Embedder, Vectors


class Prefetched:
    """An embedder whose first use may find the work done. Everything else is the embedder's own.

    Reading a tokenizer and weights takes about 100 ms, most of it outside Python: the program's own start hides it.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._thread = threading.Thread(target=self._load, name="recollect-prefetch", daemon=True)
        self._thread.start()

    def _load(self) -> None:
        try:
            self._embedder.embed(["prefetch"])
        except RecollectError:
            return  # who asks next gets the same error, with nobody to miss it

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def inline(self) -> bool:
        return self._embedder.inline

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._thread.join()
        return self._embedder.embed(texts)

    def __getattr__(self, name: str) -> Any:
        """What only some models have, such as vectors of single words; it waits too, or the model is loaded twice."""
        found = getattr(self._embedder, name)
        self._thread.join()
        return found

    def close(self) -> None:
        self._thread.join()
        close = getattr(self._embedder, "close", None)
        if close is not None:
            close()
