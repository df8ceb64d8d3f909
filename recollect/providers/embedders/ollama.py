"""Models served by Ollama, on this machine or another."""

from __future__ import annotations

import os
import re
import time

from recollect.errors import EmbeddingFailed
from recollect.providers.embedders._batched import BATCH_TEXTS, BatchedEmbedder, cut_name
from recollect.providers.http import TIMEOUT_S, Endpoint

HOST = "http://127.0.0.1:11434"
MODEL = "nomic-embed-text"
PORT = 11434
PROBE_TIMEOUT_S = 2.0
PROBE_KEPT_S = 30.0


class OllamaEmbedder(BatchedEmbedder):
    """Vectors from `POST {base_url}/api/embed`. `base_url` falls back to OLLAMA_HOST, then to this machine.

    Nothing is pulled: a model the server does not have is an error that says so. `api_key` is for servers
    behind a gateway.
    """

    def __init__(
        self,
        model: str = "",
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        timeout_s: float = TIMEOUT_S,
        batch: int = BATCH_TEXTS,
    ) -> None:
        # `m` and `m:latest` are one model to Ollama, so they are one name, and one space, to us.
        self._model = (model or MODEL).removesuffix(":latest")
        name = cut_name(f"ollama:{self._model}", dimensions)
        super().__init__(name, batch=batch, dimensions=dimensions)
        self._asked = {} if dimensions is None else {"dimensions": dimensions}
        host = base_url or os.environ.get("OLLAMA_HOST") or HOST
        self._endpoint = Endpoint(full_address(host), api_key=api_key, timeout_s=timeout_s)
        self._probed: tuple[float, bool] | None = None

    def available(self) -> bool:
        """Whether the server answers: at most 2 s to find out, and the answer is kept for 30 s."""
        now = time.monotonic()
        if self._probed is None or now - self._probed[0] >= PROBE_KEPT_S:
            self._probed = (now, self._endpoint.answers("api/tags", timeout_s=PROBE_TIMEOUT_S))
        return self._probed[1]

    def close(self) -> None:
        """Give the connections back."""
        self._endpoint.close()

    def _ask(self, texts: list[str]) -> object:
        body: dict[str, object] = {"model": self._model, "input": texts, "truncate": True, **self._asked}
        answer = self._endpoint.post("api/embed", body)
        try:
            embeddings: object = answer["embeddings"]  # type: ignore[index]
        except (KeyError, TypeError) as exc:
            raise EmbeddingFailed(f"{self.name} answered without embeddings") from exc
        return embeddings


def full_address(host: str) -> str:
    """OLLAMA_HOST as a URL. The server reads it too, so it often lacks scheme or port, or is a wildcard."""
    written = host.strip().rstrip("/")
    if "://" in written:
        return written
    name, _, port = written.rpartition(":") if re.search(r":\d+$", written) else (written, "", "")
    if name in ("", "0.0.0.0"):  # where the server listens; a client needs somewhere to go
        name = "127.0.0.1"
    return f"http://{name}:{port or PORT}"
