"""The assistant's eight tools as a set among others: for MCP, and for models that call functions.

`AssistantTools` answers programs, with every field of the design. A model pays for each: here ids are short, times are
days, what is empty or repeats the question is left out, and lists end where the budget does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from recollect.compat.assistant.schemas import ASSISTANT_TOOLS
from recollect.compat.assistant.tools import AssistantTools
from recollect.memory import Memory
from recollect.verbs.toolsets.brief import budget_of, fitting, short, tokens_of
from recollect.verbs.toolsets.tool import Tool, ToolCall

_REPLACES = frozenset({"correct_fact"})
_SETTLES = frozenset({"confirm_fact"})
_IDS = frozenset({"id", "supersedes"})
_DAYS = frozenset(
    {
        "event_time",
        "created_at",
        "valid_from",
        "valid_until",
        "last_accessed",
        "first_seen",
        "last_updated",
        "at",
        "fades_at",
    }
)
# Asked for a moment ago, or nothing that a model could act on.
_UNTOLD = frozenset({"query", "intent", "created_at", "last_accessed", "access_count", "session_id", "source_role"})
_LISTS = ("results", "facts", "timeline", "sources", "superseded_by", "contradicted_by")  # what may be long


def _calling(name: str) -> ToolCall:
    def call(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
        method: Callable[..., dict[str, Any]] = getattr(AssistantTools(memory), name)
        return in_brief(method(**given), budget_of(memory, None))

    return call


def in_brief(answer: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """An answer as a model gets to read it, in no more than these tokens. Lists that say something stay, even empty."""
    doubt = {"reason": answer["reason"]} if "reason" in answer else {}  # before what it is about
    told = doubt | {
        name: _told(name, value)
        for name, value in answer.items()
        if name not in (*_UNTOLD, "content") and (name in ("results", "facts") or not _is_nothing(value))
    }
    for name in _LISTS:
        items = told.get(name)
        if isinstance(items, list) and items and isinstance(items[0], dict):
            told[name] = []
            told[name] = fitting(items, tokens - tokens_of(told), words="content")
            if len(told[name]) < len(items):
                told["left_out"] = told.get("left_out", 0) + len(items) - len(told[name])
    if "count" in told:
        told["count"] = len(told.get("results", told.get("facts", ())))
    return told


def _told(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            inner: _told(inner, each) for inner, each in value.items() if inner not in _UNTOLD and not _is_nothing(each)
        }
    if isinstance(value, list):
        return [short(each) if name == "sources" and isinstance(each, str) else _told("", each) for each in value]
    if isinstance(value, str) and name in _IDS:
        return short(value)
    return value[:10] if isinstance(value, str) and name in _DAYS else value


def _is_nothing(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _runnable(tool: Tool) -> Tool:
    return replace(tool, call=_calling(tool.name), destructive=tool.name in _REPLACES, idempotent=tool.name in _SETTLES)


TOOLSET = tuple(_runnable(tool) for tool in ASSISTANT_TOOLS.values())
