"""Filter trees: `{"AND": […]}`, `{"OR": […]}`, `{"NOT": …}` and leaves such as `{"metadata.team": {"eq": "core"}}`.

Parsed once at the edge into a small tree of values; the store compiles the tree to SQL with bound parameters, so
nothing a caller writes ever becomes part of a statement.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.clock import to_us
from recollect.errors import InvalidQuery, UsageError, shown
from recollect.limits import FILTER_DEPTH_MAX, FILTER_LEAVES_MAX, FILTER_VALUES_MAX, METADATA_DEPTH_MAX
from recollect.model.columns import RECORD_COLUMNS
from recollect.model.scope import DIMENSIONS

OPERATORS = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains", "icontains", "exists")
_ORDERED = {"gt", "gte", "lt", "lte"}
_KEY = re.compile(r"[^\x00\"\ud800-\udfff]{1,128}")
_HALF = re.compile(r"[\ud800-\udfff]")  # half a character: no database can hold it


class FieldType(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    TIME = "time"
    LIST = "list"
    SCOPE = "scope"
    JSON = "json"


# What a leaf may name. `metadata.…` and `attributes.…` reach into the JSON columns at any depth.
_TYPES = {
    "id": FieldType.TEXT,
    "text": FieldType.TEXT,
    "name": FieldType.TEXT,
    "int": FieldType.NUMBER,
    "number": FieldType.NUMBER,
    "flag": FieldType.FLAG,
    "time": FieldType.TIME,
    "list": FieldType.LIST,
}
FIELDS: dict[str, FieldType] = {
    **{name: _TYPES[each.sort] for name, each in RECORD_COLUMNS.items() if each.filtered and each.sort in _TYPES},
    **dict.fromkeys(DIMENSIONS, FieldType.SCOPE),
    "session_id": FieldType.TEXT,
    "actor": FieldType.TEXT,  # who stored it: a token, a tool, a program, by the journal and not by what a call says
}
_JSON_ROOTS = tuple(name for name, each in RECORD_COLUMNS.items() if each.sort == "object")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One comparison. `path` is the column, then the keys inside it for JSON columns."""

    path: tuple[str, ...]
    type: FieldType
    operator: str
    value: Any


@dataclass(frozen=True, slots=True)
class FilterGroup:
    """`and` or `or` over parts; `not` over exactly one."""

    operator: str
    parts: tuple[Filter, ...]


Filter = Leaf | FilterGroup


def parse_filters(tree: Mapping[str, Any] | None, *, now: datetime | None = None) -> Filter | None:
    """The checked form of a caller's tree; `InvalidQuery` says which part is wrong and what would be right.

    `now` is what words such as "yesterday" are counted from.
    """
    if tree is None or (isinstance(tree, Mapping) and not tree):
        return None
    if not isinstance(tree, Mapping):
        example = "{'metadata.team': {'eq': 'core'}}"
        raise UsageError(f"filters must be an object, such as {example}, not {shown(tree, 40)}")
    return _Parser(now).parse(tree, depth=0)


def mentions(tree: Filter | None, field: str) -> bool:
    """Whether any condition of the tree is about this field."""
    if isinstance(tree, FilterGroup):
        return any(mentions(part, field) for part in tree.parts)
    return tree is not None and tree.path[0] == field


class _Parser:
    """One tree on its way in; counts conditions as it goes."""

    def __init__(self, now: datetime | None) -> None:
        self._now = now
        self._left = FILTER_LEAVES_MAX

    def parse(self, tree: Any, *, depth: int) -> Filter:
        if depth > FILTER_DEPTH_MAX:
            raise InvalidQuery(f"the filter is nested deeper than {FILTER_DEPTH_MAX} levels")
        if not isinstance(tree, Mapping) or not tree:
            raise InvalidQuery(
                f"a filter is an object such as {{'metadata.team': {{'eq': 'core'}}}}, not {shown(tree, 80)}"
            )
        parts = [self._entry(key, value, depth) for key, value in tree.items()]
        return parts[0] if len(parts) == 1 else FilterGroup("and", tuple(parts))

    def _entry(self, key: Any, value: Any, depth: int) -> Filter:
        name = key.upper() if isinstance(key, str) else ""
        if name in ("AND", "OR"):
            if not isinstance(value, Sequence) or isinstance(value, str) or not value:
                raise InvalidQuery(f"{name} takes a non-empty list of filters, not {shown(value, 80)}")
            return FilterGroup(name.lower(), tuple(self.parse(part, depth=depth + 1) for part in value))
        if name == "NOT":
            inner = value[0] if isinstance(value, list) and len(value) == 1 else value
            return FilterGroup("not", (self.parse(inner, depth=depth + 1),))
        return self._leaf(key, value)

    def _leaf(self, key: Any, value: Any) -> Filter:
        path, type_ = _path_of(key)
        conditions = value if isinstance(value, Mapping) else {"eq": value}
        if not conditions:
            raise InvalidQuery(f"{key!r} has no condition; give one of {', '.join(OPERATORS)}")
        leaves: list[Filter] = []
        for operator, operand in conditions.items():
            self._left -= 1
            if self._left < 0:
                raise InvalidQuery(f"the filter has more than {FILTER_LEAVES_MAX} conditions")
            if operator not in OPERATORS:
                raise InvalidQuery(f"unknown operator {shown(operator, 40)} for {key!r}; known: {', '.join(OPERATORS)}")
            leaves.append(Leaf(path, type_, operator, _operand(str(key), type_, operator, operand, self._now)))
        return leaves[0] if len(leaves) == 1 else FilterGroup("and", tuple(leaves))


