"""The nine tools: the reference server's names, arguments and answers."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

from recollect.compat.reference.graph import KnowledgeGraph
from recollect.memory import Memory
from recollect.verbs.schema import list_of, object_of, text_of
from recollect.verbs.toolsets.brief import as_json, tokens_of
from recollect.verbs.toolsets.tool import Tool, ToolAnswer

GRAPH_TOKENS_MAX = 20_000  # clients cut what is longer, in the middle of a word
_ENTITY = object_of(
    "name",
    "entityType",
    "observations",
    name=text_of("The name of the entity."),
    entityType=text_of("The type of the entity."),
    observations=list_of("What was observed of it."),
)
_RELATION = object_of(
    "from",
    "to",
    "relationType",
    **{
        "from": text_of("The entity it starts from."),
        "to": text_of("The entity it leads to."),
        "relationType": text_of("The type of the relation, in active voice."),
    },
)
_TO_ADD = object_of(
    "entityName",
    "contents",
    entityName=text_of("The entity."),
    contents=list_of("What was observed of it."),
)
_TO_DELETE = object_of(
    "entityName",
    "observations",
    entityName=text_of("The entity."),
    observations=list_of("What to delete, verbatim."),
)


def create_entities(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
    made = KnowledgeGraph(memory).create_entities(given["entities"])
    return ToolAnswer({"entities": made}, as_json(made))


def create_relations(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
    made = KnowledgeGraph(memory).create_relations(given["relations"])
    return ToolAnswer({"relations": made}, as_json(made))


def add_observations(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
    added = KnowledgeGraph(memory).add_observations(given["observations"])
    return ToolAnswer({"results": added}, as_json(added))


def delete_entities(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
    gone, unknown = KnowledgeGraph(memory).delete_entities(given["entityNames"])
    if not unknown:
        return _done("Entities deleted successfully")
    asked = len(given["entityNames"])
    return _done(f"Deleted {len(gone)} of {asked} entities. Not found: {', '.join(unknown)}")


def delete_observations(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
    gone, unknown = KnowledgeGraph(memory).delete_observations(given["deletions"])
    asked = sum(len(each["observations"]) for each in given["deletions"])
    if gone == asked:
        return _done("Observations deleted successfully")
    where = f" Entities not found: {', '.join(unknown)}" if unknown else ""
    return _done(f"Deleted {gone} of {asked} observations.{where}")


def delete_relations(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
    gone, asked = KnowledgeGraph(memory).delete_relations(given["relations"]), len(given["relations"])
    if gone == asked:
        return _done("Relations deleted successfully")
    return _done(f"Deleted {gone} of {asked} relations. The rest matched nothing.")


def read_graph(memory: Memory, _: dict[str, Any]) -> ToolAnswer:
    return _graph(KnowledgeGraph(memory).read_graph())


def search_nodes(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
    return _graph(KnowledgeGraph(memory).search_nodes(given["query"]))


def open_nodes(memory: Memory, given: dict[str, Any]) -> ToolAnswer:
    return _graph(KnowledgeGraph(memory).open_nodes(given["names"]))


def _graph(graph: dict[str, Any]) -> ToolAnswer:
    """A graph, as far as clients take an answer; what is left out is counted, and had by its name."""
    entities = _first(graph["entities"], GRAPH_TOKENS_MAX)
    relations = _first(graph["relations"], GRAPH_TOKENS_MAX - tokens_of(entities))
    left = len(graph["entities"]) - len(entities), len(graph["relations"]) - len(relations)
    told: dict[str, Any] = {"entities": entities, "relations": relations}
    if any(left):
        told["note"] = f"{left[0]} entities and {left[1]} relations are left out; search_nodes and open_nodes find them"
    return ToolAnswer(told, as_json(told))


def _first(items: list[dict[str, Any]], tokens: int) -> list[dict[str, Any]]:
    """As many of the first items as that many tokens hold, whole; at least one."""
    spent = list(accumulate(tokens_of(item) + 1 for item in items))
    return items[: max(1, bisect_right(spent, tokens))]


def _done(message: str) -> ToolAnswer:
    return ToolAnswer({"success": True, "message": message}, message)


TOOLSET = (
    Tool(
        "create_entities",
        "Create entities in the knowledge graph.",
        object_of("entities", entities=list_of("The entities.", _ENTITY)),
        writes=True,
        call=create_entities,
    ),
    Tool(
        "create_relations",
        "Create relations between entities in the knowledge graph.",
        object_of("relations", relations=list_of("The relations.", _RELATION)),
        writes=True,
        call=create_relations,
    ),
    Tool(
        "add_observations",
        "Add observations to entities in the knowledge graph.",
        object_of("observations", observations=list_of("For each entity what to add.", _TO_ADD)),
        writes=True,
        call=add_observations,
    ),
    Tool(
        "delete_entities",
        "Delete entities and their relations from the knowledge graph.",
        object_of("entityNames", entityNames=list_of("Their names.")),
        writes=True,
        call=delete_entities,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        "delete_observations",
        "Delete observations of entities in the knowledge graph.",
        object_of("deletions", deletions=list_of("For each entity what to delete.", _TO_DELETE)),
        writes=True,
        call=delete_observations,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        "delete_relations",
        "Delete relations from the knowledge graph.",
        object_of("relations", relations=list_of("The relations.", _RELATION)),
        writes=True,
        call=delete_relations,
        destructive=True,
        idempotent=True,
    ),
    Tool("read_graph", "Read the entire knowledge graph.", object_of(), call=read_graph),
    Tool(
        "search_nodes",
        "Search for entities by name, type and what was observed of them.",
        object_of("query", query=text_of("What to look for.")),
        call=search_nodes,
    ),
    Tool(
        "open_nodes",
        "Entities of the knowledge graph by their names, with their relations.",
        object_of("names", names=list_of("Their names.")),
        call=open_nodes,
    ),
)
