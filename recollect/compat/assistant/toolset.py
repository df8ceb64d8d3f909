"""The assistant's eight tools as a set among others: for MCP, and for models that call functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from recollect.compat.assistant.schemas import ASSISTANT_TOOLS
from recollect.compat.assistant.tools import AssistantTools
from recollect.memory import Memory
from recollect.verbs.toolsets.tool import Call, Tool

_REPLACES = frozenset({"correct_fact"})
_SETTLES = frozenset({"confirm_fact"})


def _calling(name: str) -> Call:
    def call(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
        method: Callable[..., dict[str, Any]] = getattr(AssistantTools(memory), name)
        return method(**given)

    return call


def _runnable(tool: Tool) -> Tool:
    return replace(
        tool, call=_calling(tool.name), destructive=tool.name in _REPLACES, idempotent=tool.name in _SETTLES
    )  # fmt: skip


TOOLSET = tuple(_runnable(tool) for tool in ASSISTANT_TOOLS.values())
