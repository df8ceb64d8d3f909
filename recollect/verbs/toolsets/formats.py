"""Tools as the makers of models want them described."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.errors import UsageError, shown
from recollect.verbs.toolsets.sets import DEFAULT, toolset
from recollect.verbs.toolsets.tool import Tool


def schemas(format: str = "openai", tools: str = DEFAULT) -> list[dict[str, Any]]:
    """Descriptions of tools for a model's list of functions.

    Args:
        format: openai (chat completions), anthropic, or json (name, description, parameters and hints).
        tools: Sets by name, separated by commas: default, engram, assistant, topology, coding, reference, chatgpt; all.
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
