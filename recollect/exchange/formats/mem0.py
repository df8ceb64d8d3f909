"""Memories of mem0: a list of them, what `get_all` or an export gives (`results`, `memories`), or one a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.exchange.formats.base import ForeignItem, Read, key_of, message, name_in, tags_of, text_in, time_in
from recollect.exchange.formats.structured import Value

_SCOPE = {"user_id": ("user_id",), "agent_id": ("agent_id",), "project": ("app_id", "project_id")}
_LISTS = ("results", "memories", "data")
_TEXTS = ("memory", "text", "data", "content")


def is_mem0(value: Any) -> bool:
    """Whether a value is a memory of mem0, or holds some."""
    if not isinstance(value, Mapping):
        return False
    if text_in(value, "memory") is not None:
        return True
    return any(isinstance(value.get(name), list) and any(map(is_mem0, value[name][:20])) for name in _LISTS)


def read_mem0(values: Iterable[Value]) -> Read:
    """Each memory as a record: times kept, categories as tags, whose it is as its scope."""
    out = Read("import:mem0")
    for where, each in _entries(values):
        text = text_in(each, *_TEXTS) if isinstance(each, Mapping) else None
        if text is None:
            out.skip(where, "has no memory in it")
            continue
        original = name_in(each, "id", "memory_id")
        given = each.get("metadata")
        metadata = dict(given) if isinstance(given, Mapping) else {}
        updated = name_in(each, "updated_at")
        out.take(
            ForeignItem(
                message(
                    text,
                    key=original,
                    metadata=metadata | ({"updated_at": updated} if updated else {}),
                    timestamp=time_in(each, "created_at", "timestamp"),
                    tags=tags_of(each.get("categories")),
                ),
                key_of(original, text),
                where,
                _scope(each),
                name_in(each, "run_id", "session_id"),
            )
        )
    return out


def _entries(values: Iterable[Value]) -> Iterator[tuple[str, Any]]:
    for where, value in values:
        inner = (
            next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
            if isinstance(value, Mapping) and "memory" not in value
            else None
        )
        if inner is None:
            yield where, value
        else:
            yield from ((f"{where}, memory {at}", each) for at, each in enumerate(inner, start=1))


def _scope(each: Mapping[str, Any]) -> dict[str, str]:
    found = {name: name_in(each, *keys) for name, keys in _SCOPE.items()}
    return {name: value for name, value in found.items() if value is not None}
