"""A tool: what a model is told about it, what a host should know of it, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.verbs.checking import Takes

if TYPE_CHECKING:
    from recollect.memory import Memory


class ToolAnswer(NamedTuple):
    """What a tool answers. `text` is what a model reads where that is not the data as JSON."""

    data: dict[str, Any]
    text: str | None = None


ToolCall = Callable[["Memory", dict[str, Any]], ToolAnswer | dict[str, Any]]


def _undefined(_: Memory, __: dict[str, Any]) -> ToolAnswer:
    raise NotImplementedError("this tool is only described; its set says how it runs")


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """One tool. `parameters` is a JSON schema; a host that allows reading only refuses a tool that `writes`.

    `call` gets a memory that sees no further than the caller may, and arguments that the schema allows.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    _: KW_ONLY
    writes: bool = False
    call: ToolCall = _undefined
    destructive: bool = False  # takes something away
    idempotent: bool = False  # called again with the same arguments, it changes nothing more
    silent: Mapping[str, Any] = field(default_factory=dict)  # schemas of arguments it takes but does not advertise

    @property
    def takes(self) -> Takes:
        """What a call is checked against."""
        return _takes_of(self)

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


@cache
def _takes_of(tool: Tool) -> Takes:
    arguments = {**tool.parameters["properties"], **tool.silent}
    needed = tuple(tool.parameters.get("required", ()))
    return Takes(who=tool.name, arguments=arguments, needed=needed, blanks=False)
