"""Any model that pydantic-ai knows: OpenAI and what speaks like it, Anthropic, Ollama, Gemini, Groq and more."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from recollect.errors import ProviderError, ProviderUnavailable, UsageError

if TYPE_CHECKING:
    from pydantic_ai import Agent

TIMEOUT_S = 60.0


class PydanticLlm:
    """A model by pydantic-ai's own name for it, `openai:gpt-5-mini` or `ollama:qwen3`.

    The library loads at the first question. Keys and addresses come from the environment variables each provider
    documents (OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY, OLLAMA_BASE_URL …).
    """

    def __init__(self, model: str, *, timeout_s: float = TIMEOUT_S) -> None:
        if ":" not in model:
            raise UsageError(f"name the model as provider:model, such as openai:gpt-5-mini, not {model!r:.60}")
        self.name = model
        self._timeout_s = timeout_s
        self._agent: Agent[None, str] | None = None
        self._loading = threading.Lock()

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        agent = self._loaded()
        try:
            run = agent.run_sync(
                prompt,
                instructions=instructions or None,
                model_settings={"max_tokens": max_tokens, "timeout": self._timeout_s},
            )
        except Exception as exc:  # every provider raises its own; the words of some repeat the prompt
            raise ProviderError(f"{self.name} did not answer ({type(exc).__name__})") from exc
        return str(run.output)

    def _loaded(self) -> Agent[None, str]:
        with self._loading:
            if self._agent is None:
                try:
                    from pydantic_ai import Agent

                    self._agent = Agent(self.name, output_type=str, defer_model_check=False)
                except Exception as exc:  # no such provider, its library or its key is missing
                    raise ProviderUnavailable(f"{self.name} cannot be used: {exc}") from exc
            return self._agent
