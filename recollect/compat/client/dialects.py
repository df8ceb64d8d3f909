"""The three ways in which the two libraries put a request and its answer.

Nothing that a caller says is rewritten: what comes from memory is added to the instructions, and the conversation goes
out as it came, with its tools, images and whatever else it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

INSTRUCTING = ("system", "developer")


class Answer(NamedTuple):
    """What a model said, and whether it now waits for the results of tools."""

    text: str
    calls: tuple[str, ...] = ()  # names of tools


class Dialect(Protocol):
    """How one call says things. Requests are the arguments of the call, and never changed in place."""

    def conversation(self, request: Mapping[str, Any]) -> Any:
        """What was said, without instructions, as `mem.turn` takes it."""

    def instructed(self, request: Mapping[str, Any], words: str) -> dict[str, Any]:
        """The request with more words at the end of its instructions."""

    def answer(self, reply: Any) -> Answer | None:
        """What a whole reply says; None if it is none, or breaks off."""

    def listen(self) -> Listener:
        """Someone who puts the pieces of a stream together."""


class Listener(Protocol):
    """Hears one stream."""

    def hear(self, event: Any) -> Answer | None:
        """The whole answer, as soon as it is one."""


class ChatCompletions:
    """OpenAI's chat, and that of everybody who speaks its language."""

    def conversation(self, request: Mapping[str, Any]) -> Any:
        return [each for each in request.get("messages") or () if _field(each, "role") not in INSTRUCTING]

    def instructed(self, request: Mapping[str, Any], words: str) -> dict[str, Any]:
        messages = list(request.get("messages") or ())
        at = next((at for at, each in enumerate(messages) if _field(each, "role") in INSTRUCTING), None)
        if at is None or not isinstance(messages[at], Mapping):
            messages.insert(0, {"role": "system", "content": words})
        else:
            messages[at] = {**messages[at], "content": _longer(messages[at].get("content"), words)}
        return {**request, "messages": messages}

    def answer(self, reply: Any) -> Answer | None:
        choices = getattr(reply, "choices", None)
        if not choices or choices[0].finish_reason is None:
            return None
        message = choices[0].message
        calls = tuple(_called(call) for call in message.tool_calls or ())
        return Answer(message.content or message.refusal or "", calls)

    def listen(self) -> Listener:
        return _ChatListener()


class _ChatListener:
    def __init__(self) -> None:
        self._texts: list[str] = []
        self._calls: list[str] = []

    def hear(self, event: Any) -> Answer | None:
        choice = next((each for each in getattr(event, "choices", None) or () if each.index == 0), None)
        if choice is None:
            return None
        self._texts.append(choice.delta.content or choice.delta.refusal or "")
        self._calls += [name for call in choice.delta.tool_calls or () if (name := _called(call))]
        return None if choice.finish_reason is None else Answer("".join(self._texts), tuple(self._calls))


class Responses:
    """OpenAI's Responses."""

    def conversation(self, request: Mapping[str, Any]) -> Any:
        given = request.get("input")
        if not isinstance(given, list | tuple):
            return given if isinstance(given, str) else []
        return [each for each in given if _field(each, "role") not in INSTRUCTING]

    def instructed(self, request: Mapping[str, Any], words: str) -> dict[str, Any]:
        held = request.get("instructions")
        return {**request, "instructions": _longer(held if isinstance(held, str) else None, words)}

    def answer(self, reply: Any) -> Answer | None:
        if getattr(reply, "status", None) not in ("completed", "incomplete"):
            return None
        calls = [item.name for item in reply.output if item.type in ("function_call", "custom_tool_call")]
        return Answer(reply.output_text, tuple(calls))

    def listen(self) -> Listener:
        return _ResponsesListener(self)


class _ResponsesListener:
    def __init__(self, dialect: Responses) -> None:
        self._dialect = dialect

    def hear(self, event: Any) -> Answer | None:
        ends = getattr(event, "type", "") in ("response.completed", "response.incomplete")
        return self._dialect.answer(event.response) if ends else None


class Messages:
    """Anthropic's messages."""

    def conversation(self, request: Mapping[str, Any]) -> Any:
        return list(request.get("messages") or ())

    def instructed(self, request: Mapping[str, Any], words: str) -> dict[str, Any]:
        held = request.get("system")
        return {**request, "system": _longer(held if isinstance(held, str | list | tuple) else None, words)}

    def answer(self, reply: Any) -> Answer | None:
        if getattr(reply, "stop_reason", None) is None:
            return None
        text = "\n".join(block.text for block in reply.content if block.type == "text")
        return Answer(text, tuple(block.name for block in reply.content if block.type == "tool_use"))

    def listen(self) -> Listener:
        return _MessagesListener()


class _MessagesListener:
    def __init__(self) -> None:
        self._texts: list[str] = []
        self._calls: list[str] = []

    def hear(self, event: Any) -> Answer | None:
        kind = getattr(event, "type", "")
        if kind == "content_block_start":
            if event.content_block.type == "tool_use":
                self._calls.append(event.content_block.name)
            elif event.content_block.type == "text":
                self._texts.append("")
        elif kind == "content_block_delta" and event.delta.type == "text_delta" and self._texts:
            self._texts[-1] += event.delta.text
        return Answer("\n".join(self._texts), tuple(self._calls)) if kind == "message_stop" else None


def _longer(held: Any, words: str) -> Any:
    """Instructions with more words at their end: a text, or parts."""
    if not held:
        return words
    return f"{held}\n\n{words}" if isinstance(held, str) else [*held, {"type": "text", "text": words}]


def _field(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _called(call: Any) -> str:
    """The name of the tool in a call of OpenAI's chat; "" in pieces that continue one."""
    inner = getattr(call, "function", None) or getattr(call, "custom", None)
    return getattr(inner, "name", None) or ""
