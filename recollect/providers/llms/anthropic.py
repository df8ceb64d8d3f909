"""Claude over Anthropic's `/v1/messages`."""

from __future__ import annotations

import os
from urllib.parse import quote

from recollect.errors import ProviderError, ProviderUnavailable
from recollect.providers.health import DEFAULTS, ProviderReach
from recollect.providers.http import Endpoint
from recollect.providers.llms.chat import RETRIES, TIMEOUT_S
from recollect.providers.llms.naming import split_address

URL = "https://api.anthropic.com"
VERSION = "2023-06-01"  # of the protocol
KEY_VARIABLE = "ANTHROPIC_API_KEY"
_KEY_CURE = f"set {KEY_VARIABLE}, or llm_key"


class AnthropicLlm:
    """Answers from `POST {address}/v1/messages`.

    The address is ANTHROPIC_BASE_URL or Anthropic's own, and gets ANTHROPIC_API_KEY; one that is named (behind an @
    or as `base_url`) gets `api_key` or none.
    """

    cure = "look at the connection, or name another model with the setting llm"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        probe_timeout_s: float = DEFAULTS.probe_timeout_s,
    ) -> None:
        self._model, named = split_address(model, "anthropic")
        self.name = f"anthropic:{self._model}"
        given = named or base_url
        elsewhere = given or os.environ.get("ANTHROPIC_BASE_URL")
        key = api_key or (None if given else os.environ.get(KEY_VARIABLE))
        self._keyless = elsewhere is None and not key
        self._probe_timeout_s = probe_timeout_s
        self._endpoint = Endpoint(
            (elsewhere or URL).rstrip("/").removesuffix("/v1"),
            api_key=key,
            key_header="x-api-key",
            timeout_s=timeout_s,
            retries=RETRIES,
            headers={"anthropic-version": VERSION},
        )

    @property
    def address(self) -> str:
        """Where it is asked, as people may see it."""
        return self._endpoint.address

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        if self._keyless:
            raise ProviderUnavailable(f"{self.name} needs a key: {_KEY_CURE}")
        asked: dict[str, object] = {
            "model": self._model,
            "max_tokens": max_tokens,
            "messages": [{"role": "user", "content": prompt}],
        }
        answer = self._endpoint.post("v1/messages", asked | ({"system": instructions} if instructions else {}))
        try:
            said = "".join(part["text"] for part in answer["content"] if part["type"] == "text")  # type: ignore[index]
        except (KeyError, TypeError) as exc:
            raise ProviderError(f"{self.name} answered in a form that is no message") from exc
        if not said.strip():
            raise ProviderError(f"{self.name} answered with nothing; allow it more tokens, or take another model")
        return said

    def reach(self) -> ProviderReach:
        """Whether the server answers, takes the key and has the model. Costs no tokens."""
        if self._keyless:
            return ProviderReach.refused(f"{self.address} wants a key", cure=_KEY_CURE)
        try:
            path = f"v1/models/{quote(self._model, safe='')}"
            status, _ = self._endpoint.look(path, timeout_s=self._probe_timeout_s)
        except ProviderUnavailable as error:
            return ProviderReach.down(error.message, cure=self.cure)
        if status in (401, 403):
            return ProviderReach.refused(f"{self.address} does not take the key", cure=_KEY_CURE)
        if status == 404:
            return ProviderReach.refused(
                f"{self.address} has no model {self._model}", cure=f"name one that GET {self.address}/v1/models lists"
            )
        if status == 429 or status >= 500:
            return ProviderReach.down(f"{self.address} answers with status {status}", cure=self.cure)
        return ProviderReach.ready(f"{self.address} answers")

    def close(self) -> None:
        """Give the connections back."""
        self._endpoint.close()
