"""What a window is asked for, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from recollect.context.budget import FLOW, IDENTITY, ROSTER, SKILLS, WINDOW
from recollect.errors import UsageError, shown
from recollect.limits import CONTENT_BYTES_CEILING
from recollect.model.context import Mode
from recollect.model.messages import Message, read_messages
from recollect.model.query import Criteria

OWN_PARTS = (IDENTITY, SKILLS, ROSTER, FLOW)  # in the caller's words
ORDERS = ("time", "trust", "relevance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A prompt, what came before it, for whom, for which model, and how much.

    `own` are parts in the caller's words: who the agent is, its skills, the other agents. A `task` is work without a
    conversation: it recalls within a share of its own.
    """

    prompt: str
    criteria: Criteria
    history: tuple[Message, ...] = ()
    model: str | None = None
    max_tokens: int | None = None
    phase: str | None = None
    mode: Mode | None = None
    layout: str = WINDOW
    order: str = "time"
    session: str | None = None
    own: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    task: bool = False
    results: int | None = None  # most records recalled; None: as many as the budget holds
    first: tuple[str, ...] = ()  # what has all of these tags, and answers, comes first


def prompt_and_history(given: Any, history: Any) -> tuple[str, tuple[Message, ...]]:
    """The words to answer, and the conversation before them: of messages the last that a person said."""
    before = read_messages(history)
    if isinstance(given, str):
        return _checked(given), before
    said = read_messages(given)
    last = max((at for at, message in enumerate(said) if message.is_person and not message.is_system), default=None)
    if last is None:
        raise UsageError("there is no message of a person to answer; give the prompt as a text or as the last message")
    return _checked(said[last].said), (*before, *said[:last], *said[last + 1 :])


def own_words(value: Any, part: str) -> str:
    """A part in the caller's words: a text, or a list of them."""
    if value is None:
        return ""
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not all(isinstance(each, str) for each in words):
        raise UsageError(f"{part} must be a text or a list of texts, not {shown(value, 40)}")
    return "\n".join(words).strip()


def checked_order(value: Any) -> str:
    if value not in ORDERS:
        raise UsageError(f"order must be one of {', '.join(ORDERS)}, not {shown(value, 40)}")
    return str(value)


def _checked(prompt: str) -> str:
    if len(prompt) > CONTENT_BYTES_CEILING:
        raise UsageError(
            f"the prompt has {len(prompt)} characters, more than {CONTENT_BYTES_CEILING}; hand long texts to `ingest`"
        )
    try:
        prompt.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the prompt holds half a character (a lone surrogate)") from None
    return prompt.replace("\x00", "")
