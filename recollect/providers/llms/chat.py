"""Any server that speaks OpenAI's `/chat/completions`: OpenAI, a gateway, vLLM, llama.cpp, LM Studio, Ollama."""

from __future__ import annotations

import os

from recollect.errors import ProviderError, ProviderUnavailable, UsageError
from recollect.providers.embedders._http import Endpoint
from recollect.providers.embedders.ollama import HOST as OLLAMA_HOST
from recollect.providers.embedders.ollama import full_address
from recollect.providers.health import PROBE_TIMEOUT_S, Reach
from recollect.providers.llms.naming import split_address

OPENAI_URL = "https://api.openai.com/v1"
TIMEOUT_S = 60.0
ATTEMPTS = 2  # an answer takes seconds; who waits for it should not wait for four of them


class ChatLlm:
    """Answers from `POST {address}/chat/completions`.

    `model` may carry the address behind an @: `small@http://127.0.0.1:8080/v1`. Otherwise it is `base_url`, then
    OPENAI_BASE_URL, then OpenAI's own. OPENAI_API_KEY goes to the latter two and to nobody else; a server that is
    named by its address gets `api_key` or none.
    """

    prefix = "openai"

    def __init__(
        self, model: str, *, base_url: str | None = None, api_key: str | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._model, named = split_address(model, self.prefix)
        self.name = f"{self.prefix}:{self._model}"
        address, key = self._where(named or base_url, api_key)
        self._own = address.rstrip("/") == OPENAI_URL
        self._endpoint = Endpoint(address, api_key=key, timeout_s=timeout_s, attempts=ATTEMPTS)

    @property
    def address(self) -> str:
        """Where it is asked, as people may see it."""
        return self._endpoint.address

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        messages = [{"role": "system", "content": instructions}] if instructions else []
        messages.append({"role": "user", "content": prompt})
        # The original refuses the old name for its newer models, and most others know only that one.
        limit = "max_completion_tokens" if self._own else "max_tokens"
        answer = self._endpoint.post(
            "chat/completions", {"model": self._model, "messages": messages, limit: max_tokens, "stream": False}
        )
        try:
            said = answer["choices"][0]["message"]["content"]  # type: ignore[index]
        except (KeyError, IndexError, TypeError) as exc:
            raise ProviderError(f"{self.name} answered in a form that is no completion") from exc
        if not isinstance(said, str) or not said.strip():
            raise ProviderError(f"{self.name} answered with nothing; allow it more tokens, or take another model")
        return said

    def reach(self) -> Reach:
        """Whether the server answers, takes the key and has the model. Costs no tokens."""
        try:
            status, body = self._endpoint.look("models", timeout_s=PROBE_TIMEOUT_S)
        except ProviderUnavailable as error:
            return Reach.down(error.message, cure=self._start)
        if status in (401, 403):
            return Reach.refused(f"{self.address} does not take the key", cure=f"set {self._key_variable}")
        names = _listed(body)
        if status == 200 and names and not self._is_among(names):
            return Reach.refused(f"{self.address} has no model {self._model}", cure=self._get)
        if status >= 500:
            return Reach.down(f"{self.address} answers with status {status}", cure=self._start)
        return Reach.ready(f"{self.address} answers")

    def close(self) -> None:
        """Give the connections back."""
        self._endpoint.close()

    _start = "start the server, or name another model with the setting llm"
    _get = "take one of those that `GET /models` lists"
    _key_variable = "OPENAI_API_KEY, or llm_key for a server of your own"

    def _where(self, given: str | None, api_key: str | None) -> tuple[str, str | None]:
        """The address and the key that belongs to it."""
        if given:
            return given, api_key
        address = os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
        key = api_key or os.environ.get("OPENAI_API_KEY")
        if address.rstrip("/") == OPENAI_URL and not key:
            raise UsageError(f"{self.name} needs a key: set OPENAI_API_KEY or llm_key")
        return address, key

    def _is_among(self, names: list[str]) -> bool:
        return self._model in names


class OllamaLlm(ChatLlm):
    """A model that Ollama serves, on this machine or where OLLAMA_HOST says. Nothing is pulled."""

    prefix = "ollama"
    _start = "start it with: ollama serve"
    _key_variable = "llm_key, if a gateway stands before Ollama"

    @property
    def _get(self) -> str:  # type: ignore[override]
        return f"ollama pull {self._model}"

    def _where(self, given: str | None, api_key: str | None) -> tuple[str, str | None]:
        host = full_address(given or os.environ.get("OLLAMA_HOST") or OLLAMA_HOST).rstrip("/")
        return host if host.endswith("/v1") else f"{host}/v1", api_key

    def _is_among(self, names: list[str]) -> bool:
        return {self._model, f"{self._model}:latest"} & set(names) != set()


def _listed(body: object) -> list[str]:
    """The models a server has; empty when it does not tell."""
    try:
        return [str(each["id"]) for each in body["data"]]  # type: ignore[index]
    except (KeyError, TypeError):
        return []
