"""RFC-014's six tools: their schemas, and what a model gets to read."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from recollect.compat.topology import (
    MEMORY_TOOLS,
    TOOLS,
    ConceptEdge,
    MemoryNode,
    MemoryToolHandler,
    RelationType,
    UnifiedMemoryStore,
)
from recollect.errors import UsageError
from recollect.memory import Memory

NAMES = ["search_memory", "recall_user_info", "find_related", "find_contradictions", "add_learning", "mark_dead_end"]


@pytest.fixture
def tools(memory: Memory) -> MemoryToolHandler:
    return MemoryToolHandler(memory)


def call(tools: MemoryToolHandler, name: str, **arguments: Any) -> str:
    return asyncio.run(tools.handle(name, arguments))


def test_there_are_six_tools_with_schemas_that_are_json() -> None:
    assert list(MEMORY_TOOLS) == [tool["name"] for tool in TOOLS] == NAMES
    assert json.loads(json.dumps(TOOLS)) == TOOLS
    for tool in TOOLS:
        schema = tool["parameters"]
        assert schema["type"] == "object"
        assert set(schema.get("required", ())) <= schema["properties"].keys()
        assert all(each["description"] for each in schema["properties"].values())
    assert {name for name, tool in MEMORY_TOOLS.items() if tool.writes} == {
        "add_learning",
        "mark_dead_end",
    }


def test_what_is_learned_is_recalled(tools: MemoryToolHandler) -> None:
    assert call(tools, "recall_user_info") == "No user information stored."
    said = call(tools, "add_learning", fact="The user is called Ana", category="user_info")
    assert said == "✓ Learned: [user_info] The user is called Ana"
    call(tools, "add_learning", fact="We deploy on Fridays", category="decision", confidence=0.6)
    call(tools, "add_learning", fact="Ana likes short answers", category="preference")
    assert call(tools, "recall_user_info") == "- The user is called Ana\n- Ana likes short answers"
    (decided,) = tools.memory.get_all(categories=["decision"]).records
    assert (decided.content, decided.confidence) == ("We deploy on Fridays", 0.6)


def test_search_tells_what_each_result_is(tools: MemoryToolHandler) -> None:
    tools.memory.add(
        [
            {"role": "user", "content": "The deploy broke again"},
            {"role": "assistant", "content": "The deploy needs a key"},
        ]
    )
    call(tools, "add_learning", fact="We deploy on Fridays", category="decision")
    lines = set(call(tools, "search_memory", query="deploy").splitlines())
    assert lines == {
        "[User] The deploy broke again",
        "[Assistant] The deploy needs a key",
        "[Learning/decision] We deploy on Fridays",
    }
    assert call(tools, "search_memory", query="deploy", content_type="decision").splitlines() == [
        "[Learning/decision] We deploy on Fridays"
    ]
    assert "[Learning" not in call(tools, "search_memory", query="deploy", content_type="conversation")
    assert len(call(tools, "search_memory", query="deploy", limit=1).splitlines()) == 1


def test_nothing_found_is_said(tools: MemoryToolHandler) -> None:
    assert call(tools, "search_memory", query="sailing") == "No results found for 'sailing'"
    assert call(tools, "find_related", topic="sailing") == "No information found about 'sailing'"
    assert call(tools, "find_contradictions", statement="Ana sails") == "No contradictions found."
    tools.memory.add("Sailing is fun", infer=False)
    assert call(tools, "find_related", topic="sailing") == "No related information found for 'sailing'"


def test_a_long_memory_is_shown_in_part(tools: MemoryToolHandler) -> None:
    tools.memory.add("sailing " * 100, infer=False)
    line = call(tools, "search_memory", query="sailing")
    assert len(line) < 250
    assert line.endswith("...")


POLLING = {"approach": "Polling the queue", "reason": "it is too slow"}


def test_a_dead_end_marks_the_turn_that_led_there(memory: Memory) -> None:
    memory.add({"role": "user", "content": "How does the mail arrive?"}, session_id="sunday")
    memory.add({"role": "user", "content": "Let us poll the queue every second"}, session_id="monday")
    tools = MemoryToolHandler(memory, session_id="monday")
    assert call(tools, "mark_dead_end", **POLLING) == "✓ Marked as dead end: Polling the queue"
    (turn,) = memory.get_all(kinds=["episodic"], session_id="monday").records
    (kept,) = memory.get_all(categories=["dead_end"]).records
    assert turn.tags == ("dead_end",)
    assert kept.content == "Dead end: Polling the queue - it is too slow"
    against = memory.contradictions(turn.id)
    assert [record.id for record in against] == [kept.id]
    assert against.edges[0].evidence == ("it is too slow", "session_id: monday")
    assert kept.content in call(tools, "search_memory", query="polling", content_type="dead_end")
    assert kept.content in call(tools, "find_contradictions", statement="Polling the queue is fast enough")
    assert "Dead end" not in call(tools, "find_contradictions", statement="Ana has a boat")


def test_without_a_turn_there_is_no_conversation_to_mark(memory: Memory) -> None:
    memory.add({"role": "user", "content": "Let us poll the queue every second"}, session_id="monday")
    tools = MemoryToolHandler(memory, session_id="tuesday")
    assert call(tools, "mark_dead_end", **POLLING) == "No active conversation to mark."
    assert memory.get_all(categories=["dead_end"]).records == ()
    alone = MemoryToolHandler(memory, conversation=False)
    assert call(alone, "mark_dead_end", **POLLING) == "✓ Marked as dead end: Polling the queue"
    assert memory.get_all(kinds=["episodic"]).records[0].tags == ()


def test_a_conversation_and_a_store_are_searched_together(memory: Memory, tmp_path: Path) -> None:
    memory.add({"role": "user", "content": "Which format do our traces have?"})
    with UnifiedMemoryStore(tmp_path, embedder="fake") as store:
        store.add_nodes(
            [
                MemoryNode(
                    id="ctf",
                    content="We decided on the CTF format for traces",
                    outgoing_edges=[ConceptEdge("ctf", "json", RelationType.CONTRADICTS)],
                ),
                MemoryNode(id="json", content="Traces are written as JSON"),
                MemoryNode(
                    id="more",
                    content="A trace has a header and packets",
                    outgoing_edges=[ConceptEdge("more", "ctf", RelationType.ELABORATES)],
                ),
            ]
        )
        tools = MemoryToolHandler(memory, store=store)
        lines = call(tools, "search_memory", query="CTF format for traces").splitlines()
        assert "[Learning/fact] We decided on the CTF format for traces" in lines
        assert "[User] Which format do our traces have?" in lines
        assert call(tools, "find_related", topic="CTF format", relationship="elaborates").startswith("- A trace has")
        against = call(tools, "find_contradictions", statement="We decided on the CTF format for traces")
        assert "- Traces are written as JSON (confidence: 1.00)" in against
        call(tools, "add_learning", fact="The user is called Ana", category="user_info")
        store.memory.add("Ana likes short answers", category="preference", infer=False)
        assert call(tools, "recall_user_info") == "- The user is called Ana\n- Ana likes short answers"
        assert memory.get_all(categories=["user_info"]).records
        assert not store.memory.get_all(categories=["user_info"]).records


def test_what_elaborates_a_superseded_record_is_reached(tmp_path: Path) -> None:
    with UnifiedMemoryStore(tmp_path, embedder="fake") as store:
        store.add_nodes(
            [
                MemoryNode(id="ctf", content="Traces are written in the CTF format"),
                MemoryNode(
                    id="el",
                    content="Each packet has a header",
                    outgoing_edges=[ConceptEdge("el", "ctf", RelationType.ELABORATES)],
                ),
                MemoryNode(
                    id="new",
                    content="Traces are written in the CTF2 format",
                    outgoing_edges=[ConceptEdge("new", "ctf", RelationType.SUPERSEDES)],
                ),
            ]
        )
        tools = MemoryToolHandler(store)
        for topic in ("Traces are written in the CTF format", "Traces are written in the CTF2 format", "CTF"):
            assert call(tools, "find_related", topic=topic, relationship="elaborates") == "- Each packet has a header"


def test_a_learning_is_related_to_what_it_contradicts(tools: MemoryToolHandler) -> None:
    call(tools, "add_learning", fact="The nightly export is enabled on the staging server", category="decision")
    call(tools, "add_learning", fact="The nightly export is not enabled on the staging server", category="insight")
    tools.memory.settle()
    assert [edge.auto_extracted for edge in tools.memory.relations(labels=["contradicts"]).edges] == [True]


def test_arguments_may_be_the_json_that_a_model_wrote(tools: MemoryToolHandler) -> None:
    tools.run("add_learning", '{"fact": "The user is called Ana", "category": "user_info"}')
    assert "called Ana" in tools.run("search_memory", '{"query": "called"}')
    assert tools.run("recall_user_info", "") == "- The user is called Ana"
    with pytest.raises(UsageError, match="object"):
        tools.run("search_memory", "[1]")


def test_relations_are_followed(tmp_path: Path) -> None:
    with UnifiedMemoryStore(tmp_path, embedder="fake") as store:
        store.add_nodes(
            [
                MemoryNode(
                    id="cache",
                    content="Prices are cached for a day",
                    outgoing_edges=[
                        ConceptEdge("cache", "redis", RelationType.DEPENDS_ON),
                        ConceptEdge("cache", "fresh", RelationType.CONTRADICTS, 0.75),
                        ConceptEdge("cache", "old", RelationType.SUPERSEDES),
                    ],
                ),
                MemoryNode(
                    id="redis",
                    content="Redis runs beside it",
                    outgoing_edges=[ConceptEdge("redis", "linux", RelationType.DEPENDS_ON)],
                ),
                MemoryNode(id="linux", content="Linux hosts all"),
                MemoryNode(id="fresh", content="Nothing is ever stale"),
                MemoryNode(id="old", content="No store at all"),
                MemoryNode(
                    id="more",
                    content="Expiry happens at night",
                    outgoing_edges=[ConceptEdge("more", "cache", RelationType.ELABORATES)],
                ),
            ]
        )
        tools = MemoryToolHandler(store)
        topic = {"topic": "prices cached"}
        assert call(tools, "find_related", **topic, relationship="depends_on").splitlines() == [
            "- Redis runs beside it",
            "- Linux hosts all",
        ]
        assert call(tools, "find_related", **topic, relationship="elaborates") == "- Expiry happens at night"
        assert call(tools, "find_related", **topic, relationship="supersedes") == "- No store at all"
        assert call(tools, "find_related", **topic, relationship="contradicts") == "- Nothing is ever stale"
        assert len(call(tools, "find_related", **topic).splitlines()) == 4
        against = call(tools, "find_contradictions", statement="Prices are cached for a day")
        assert against == "Potential contradictions:\n- Nothing is ever stale (confidence: 0.75)"


def test_a_statement_is_compared_with_what_is_stored(tools: MemoryToolHandler) -> None:
    tools.memory.add("The nightly export is not enabled on the staging server", infer=False)
    against = call(tools, "find_contradictions", statement="The nightly export is enabled on the staging server")
    assert "- The nightly export is not enabled on the staging server (confidence: 0.70)" in against


def test_tools_stay_within_a_scope_and_a_session(memory: Memory) -> None:
    ana = MemoryToolHandler(memory.scoped(user_id="ana"), session_id="monday")
    ben = MemoryToolHandler(memory.scoped(user_id="ben"))
    call(ana, "add_learning", fact="The user is called Ana", category="user_info")
    assert call(ben, "recall_user_info") == "No user information stored."
    assert call(ben, "search_memory", query="called") == "No results found for 'called'"
    (kept,) = memory.get_all(user_id="ana").records
    assert kept.session_id == "monday"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_memory", {}),
        ("search_memory", {"query": " "}),
        ("search_memory", {"query": 7}),
        ("search_memory", {"query": "x", "limit": 0}),
        ("search_memory", {"query": "x", "limit": True}),
        ("search_memory", {"query": "x", "content_type": "rumour"}),
        ("search_memory", {"query": "x", "k": 1}),
        ("recall_user_info", {"who": "Ana"}),
        ("find_related", {"topic": "x", "relationship": "hates"}),
        ("add_learning", {"fact": "x"}),
        ("add_learning", {"fact": "x", "category": "poem"}),
        ("add_learning", {"fact": "x", "category": "insight", "confidence": 2}),
        ("mark_dead_end", {"approach": "x"}),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    tools: MemoryToolHandler, name: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        call(tools, name, **arguments)
    assert tools.memory.operations() == []


def test_an_unknown_tool_is_said_to_be_one(tools: MemoryToolHandler) -> None:
    assert call(tools, "forget_everything") == "Unknown memory tool: forget_everything"


def test_a_handler_needs_a_memory() -> None:
    with pytest.raises(UsageError, match="memory"):
        MemoryToolHandler()
