"""The reference memory server's nine tools: the same calls, the same answers, over records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.compat.reference import KnowledgeGraph
from recollect.errors import NotFound, UsageError
from recollect.memory import Memory
from recollect.verbs.toolsets.run import answer, bound
from recollect.verbs.toolsets.sets import find_tool

ANA = {"name": "Ana", "entityType": "person", "observations": ["likes tea", "works with Ben"]}
BEN = {"name": "Ben", "entityType": "person", "observations": ["works with Ben", "lives in Rome"]}
WORKS = {"from": "Ana", "to": "Ben", "relationType": "works_with"}
FIXED = {"from": "Ben", "to": "Ana", "relationType": "depends_on"}


def call(memory: Memory, name: str, **arguments: Any) -> Any:
    """A tool's structured answer."""
    return answer(find_tool(name, "reference"), arguments, bound(memory)).data


def told(memory: Memory, name: str, **arguments: Any) -> str | None:
    """What a tool says."""
    return answer(find_tool(name, "reference"), arguments, bound(memory)).text


@pytest.fixture
def graph(memory: Memory) -> KnowledgeGraph:
    graph = KnowledgeGraph(memory.scoped())
    graph.create_entities([ANA, BEN])
    graph.create_relations([WORKS])
    return graph


def test_the_whole_graph_comes_back_to_the_letter(graph: KnowledgeGraph) -> None:
    assert graph.read_graph() == {"entities": [ANA, BEN], "relations": [WORKS]}


def test_answers_have_the_shapes_of_the_reference_server(memory: Memory) -> None:
    assert call(memory, "create_entities", entities=[ANA, BEN, ANA]) == {"entities": [ANA, BEN]}
    assert json.loads(told(memory, "create_entities", entities=[ANA, BEN]) or "") == []
    assert call(memory, "create_relations", relations=[WORKS, WORKS]) == {"relations": [WORKS]}
    assert call(memory, "create_relations", relations=[WORKS]) == {"relations": []}
    more = [{"entityName": "Ana", "contents": ["likes tea", "plays chess", "plays chess"]}]
    assert call(memory, "add_observations", observations=more) == {
        "results": [{"entityName": "Ana", "addedObservations": ["plays chess"]}]
    }
    assert json.loads(told(memory, "read_graph") or "") == call(memory, "read_graph")
    assert call(memory, "read_graph").keys() == {"entities", "relations"}
    assert call(memory, "open_nodes", names=["Ben", "Nobody"])["entities"] == [BEN]


def test_nodes_are_opened_with_all_their_relations(graph: KnowledgeGraph) -> None:
    graph.create_relations([FIXED])
    assert graph.open_nodes(["Ben"]) == {"entities": [BEN], "relations": [WORKS, FIXED]}
    assert graph.open_nodes([]) == {"entities": [], "relations": []}


@pytest.mark.parametrize(
    ("query", "names"),
    [("ana", ["Ana", "Ben"]), ("TEA", ["Ana"]), ("person", ["Ana", "Ben"]), ("in rome", ["Ben"]), ("zzzqqq", [])],
)
def test_nodes_are_found_by_name_type_and_observation(graph: KnowledgeGraph, query: str, names: list[str]) -> None:
    graph.add_observations([{"entityName": "Ben", "contents": ["is a friend of Ana"]}])
    found = graph.search_nodes(query)
    assert [entity["name"] for entity in found["entities"]] == names


def test_where_no_words_match_a_search_finds(memory: Memory) -> None:
    graph = KnowledgeGraph(memory)
    graph.create_entities([{"name": "Kea", "entityType": "bird", "observations": ["Kea was seen in the mountains"]}])
    found = graph.search_nodes("in which mountains was a Kea seen?")
    assert [entity["name"] for entity in found["entities"]] == ["Kea"]


def test_a_circle_of_relations_is_kept(graph: KnowledgeGraph) -> None:
    """The reference server knows no relation that may not lead back; the edge alone is refused."""
    there, back = FIXED, {"from": "Ana", "to": "Ben", "relationType": "depends_on"}
    assert graph.create_relations([there, back]) == [there, back]
    assert graph.read_graph()["relations"] == [WORKS, there, back]
    itself = {"from": "Ana", "to": "Ana", "relationType": "trusts"}
    assert graph.create_relations([itself]) == [itself]


def test_relations_are_stored_together_or_not_at_all(graph: KnowledgeGraph) -> None:
    long = {"from": "Ana", "to": "Ben", "relationType": "x" * 300}
    assert graph.create_relations([long]) == [long]
    with pytest.raises(UsageError):
        graph.create_relations([FIXED, {"from": "Ana", "to": "Ben", "relationType": "x" * 5_000}])
    assert graph.read_graph()["relations"] == [WORKS, long]
    assert {edge.label for edge in graph.memory.relations().edges} == {"works_with"}


def test_deleting(memory: Memory) -> None:
    call(memory, "create_entities", entities=[ANA, BEN])
    call(memory, "create_relations", relations=[WORKS, FIXED])
    done = {"success": True, "message": "Relations deleted successfully"}
    assert call(memory, "delete_relations", relations=[FIXED]) == done
    partly = call(memory, "delete_relations", relations=[FIXED])["message"]
    assert partly == "Deleted 0 of 1 relations. The rest matched nothing."
    gone = [{"entityName": "Ana", "observations": ["likes tea"]}]
    assert told(memory, "delete_observations", deletions=gone) == "Observations deleted successfully"
    unknown = [{"entityName": "Nobody", "observations": ["x"]}]
    assert told(memory, "delete_observations", deletions=unknown) == (
        "Deleted 0 of 1 observations. Entities not found: Nobody"
    )
    assert call(memory, "read_graph")["entities"][0]["observations"] == ["works with Ben"]
    assert told(memory, "delete_entities", entityNames=["Ben"]) == "Entities deleted successfully"
    assert told(memory, "delete_entities", entityNames=["Ben", "Ana"]) == ("Deleted 1 of 2 entities. Not found: Ben")
    assert call(memory, "read_graph") == {"entities": [], "relations": []}
    assert memory.relations().edges == ()


