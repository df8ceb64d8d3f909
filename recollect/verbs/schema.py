"""JSON schemas of the verbs, for tool definitions and request bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from os import PathLike
from types import UnionType
from typing import Any, Union, get_args, get_origin

from recollect.verbs.signature import Parameter, signature_of
from recollect.verbs.table import Verb, find

TIME_HINT = "A date, ISO 8601, or words such as 'last week'."
_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Any: {},
}
_WORDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number", Any: "anything"}


def schema(verb: Verb | str) -> dict[str, Any]:
    """The arguments of a verb as a JSON schema object; hidden ones are left out."""
    verb = find(verb) if isinstance(verb, str) else verb
    signature = signature_of(verb)
    shown = [each for each in signature.parameters if each.name not in verb.hidden]
    out: dict[str, Any] = {
        "title": verb.name,
        "description": signature.summary,
        "type": "object",
        "properties": {each.name: _property(each) for each in shown},
        "additionalProperties": False,
    }
    required = [each.name for each in shown if each.required]
    return out | {"required": required} if required else out


def json_type(kind: Any) -> dict[str, Any]:
    """What an annotation allows, as JSON schema."""
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    origin = get_origin(kind) or kind
    if origin in (Union, UnionType):
        allowed = [json_type(each) for each in get_args(kind) if not is_dataclass(each)]  # a text names them too
        distinct = [each for at, each in enumerate(allowed) if each not in allowed[:at]]
        return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
    if origin is PathLike:
        return {"type": "string"}
    if origin in (Mapping, dict):
        return {"type": "object"}
    if origin in (Sequence, list, tuple):
        inside = get_args(kind)
        return {"type": "array", "items": json_type(inside[0]) if inside else {}}
    raise TypeError(f"no JSON schema is known for {kind}; add it to recollect.verbs.schema")


def fits(kind: Any, value: Any) -> bool:
    """Whether a value is of the annotated type. A lone text counts as a list of one, as it does in Python."""
    if kind is Any:
        return True
    origin = get_origin(kind) or kind
    if origin in (Union, UnionType):
        return any(fits(each, value) for each in get_args(kind))
    if origin in (Mapping, dict):
        return isinstance(value, Mapping)
    if origin in (Sequence, list, tuple):
        inside = get_args(kind)[0]
        if isinstance(value, str):
            return inside is str
        return isinstance(value, Sequence | set | frozenset) and all(fits(inside, each) for each in value)
    if kind in (int, float):
        return isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    return isinstance(value, origin)


def described(parameter: Parameter) -> str:
    """The type of an argument in words."""
    return "a time" if parameter.time else _described(parameter.type)


def _described(kind: Any) -> str:
    if kind in _WORDS:
        return _WORDS[kind]
    origin = get_origin(kind) or kind
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_described(each) for each in get_args(kind)))
    if origin is PathLike:
        return "a path"
    if isinstance(kind, type) and is_dataclass(kind):
        return f"`{kind.__name__}`"
    return "an object" if origin in (Mapping, dict) else _described_list(get_args(kind))


def _described_list(inside: tuple[Any, ...]) -> str:
    return "a list of texts" if inside == (str,) else "a list"


def _property(parameter: Parameter) -> dict[str, Any]:
    kind = {"type": "string"} if parameter.time else json_type(parameter.type)
    doc = f"{parameter.doc} {TIME_HINT}".strip() if parameter.time else parameter.doc
    out: dict[str, Any] = kind | {"description": doc}
    default = parameter.default
    if not parameter.required and default is not None:
        out["default"] = list(default) if isinstance(default, tuple) else default
    return out
