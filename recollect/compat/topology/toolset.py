"""RFC-014's six tools as a set among others: for MCP, and for models that call functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recollect.compat.topology.tools import MEMORY_TOOLS, MemoryToolHandler
from recollect.memory import Memory
from recollect.verbs.toolsets.tool import Answer, Call


def _calling(name: str) -> Call:
    def call(memory: Memory, given: dict[str, Any]) -> Answer:
        said = MemoryToolHandler(memory).run(name, given)
        return Answer({"text": said}, said)

    return call


TOOLSET = tuple(replace(tool, call=_calling(name)) for name, tool in MEMORY_TOOLS.items())
