"""LangGraph's filters: {"status": "active", "score": {"$gte": 3}, "place": {"city": "Rome"}}.

What the database can decide is asked of it (`asked`), always at least as widely as it is meant; `meets` decides.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from recollect.errors import InvalidQuery, shown
from recollect.model.record import PERCEIVED

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS = ("$eq", "$ne", *_ORDER)
_WHOLE = 2**63


def meets(value: Any, wanted: Any) -> bool:
    """Whether a value is as wanted: equal, or by operators; of an object only the fields that are named count."""
    if isinstance(wanted, Mapping):
        if _has_operators(wanted):
            return all(_compared(value, name, operand) for name, operand in wanted.items())
        return isinstance(value, Mapping) and all(meets(value.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(meets(one, other) for one, other in zip(value, wanted, strict=True))
        )
    return bool(value == wanted)


def asked(wanted: Mapping[str, Any] | None) -> tuple[list[dict[str, Any]], bool]:
    """(conditions for the database, whether they say all of it)."""
    conditions: list[dict[str, Any]] = []
    whole = [_ask("metadata", str(name), each, conditions) for name, each in (wanted or {}).items()]
    return conditions, all(whole)


def _ask(root: str, name: str, wanted: Any, into: list[dict[str, Any]]) -> bool:
    field = f"{root}.{name}"
    nameable = name and len(name) <= 128 and not set(name) & {".", '"', "\x00"} and name.isprintable()
    if not nameable or (root == "metadata" and name in PERCEIVED):  # those may come from what was read in the text
        return False
    if isinstance(wanted, Mapping):
        if not _has_operators(wanted):
            inner = [_ask(field, str(key), each, into) for key, each in wanted.items()]
            return bool(inner) and all(inner)
        for sign, operand in wanted.items():
            _check(sign)
            if _is_plain(operand):
                into.append({field: {sign.removeprefix("$"): operand}})
        return all(_is_plain(operand) for operand in wanted.values())
    if not _is_plain(wanted):
        return False
    into.append({field: {"eq": wanted}})
    return True


def _is_plain(value: Any) -> bool:
    """Whether the database compares it as Python does."""
    if isinstance(value, int) and not isinstance(value, bool):
        return -_WHOLE <= value < _WHOLE
    return isinstance(value, str | bool) or (isinstance(value, float) and math.isfinite(value))


def _has_operators(wanted: Mapping[Any, Any]) -> bool:
    return any(isinstance(name, str) and name.startswith("$") for name in wanted)


def _check(sign: Any) -> None:
    if sign not in OPERATORS:
        raise InvalidQuery(f"Unsupported operator: {shown(sign, 40)}; known: {', '.join(OPERATORS)}")


def _compared(value: Any, sign: Any, operand: Any) -> bool:
    """Order compares numbers with numbers and texts with texts; between others there is none."""
    _check(sign)
    if sign in ("$eq", "$ne"):
        return meets(value, operand) is (sign == "$eq")
    alike = (isinstance(value, str) and isinstance(operand, str)) or (_is_number(value) and _is_number(operand))
    return alike and _ORDER[sign](value, operand)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
