"""Any server with a `/rerank` route as Jina, Cohere, vLLM, llama.cpp and Infinity have it."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ProviderError, UsageError
from recollect.providers.http import DEFAULTS, Endpoint


class EndpointReranker:
    """Scores from `POST {base_url}/rerank`; the address is RECOLLECT_RERANK_URL, the key RECOLLECT_RERANK_KEY."""

    def __init__(self, model: str = "", *, timeout_s: float = DEFAULTS.timeout_s) -> None:
        address = os.environ.get("RECOLLECT_RERANK_URL")
        if not address:
            raise UsageError(
                "a rerank endpoint needs its address: set RECOLLECT_RERANK_URL, such as http://127.0.0.1:8080/v1"
            )
        self._model = model
        self.name = f"endpoint:{model}"
        self._endpoint = Endpoint(address, api_key=os.environ.get("RECOLLECT_RERANK_KEY"), timeout_s=timeout_s)

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        answer = self._endpoint.post(
            "rerank", {"model": self._model, "query": question, "documents": list(texts), "top_n": len(texts)}
        )
        out = np.zeros(len(texts))
        try:
            for item in answer["results"]:  # type: ignore[index]
                out[int(item["index"])] = float(item["relevance_score"])
        except (KeyError, TypeError, ValueError, IndexError) as exc:
            raise ProviderError(f"{self.name} answered in a form that is not a list of scores") from exc
        return out

    def close(self) -> None:
        """Give the connections back."""
        self._endpoint.close()