def _path_of(key: Any) -> tuple[tuple[str, ...], FieldType]:
    if not isinstance(key, str):
        raise InvalidQuery(f"a filter's field is a text, not {shown(key, 80)}")
    if key in FIELDS:
        return (key,), FIELDS[key]
    root, *keys = key.split(".")
    if root in _JSON_ROOTS and keys:
        if len(keys) > METADATA_DEPTH_MAX or not all(_KEY.fullmatch(part) for part in keys):
            raise InvalidQuery(f"{shown(key, 80)} is not a path into {root}")
        return (root, *keys), FieldType.JSON
    near = difflib.get_close_matches(root, FIELDS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"for your own fields write 'metadata.{key}'"
    if root in _JSON_ROOTS:
        hint = f"name what is inside it, as in '{root}.key'"
    raise InvalidQuery(f"unknown filter field {shown(key, 80)}; {hint}")


def _operand(key: str, type_: FieldType, operator: str, value: Any, now: datetime | None) -> Any:
    if operator == "exists":
        if not isinstance(value, bool):
            raise InvalidQuery(f"{key!r}: exists takes true or false")
        return value
    if operator in ("in", "nin"):
        if not isinstance(value, Sequence | set | frozenset) or isinstance(value, str):
            raise InvalidQuery(f"{key!r}: {operator} takes a list")
        if len(value) > FILTER_VALUES_MAX:
            raise InvalidQuery(f"{key!r}: {operator} takes at most {FILTER_VALUES_MAX} values")
        return tuple(_scalar(key, type_, operator, item, now) for item in value)
    return _scalar(key, type_, operator, value, now)


def _scalar(key: str, type_: FieldType, operator: str, value: Any, now: datetime | None) -> Any:
    """A comparison value of the field's own type, as the store keeps it."""
    if value is None and operator not in ("eq", "ne", "in", "nin"):
        raise InvalidQuery(f"{key!r}: {operator} needs a value")
    if operator in ("contains", "icontains") and type_ in (FieldType.NUMBER, FieldType.FLAG, FieldType.TIME):
        raise InvalidQuery(f"{key!r} is a {type_.value} field; {operator} {shown(value, 40)} does not fit it")
    if type_ is FieldType.TIME:
        if value is None:
            return None
        from recollect.language.times import parse_time  # with the languages that times are written in

        return to_us(parse_time(value, key, now=now))
    if value is not None and not isinstance(value, str | int | float | bool):
        raise InvalidQuery(f"{key!r}: {operator} compares with a text, number or flag, not {type(value).__name__}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InvalidQuery(f"{key!r}: {shown(value, 40)} is outside the 64-bit range")
    if isinstance(value, float) and value != value:
        raise InvalidQuery(f"{key!r}: NaN compares with nothing")
    if isinstance(value, str) and _HALF.search(value):
        raise InvalidQuery(f"{key!r}: {shown(value, 40)} holds half a character (a lone surrogate)")
    wrong = {
        FieldType.NUMBER: isinstance(value, str | bool),
        FieldType.FLAG: value is not None and not isinstance(value, bool),
        FieldType.TEXT: value is not None and not isinstance(value, str),
        FieldType.SCOPE: value is not None and not isinstance(value, str),
        FieldType.LIST: not isinstance(value, str),
    }.get(type_, False)
    if wrong:
        raise InvalidQuery(f"{key!r} is a {type_.value} field; {operator} {shown(value, 40)} does not fit it")
    if operator in _ORDERED and type_ in (FieldType.FLAG, FieldType.LIST):
        raise InvalidQuery(f"{key!r} has no order; use eq, in or contains")
    return int(value) if type_ is FieldType.FLAG and value is not None else value
