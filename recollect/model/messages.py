"""Chat messages as the providers write them, read into one form.

OpenAI's (texts, parts, tool calls, the items of its Responses API), Anthropic's blocks, Gemini's parts, LangChain's
types, ShareGPT's `from` and `value`, and plain texts. What a machine thinks to itself is left out, what is no text
becomes a short word such as `[image]`, and a result that stands inside a person's message is a message of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.errors import ContentTooLarge, UsageError
from recollect.limits import MESSAGES_PER_ADD_MAX
from recollect.model.calls import Call
from recollect.model.message import Message
from recollect.model.message_parts import CALL_KEYS, IMAGE_TYPES, KEYS, ROLE_KEYS, Reader, place_of
from recollect.model.plain import TOOL_RUN_CHARS, decoded, plain

__all__ = ["Call", "Message", "read_message", "read_messages", "text_of", "CALL_KEYS", "IMAGE_TYPES", "KEYS"]

_ORDINARY = ("user", "assistant")


def read_messages(given: Any) -> tuple[Message, ...]:
    """Every message that says something, in order. `UsageError` names the one that cannot be read, and why."""
    if isinstance(given, Mapping) and (inner := _conversation(given)) is not None:
        return (*read_messages(_instructions(given)), *read_messages(inner))
    if given is None:
        return ()
    if isinstance(given, str | bytes | bytearray | Mapping | Message) or not isinstance(given, Iterable):
        given = [given]
    out: list[Message] = []
    for index, one in enumerate(given):
        if index >= MESSAGES_PER_ADD_MAX:
            raise ContentTooLarge(f"a conversation has at most {MESSAGES_PER_ADD_MAX} messages; give the newest ones")
        if isinstance(one, Message):
            out += _with_words([one])
        elif type(one) is dict and type(text := one.get("content")) is str and len(one) == 2 and "role" in one:
            out += _simple(one["role"], text, index)  # nearly all are like this
        else:
            out += read_message(one, index)
    return tuple(out)


def read_message(given: Any, index: int | None = None) -> list[Message]:
    """The messages in one that was given: none if it is empty, several if it holds results of tools.

    `index` is its place in the conversation, for whoever is told that it cannot be read.
    """
    if isinstance(given, str):
        return _with_words([Message(role="user", text=plain(given))])
    if isinstance(given, bytes | bytearray):
        return _with_words([Message(role="user", text=plain(decoded(given)))])
    if not isinstance(given, Mapping) and callable(dump := getattr(given, "model_dump", None)):
        given = dump()  # the clients of the providers answer with such objects
    if not isinstance(given, Mapping):
        raise UsageError(
            f'{place_of(index)}expected a text or an object with "role" and "content", not {type(given).__name__}'
        )
    return _with_words(Reader(index).read(given))


def text_of(content: Any) -> str:
    """The words of a content: a text, or blocks of which the texts count. Calls and results count as words too."""
    read = Reader(None).read({"role": "user", "content": content})
    return "\n".join(message.told for message in read if message.told)


def _conversation(given: Mapping[str, Any]) -> list[Any] | None:
    """The messages of a whole request, if this is one."""
    if any(given.get(key) is not None for key in ROLE_KEYS) or "content" in given:
        return None
    return next((given[key] for key in ("messages", "contents", "input") if isinstance(given.get(key), list)), None)


def _instructions(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = [given.get(key) for key in ("system", "instructions", "system_instruction", "systemInstruction")]
    return [
        {"role": "system", "content": each.get("parts") if isinstance(each, Mapping) else each} for each in said if each
    ]


def _simple(role: Any, text: str, index: int) -> list[Message]:
    if role not in _ORDINARY or len(text) >= TOOL_RUN_CHARS:
        return read_message({"role": role, "content": text}, index)
    return [Message(role=role, text=plain(text))] if text and not text.isspace() else []


def _with_words(read: list[Message]) -> list[Message]:
    """Those that say, hold or call something."""
    return [one for one in read if one.calls or one.attachments or (one.text and not one.text.isspace())]
