"""A bot in a chat server with channels and direct messages: nobody reads what was said elsewhere.

python examples/channel_bot.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import recollect

Ask = Callable[[str, str], str]


class Said(NamedTuple):
    """A message as the chat server hands it over."""

    channel: str
    author: str
    text: str
    private: bool = False


class Bot:
    """Remembers by channel; what somebody says in private is theirs alone."""

    def __init__(self, mem: recollect.Memory, ask: Ask) -> None:
        self._bot = mem.scoped(agent_id="bot", may_add=["channel", "user_id"])
        self._ask = ask

    def hear(self, said: Said) -> str:
        """The bot's answer."""
        whose = {"channel": said.channel, **({"user_id": said.author} if said.private else {})}
        message = {"role": "user", "content": said.text, "name": said.author}
        with self._bot.turn([message], session_id=f"{said.channel}/{said.author}", **whose) as turn:
            answer = self._ask(said.text, turn.window.text)
            turn.answer(answer)
        return answer


def run(mem: recollect.Memory, messages: Iterable[Said], ask: Ask) -> list[str]:
    bot = Bot(mem, ask)
    return [bot.hear(each) for each in messages]


EXAMPLE = [
    Said("general", "ana", "The release is on Friday."),
    Said("dm-ana", "ana", "I am looking for another job.", private=True),
    Said("general", "ben", "When is the release?"),
    Said("general", "ben", "Is Ana looking for another job?"),
]


def main() -> None:
    with recollect.open(":memory:") as mem:
        for said, answer in zip(EXAMPLE, run(mem, EXAMPLE, lambda text, known: known or "I do not know."), strict=True):
            print(f"{said.author}: {said.text}\n  {answer}")


if __name__ == "__main__":
    main()
