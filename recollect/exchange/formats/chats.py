"""Archives of ChatGPT and Claude, and messages as JSON: each conversation becomes a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.exchange.formats.base import ForeignItem, Read, key_of
from recollect.exchange.formats.structured import Value

_HEAD_CHARS = 64
_LISTS = ("conversations", "data")
_UNNAMED = "conversation"


def is_chat(value: Any) -> bool:
    """Whether a value is a conversation or a message, or holds some."""
    if not isinstance(value, Mapping):
        return False
    if any(name in value for name in ("mapping", "chat_messages", "messages", "turns", "conversations")):
        return True
    said = any(value.get(name) is not None for name in ("content", "text", "message", "value"))
    return said and any(value.get(name) is not None for name in ("role", "sender", "from", "author", "speaker"))


def read_chats(values: Iterable[Value]) -> Read:
    """What people and assistants said, with who and when; of a ChatGPT tree the branch that was shown last."""
    from recollect.structure.chats import read_values

    origin: list[str] = []
    turns, notes = read_values(_conversations(values, origin), None, [])
    out = Read(f"import:{(*origin, 'chat')[0]}", notes=[f"the file {note}" for note in notes])
    for number, turn in enumerate(turns, start=1):
        key = key_of(turn.place.anchor, turn.session, str(turn.place.line_range), turn.text[:_HEAD_CHARS])
        out.items.append(ForeignItem(turn.to_message(), key, f"message {number}", {}, turn.session or _UNNAMED))
    return out


def _conversations(values: Iterable[Value], origin: list[str]) -> Iterator[Any]:
    """One at a time; `origin` is told by the first which program they come from."""
    for _, value in values:
        inner = (
            next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
            if isinstance(value, Mapping)
            else None
        )
        for each in [value] if inner is None else inner:
            if not origin and isinstance(each, Mapping):
                origin.append("chatgpt" if "mapping" in each else "claude" if "chat_messages" in each else "chat")
            yield each
