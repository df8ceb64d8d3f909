"""Any endpoint that speaks OpenAI's `/embeddings`: the original, a gateway, vLLM, llama.cpp, LM Studio."""

from __future__ import annotations

import os

from recollect.errors import EmbeddingFailed, UsageError
from recollect.providers.embedders._batched import BATCH_TEXTS, BatchedEmbedder, cut_name
from recollect.providers.http import DEFAULTS, Endpoint
from recollect.providers.llms.naming import split_address

BASE_URL = "https://api.openai.com/v1"
MODEL = "text-embedding-3-small"


class OpenAIEmbedder(BatchedEmbedder):
    """Vectors from `POST {base_url}/embeddings`.

    `model` may carry the address behind an @: `bge-m3@http://127.0.0.1:8080/v1`. Otherwise it is `base_url`, then
    OPENAI_BASE_URL. OPENAI_API_KEY goes to the original and to OPENAI_BASE_URL, and to nobody else; a server that is
    named by its address gets `api_key` or none. `dimensions` asks the model for
    shorter vectors, and is held against what it answers.
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
        self._model, named = split_address(model or MODEL, "openai")
        name = cut_name(f"openai:{self._model}", dimensions)
        super().__init__(name, batch=batch, dimensions=dimensions)
        elsewhere = os.environ.get("OPENAI_BASE_URL")
        address = named or base_url or elsewhere or BASE_URL
        if address in (elsewhere, BASE_URL):
            api_key = api_key or os.environ.get("OPENAI_API_KEY")
        if address == BASE_URL and not api_key:
            raise UsageError("openai needs a key: set OPENAI_API_KEY or api_key")
        self._asked = {} if dimensions is None else {"dimensions": dimensions}
        self._endpoint = Endpoint(address, api_key=api_key, timeout_s=timeout_s, retries=retries)

    @property
    def address(self) -> str:
        """Where it is asked, as people may see it."""
        return self._endpoint.address

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
