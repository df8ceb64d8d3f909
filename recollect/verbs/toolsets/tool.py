"""A tool: what a model is told about it, what a host should know of it, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from recollect.memory import Memory


class Answer(NamedTuple):
    """What a tool answers. `text` is what a model reads where that is not the data as JSON."""

    data: dict[str, Any]
    text: str | None = None


Call = Callable[["Memory", dict[str, Any]], Answer | dict[str, Any]]


def _undefined(_: Memory, __: dict[str, Any]) -> Answer:
    raise NotImplementedError("this tool is only described; its set says how it runs")


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `parameters` is a JSON schema; `trust` is what a host must allow: all but "discovery" may write.

    `call` gets a memory that sees no further than the caller may, and arguments that the schema allows.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    trust: str = "discovery"
    call: Call = _undefined
    destructive: bool = False  # takes something away
    idempotent: bool = False  # called again with the same arguments, it changes nothing more
    silent: Mapping[str, Any] = field(default_factory=dict)  # schemas of arguments it takes but does not advertise

    @property
    def writes(self) -> bool:
        return self.trust != "discovery"

    @property
    def takes(self) -> dict[str, Any]:
        """The schemas of all its arguments."""
        return {**self.parameters["properties"], **self.silent}

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


def text_of(description: str, **more: Any) -> dict[str, Any]:
    """The schema of a text."""
    return {"type": "string", "description": description, **more}


def list_of(description: str, items: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The schema of a list; of texts unless said otherwise."""
    return {"type": "array", "description": description, "items": dict(items or {"type": "string"})}


def object_of(*required: str, **properties: Any) -> dict[str, Any]:
    """The schema of the arguments: all of them, and the names of those that must be given."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | ({"required": list(required)} if required else {})
