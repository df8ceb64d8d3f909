"""A language model for tests: one of pydantic-ai's own, behind the protocol the engine asks for. No network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from recollect.errors import ProviderUnavailable


class Answering:
    """Answers what `say` makes of a prompt, and keeps what it was asked."""

    name = "test:function"

    def __init__(self, say: Callable[[str], str]) -> None:
        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            prompt = str(messages[-1].parts[-1].content)  # type: ignore[union-attr]
            self.asked.append(prompt)
            return ModelResponse(parts=[TextPart(say(prompt))])

        self.asked: list[str] = []
        self._agent = Agent(FunctionModel(answer), output_type=str)

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        try:
            # A loop of its own, closed at once: of one that ends with its thread, whatever test is next complains.
            return asyncio.run(self._agent.run(prompt, instructions=instructions)).output
        except Exception as exc:
            raise ProviderUnavailable(f"{self.name} did not answer") from exc


def broken(prompt: str) -> str:
    """A model that does not come back."""
    raise TimeoutError
