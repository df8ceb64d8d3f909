"""Records as the reference server's graph has them: entities with observations, and relations between their names.

Each part is a record of its own, so that it is searched, trusted and forgotten like any other. What the tools must
give back to the letter is in the record's metadata, which also keeps apart what only means the same; what was imported
from a `memory.jsonl` is read by its form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from recollect.exchange.formats.reference import MARK
from recollect.model.record import Kind, Record

SOURCE = "reference"
SOURCES = (SOURCE, "import:reference")
_UNTYPED = "thing"


class GraphEntity(NamedTuple):
    """An entity as it is stored."""

    id: str
    name: str
    type: str


class Observation(NamedTuple):
    id: str
    of: str
    text: str


class Relation(NamedTuple):
    """`start` and `end` are names of entities; `edge` joins their records."""

    id: str
    start: str
    end: str
    type: str
    edge: str | None = None

    def to_dict(self) -> dict[str, str]:
        return {"from": self.start, "to": self.end, "relationType": self.type}


class Nodes(NamedTuple):
    """Some part of the graph, oldest first."""

    entities: list[GraphEntity]
    observations: list[Observation]
    relations: list[Relation]

    def to_dict(self) -> dict[str, Any]:
        """The graph as the reference server tells it: each entity once, with everything observed of it."""
        seen: dict[str, dict[str, Any]] = {}
        for each in self.entities:
            seen.setdefault(each.name, {"name": each.name, "entityType": each.type, "observations": []})
        for told in self.observations:
            if told.of in seen and told.text not in seen[told.of]["observations"]:
                seen[told.of]["observations"].append(told.text)
        relations = {(each.start, each.end, each.type): each.to_dict() for each in self.relations}
        return {"entities": list(seen.values()), "relations": list(relations.values())}


def nodes_of(records: Iterable[Record]) -> Nodes:
    """What records are in the graph; those that are no part of it are left out."""
    nodes = Nodes([], [], [])
    for record in records:
        part = _part(record)
        if isinstance(part, GraphEntity):
            nodes.entities.append(part)
        elif isinstance(part, Observation):
            nodes.observations.append(part)
        elif isinstance(part, Relation):
            nodes.relations.append(part)
    return nodes


def _part(record: Record) -> GraphEntity | Observation | Relation | None:
    own = record.metadata.get(MARK)
    told: Mapping[str, Any] = own if isinstance(own, Mapping) else {}
    if record.subject is None:
        return None
    if record.kind is Kind.ENTITY:
        sort = told.get("type") or next(iter(record.tags), _UNTYPED)
        return GraphEntity(record.id, record.subject, sort)
    if "relation" in told:
        return Relation(record.id, record.subject, str(record.object), str(record.predicate), told.get("edge"))
    text = told.get("text")
    return Observation(record.id, record.subject, text if isinstance(text, str) else _without_name(record))


def _without_name(record: Record) -> str:
    return record.content.removeprefix(f"{record.subject}: ")


def entity_message(name: str, sort: str) -> dict[str, Any]:
    """An entity as `add` takes it."""
    return {
        "content": f"{name} ({sort})",
        "kind": "entity",
        "subject": name,
        "tags": [sort],
        "metadata": {MARK: {"type": sort}},
    }


def observation_message(name: str, sort: str, text: str) -> dict[str, Any]:
    """An observation as `add` takes it: its words say whom it is about."""
    told = text if name.casefold() in text.casefold() else f"{name}: {text}"
    return {
        "content": told,
        "kind": "semantic",
        "subject": name,
        "tags": [sort],
        "metadata": {MARK: {"of": name, "text": text}},
    }


def relation_message(start: str, sort: str, end: str, edge: str | None) -> dict[str, Any]:
    """A relation as `add` takes it: a sentence, and where its edge is."""
    words = " ".join(sort.replace("_", " ").split())
    return {
        "content": f"{start} {words} {end}",
        "kind": "semantic",
        "subject": start,
        "predicate": sort,
        "object": end,
        "metadata": {MARK: {"relation": sort, "edge": edge}},
    }
