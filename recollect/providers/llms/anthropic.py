"""Claude over Anthropic's `/v1/messages`."""

from __future__ import annotations

import os

from recollect.errors import ProviderError, ProviderUnavailable, UsageError
from recollect.providers.embedders._http import Endpoint
from recollect.providers.health import PROBE_TIMEOUT_S, Reach
from recollect.providers.llms.chat import ATTEMPTS, TIMEOUT_S
from recollect.providers.llms.naming import split_address

URL = "https://api.anthropic.com"
VERSION = "2023-06-01"  # of the protocol


class AnthropicLlm:
    """Answers from `POST {address}/v1/messages`.

    The address is ANTHROPIC_BASE_URL or Anthropic's own, and gets ANTHROPIC_API_KEY; one that is named (behind an @
    or as `base_url`) gets `api_key` or none.
    """

    prefix = "anthropic"

    def __init__(
        self, model: str, *, base_url: str | None = None, api_key: str | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._model, named = split_address(model, self.prefix)
        self.name = f"{self.prefix}:{self._model}"
        given = named or base_url
        address = given or os.environ.get("ANTHROPIC_BASE_URL") or URL
        key = api_key or (None if given else os.environ.get("ANTHROPIC_API_KEY"))
        if address.rstrip("/") == URL and not key:
            raise UsageError(f"{self.name} needs a key: set ANTHROPIC_API_KEY or llm_key")
        self._endpoint = Endpoint(
            address.rstrip("/").removesuffix("/v1"), api_key=key, key_header="x-api-key", timeout_s=timeout_s,
            attempts=ATTEMPTS, headers={"anthropic-version": VERSION},
        )  # fmt: skip

    @property
    def address(self) -> str:
        """Where it is asked, as people may see it."""
        return self._endpoint.address

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        asked: dict[str, object] = {
            "model": self._model, "max_tokens": max_tokens, "messages": [{"role": "user", "content": prompt}],
        }  # fmt: skip
        answer = self._endpoint.post("v1/messages", asked | ({"system": instructions} if instructions else {}))
        try:
            said = "".join(part["text"] for part in answer["content"] if part["type"] == "text")  # type: ignore[index]
        except (KeyError, TypeError) as exc:
            raise ProviderError(f"{self.name} answered in a form that is no message") from exc
        if not said.strip():
            raise ProviderError(f"{self.name} answered with nothing; allow it more tokens, or take another model")
        return said

    def reach(self) -> Reach:
        """Whether the server answers, takes the key and has the model. Costs no tokens."""
        try:
            status, _ = self._endpoint.look(f"v1/models/{self._model}", timeout_s=PROBE_TIMEOUT_S)
        except ProviderUnavailable as error:
            return Reach.down(error.message, cure="look at the connection, or name another model with the setting llm")
        if status in (401, 403):
            return Reach.refused(f"{self.address} does not take the key", cure="set ANTHROPIC_API_KEY")
        if status == 404:
            return Reach.refused(f"{self.address} has no model {self._model}", cure="name one it has")
        if status >= 500:
            return Reach.down(f"{self.address} answers with status {status}", cure="try again later")
        return Reach.ready(f"{self.address} answers")

    def close(self) -> None:
        """Give the connections back."""
        self._endpoint.close()
