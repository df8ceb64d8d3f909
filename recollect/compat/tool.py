"""Tools as a model is told about them, and arguments held against their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.errors import UsageError, shown


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as a model is told about it. `parameters` is a JSON schema; `trust` is what a host must allow."""

    name: str
    description: str
    parameters: dict[str, Any]
    trust: str = "discovery"

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


def text_of(description: str, **more: Any) -> dict[str, Any]:
    """The schema of a text."""
    return {"type": "string", "description": description, **more}


def object_of(*required: str, **properties: Any) -> dict[str, Any]:
    """The schema of the arguments: all of them, and the names of those that must be given."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | ({"required": list(required)} if required else {})


def checked(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the schema of its tool, defaults filled in."""
    properties = tool.parameters["properties"]
    unknown = [name for name in given if name not in properties]
    if unknown:
        known = ", ".join(properties) or "no arguments"
        raise UsageError(f"{tool.name} takes no argument {shown(unknown[0], 40)}; it takes {known}")
    for name in tool.parameters.get("required", ()):
        if given.get(name) is None:
            raise UsageError(f"{tool.name} needs {name}: {properties[name]['description']}")
    filled = {name: schema["default"] for name, schema in properties.items() if "default" in schema}
    filled |= {name: value for name, value in given.items() if value is not None}
    for name, value in filled.items():
        _check(name, value, properties[name])
    return filled


def _check(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    kinds: dict[str, Any] = {"string": str, "integer": int, "number": int | float}
    if not isinstance(value, kinds[schema["type"]]) or isinstance(value, bool):
        raise UsageError(f"{name} must be of type {schema['type']}, not {shown(value, 40)}")
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(f"{name} must be one of {', '.join(schema['enum'])}, not {shown(value, 40)}")
    if schema["type"] == "string" and not value.strip():
        raise UsageError(f"{name} is empty: {schema['description']}")
    if "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        raise UsageError(f"{name} must be from {schema['minimum']} to {schema['maximum']}, not {shown(value, 20)}")
