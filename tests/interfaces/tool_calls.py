"""A call of every tool of every set, in an order that works, and what its answer must hold."""

from __future__ import annotations

from typing import Any, NamedTuple

from mcp import Client

from recollect.memory import Memory
from recollect.verbs.toolsets.sets import toolset

SCOPE = {"user_id": "ana"}
_KEA = {"name": "Kea", "entityType": "bird", "observations": ["eats roots"]}
_OWL = {"name": "Owl", "entityType": "bird", "observations": ["hunts at night"]}
_SHARES = {"from": "Kea", "to": "Owl", "relationType": "shares_a_tree_with"}


class Call(NamedTuple):
    """`$a` to `$e` in the arguments are ids of records that are there, `$turn` is the turn that was begun last."""

    tool: str
    arguments: dict[str, Any]
    holds: set[str]


CALLS = (
    Call("add_memory", {"content": "Ana plays chess on Mondays"}, {"id", "status"}),
    Call("search_memories", {"query": "which editor does Ana use?"}, {"results"}),
    Call("get_context", {"prompt": "Which editor does Ana use?"}, {"text", "tokens", "ids"}),
    Call("update_memory", {"id": "$a", "content": "Ana uses Zed", "reason": "she said so"}, {"id", "status"}),
    Call("relate_memories", {"source_id": "$a", "target_id": "$b"}, {"edge"}),
    Call("entity_info", {"name": "Ana"}, {"name", "type", "memories"}),
    Call("memory_feedback", {"id": "$a", "helpful": True}, {"id", "status"}),
    Call("memory_stats", {}, set()),
    Call("memory_store", {"content": "Ana reads at night", "category": "fact", "importance": 0.4}, {"id", "status"}),
    Call("memory_search", {"query": "tea", "limit": 3}, {"results"}),
    Call("memory_update", {"id": "$b", "content": "Ana prefers green tea"}, {"id", "status"}),
    Call("memory_list", {"limit": 2}, {"results", "cursor"}),
    Call("memory_relate", {"source_id": "$b", "target_id": "$a", "relationship": "supports"}, {"edge"}),
    Call("memory_reason", {"question": "What does Ana drink while she writes?", "depth": 1}, {"evidence"}),
    Call("memory_reflect", {"days": 30}, {"title", "sections"}),
    Call("memory_brief", {"kind": "morning"}, {"title", "sections"}),
    Call("search_memory", {"query": "tea"}, set()),
    Call("remember_fact", {"content": "Ana is allergic to peanuts"}, {"id", "saved"}),
    Call("confirm_fact", {"fact_id": "$b"}, {"id", "confidence"}),
    Call("explain_fact", {"fact_id": "$b"}, {"fact", "because"}),
    Call("correct_fact", {"fact_id": "$c", "new_content": "Ana lives in Milan"}, {"id", "supersedes"}),
    Call("get_entity_info", {"name": "Ana"}, {"name"}),
    Call("weak_facts", {}, {"facts", "count"}),
    Call("recall_user_info", {}, {"text"}),
    Call("find_related", {"topic": "tea"}, {"text"}),
    Call("find_contradictions", {"statement": "Ana hates tea"}, {"text"}),
    Call("add_learning", {"fact": "The user is called Ana", "category": "user_info"}, {"text"}),
    Call("mark_dead_end", {"approach": "a cache in a dict", "reason": "it grows"}, {"text"}),
    Call("remember_this", {"content": "Close the queue", "type": "gotcha", "files": ["src/queue.py"]}, {"id"}),
    Call("compact_session", {"summary": "- decided on WAL\n- the parser is open", "session_id": "s1"}, {"ids"}),
    Call(
        "report_failure",
        {"report": '{"severity": "high", "description": "The queue never closes", "file": "src/queue.py"}'},
        set(),
    ),
    Call("create_entities", {"entities": [_KEA, _OWL]}, {"entities"}),
    Call("create_relations", {"relations": [_SHARES]}, {"relations"}),
    Call("add_observations", {"observations": [{"entityName": "Kea", "contents": ["is loud"]}]}, {"results"}),
    Call("read_graph", {}, {"entities", "relations"}),
    Call("search_nodes", {"query": "roots"}, {"entities", "relations"}),
    Call("open_nodes", {"names": ["Owl"]}, {"entities", "relations"}),
    Call("delete_relations", {"relations": [_SHARES]}, {"success", "message"}),
    Call("delete_observations", {"deletions": [{"entityName": "Kea", "observations": ["is loud"]}]}, {"success"}),
    Call("delete_entities", {"entityNames": ["Kea", "Owl"]}, {"success", "message"}),
    Call("search", {"query": "tea"}, {"results"}),
    Call("begin_turn", {"prompt": "Where is the tea kept?", "session_id": "desk"}, {"id", "text", "tokens"}),
    Call("recall_in_turn", {"id": "$turn", "query": "tea"}, {"results"}),
    Call("tell_turn", {"id": "$turn", "tool": "look", "result": "in the tin"}, set()),
    Call("end_turn", {"id": "$turn", "answer": "In the tin."}, set()),
    Call("begin_turn", {"prompt": "Who drank the tea?", "session_id": "desk"}, {"id"}),
    Call("abort_turn", {"id": "$turn", "reason": "nobody knows"}, set()),
    Call("turns_status", {"limit": 5}, set()),
    Call("suspend_mind", {"session_id": "desk"}, set()),
    Call("resume_mind", {"session_id": "desk"}, set()),
    Call("skill_done", {"name": "make tea", "success": True, "steps": ["boil water", "wait"]}, set()),
    Call("find_skills", {"task": "make tea"}, set()),
    Call("find_tools", {"need": "boil water"}, set()),
    Call("fetch", {"id": "$a"}, {"id", "title", "text", "url", "metadata"}),
    Call("delete_memory", {"id": "$d"}, {"id", "status", "undo"}),
    Call("memory_delete", {"id": "$e"}, {"id", "status", "undo"}),
)
# Of a project's code: they need one that is indexed, and tests/code asks them.
ABOUT_CODE = {"analyze_impact", "get_dependencies", "trace_data_flow", "code_map"}
# Of agents: they need one who calls, and tests/interfaces/test_mcp_agents.py asks them.
AMONG_AGENTS = {"publish_memory", "subscribe_topics", "read_inbox"}
assert {each.tool for each in CALLS} | ABOUT_CODE | AMONG_AGENTS == set(toolset("all"))


def seed(memory: Memory) -> dict[str, str]:
    """Records that the calls are about; their ids by the names they have in `CALLS`."""
    texts = ("Ana moved from vim to Helix", "Ana drinks tea", "Ana lives in Rome", "Ana has a cat", "Ana has a dog")
    return {f"${name}": memory.add(text, **SCOPE).id for name, text in zip("abcde", texts, strict=True)}


async def drive(client: Client, ids: dict[str, str], tools: str) -> None:
    """Call every tool that the client has; each must be of these sets, and answer as it should."""
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(listed) == set(toolset(tools))
    for call in CALLS:
        if call.tool not in listed:
            continue
        given = {
            name: ids.get(value, value) if isinstance(value, str) else value for name, value in call.arguments.items()
        }
        result = await client.call_tool(call.tool, given)
        assert not result.is_error, (call.tool, result.content)
        assert isinstance(result.structured_content, dict)
        assert call.holds <= result.structured_content.keys(), (call.tool, result.structured_content)
        if call.tool == "begin_turn":
            ids["$turn"] = result.structured_content["id"]
        assert result.content[0].type == "text"
        assert result.content[0].text
