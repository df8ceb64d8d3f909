"""mem0's filters as ours.

    {"user_id": "ana", "team": "core", "OR": [{"year": {"gte": 2025}}, {"pinned": "*"}]}

What mem0 keeps beside a memory (`user_id`, `run_id`, `created_at`, …) has a field of its own here, everything else is
in the metadata. `"*"` means that there is a value at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from recollect.compat.mem0.identity import FIELDS, IDS, checked_id
from recollect.errors import InvalidQuery, UsageError, shown

EXPIRES = "expiration_date"
FACTS = ("semantic", "opinion", "procedural")  # the kinds that mem0 would call memories

_OPERATORS = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains", "icontains")
_OWN_FIELDS = (*IDS, "actor_id", "role", "created_at", "updated_at")
_ANY = "*"


def conditions(filters: Mapping[str, Any] | None, ids: Mapping[str, str]) -> dict[str, Any]:
    """A tree of ours for mem0's filters and the ids of a call, which both must hold. Nobody's memories are refused."""
    if filters is not None and not isinstance(filters, Mapping):
        raise InvalidQuery(f"filters is an object such as {{'user_id': 'ana'}}, not {shown(filters, 60)}")
    parts = [_leaf(name, value) for name, value in ids.items()]
    parts += _tree(filters) if filters else []
    if not ids and not _names_somebody(filters or {}):
        raise UsageError(
            "filters must contain at least one of: user_id, agent_id, run_id. Example: filters={'user_id': 'u1'}"
        )
    return {"AND": parts}


def unexpired(today: date) -> dict[str, Any]:
    """Holds for what has no day on which it expires, or one that is not over."""
    field = f"metadata.{EXPIRES}"
    return {"NOT": {field: {"lt": today.isoformat()}}}


def expiry(value: Any) -> str | None:
    """A day as mem0 writes it."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise UsageError(f"expiration_date must be a valid date in YYYY-MM-DD format, not {shown(value, 40)}") from None


def _tree(filters: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [_entry(str(key), value) for key, value in filters.items()]


def _entry(key: str, value: Any) -> dict[str, Any]:
    word = key.upper().lstrip("$")
    if word not in ("AND", "OR", "NOT"):
        return _leaf(key, value)
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or not all(isinstance(each, Mapping) for each in value)
    ):
        raise InvalidQuery(f"{word} operator requires a list of conditions, not {shown(value, 60)}")
    parts = [{"AND": _tree(each)} for each in value if each]
    if not parts:
        raise InvalidQuery(f"{word} operator requires a non-empty list of conditions")
    return {"NOT": {"OR": parts}} if word == "NOT" else {word: parts}


def _leaf(key: str, value: Any) -> dict[str, Any]:
    field = FIELDS.get(key, key) if key in _OWN_FIELDS else f"metadata.{key}"
    if isinstance(value, Mapping):
        unknown = [operator for operator in value if operator not in _OPERATORS]
        if unknown:
            raise InvalidQuery(f"Unsupported metadata filter operator: {shown(unknown[0], 40)}")
        return {field: dict(value)}
    if value == _ANY:
        return {field: {"exists": True}}
    return {field: {"eq": checked_id(value, key) if key in IDS else value}}


def _names_somebody(filters: Mapping[str, Any]) -> bool:
    """Whether one of the ids is asked for, on its own or in every way that an AND can be met."""
    if any(filters.get(name) is not None for name in IDS):
        return True
    inner = filters.get("AND") or ()
    return isinstance(inner, Sequence) and any(isinstance(each, Mapping) and _names_somebody(each) for each in inner)
