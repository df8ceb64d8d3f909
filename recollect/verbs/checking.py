"""Arguments held against what a call takes. Every interface checks with this, whether it runs a verb or a tool."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.errors import UsageError, nearest, shown
from recollect.verbs.schema import TEXT, in_words

_KINDS: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "array": Sequence | set | frozenset,
    "object": Mapping,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Takes:
    """What a call takes: the schema of each argument by its name, and the names of those it needs."""

    who: str  # the verb or tool, for messages
    arguments: Mapping[str, Mapping[str, Any]]
    needed: Collection[str] = ()
    told: Collection[str] = ()  # what a message offers, in this order
    blanks: bool = True  # whether an empty text is a value


def checked(takes: Takes, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that were given, each known and of a type that is taken. `None` counts as not given.

    Anything else is a `UsageError` that says what would do, before anything happens.
    """
    for name in given:
        if name not in takes.arguments:
            raise unknown(takes, name)
    for name in takes.needed:
        if given.get(name) is None:
            raise UsageError(f"{takes.who} needs {name}: {takes.arguments[name].get('description', 'give a value')}")
    sound = {name: value for name, value in given.items() if value is not None}
    for name, value in sound.items():
        _check(name, value, takes.arguments[name], blanks=takes.blanks)
    return sound


def unknown(takes: Takes, name: object) -> UsageError:
    """The error for an argument that the call does not take."""
    told = ", ".join(takes.told or takes.arguments) or "no arguments"
    offered = nearest(str(name), takes.arguments) or f"; it takes {told}"
    return UsageError(f"{takes.who} takes no argument {shown(name)}{offered}")


def fits(value: Any, schema: Mapping[str, Any], *, blanks: bool = True) -> bool:
    """Whether a value is what a schema allows."""
    try:
        _check("", value, schema, blanks=blanks)
    except UsageError:
        return False
    return True


def _check(name: str, value: Any, schema: Mapping[str, Any], *, blanks: bool) -> None:
    if "anyOf" in schema:
        if not any(fits(value, each, blanks=blanks) for each in schema["anyOf"]):
            raise _wrong(name, value, schema)
        return
    kind = schema.get("type")
    if kind is None:
        return
    if kind == "array":
        _check_list(name, value, schema, blanks=blanks)
    elif not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind != "boolean"):
        raise _wrong(name, value, schema)
    elif kind == "string":
        _check_text(name, value, schema, blanks=blanks)
    elif kind == "object":
        _check_object(name, value, schema, blanks=blanks)
    elif kind != "boolean" and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        told = in_words(schema) if "maximum" in schema else f"{schema['minimum']} or more"
        raise UsageError(f"{name} must be {told}, not {shown(value, 40)}")


def _wrong(name: str, value: Any, schema: Mapping[str, Any]) -> UsageError:
    return UsageError(f"{name} must be {in_words(schema)}, not {shown(value, 60)}")


def _check_text(name: str, value: str, schema: Mapping[str, Any], *, blanks: bool) -> None:
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(f"{name} must be one of {', '.join(schema['enum'])}, not {shown(value, 40)}")
    if not blanks and not value.strip():
        raise UsageError(f"{name} is empty: {schema.get('description', 'give a text')}")


def _check_list(name: str, value: Any, schema: Mapping[str, Any], *, blanks: bool) -> None:
    items = schema.get("items", {})
    lone = isinstance(value, str)  # a list of one where texts are taken, as it is in Python
    if (lone and not _takes_text(items)) or not isinstance(value, _KINDS["array"]):
        raise _wrong(name, value, schema)
    for at, each in enumerate((value,) if lone else value):
        _check(f"{name}[{at}]", each, items, blanks=blanks)


def _takes_text(schema: Mapping[str, Any]) -> bool:
    return any(each.get("type") == TEXT["type"] for each in schema.get("anyOf", (schema,)))


def _check_object(name: str, value: Mapping[str, Any], schema: Mapping[str, Any], *, blanks: bool) -> None:
    known = schema.get("properties", {})
    for inner in schema.get("required", ()):
        if value.get(inner) is None:
            raise UsageError(f"{name} needs {inner}: {known[inner].get('description', 'a value')}")
    for inner, each in value.items():
        if inner in known and each is not None:
            _check(f"{name}.{inner}", each, known[inner], blanks=blanks)
