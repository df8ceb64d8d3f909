"""Models served by Ollama, on this machine or another."""

from __future__ import annotations

import os
import re
import time

from recollect.errors import EmbeddingFailed
from recollect.providers.embedders._batched import BATCH_TEXTS, BatchedEmbedder, cut_name
from recollect.providers.http import DEFAULTS, Endpoint
from recollect.providers.llms.naming import split_address

HOST = "http://127.0.0.1:11434"
MODEL = "nomic-embed-text"
PORT = 11434


class OllamaEmbedder(BatchedEmbedder):
    """Vectors from `POST {base_url}/api/embed`, the address that `model` carries behind an @, `base_url`, OLLAMA_HOST,
    or this machine.

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
        timeout_s: float = DEFAULTS.timeout_s,
        retries: int = DEFAULTS.retries,
        probe_timeout_s: float = DEFAULTS.probe_timeout_s,
        probe_ttl_s: float = DEFAULTS.probe_ttl_s,
        batch: int = BATCH_TEXTS,
    ) -> None:
        # `m` and `m:latest` are one model to Ollama, so they are one name, and one space, to us.
        model, named = split_address(model or MODEL, "ollama")
        self._model = model.removesuffix(":latest")
        name = cut_name(f"ollama:{self._model}", dimensions)
        super().__init__(name, batch=batch, dimensions=dimensions)
        self._asked = {} if dimensions is None else {"dimensions": dimensions}
        host = named or base_url or os.environ.get("OLLAMA_HOST") or HOST
        self._endpoint = Endpoint(full_address(host), api_key=api_key, timeout_s=timeout_s, retries=retries)
        self._probe_timeout_s, self._probe_ttl_s = probe_timeout_s, probe_ttl_s
        self._probed: tuple[float, bool] | None = None

    def available(self) -> bool:
        """Whether the server answers: it has `probe_timeout_s` for that, and what was found holds for `probe_ttl_s`."""
        now = time.monotonic()
        if self._probed is None or now - self._probed[0] >= self._probe_ttl_s:
            self._probed = (now, self._endpoint.answers("api/tags", timeout_s=self._probe_timeout_s))
        return self._probed[1]

    @property
    def address(self) -> str:
        """Where it is asked, as people may see it."""
        return self._endpoint.address

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
