"""Cross-encoders in this process, through the sentence-transformers library."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ProviderError, ProviderUnavailable

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

MODEL = "cross-encoder/ms-marco-MiniLM-L6-v2"


class CrossEncoderReranker:
    """A model by its public name or by its folder. Loads at the first question."""

    def __init__(self, model: str = "") -> None:
        self._source = model or MODEL
        self.name = f"sentence-transformers:{self._source}"
        self._model: CrossEncoder | None = None
        self._loading = threading.Lock()

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        model = self._loaded()
        try:
            judged = model.predict([(question, text) for text in texts], show_progress_bar=False)
        except Exception as exc:  # whatever torch raises
            raise ProviderError(f"{self.name} failed: {type(exc).__name__}") from exc
        return np.asarray(judged, dtype=np.float64).reshape(len(texts), -1)[:, -1]

    def _loaded(self) -> CrossEncoder:
        with self._loading:
            if self._model is None:
                try:
                    from sentence_transformers import CrossEncoder

                    self._model = CrossEncoder(self._source)
                except Exception as exc:  # not installed whole, no such model, no network
                    raise ProviderUnavailable(f"{self.name} cannot be loaded: {exc}") from exc
            return self._model
