"""Any endpoint that speaks OpenAI's `/embeddings`: the original, a gateway, vLLM, llama.cpp, LM Studio."""

from __future__ import annotations

import os

from recollect.errors import EmbeddingFailed, UsageError
from recollect.providers.embedders._batched import BATCH_TEXTS, BatchedEmbedder, cut_name
from recollect.providers.http import DEFAULTS, Endpoint

BASE_URL = "https://api.openai.com/v1"
MODEL = "text-embedding-3-small"


class OpenAIEmbedder(BatchedEmbedder):
    """Vectors from `POST {base_url}/embeddings`.

    `base_url` and `api_key` fall back to OPENAI_BASE_URL and OPENAI_API_KEY; a server of one's own may go
    without a key. `dimensions` asks the model for shorter vectors, and is held against what it answers.
    """

    def __init__(
        self,
        model: str = "",
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        timeout_s: float = DEFAULTS.timeout_s,
        retries: int = DEFAULTS.retries,
        batch: int = BATCH_TEXTS,
    ) -> None:
        self._model = model or MODEL
        name = cut_name(f"openai:{self._model}", dimensions)
        super().__init__(name, batch=batch, dimensions=dimensions)
        base_url = base_url or os.environ.get("OPENAI_BASE_URL") or BASE_URL
        api_key = api_key or os.environ.get("OPENAI_API_KEY")
        if base_url == BASE_URL and not api_key:
            raise UsageError("openai needs a key: set OPENAI_API_KEY or api_key")
        self._asked = {} if dimensions is None else {"dimensions": dimensions}
        self._endpoint = Endpoint(base_url, api_key=api_key, timeout_s=timeout_s, retries=retries)

    def close(self) -> None:
        """Give the connections back."""
        self._endpoint.close()

    def _ask(self, texts: list[str]) -> object:
        answer = self._endpoint.post("embeddings", {"model": self._model, "input": texts, **self._asked})
        try:
            items = answer["data"]  # type: ignore[index]
            # Servers that batch may answer out of order; one that numbers nothing means the order given.
            placed = {item.get("index", position): item["embedding"] for position, item in enumerate(items)}
            return [placed[position] for position in range(len(items))]
        except (AttributeError, KeyError, TypeError) as exc:
            raise EmbeddingFailed(f"{self.name} answered in a form that is not a list of embeddings") from exc
