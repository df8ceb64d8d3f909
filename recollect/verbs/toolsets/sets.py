"""The sets of tools by name: where each is, and how the makers of models want its tools described.

The default set is made from the table of verbs; those of other designs live in `compat` and are loaded on use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from recollect.errors import UsageError, nearest, shown
from recollect.verbs.toolsets.tool import Tool

DEFAULT, ALL = "default", "all"
# A module of each set, with its tools as `TOOLSET`, in the order in which sets are joined.
SETS: Mapping[str, str] = {
    DEFAULT: "recollect.verbs.toolsets.default",
    "turns": "recollect.verbs.toolsets.turns",
    "agents": "recollect.verbs.toolsets.agents",
    "engram": "recollect.compat.engram",
    "assistant": "recollect.compat.assistant.toolset",
    "topology": "recollect.compat.topology.tools",
    "coding": "recollect.compat.coding",
    "reference": "recollect.compat.reference.tools",
    "chatgpt": "recollect.compat.chatgpt",
}


def toolset(tools: str = DEFAULT) -> dict[str, Tool]:
    """The tools of a set, or of several separated by commas, by name.

    Of two tools with one name the set that is named first has its way; in `all` that is the order of `SETS`.
    """
    if not isinstance(tools, str):
        raise UsageError(f"tools must name sets of tools, not {shown(tools, 40)}; there are {known()}")
    names = [name.strip() for name in tools.split(",") if name.strip()]
    if not names:
        raise UsageError(f"no set of tools is named; there are {known()}")
    found: dict[str, Tool] = {}
    for name in SETS if ALL in names else names:
        if name not in SETS:
            raise UsageError(f"there is no set of tools {name[:40]!r}{nearest(name, SETS)}; there are {known()}")
        found |= {each: tool for each, tool in _loaded(name).items() if each not in found}
    return found


def find_tool(name: str, tools: str = DEFAULT) -> Tool:
    """The tool of that name in these sets; a `UsageError` names the nearest otherwise."""
    among = toolset(tools)
    tool = among.get(name) if isinstance(name, str) else None
    if tool is None:
        raise UsageError(
            f"there is no tool {shown(name, 60)}{nearest(str(name)[:60], among)}; there are {', '.join(among)}"
        )
    return tool


def known() -> str:
    """The names of all sets, for people."""
    return ", ".join((*SETS, ALL))


@cache
def _loaded(name: str) -> dict[str, Tool]:
    tools: tuple[Tool, ...] = import_module(SETS[name]).TOOLSET
    return {tool.name: tool for tool in tools}


def schemas(format: str = "openai", tools: str = DEFAULT) -> list[dict[str, Any]]:
    """Descriptions of tools for a model's list of functions.

    Args:
        format: openai (chat completions), anthropic, or json (name, description, parameters and hints).
        tools: Sets by name, separated by commas: default, turns, agents, engram, assistant, topology, coding,
            reference, chatgpt; all.
    """
    if format not in _FORMATS:
        raise UsageError(f"format must be one of {', '.join(_FORMATS)}, not {shown(format, 40)}")
    return [_FORMATS[format](tool) for tool in toolset(tools).values()]


def hints(tool: Tool) -> dict[str, bool]:
    """What a host should know before it lets a model call it, in the words of MCP."""
    if not tool.writes:
        return {"readOnlyHint": True, "openWorldHint": False}
    return {
        "readOnlyHint": False,
        "destructiveHint": tool.destructive,
        "idempotentHint": tool.idempotent,
        "openWorldHint": False,
    }


def _openai(tool: Tool) -> dict[str, Any]:
    return {"type": "function", "function": tool.to_dict()}


def _anthropic(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _json(tool: Tool) -> dict[str, Any]:
    return {**tool.to_dict(), "annotations": hints(tool)}


_FORMATS: Mapping[str, Callable[[Tool], dict[str, Any]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "json": _json,
}
