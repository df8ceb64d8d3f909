"""Any server that speaks OpenAI's `/chat/completions`: OpenAI, a gateway, vLLM, llama.cpp, LM Studio, Ollama."""

from __future__ import annotations

import os

from recollect.config import Config
from recollect.config.section import settings_of
from recollect.errors import ProviderError, ProviderUnavailable
from recollect.providers.embedders.ollama import HOST as OLLAMA_HOST
from recollect.providers.embedders.ollama import full_address
from recollect.providers.health import DEFAULTS, ProviderReach
from recollect.providers.http import Endpoint
from recollect.providers.llms.naming import HOSTS, split_address

OPENAI_URL = HOSTS["openai"].address
TIMEOUT_S: float = settings_of(Config)["llm_timeout_s"].default
RETRIES = 1  # an answer takes seconds; who waits for it should not wait for more of them


class ChatLlm:
    """Answers from `POST {address}/chat/completions`.

    `model` may carry the address behind an @: `small@http://127.0.0.1:8080/v1`. Otherwise it is `base_url`, then the
    one of the provider `prefix` (for openai OPENAI_BASE_URL comes first). The provider's key goes to its own address
    and to OPENAI_BASE_URL, and to nobody else; a server that is named by its address gets `api_key` or none. A key that
    is missing is an absence like any other, not a mistake: a memory opens without it.
    """

    def __init__(
        self,
        model: str,
        *,
        prefix: str = "openai",
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        probe_timeout_s: float = DEFAULTS.probe_timeout_s,
    ) -> None:
        self._model, named = split_address(model, prefix)
        self._prefix = prefix
        self.name = f"{prefix}:{self._model}"
        address, key = self._where(named or base_url, api_key)
        self._keyless = key is None and address in (host.address for host in HOSTS.values())  # none goes without
        self._is_original = address.rstrip("/") == OPENAI_URL
        self._probe_timeout_s = probe_timeout_s
        self._endpoint = Endpoint(address, api_key=key, timeout_s=timeout_s, retries=RETRIES)

    @property
    def address(self) -> str:
        """Where it is asked, as people may see it."""
        return self._endpoint.address

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        if self._keyless:
            raise ProviderUnavailable(f"{self.name} needs a key: {self._key_cure}")
        messages = [{"role": "system", "content": instructions}] if instructions else []
        messages.append({"role": "user", "content": prompt})
        # The original refuses the old name for its newer models, and most others know only that one.
        limit = "max_completion_tokens" if self._is_original else "max_tokens"
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

    def reach(self) -> ProviderReach:
        """Whether the server answers, takes the key and has the model. Costs no tokens."""
        if self._keyless:
            return ProviderReach.refused(f"{self.address} wants a key", cure=self._key_cure)
        try:
            status, body = self._endpoint.look("models", timeout_s=self._probe_timeout_s)
        except ProviderUnavailable as error:
            return ProviderReach.down(error.message, cure=self.cure)
        if status in (401, 403):
            return ProviderReach.refused(f"{self.address} does not take the key", cure=self._key_cure)
        if status == 429 or status >= 500:
            return ProviderReach.down(f"{self.address} answers with status {status}", cure=self.cure)
        names = _listed(body)
        if status == 200 and names and not self._is_among(names):
            return ProviderReach.refused(f"{self.address} has no model {self._model}", cure=self._model_cure)
        return ProviderReach.ready(f"{self.address} answers")

    def close(self) -> None:
        """Give the connections back."""
        self._endpoint.close()

    @property
    def cure(self) -> str:
        """What to do when nobody answers."""
        return "start the server or look at the connection, or name another model with the setting llm"

    @property
    def _model_cure(self) -> str:
        return f"name one of those that GET {self.address}/models lists"

    @property
    def _key_cure(self) -> str:
        return f"set {HOSTS[self._prefix].key_variable}, or llm_key"

    def _where(self, given: str | None, api_key: str | None) -> tuple[str, str | None]:
        """The address and the key that belongs to it."""
        if given:
            return given, api_key
        host = HOSTS[self._prefix]
        elsewhere = os.environ.get("OPENAI_BASE_URL") if self._prefix == "openai" else None
        return elsewhere or host.address, api_key or os.environ.get(host.key_variable) or None

    def _is_among(self, names: list[str]) -> bool:
        # Some list `models/NAME`, and llama.cpp the path of the file it serves.
        return any(name == self._model or name.endswith(f"/{self._model}") for name in names)


class OllamaLlm(ChatLlm):
    """A model that Ollama serves, on this machine or where OLLAMA_HOST says. Nothing is pulled."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        probe_timeout_s: float = DEFAULTS.probe_timeout_s,
    ) -> None:
        super().__init__(
            model,
            prefix="ollama",
            base_url=base_url,
            api_key=api_key,
            timeout_s=timeout_s,
            probe_timeout_s=probe_timeout_s,
        )

    @property
    def cure(self) -> str:
        return "start it with: ollama serve"

    @property
    def _model_cure(self) -> str:
        return f"ollama pull {self._model}"

    @property
    def _key_cure(self) -> str:
        return "set llm_key to what the gateway before Ollama wants"

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
