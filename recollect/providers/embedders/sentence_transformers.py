"""Transformer models in this process, through the sentence-transformers library."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import EmbeddingFailed, ProviderUnavailable
from recollect.providers.embedders._batched import BATCH_TEXTS, BatchedEmbedder, cut_name

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MODEL = "all-MiniLM-L6-v2"


class SentenceTransformersEmbedder(BatchedEmbedder):
    """A model by its public name or by its folder: `sentence-transformers:/models/minilm`.

    The library, and torch with it, loads at the first text. Whether it may download is the library's own
    business (HF_HUB_OFFLINE). `dimensions` cuts the vectors of models trained for that.
    """

    def __init__(self, model: str = "", *, dimensions: int | None = None, batch: int = BATCH_TEXTS) -> None:
        self._source = _resolved(model or MODEL)
        self._cut = dimensions
        name = cut_name(f"sentence-transformers:{self._source}", dimensions)
        super().__init__(name, batch=batch, dimensions=dimensions)
        self._model: SentenceTransformer | None = None
        self._loading = threading.Lock()  # a second copy would cost seconds and perhaps gigabytes

    def _ask(self, texts: list[str]) -> object:
        model = self._loaded()
        try:
            vectors: object = model.encode(
                texts, batch_size=self._batch, show_progress_bar=False, convert_to_numpy=True
            )
        except Exception as exc:  # whatever torch raises
            raise EmbeddingFailed(f"{self.name} failed: {exc}") from exc
        return vectors

    def _loaded(self) -> SentenceTransformer:
        with self._loading:
            if self._model is None:
                try:
                    from sentence_transformers import SentenceTransformer

                    self._model = SentenceTransformer(self._source, truncate_dim=self._cut)
                except Exception as exc:  # not installed whole, no such model, no network
                    raise ProviderUnavailable(f"{self.name} cannot be loaded: {exc}") from exc
            return self._model


def _resolved(model: str) -> str:
    """A folder as its full path, so that its name does not depend on where the process was started."""
    folder = Path(model).expanduser()
    return str(folder.resolve()) if folder.is_dir() else model
