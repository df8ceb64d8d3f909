"""A language model for tests: answers by a function, behind the protocol the engine asks for. No network."""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import ProviderUnavailable


class Answering:
    """Answers what `say` makes of a prompt, and keeps what it was asked."""

    name = "test:function"

    def __init__(self, say: Callable[[str], str]) -> None:
        self.asked: list[str] = []
        self.say = say

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        self.asked.append(prompt)
        try:
            return self.say(prompt)
        except Exception as exc:
            raise ProviderUnavailable(f"{self.name} did not answer") from exc


def broken(prompt: str) -> str:
    """A model that does not come back."""
    raise TimeoutError
