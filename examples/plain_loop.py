"""A chat loop of one's own: recall before the model answers, remember after it has.

python examples/plain_loop.py            # answers with what was recalled; no model, no key
python examples/plain_loop.py gpt-4o     # asks a model: pip install openai, and OPENAI_API_KEY
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

import recollect

Ask = Callable[[list[dict[str, str]]], str]


def talk(mem: recollect.Memory, lines: Iterable[str], ask: Ask, *, user_id: str, session_id: str) -> list[str]:
    """One answer for each line that is said."""
    answers = []
    for line in lines:
        with mem.turn(line, user_id=user_id, session_id=session_id) as turn:
            answer = ask(turn.messages)
            turn.answer(answer)
        answers.append(answer)
    return answers


def without_model(messages: list[dict[str, str]]) -> str:
    """What a model would have seen beside the question."""
    return next((each["content"] for each in messages if each["role"] == "system"), "I know nothing about that yet.")


def openai_model(name: str) -> Ask:
    from openai import OpenAI

    client = OpenAI()

    def ask(messages: list[dict[str, str]]) -> str:
        reply = client.chat.completions.create(model=name, messages=messages)  # type: ignore[arg-type]
        return reply.choices[0].message.content or ""

    return ask


def main() -> None:
    ask = openai_model(sys.argv[1]) if len(sys.argv) > 1 else without_model
    with recollect.open() as mem:
        print("Say something; an empty line ends.")
        for answer in (talk(mem, [line], ask, user_id="me", session_id="loop")[0] for line in iter(input, "")):
            print(answer)


if __name__ == "__main__":
    main()
