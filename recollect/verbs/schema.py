"""JSON schemas: the words they are built with, and the schema of an annotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from os import PathLike
from types import UnionType
from typing import Any, Union, get_args, get_origin

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
TRUTH: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}

_OF_TYPES: dict[Any, Schema] = {str: TEXT, bool: TRUTH, int: WHOLE, float: NUMBER, Any: {}}
_IN_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def text_of(description: str, **more: Any) -> Schema:
    """The schema of a text."""
    return {**TEXT, "description": description, **more}


def list_of(description: str, items: Mapping[str, Any] | None = None) -> Schema:
    """The schema of a list; of texts unless said otherwise."""
    return {"type": "array", "description": description, "items": dict(items or TEXT)}


def object_of(*required: str, **properties: Any) -> Schema:
    """The schema of an object, such as the arguments of a call: all of them, and those that must be given."""
    schema: Schema = {"type": "object", "properties": properties}
    return schema | ({"required": list(required)} if required else {})


def json_type(annotation: Any) -> Schema:
    """What an annotation allows. What only Python has, such as a path or a record, is a text that names it."""
    if annotation in _OF_TYPES:
        return dict(_OF_TYPES[annotation])
    origin = get_origin(annotation) or annotation
    if origin in (Union, UnionType):
        allowed = [json_type(each) for each in get_args(annotation) if not is_dataclass(each)]
        distinct = [each for at, each in enumerate(allowed) if each not in allowed[:at]]
        return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
    if origin is PathLike:
        return dict(TEXT)
    if origin in (Mapping, dict):
        return dict(OBJECT)
    if origin in (Sequence, list, tuple):
        inside = get_args(annotation)
        return {"type": "array", "items": json_type(inside[0]) if inside else {}}
    raise TypeError(f"no JSON schema is known for {annotation}; add it to recollect.verbs.schema")


def in_words(schema: Mapping[str, Any]) -> str:
    """What a schema allows, for people: `a text or a list`, `a number from 0 to 1`."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(in_words(each) for each in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array" and schema.get("items") == TEXT:
        return "a list of texts"
    bounds = f" from {schema['minimum']} to {schema['maximum']}" if "maximum" in schema else ""
    return f"{_IN_WORDS[kind]}{bounds}" if kind else "anything"
