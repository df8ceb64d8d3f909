"""ONNX models in this process, through the fastembed library: no torch."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from recollect.errors import EmbeddingFailed, ProviderUnavailable
from recollect.providers.embedders._batched import BATCH_TEXTS, BatchedEmbedder

if TYPE_CHECKING:
    from fastembed import TextEmbedding

MODEL = "BAAI/bge-small-en-v1.5"


class FastembedEmbedder(BatchedEmbedder):
    """A model by its name in fastembed's list. Loads, and downloads where allowed, at the first text.

    `dimensions` cuts nothing here; it is what the model is expected to have.
    """

    def __init__(self, model: str = "", *, dimensions: int | None = None, batch: int = BATCH_TEXTS) -> None:
        self._source = model or MODEL
        super().__init__(f"fastembed:{self._source}", batch=batch, dimensions=dimensions)
        self._model: TextEmbedding | None = None
        self._loading = threading.Lock()  # a second copy would cost seconds and hundreds of megabytes

    def _ask(self, texts: list[str]) -> object:
        model = self._loaded()
        try:
            return list(model.embed(texts, batch_size=self._batch))
        except Exception as exc:  # whatever onnxruntime raises
            raise EmbeddingFailed(f"{self.name} failed: {exc}") from exc

    def _loaded(self) -> TextEmbedding:
        with self._loading:
            if self._model is None:
                try:
                    from fastembed import TextEmbedding

                    self._model = TextEmbedding(model_name=self._source)
                except Exception as exc:  # not installed whole, no such model, no network
                    raise ProviderUnavailable(f"{self.name} cannot be loaded: {exc}") from exc
            return self._model
