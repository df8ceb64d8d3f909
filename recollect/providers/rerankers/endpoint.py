"""Any server with a `/rerank` route as Jina, Cohere, vLLM, llama.cpp and Infinity have it."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ProviderError, UsageError
from recollect.providers.http import DEFAULTS, Endpoint
from recollect.providers.llms.naming import split_address


class EndpointReranker:
    """Scores from `POST {address}/rerank`. `model` may carry the address behind an @: `small@http://127.0.0.1:8080/v1`.
    Otherwise it is RECOLLECT_RERANK_URL. The key is RECOLLECT_RERANK_KEY.
    """

    def __init__(self, model: str = "", *, timeout_s: float = DEFAULTS.timeout_s) -> None:
        model, named = split_address(model, "endpoint") if model else ("", None)
        address = named or os.environ.get("RECOLLECT_RERANK_URL")
        if not address:
            raise UsageError(
                "a rerank endpoint needs its address: endpoint:NAME@http://127.0.0.1:8080/v1, or RECOLLECT_RERANK_URL"
            )
        self._model = model
        self.name = f"endpoint:{model}"
        self._endpoint = Endpoint(address, api_key=os.environ.get("RECOLLECT_RERANK_KEY"), timeout_s=timeout_s)

    @property
    def address(self) -> str:
        """Where it is asked, as people may see it."""
        return self._endpoint.address

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
