"""A language model on loopback that is there, takes every question, and never answers."""

from __future__ import annotations

import threading

from chat_server import ChatServer


class HungModel(ChatServer):
    """`asked_something` is set once somebody waits for it."""

    def __init__(self) -> None:
        self.asked_something = threading.Event()
        super().__init__(self._hang)

    @property
    def llm(self) -> str:
        return f"openai:small@{self.address}/v1"

    def _hang(self, prompt: str) -> str:
        self.asked_something.set()
        threading.Event().wait()
        return prompt
