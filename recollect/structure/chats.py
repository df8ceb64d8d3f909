"""Conversations that other programs exported: ChatGPT, Claude, and messages as JSON, one a line or in a list.

A conversation becomes a session under its own id, its messages turns with who said them and when. Of a ChatGPT
conversation, which is a tree of attempts, the branch counts that was shown last. System texts, tool calls and
attachments are left out, as is whatever does not look like a message; notes count them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import orjson

from recollect.errors import InvalidQuery, UsageError
from recollect.language.times import parse_iso, parse_time
from recollect.limits import MESSAGES_PER_ADD_MAX, NAME_CHARS_MAX
from recollect.model.place import Place, PositionType
from recollect.structure.blocks import short_title
from recollect.structure.piece import ChatTurn, Document, Parsed, PieceSizes

_ROLES = {
    "human": "user",
    "user": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "gpt": "assistant",
}
_ROLE_KEYS = ("role", "sender", "from", "author", "speaker")
_TEXT_KEYS = ("content", "text", "message", "value")
_TIME_KEYS = ("timestamp", "created_at", "create_time", "time", "date", "ts")
_SESSION_KEYS = ("session_id", "session", "conversation_id", "conversation", "thread_id", "chat_id")
_MILLISECONDS_FROM = 1e11  # as seconds, a number this large would lie after the year 5000


def read(document: Document, sizes: PieceSizes) -> Parsed:
    """The turns of an export and notes on what was left out. `UsageError` if there is no message in it."""
    notes: list[str] = []
    turns, notes = read_values(_values(document.text, notes), document.path, notes)
    return Parsed(turns=tuple(turns), notes=tuple(notes))


def read_values(values: Iterable[Any], path: str | None, notes: list[str]) -> tuple[list[ChatTurn], list[str]]:
    """The turns of conversations or messages that were parsed already; notes on what was left out are added."""
    turns: list[ChatTurn] = []
    for turn in _turns(values, path, notes):
        if len(turns) == MESSAGES_PER_ADD_MAX:
            notes.append(f"holds more than {MESSAGES_PER_ADD_MAX} messages; the rest is left out")
            break
        turns.append(turn)
    if not turns:
        raise UsageError("holds no messages that could be read")
    return turns, notes


def looks_like_chat(head: bytes) -> bool:
    """Whether JSON that begins so holds a conversation rather than data."""
    text = head.decode("utf-8", "replace")
    return (
        '"chat_messages"' in text
        or ('"mapping"' in text and '"message"' in text)
        or (any(f'"{key}"' in text for key in _ROLE_KEYS) and any(f'"{key}"' in text for key in _TEXT_KEYS))
    )


def _values(text: str, notes: list[str]) -> list[Any]:
    """The conversations or messages of a file: one JSON value, or one a line."""
    try:
        whole = orjson.loads(text)
    except orjson.JSONDecodeError:
        return list(_line_values(text, notes))
    if isinstance(whole, Mapping):
        inner = whole.get("conversations", whole.get("data"))
        return inner if isinstance(inner, list) else [whole]
    return whole if isinstance(whole, list) else []


def _line_values(text: str, notes: list[str]) -> Iterator[Any]:
    broken: list[int] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError:
                broken.append(number)
    if broken:
        notes.append(f"{len(broken)} lines are not JSON, the first is line {broken[0]}")


def _turns(values: Iterable[Any], path: str | None, notes: list[str]) -> Iterator[ChatTurn]:
    left_out = 0
    for number, value in enumerate(values, start=1):
        if not isinstance(value, Mapping):
            left_out += 1
            continue
        title = short_title(str(value.get("title") or value.get("name") or "")) or None
        if (messages := _messages_of(value)) is None:
            messages, session, title = [value], _first(value, _SESSION_KEYS), None
        else:
            session = value.get("conversation_id") or value.get("uuid") or value.get("id") or f"conversation {number}"
        for position, message in enumerate(messages, start=1 if len(messages) > 1 else number):
            turn = _turn(message, str(session or "")[:NAME_CHARS_MAX], title, position, path)
            left_out += turn is None
            if turn is not None:
                yield turn
    if left_out:
        notes.append(f"{left_out} entries are no messages of a person or an assistant")


def _messages_of(value: Mapping[str, Any]) -> list[Any] | None:
    """The messages of a conversation in order; None if this is no conversation."""
    if isinstance(value.get("mapping"), Mapping):
        return _shown_branch(value["mapping"], value.get("current_node"))
    for key in ("chat_messages", "messages", "turns", "conversation"):
        if isinstance(value.get(key), list):
            return list(value[key])
    return None


def _shown_branch(mapping: Mapping[str, Any], current: Any) -> list[Any]:
    """From the newest message that was shown up to the first, turned round. A circle ends where it closes."""
    nodes = {key: node for key, node in mapping.items() if isinstance(node, Mapping)}
    if not isinstance(current, str) or current not in nodes:
        leaves = [key for key, node in nodes.items() if not node.get("children")]
        current = max(leaves, key=lambda key: _created(nodes[key]), default=None)
    branch: dict[str, Any] = {}
    while isinstance(current, str) and current in nodes and current not in branch:
        branch[current] = nodes[current].get("message")
        current = nodes[current].get("parent")
    return [message for message in reversed(branch.values()) if message is not None]


def _created(node: Mapping[str, Any]) -> float:
    message = node.get("message")
    at = message.get("create_time") if isinstance(message, Mapping) else None
    return float(at) if isinstance(at, int | float) else 0.0


def _turn(message: Any, session: str, title: str | None, position: int, path: str | None) -> ChatTurn | None:
    if not isinstance(message, Mapping):
        return None
    author = _first(message, _ROLE_KEYS)
    named = message.get("name")
    if isinstance(author, Mapping):
        named, author = author.get("name"), author.get("role")
    role = _ROLES.get(str(author).lower())
    text = _text_of(message)
    if role is None or not text or text.isspace() or _is_hidden(message):
        return None
    place = Place(
        position_type=PositionType.CONVERSATION,
        file_path=path,
        line_range=(position, position),
        section_path=(title,) if title else (),
        anchor=_id_of(message),
    )
    speaker = short_title(named) if isinstance(named, str) else None
    return ChatTurn(role=role, text=text, session=session, place=place, speaker=speaker or None, at=_time_of(message))


def _is_hidden(message: Mapping[str, Any]) -> bool:
    """Whether ChatGPT never showed it: instructions and memories that it put before the conversation."""
    metadata = message.get("metadata")
    return isinstance(metadata, Mapping) and bool(metadata.get("is_visually_hidden_from_conversation"))


def _id_of(message: Mapping[str, Any]) -> str | None:
    given = message.get("uuid") or message.get("id")
    return str(given)[:NAME_CHARS_MAX] if isinstance(given, str | int) else None


def _text_of(message: Mapping[str, Any]) -> str:
    """The words of a message: a text, blocks or parts of which the texts count, or an object that holds either."""
    given = _first(message, _TEXT_KEYS)
    if isinstance(given, Mapping):
        given = given.get("parts", given.get("text"))
    if isinstance(given, list):
        texts = [part.get("text") if isinstance(part, Mapping) else part for part in given]
        given = "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())
    text = given if isinstance(given, str) and given.strip() else message.get("text")
    return text.replace("\x00", "").strip() if isinstance(text, str) else ""


def _time_of(message: Mapping[str, Any]) -> datetime | None:
    given = _first(message, _TIME_KEYS)
    if isinstance(given, int | float) and not isinstance(given, bool) and given > _MILLISECONDS_FROM:
        given /= 1000
    try:
        return None if given is None else parse_iso(given) if isinstance(given, str) else parse_time(given)
    except (InvalidQuery, ValueError):
        return None


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)