def test_what_was_deleted_can_be_made_again(graph: KnowledgeGraph) -> None:
    graph.delete_entities(["Ana"])
    assert graph.read_graph() == {"entities": [BEN], "relations": []}
    assert graph.create_entities([ANA]) == [ANA]
    assert graph.create_relations([WORKS]) == [WORKS]
    assert graph.open_nodes(["Ana"]) == {"entities": [ANA], "relations": [WORKS]}


def test_relations_and_observations_need_their_entities(graph: KnowledgeGraph) -> None:
    with pytest.raises(NotFound, match="Entity with name Nobody not found"):
        graph.create_relations([{"from": "Ana", "to": "Nobody", "relationType": "knows"}])
    with pytest.raises(NotFound, match="Entity with name Nobody not found"):
        graph.add_observations(
            [
                {"entityName": "Ana", "contents": ["new"]},
                {"entityName": "Nobody", "contents": ["x"]},
            ]
        )
    assert graph.read_graph() == {"entities": [ANA, BEN], "relations": [WORKS]}


def test_the_graph_is_memory_like_any_other(graph: KnowledgeGraph) -> None:
    memory = graph.memory
    assert any("tea" in hit.content for hit in memory.search("what does Ana like?"))
    (edge,) = memory.relations(labels=["works_with"]).edges
    assert {memory.get(member.record_id).subject for member in edge.members} == {"Ana", "Ben"}  # type: ignore[union-attr]


def test_other_memories_are_no_part_of_it(graph: KnowledgeGraph) -> None:
    graph.memory.add("Ana moved from vim to Helix")
    assert graph.open_nodes(["Ana"])["entities"] == [ANA]


def test_a_scope_keeps_its_graph_to_itself(memory: Memory) -> None:
    mine, others = (KnowledgeGraph(memory.scoped(user_id=name)) for name in ("ana", "ben"))
    mine.create_entities([ANA])
    assert others.read_graph() == {"entities": [], "relations": []}
    assert others.delete_entities(["Ana"]) == ([], ["Ana"])
    assert others.create_entities([ANA]) == [ANA]
    assert mine.read_graph()["entities"] == [ANA]


def test_an_imported_file_shows_up(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    lines = [{"type": "entity", **ANA}, {"type": "entity", **BEN}, {"type": "relation", **WORKS}]
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    memory.import_(file)
    graph = KnowledgeGraph(memory)
    assert graph.read_graph() == {"entities": [ANA, BEN], "relations": [WORKS]}
    assert graph.create_entities([ANA]) == []
    assert graph.add_observations([{"entityName": "Ana", "contents": ["likes tea", "plays chess"]}]) == [
        {"entityName": "Ana", "addedObservations": ["plays chess"]}
    ]
    assert graph.delete_relations([WORKS]) == 1
    assert graph.delete_observations([{"entityName": "Ana", "observations": ["likes tea"]}]) == (1, [])


def test_the_nine_tools_read_and_change_an_imported_file(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    lines = [{"type": "entity", **ANA}, {"type": "entity", **BEN}, {"type": "relation", **WORKS}]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    memory.import_(file)
    assert call(memory, "read_graph") == {"entities": [ANA, BEN], "relations": [WORKS]}
    assert call(memory, "search_nodes", query="lives in Rome")["entities"] == [BEN]
    assert call(memory, "open_nodes", names=["Ana"]) == {"entities": [ANA], "relations": [WORKS]}
    assert call(memory, "create_entities", entities=[ANA]) == {"entities": []}
    assert call(memory, "create_relations", relations=[WORKS, FIXED]) == {"relations": [FIXED]}
    more = [{"entityName": "Ben", "contents": ["lives in Rome", "plays chess"]}]
    assert call(memory, "add_observations", observations=more)["results"][0]["addedObservations"] == ["plays chess"]
    gone = [{"entityName": "Ben", "observations": ["works with Ben"]}]
    assert told(memory, "delete_observations", deletions=gone) == "Observations deleted successfully"
    assert told(memory, "delete_relations", relations=[WORKS]) == "Relations deleted successfully"
    ben = {**BEN, "observations": ["lives in Rome", "plays chess"]}
    assert call(memory, "read_graph") == {"entities": [ANA, ben], "relations": [FIXED]}
    assert told(memory, "delete_entities", entityNames=["Ana"]) == "Entities deleted successfully"
    assert call(memory, "read_graph") == {"entities": [ben], "relations": []}


def test_many_entities(memory: Memory) -> None:
    graph = KnowledgeGraph(memory)
    many = [{"name": f"Thing {at}", "entityType": "thing", "observations": [f"is number {at}"]} for at in range(1_200)]
    assert len(graph.create_entities(many)) == 1_200
    assert graph.create_entities(many) == []
    assert len(graph.read_graph()["entities"]) == 1_200


def test_a_graph_needs_a_memory() -> None:
    with pytest.raises(UsageError, match="needs a memory"):
        KnowledgeGraph("memory.db")  # type: ignore[arg-type]
