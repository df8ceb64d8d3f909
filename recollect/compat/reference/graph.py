"""The reference server's knowledge graph as operations on a memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from recollect.compat.reference.nodes import (
    SOURCE,
    SOURCES,
    Nodes,
    Relation,
    entity_message,
    nodes_of,
    observation_message,
    relation_message,
)
from recollect.errors import NotFound, RecollectError, UsageError
from recollect.limits import FILTER_VALUES_MAX
from recollect.memory import Memory
from recollect.model.record import Record

PAGE = 1_000
LIKE = 10  # nodes found by meaning where no words match
_OURS = {"source": {"in": list(SOURCES)}}


class KnowledgeGraph:
    """Entities, observations and relations by name. A scoped memory keeps all of them within its scope.

    What goes in and comes out has the reference server's fields. Deleting is soft, and `undo` takes it back.
    """

    def __init__(self, memory: Memory) -> None:
        if not isinstance(memory, Memory):
            raise UsageError("the graph needs a memory: KnowledgeGraph(recollect.open())")
        self.memory = memory

    # --- storing -----------------------------------------------------------------------------------------------

    def create_entities(self, entities: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Store entities whose names are new, with what is observed of them; those that were stored."""
        known = {entity.name for entity in self._about([each["name"] for each in entities]).entities}
        fresh: dict[str, dict[str, Any]] = {}
        for each in entities:
            if each["name"] not in known:
                seen = list(dict.fromkeys(each.get("observations") or ()))
                given = {"name": each["name"], "entityType": each["entityType"], "observations": seen}
                fresh.setdefault(each["name"], given)
        messages = [
            message
            for each in fresh.values()
            for message in (
                entity_message(each["name"], each["entityType"]),
                *(observation_message(each["name"], each["entityType"], text) for text in each["observations"]),
            )
        ]
        self._add(messages)
        return list(fresh.values())

    def create_relations(self, relations: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
        """Store relations between entities that are there; those that were new."""
        wanted = [Relation("", each["from"], each["to"], each["relationType"]) for each in relations]
        around = self._about([name for each in wanted for name in (each.start, each.end)])
        ids = {entity.name: entity.id for entity in reversed(around.entities)}
        for name in (name for each in wanted for name in (each.start, each.end)):
            _require(name in ids, name)
        known = {_triple(each) for each in around.relations}
        fresh = {_triple(each): each for each in wanted if _triple(each) not in known}
        joined = [each._replace(edge=self._join(ids, each)) for each in fresh.values()]
        try:
            self._add([relation_message(each.start, each.type, each.end, each.edge) for each in joined])
        except RecollectError:
            for each in joined:
                self._part(each)
            raise
        return [each.to_dict() for each in joined]

    def add_observations(self, observations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Store what is new about entities that are there; for each what was new."""
        around = self._about([each["entityName"] for each in observations])
        sorts = {entity.name: entity.type for entity in reversed(around.entities)}
        seen = {(told.of, told.text) for told in around.observations}
        added: list[dict[str, Any]] = []
        messages: list[dict[str, Any]] = []
        for each in observations:
            name = each["entityName"]
            _require(name in sorts, name)
            fresh = [text for text in dict.fromkeys(each["contents"]) if (name, text) not in seen]
            seen |= {(name, text) for text in fresh}
            messages += [observation_message(name, sorts[name], text) for text in fresh]
            added.append({"entityName": name, "addedObservations": fresh})
        self._add(messages)
        return added

    def _join(self, ids: Mapping[str, str], relation: Relation) -> str | None:
        """An edge between the records of two entities, where the relation may be one."""
        if ids[relation.start] == ids[relation.end]:
            return None
        try:
            return self.memory.relate(ids[relation.start], ids[relation.end], relation.type)
        except UsageError:  # too long a label, or one that must not lead back: the reference server minds neither
            return None

    def _add(self, messages: list[dict[str, Any]]) -> None:
        if messages:
            self.memory.add(messages, source=SOURCE)

    # --- deleting ----------------------------------------------------------------------------------------------

    def delete_entities(self, names: Sequence[str]) -> tuple[list[str], list[str]]:
        """Forget entities, what was observed of them, and their relations: (names that were there, those not)."""
        around = self._about(names)
        there = {entity.name for entity in around.entities}
        for relation in around.relations:
            self._drop(relation)
        for id_ in [told.id for told in around.observations] + [entity.id for entity in around.entities]:
            self.memory.delete(id_)
        return [name for name in names if name in there], [name for name in names if name not in there]

    def delete_observations(self, deletions: Sequence[Mapping[str, Any]]) -> tuple[int, list[str]]:
        """Forget observations: how many were there, and which entities are not known."""
        around = self._about([each["entityName"] for each in deletions])
        there = {entity.name for entity in around.entities}
        wanted = {(each["entityName"], text) for each in deletions for text in each["observations"]}
        gone = {(told.of, told.text) for told in around.observations} & wanted
        for told in around.observations:
            if (told.of, told.text) in wanted:
                self.memory.delete(told.id)
        return len(gone), [each["entityName"] for each in deletions if each["entityName"] not in there]

    def delete_relations(self, relations: Sequence[Mapping[str, Any]]) -> int:
        """Forget relations; how many were there."""
        wanted = {(each["from"], each["to"], each["relationType"]) for each in relations}
        found = [each for each in self._about([start for start, _, _ in wanted]).relations if _triple(each) in wanted]
        for relation in found:
            self._drop(relation)
        return len({_triple(each) for each in found})

    def _drop(self, relation: Relation) -> None:
        self._part(relation)
        self.memory.delete(relation.id)

    def _part(self, relation: Relation) -> None:
        """Withdraw the edge of a relation, if it has one."""
        if relation.edge is not None:
            with suppress(NotFound):  # somebody withdrew it already
                self.memory.unrelate(relation.edge)

    # --- reading -----------------------------------------------------------------------------------------------

    def read_graph(self) -> dict[str, Any]:
        """All of it."""
        return nodes_of(self._records(_OURS)).to_dict()

    def open_nodes(self, names: Sequence[str]) -> dict[str, Any]:
        """Entities by name, with every relation one of them is part of."""
        return self._about(names).to_dict()

    def search_nodes(self, query: str) -> dict[str, Any]:
        """Entities whose name, type or observations hold the words; where none do, those that a search finds."""
        matching = nodes_of(self._records({"AND": [_OURS, {"content": {"icontains": query}}]}))
        names = [entity.name for entity in matching.entities] + [told.of for told in matching.observations]
        return self.open_nodes(list(dict.fromkeys(names)) or self._like(query))

    def _like(self, query: str) -> list[str]:
        found = self.memory.search(query, top_k=LIKE, filters=_OURS)
        if found.abstained or not found:
            return []
        subjects = {record.id: record.subject for record in self._records({"id": {"in": [hit.id for hit in found]}})}
        return list(dict.fromkeys(name for hit in found if (name := subjects.get(hit.id)) is not None))

    def _about(self, names: Sequence[str]) -> Nodes:
        """Everything about these entities: they, what was observed of them, relations from and to them."""
        wanted = list(dict.fromkeys(names))
        records: dict[str, Record] = {}
        for at in range(0, len(wanted), FILTER_VALUES_MAX):
            some = wanted[at : at + FILTER_VALUES_MAX]
            either = {"OR": [{"subject": {"in": some}}, {"object": {"in": some}}]}
            records |= {record.id: record for record in self._records({"AND": [_OURS, either]})}
        nodes, asked = nodes_of(records.values()), set(wanted)
        return Nodes(
            [entity for entity in nodes.entities if entity.name in asked],
            [told for told in nodes.observations if told.of in asked],
            [each for each in nodes.relations if {each.start, each.end} & asked],
        )

    def _records(self, filters: Mapping[str, Any]) -> Iterator[Record]:
        """Every record that meets the conditions, oldest first."""
        found: list[Record] = []
        cursor: str | None = None
        while True:
            page = self.memory.get_all(filters=filters, limit=PAGE, cursor=cursor)
            found += page.records
            cursor = page.cursor
            if cursor is None:
                return reversed(found)


def _triple(relation: Relation) -> tuple[str, str, str]:
    return relation.start, relation.end, relation.type


def _require(there: bool, name: str) -> None:
    if not there:
        raise NotFound(f"Entity with name {name[:80]} not found; create_entities makes one")
