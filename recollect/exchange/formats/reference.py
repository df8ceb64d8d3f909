"""The `memory.jsonl` of the MCP reference server: entities with observations, and relations between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.exchange.formats.base import ForeignItem, Read, key_of, message, name_in, text_in
from recollect.exchange.formats.structured import Value

MARK = "reference"  # in the metadata: keeps a relation apart from an observation in the same words
_JOINTS = re.compile(r"[_\s-]+")


def is_reference(value: Any) -> bool:
    """Whether a value is an entity or a relation of such a file, or a graph of them."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    if kind in ("entity", "relation"):
        return "observations" in value or "relationType" in value
    entities = value.get("entities")
    return isinstance(entities, list) and any(isinstance(each, Mapping) and "observations" in each for each in entities)


def read_reference(values: Iterable[Value]) -> Read:
    """Each observation and each relation as a statement about its entity; an entity without any as itself."""
    out = Read("import:reference")
    for where, kind, each in _parts(values):
        if kind == "relation":
            item = _relation(each, where)
            if item is None:
                out.skip(where, "is a relation without its ends")
            else:
                out.take(item)
            continue
        name = name_in(each, "name")
        if name is None:
            out.skip(where, "is an entity without a name")
        else:
            for item in _entity(each, name, where):
                out.take(item)
    return out


def _parts(values: Iterable[Value]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for where, value in values:
        if not isinstance(value, Mapping):
            continue
        if value.get("type") in ("entity", "relation"):
            yield where, str(value["type"]), value
            continue
        for kind, name in (("entity", "entities"), ("relation", "relations")):
            given = value.get(name)
            for at, each in enumerate(given if isinstance(given, list) else (), start=1):
                if isinstance(each, Mapping):
                    yield f"{where}, {name} {at}", kind, each


def _entity(each: Mapping[str, Any], name: str, where: str) -> Iterator[ForeignItem]:
    sort = name_in(each, "entityType", "entity_type") or "thing"
    given = each.get("observations")
    said = [text for one in (given if isinstance(given, list) else ()) if (text := text_in({"text": one}, "text"))]
    yield ForeignItem(
        message(f"{name} ({sort})", key=name, kind="entity", subject=name, tags=[sort]),
        key_of(None, "entity", name),
        where,
    )
    for text in said:
        told = text if name.casefold() in text.casefold() else f"{name}: {text}"
        yield ForeignItem(
            message(told, key=name, subject=name, tags=[sort]), key_of(None, "observation", name, text), where
        )


def _relation(each: Mapping[str, Any], where: str) -> ForeignItem | None:
    start, end, label = name_in(each, "from"), name_in(each, "to"), name_in(each, "relationType", "relation_type")
    if start is None or end is None or label is None:
        return None
    words = _JOINTS.sub(" ", label).strip()
    return ForeignItem(
        message(
            f"{start} {words} {end}",
            key=None,
            metadata={MARK: {"relation": label}},
            subject=start,
            predicate=label,
            object=end,
        ),
        key_of(None, "relation", start, label, end),
        where,
    )
