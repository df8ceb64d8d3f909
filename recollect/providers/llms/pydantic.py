"""Any other model that pydantic-ai knows: Gemini, Groq, Mistral, Bedrock and more."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
import weakref
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from recollect.errors import ProviderError, ProviderUnavailable, UsageError
from recollect.providers.health import Reach
from recollect.providers.llms.chat import TIMEOUT_S

if TYPE_CHECKING:
    from pydantic_ai import Agent

_TRANSIENT = (408, 429)


class PydanticLlm:
    """A model by pydantic-ai's own name for it, `groq:…` or `google-gla:…`.

    The library loads at the first question. Keys and addresses come from the environment variables that it documents
    for each provider. The library works on an event loop; this class owns one, on a thread of its own, until `close`.
    """

    def __init__(self, model: str, *, timeout_s: float = TIMEOUT_S) -> None:
        if ":" not in model:
            raise UsageError(f"name the model as provider:model, such as openai:gpt-5-mini, not {model!r:.60}")
        self.name = model
        self._timeout_s = timeout_s
        self._agent: Agent[None, str] | None = None
        self._loop: _Loop | None = None
        self._loading = threading.Lock()

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        agent, loop = self._loaded()
        settings: Any = {"max_tokens": max_tokens, "timeout": self._timeout_s}
        try:
            run = loop.run(
                agent.run(prompt, instructions=instructions or None, model_settings=settings),
                timeout_s=2 * self._timeout_s,  # the library's own timeout comes first
            )
        except Exception as exc:  # every provider raises its own; the words of some repeat the prompt
            kind = ProviderUnavailable if _may_pass(exc) else ProviderError
            raise kind(f"{self.name} did not answer ({type(exc).__name__})") from exc
        return str(run.output)

    def reach(self) -> Reach:
        """Whether the library knows the provider and has its key; whether it answers is told by the first question."""
        try:
            self._loaded()
        except ProviderUnavailable as error:
            return Reach.refused(error.message, cure="see https://ai.pydantic.dev/models for its name and its key")
        return Reach.unknown("pydantic-ai knows it; whether it answers is told by the first question")

    def close(self) -> None:
        """End the loop; a later question starts another."""
        with self._loading:
            loop, self._loop, self._agent = self._loop, None, None
        if loop is not None:
            loop.close()

    def _loaded(self) -> tuple[Agent[None, str], _Loop]:
        with self._loading:
            if self._loop is None or self._loop.owner != os.getpid():  # threads do not survive a fork
                self._loop, self._agent = _Loop(), None
            if self._agent is None:
                try:
                    from pydantic_ai import Agent

                    self._agent = Agent(self.name, output_type=str, defer_model_check=False)
                except Exception as exc:  # no such provider, its library or its key is missing
                    raise ProviderUnavailable(f"{self.name} cannot be used: {exc}") from exc
            return self._agent, self._loop


class _Loop:
    """An event loop on a thread, and questions to it from any other. It ends with `close`, or when nobody holds it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self._loop.run_forever, name="recollect-llm", daemon=True)
        thread.start()
        self._end = weakref.finalize(self, _end, self._loop, thread)

    def run(self, work: Coroutine[Any, Any, Any], *, timeout_s: float) -> Any:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout_s)
        except (concurrent.futures.TimeoutError, KeyboardInterrupt):
            future.cancel()
            raise

    def close(self) -> None:
        self._end()


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _may_pass(error: Exception) -> bool:
    """Whether waiting may help: a timeout, a lost connection, too many requests, a server in trouble."""
    if isinstance(error, TimeoutError | ConnectionError):
        return True
    from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError

    if isinstance(error, ModelHTTPError):
        return error.status_code in _TRANSIENT or error.status_code >= 500
    return isinstance(error, ModelAPIError)
