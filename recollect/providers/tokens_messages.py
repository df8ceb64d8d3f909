"""Messages as a model is billed for them: their words, and what the template of a chat puts around them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from recollect.model.messages import IMAGE_TYPES

IMAGE_TOKENS = 1600  # about the most a provider takes for a picture of ordinary size


class Frame(NamedTuple):
    """Tokens around each message, its role included, and once for the conversation and the answer it asks for."""

    message: int
    conversation: int


# OpenAI's by its own account (3, the role, 3 for the answer). Those of open models by their templates. Claude's from
# what counting a single short message adds, rounded up.
_FRAMES = {
    "o200k_base": Frame(4, 3),
    "cl100k_base": Frame(4, 3),
    "claude": Frame(4, 4),
    "claude-4.7": Frame(4, 4),
    "llama3": Frame(5, 5),
    "qwen3": Frame(5, 3),
    "phi4": Frame(5, 3),
    "glm4": Frame(3, 4),
    "gemma2": Frame(5, 4),
    "gemma3": Frame(5, 4),
    "gemma4": Frame(5, 4),
}
_WIDEST = Frame(5, 5)


def frame_of(tokenizer: str) -> Frame:
    """What surrounds the messages of models with that tokenizer; the widest there is, if nobody knows."""
    return _FRAMES.get(tokenizer, _WIDEST)


def words_of(messages: Iterable[Mapping[str, Any]]) -> tuple[list[str], int]:
    """Every text inside the messages, and how many pictures there are beside."""
    texts: list[str] = []
    pictures = 0
    for message in messages:
        for key, value in message.items():
            if key == "role" or value is None:
                continue
            for part in value if isinstance(value, list | tuple) else [value]:
                if isinstance(part, Mapping) and part.get("type") in IMAGE_TYPES:
                    pictures += 1
                else:
                    texts.append(_text(part))
    return texts, pictures


def _text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, bytes):
        return b64encode(part).decode("ascii")
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    return orjson.dumps(part, default=_plain, option=orjson.OPT_NON_STR_KEYS).decode("utf-8")


def _plain(value: object) -> str:
    return b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)
