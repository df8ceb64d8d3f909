"""RFC-014's six tools as a set among others: for MCP, and for models that call functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recollect.compat.topology.tools import MEMORY_TOOLS, MemoryToolHandler
from recollect.memory import Memory
from recollect.providers.tokens import counter_for
from recollect.verbs.toolsets.brief import CUT, budget_of
from recollect.verbs.toolsets.tool import ToolAnswer, ToolCall


def _calling(name: str) -> ToolCall:
    def call(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
        said = _bounded(MemoryToolHandler(memory, conversation=False).run(name, given), budget_of(memory, None))
        return ToolAnswer({"text": said}, said)

    return call


def _bounded(said: str, tokens: int) -> str:
    counter = counter_for(None)
    return said if counter.count(said) <= tokens else counter.cut(said, tokens - 1) + CUT


TOOLSET = tuple(replace(tool, call=_calling(name)) for name, tool in MEMORY_TOOLS.items())
