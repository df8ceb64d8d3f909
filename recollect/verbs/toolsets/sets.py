"""The sets of tools by name, and where each is; those of other designs live in `compat` and are loaded on use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from recollect.errors import UsageError, shown
from recollect.verbs.table import nearest
from recollect.verbs.toolsets.tool import Tool

DEFAULT, ALL = "default", "all"
# A module of each set, with its tools as `TOOLSET`, in the order in which sets are joined.
SETS: Mapping[str, str] = {
    DEFAULT: "recollect.verbs.toolsets.default",
    "engram": "recollect.compat.engram",
    "assistant": "recollect.compat.assistant.toolset",
    "topology": "recollect.compat.topology.toolset",
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
