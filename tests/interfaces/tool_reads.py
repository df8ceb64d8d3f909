"""Every tool that only reads, with arguments made from its schema: for tests that look at whatever tools answer."""

from __future__ import annotations

from typing import Any

from recollect.verbs.toolsets.sets import toolset
from recollect.verbs.toolsets.tool import Tool

READING = {name: tool for name, tool in toolset("all").items() if not tool.writes}


def arguments(tool: Tool, id_: str, word: str) -> dict[str, Any]:
    """What the tool must be given: the id of a record where it wants one, a word elsewhere."""
    given: dict[str, Any] = {}
    for name in tool.parameters.get("required", ()):
        schema = tool.parameters["properties"][name]
        text = id_ if name in ("id", "fact_id", "record_id") else word
        given[name] = [text] if schema.get("type") == "array" else schema.get("enum", [text])[0]
    return given
