"""Sets of tools: what a model is told of them, and what happens when it calls one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import AccessDenied, BudgetTooSmall, InvalidQuery, NotFound, StatementEnded, UsageError
from recollect.memory import Memory
from recollect.model.scope import Scope
from recollect.providers.tokens import counter_for
from recollect.verbs import VERBS, run, schemas
from recollect.verbs.toolsets.sets import SETS, hints, toolset

ANA = {"user_id": "ana"}
DEFAULT = {
    "add_memory",
    "search_memories",
    "get_context",
    "update_memory",
    "delete_memory",
    "relate_memories",
    "entity_info",
    "memory_feedback",
    "memory_stats",
}
TOKENS_MAX = 1_500
COUNTER = counter_for("gpt-4o")


def keep(memory: Memory, *texts: str) -> list[str]:
    return [run("add_memory", {"content": text}, ANA, memory=memory)["id"] for text in texts]


# --- what a model is told ---------------------------------------------------------------------------------------


def test_the_default_set_is_the_verbs_that_the_table_offers() -> None:
    assert list(toolset()) == [verb.tool.name for verb in VERBS if verb.tool and verb.tool.set == "default"]
    assert set(toolset()) == DEFAULT


def as_listed(tools: str) -> list[dict[str, Any]]:
    """A set as an MCP client gets it."""
    return [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.parameters, "annotations": hints(tool)}
        for tool in toolset(tools).values()
    ]


def test_the_default_set_costs_little() -> None:
    """As a client gets it, and as it is sent to the makers of models; with spaces, which nobody sends."""
    assert COUNTER.tokenizer == "o200k_base"
    for told in (as_listed("default"), schemas("openai"), schemas("anthropic"), schemas("json")):
        assert COUNTER.count(json.dumps(told)) <= TOKENS_MAX


@pytest.mark.parametrize("name", [*SETS, "all"])
def test_the_page_tells_what_a_set_costs(name: str) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
    (told,) = re.findall(rf"^\| `{name}` \| .* \| ([\d,]+) \|$", page, re.MULTILINE)
    counted = COUNTER.count(json.dumps(as_listed(name), separators=(",", ":"), ensure_ascii=False))
    assert int(told.replace(",", "")) == counted


@pytest.mark.parametrize("name", [*SETS, "all"])
def test_every_schema_is_one(name: str) -> None:
    for tool in schemas("json", name):
        assert tool["description"].endswith(".")
        parameters = tool["parameters"]
        assert parameters["type"] == "object"
        assert set(parameters.get("required", ())) <= parameters["properties"].keys()
        assert json.loads(json.dumps(tool)) == tool
        for argument in parameters["properties"].values():
            assert argument["type"] in ("string", "integer", "number", "boolean", "array", "object")
            assert argument["description"]


def test_sets_hold_the_tools_of_their_designs() -> None:
    assert list(toolset("engram")) == [
        "memory_store",
        "memory_search",
        "memory_update",
        "memory_delete",
        "memory_list",
        "memory_feedback",
        "memory_relate",
        "memory_reason",
        "memory_reflect",
        "memory_brief",
    ]
    assert list(toolset("assistant")) == [
        "search_memory",
        "remember_fact",
        "correct_fact",
        "confirm_fact",
        "get_entity_info",
        "memory_stats",
        "explain_fact",
        "weak_facts",
    ]
    assert list(toolset("topology")) == [
        "search_memory",
        "recall_user_info",
        "find_related",
        "find_contradictions",
        "add_learning",
        "mark_dead_end",
    ]
    assert list(toolset("reference")) == [
        "create_entities",
        "create_relations",
        "add_observations",
        "delete_entities",
        "delete_observations",
        "delete_relations",
        "read_graph",
        "search_nodes",
        "open_nodes",
    ]
    assert list(toolset("chatgpt")) == ["search", "fetch"]
    coding = "memory_search get_context remember_this compact_session analyze_impact get_dependencies trace_data_flow"
    assert list(toolset("coding")) == [*coding.split(), "code_map", "report_failure"]


def test_sets_are_joined_and_the_first_has_its_way() -> None:
    both = toolset("topology, assistant")
    assert both["search_memory"] is toolset("topology")["search_memory"]
    assert both["memory_stats"] is toolset("assistant")["memory_stats"]
    assert set(toolset("all")) == {name for each in SETS for name in toolset(each)}
    assert toolset("all")["memory_stats"] is toolset()["memory_stats"]


def test_formats() -> None:
    openai, anthropic, plain = (schemas(name)[4] for name in ("openai", "anthropic", "json"))
    assert openai["type"] == "function"
    assert openai["function"]["name"] == anthropic["name"] == plain["name"] == "search_memories"
    assert openai["function"]["parameters"] == anthropic["input_schema"] == plain["parameters"]
    assert plain["annotations"] == {"readOnlyHint": True, "openWorldHint": False}


def test_hints_tell_what_a_tool_does() -> None:
    every = toolset("all")
    reading = {name for name, tool in every.items() if hints(tool)["readOnlyHint"]}
    assert reading == {
        "find_skills",
        "find_tools",
        "read_inbox",
        "recall_in_turn",
        "turns_status",
        "search_memories",
        "get_context",
        "analyze_impact",
        "get_dependencies",
        "trace_data_flow",
        "code_map",
        "entity_info",
        "memory_stats",
        "memory_search",
        "memory_list",
        "memory_reason",
        "memory_reflect",
        "memory_brief",
        "search_memory",
        "get_entity_info",
        "explain_fact",
        "weak_facts",
        "recall_user_info",
        "find_related",
        "find_contradictions",
        "read_graph",
        "search_nodes",
        "open_nodes",
        "search",
        "fetch",
    }
    destructive = {name for name, tool in every.items() if hints(tool).get("destructiveHint")}
    assert destructive == {
        "update_memory",
        "delete_memory",
        "memory_update",
        "memory_delete",
        "correct_fact",
        "delete_entities",
        "delete_observations",
        "delete_relations",
    }


@pytest.mark.parametrize("tools", ["", " , ", "defualt", "default,nothing", 7])
def test_sets_that_are_not_there(tools: Any) -> None:
    with pytest.raises(UsageError, match="there are default, turns, agents, engram"):
        schemas("json", tools)


def test_a_format_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="openai, anthropic, json"):
        schemas("gemini")


# --- calling ----------------------------------------------------------------------------------------------------


def test_the_default_tools_work_together(memory: Memory) -> None:
    first, second = keep(memory, "Ana moved from vim to Helix", "Ana prefers short answers")
    assert len(first) == 8
    (found,) = run("search_memories", {"query": "which editor does Ana use?", "limit": 1}, ANA, memory=memory)[
        "results"
    ]
    assert found.keys() == {"id", "text", "date", "trust"}
    assert found["text"] == "Ana moved from vim to Helix"
    context = run("get_context", {"prompt": "Which editor does Ana use?"}, ANA, memory=memory)
    assert f"#{first}" in context["text"]
    assert first in context["ids"]
    assert run("update_memory", {"id": first, "content": "Ana uses Zed"}, ANA, memory=memory)["id"] == first
    relating = {"source_id": first, "target_id": second, "relation": "supports"}
    assert run("relate_memories", relating, ANA, memory=memory)["edge"]
    assert run("entity_info", {"name": "Ana"}, ANA, memory=memory)["memories"]
    assert run("memory_feedback", {"id": first, "helpful": True}, ANA, memory=memory)["status"] == "noted"
    deleted = run("delete_memory", {"id": second, "reason": "asked to"}, ANA, memory=memory)
    assert run("memory_stats", {}, ANA, memory=memory)["records"] == 1
    memory.undo(deleted["undo"])
    assert run("memory_stats", {}, ANA, memory=memory)["records"] == 2


def test_what_is_known_is_told_so(memory: Memory) -> None:
    (first,) = keep(memory, "Ana lives in Rome")
    assert run("add_memory", {"content": "Ana lives in Rome"}, ANA, memory=memory) == {
        "id": first,
        "status": "known already",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {"q": "editor"},
        {"question": "editor"},
        {"text": "editor"},
        {"query": "editor", "top_k": 3},
        {"query": "editor", "k": "3"},
        {"query": "editor", "topK": 3.0},
        {"Query": "editor"},
        {"query": "editor", "userId": "ana"},
        {"query": "editor", "user": "ana"},
        {"query": "editor", "category": ""},
        {"query": "editor", "after": None},
        '{"query": "editor", "limit": 3}',
    ],
    ids=str,
)
def test_arguments_as_models_write_them(memory: Memory, arguments: Any) -> None:
    keep(memory, "The editor of Ana is Helix")
    assert len(run("search_memories", arguments, ANA, memory=memory)["results"]) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_memory", {"memory": "Ana lives in Rome"}),
        ("add_memory", {"fact": "Ana lives in Rome"}),
        ("memory_store", {"text": "Ana lives in Rome", "importance": "0.7"}),
        ("add_memory", {"content": "Ana lives in Rome", "tags": "home"}),
        ("add_memory", {"content": "Ana lives in Rome", "tags": '["home", "Rome"]'}),
    ],
    ids=str,
)
def test_things_to_remember_as_models_write_them(memory: Memory, tool: str, arguments: Any) -> None:
    run(tool, arguments, ANA, memory=memory)
    (kept,) = memory.get_all(user_id="ana").records
    assert kept.content == "Ana lives in Rome"
    assert set(kept.tags) <= {"home", "Rome"}


def test_more_is_taken_than_is_advertised(memory: Memory) -> None:
    given = {"content": "Ana keeps bees", "run_id": "s1", "metadata": '{"team": "core"}', "kind": "opinion"}
    run("add_memory", given, ANA, memory=memory)
    (kept,) = memory.get_all(user_id="ana").records
    assert (kept.session_id, kept.metadata, kept.kind) == ("s1", {"team": "core"}, "opinion")
    for narrowing in ({"session": "s1"}, {"kind": "opinion"}, {"filters": {"metadata.team": {"eq": "core"}}}):
        assert run("search_memories", {"query": "bees", **narrowing}, ANA, memory=memory)["results"]
    for elsewhere in ({"session": "s2"}, {"kinds": ["semantic"]}, {"filters": {"metadata.team": {"eq": "x"}}}):
        assert not run("search_memories", {"query": "bees", **elsewhere}, ANA, memory=memory)["results"]
    assert "session_id" not in json.dumps(schemas())


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("search_memories", {}, "needs query"),
        ("search_memories", {"query": "  "}, "query is empty"),
        ("search_memories", {"query": 7}, "query must be a text"),
        ("search_memories", {"query": "x", "limit": "many"}, "limit must be a whole number"),
        ("search_memories", {"query": "x", "limit": 0}, "limit must be 1 or more"),
        ("search_memories", {"query": "x", "limit": True}, "limit must be a whole number"),
        ("search_memories", {"query": "x", "q": "y"}, "query is given twice"),
        ("search_memories", {"query": "x", "cursor": "-1"}, "cursor must be one from an earlier answer"),
        ("search_memories", {"query": "x", "colour": 1}, "it takes query, limit"),
        ("search_memories", [1], "must be an object"),
        ("search_memories", "not json", "must be an object"),
        ("add_memory", {"content": ["x"]}, "content must be a text"),
        ("add_memory", {"content": "x", "importance": 7}, "from 0 to 1"),
        ("add_memory", {"content": "x" * 2_000_000}, "bytes"),
        ("memory_feedback", {"id": "x", "helpful": "perhaps"}, "helpful must be true or false"),
        ("memory_relate", {"source_id": "a", "target_id": "b", "relationship": "likes"}, "must be one of supports"),
        ("create_entities", {"entities": [{"name": "Ana"}]}, r"entities\[0\] needs entityType"),
        ("create_entities", {"entities": "Ana"}, r"entities\[0\] must be an object"),
        ("entity_info", {"name": "Nobody Known"}, "nothing is known here"),
        ("search_memoriez", {"query": "x"}, "did you mean search_memories"),
        (None, {}, "there is no tool"),
    ],
)
def test_calls_that_make_no_sense(memory: Memory, tool: Any, arguments: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        run(tool, arguments, ANA, memory=memory)
    assert memory.stats()["records"] == 0


# --- scope ------------------------------------------------------------------------------------------------------


def test_a_tool_sees_what_its_scope_sees(memory: Memory) -> None:
    mine = memory.add("Ana keeps bees", user_id="ana").id
    others = memory.add("Ben keeps bees", user_id="ben").id
    memory.add("Somebody keeps bees")
    found = run("search_memories", {"query": "bees"}, ANA, memory=memory)["results"]
    assert {each["text"] for each in found} == {"Ana keeps bees", "Somebody keeps bees"}
    for tool, arguments in (
        ("update_memory", {"content": "x"}),
        ("delete_memory", {}),
        ("memory_feedback", {"helpful": True}),
        ("fetch", {}),
        ("confirm_fact", {}),
        ("explain_fact", {}),
    ):
        for id_ in (others, others[:8]):
            with pytest.raises(NotFound):
                run(tool, {"id": id_, **arguments}, ANA, memory=memory)
    with pytest.raises(NotFound):
        run("relate_memories", {"source_id": mine, "target_id": others}, ANA, memory=memory)
    assert memory.get(others, user_id="ben") is not None


def test_arguments_narrow_the_scope_and_never_leave_it(memory: Memory) -> None:
    with pytest.raises(AccessDenied, match="project='atlas' is not granted here"):
        run("add_memory", {"content": "Atlas is due in May", "project": "atlas"}, ANA, memory=memory)
    granted = {"memory": memory, "may_add": ["project=atlas"]}
    run("add_memory", {"content": "Atlas is due in May", "project": "atlas"}, ANA, **granted)
    assert memory.get_all(user_id="ana", project="atlas").records[0].scope == Scope(user_id="ana", project="atlas")
    assert run("memory_stats", {}, ANA, memory=memory)["records"] == 0
    assert run("memory_stats", {"project": "atlas"}, ANA, **granted)["records"] == 1
    handle = memory.scoped(**ANA, may_add=["project"])  # its tools may what it may
    assert run("memory_stats", {"project": "atlas"}, memory=handle)["records"] == 1
    with pytest.raises(AccessDenied, match="user_id='ben' is not granted here"):
        run("search_memories", {"query": "x", "user_id": "ben"}, ANA, **granted)
    for reach in ("all", "project", "scope"):
        with pytest.raises(AccessDenied):
            run("search_memories", {"query": "x", "reach": reach}, ANA, memory=memory)


def test_even_the_owner_reaches_no_further_by_a_tool(memory: Memory) -> None:
    hidden = memory.add("Ana keeps bees", user_id="ana").id
    assert run("search_memories", {"query": "bees"}, memory=memory)["results"] == []
    with pytest.raises(NotFound):
        run("delete_memory", {"id": hidden}, memory=memory)
    with pytest.raises(AccessDenied):
        run("search_memories", {"query": "bees", "user_id": "ana"}, memory=memory)
    assert run("search_memories", {"query": "bees", "user_id": "ana"}, memory=memory, may_add="*")["results"]


def test_every_read_takes_the_scope_of_its_arguments(memory: Memory) -> None:
    memory.add("Ana keeps bees in Rome", user_id="ana")
    for tool, arguments in (
        ("get_context", {"prompt": "bees in Rome"}),
        ("memory_list", {}),
        ("search", {"query": "bees"}),
        ("entity_info", {"name": "Ana"}),
    ):
        assert "bees" in json.dumps(run(tool, {**arguments, "user_id": "ana"}, memory=memory, may_add=("user_id",)))


def test_a_scope_that_is_none(memory: Memory) -> None:
    with pytest.raises(UsageError, match="a scope has no"):
        run("memory_stats", {}, {"usr": "ana"}, memory=memory)
    with pytest.raises(UsageError, match="scope must be an object"):
        run("memory_stats", {}, "ana", memory=memory)  # type: ignore[arg-type]


def test_without_a_memory_the_default_store_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_DB", str(tmp_path / "default.db"))
    run("add_memory", {"content": "Ana keeps bees"}, ANA)
    assert run("memory_stats", {}, ANA)["records"] == 1
    assert run("memory_stats", {}, {"user_id": "ben"})["records"] == 0


def test_read_only(memory: Memory) -> None:
    with pytest.raises(AccessDenied, match="read only"):
        run("add_memory", {"content": "x"}, memory=memory, read_only=True)
    assert run("memory_stats", memory=memory, read_only=True)["records"] == 0


def test_history_says_that_a_tool_wrote_it(memory: Memory) -> None:
    (first,) = keep(memory, "Ana lives in Rome")
    assert [entry.operation.actor for entry in memory.history(memory.get_all(user_id="ana")[0].id)] == ["tool"]
    assert first


# --- pages and budgets ------------------------------------------------------------------------------------------


def test_pages_of_a_search_hold_everything_once(memory: Memory) -> None:
    keep(memory, *(f"Ana visited city number {number} by train" for number in range(7)))
    seen: list[str] = []
    cursor = None
    for _ in range(10):
        page = run("search_memories", {"query": "city", "limit": 3, "cursor": cursor}, ANA, memory=memory)
        seen += [each["id"] for each in page["results"]]
        cursor = page.get("cursor")
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 7


@pytest.mark.parametrize("tool", ["search_memories", "memory_list", "memory_reason"])
@pytest.mark.parametrize("tokens", [100, 150, 400])
def test_answers_keep_to_their_budget(memory: Memory, tool: str, tokens: int) -> None:
    keep(memory, *(f'Ana visited city {number}: "{"a long walk and tea " * 8}"' for number in range(12)))
    asked = {"memory_list": {}, "memory_reason": {"question": "city"}}.get(tool, {"query": "city"})
    answer = run(tool, {**asked, "max_tokens": tokens}, ANA, memory=memory)
    assert COUNTER.count(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) <= tokens
    assert answer.get("results", answer.get("evidence"))


def test_context_keeps_to_its_budget_whatever_the_prompt(memory: Memory) -> None:
    keep(memory, *(f"Ana visited city {number} by train and met Ben" for number in range(40)))
    for prompt in ("Where did Ana go?", "Where did Ana go? " * 500):
        answer = run("get_context", {"prompt": prompt, "max_tokens": 300}, ANA, memory=memory)
        assert answer["ids"]
        assert COUNTER.count(answer["text"]) <= answer["tokens"] <= 300


def test_pages_cut_by_a_budget_lose_nothing(memory: Memory) -> None:
    keep(memory, *(f"Ana visited city {number}: {'a long walk ' * 20}" for number in range(6)))
    for tool, asked in (("memory_list", {"limit": 4}), ("search_memories", {"query": "city", "limit": 4})):
        seen: list[str] = []
        cursor = None
        for _ in range(10):
            page = run(tool, {**asked, "max_tokens": 250, "cursor": cursor}, ANA, memory=memory)
            seen += [each["id"] for each in page["results"]]
            cursor = page.get("cursor")
            if cursor is None:
                break
        assert len(seen) == len(set(seen)) == 6


def test_one_long_record_is_cut(memory: Memory) -> None:
    keep(memory, "Ana said: " + 'walk "far"\n' * 700)
    (only,) = run("search_memories", {"query": "Ana", "max_tokens": 100}, ANA, memory=memory)["results"]
    assert only["cut"] is True
    assert only["text"].endswith("…")
    (whole,) = run("search_memories", {"query": "Ana"}, ANA, memory=memory)["results"]
    assert COUNTER.count(json.dumps(whole)) <= memory.config.serve.answer_tokens


def test_a_cursor_of_a_list_is_checked(memory: Memory) -> None:
    with pytest.raises(InvalidQuery):
        run("memory_list", {"cursor": "nonsense"}, memory=memory)


def test_where_nothing_answers_that_comes_first_and_little_else(memory: Memory) -> None:
    keep(memory, *(f"Ana visited city number {number} by train" for number in range(7)))
    asked = {"query": "favourite pizza topping of the queen of Denmark"}
    answer = run("search_memories", asked, ANA, memory=memory)
    assert next(iter(answer)) == "note"
    assert "nothing stored seems to answer this" in answer["note"]
    assert len(answer["results"]) == 3
    rest = run("search_memories", {**asked, "cursor": answer["cursor"]}, ANA, memory=memory)["results"]
    assert len({each["id"] for each in answer["results"] + rest}) == 7
    assert len(run("search_memories", {**asked, "limit": 6}, ANA, memory=memory)["results"]) == 6


def test_conditions_that_leave_nothing_are_named(memory: Memory) -> None:
    keep(memory, "Ana visited Rome")
    asked = {"query": "Rome", "category": "nonsense", "after": "yesterday"}
    answer = run("search_memories", asked, ANA, memory=memory)
    assert answer == {"note": "nothing that is stored meets category, after; ask again without", "results": []}


def test_a_budget_too_small_for_a_context_is_told_in_its_own_terms(memory: Memory) -> None:
    keep(memory, "Ana visited Rome")
    with pytest.raises(BudgetTooSmall, match="60 tokens hold no memory; give max_tokens=200"):
        run("get_context", {"prompt": "Where was Ana?", "max_tokens": 60}, ANA, memory=memory)
    assert run("get_context", {"prompt": "Where was Ana?", "max_tokens": 200}, ANA, memory=memory)["ids"]


@pytest.mark.parametrize("tool", ["search_memory", "get_entity_info", "weak_facts"])
def test_the_assistants_tools_are_brief_for_models(memory: Memory, tool: str) -> None:
    long = f"Ana wrote {'a very long letter about tea ' * 30}"
    for number in range(30):
        fact = {"content": f"{long} to friend number {number}", "confidence": 0.2}
        run("remember_fact", fact, ANA, memory=memory, tools="assistant")
    asked = {"search_memory": {"query": "letters", "limit": 30}, "get_entity_info": {"name": "Ana"}}.get(tool, {})
    answer = run(tool, asked, ANA, memory=memory, tools="assistant")
    said = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    assert COUNTER.count(said) <= memory.config.serve.answer_tokens
    assert "null" not in said
    items = answer.get("results", answer.get("facts"))
    assert items or tool == "weak_facts"
    assert all(len(each["id"]) == 8 for each in items)
    assert answer.get("left_out", 0) > 0 or not items


def test_facts_of_the_assistant_by_short_ids(memory: Memory) -> None:
    kept = run("remember_fact", {"content": "Ana lives in Rome"}, ANA, memory=memory)
    assert kept == {"id": kept["id"], "saved": True}
    done = run("correct_fact", {"fact_id": kept["id"], "new_content": "Ana lives in Milan"}, ANA, memory=memory)
    assert done["supersedes"] == kept["id"]
    told = run("explain_fact", {"fact_id": done["id"]}, ANA, memory=memory)
    assert [each["id"] for each in told["supersedes"]] == [kept["id"]]


# --- tools of other sets ----------------------------------------------------------------------------------------


def test_engram(memory: Memory) -> None:
    kept = run(
        "memory_store", {"content": "Ana likes tea", "category": "preference", "importance": 0.9}, ANA, memory=memory
    )
    (listed,) = run("memory_list", {"category": "preference"}, ANA, memory=memory)["results"]
    assert (listed["id"], listed["category"]) == (kept["id"], "preference")
    other = run("memory_store", {"content": "Ana drinks tea at five"}, ANA, memory=memory)
    relating = {"source_id": kept["id"], "target_id": other["id"], "relationship": "related_to"}
    run("memory_relate", relating, ANA, memory=memory)
    edges = memory.relations(user_id="ana").edges
    assert "relates_to" in {edge.label for edge in edges}
    found = run("memory_reason", {"question": "What does Ana drink?"}, ANA, memory=memory)
    assert {kept["id"], other["id"]} <= {each["id"] for each in found["evidence"]}


def test_coding_finds_what_goes_with_a_file(memory: Memory) -> None:
    learned = {"content": "Tests hang unless the queue is closed", "type": "gotcha", "files": ["src/queue.py"]}
    run("remember_this", learned, {"project": "atlas"}, memory=memory)
    run("remember_this", {"content": "The logo is blue"}, {"project": "atlas"}, memory=memory)
    asked = {"query": "what to watch out for", "files": ["src/queue.py"], "phase": "coding"}
    best = run("memory_search", asked, {"project": "atlas"}, memory=memory)["results"][0]
    assert best["text"] == "Tests hang unless the queue is closed (src/queue.py)"
    summary = {"summary": "- decided on WAL mode\n- the parser is still open", "session_id": "s1"}
    assert len(run("compact_session", summary, {"project": "atlas"}, memory=memory)["ids"]) == 2


def test_coding_warns_of_a_file_that_goes_with_the_one_asked_about(memory: Memory) -> None:
    """What was remembered of a file is found through the file, though the question shares no word with the note."""
    warning = {"content": "Close it, or tests hang", "type": "gotcha", "files": ["src/queue.py"]}
    kept = run("remember_this", warning, {"project": "atlas"}, memory=memory)
    together = {"related_files": ["src/mailer.py", "src/queue.py"]}
    memory.add("both change at once", category="causal_dependency", metadata=together, project="atlas")
    found = memory.search("src/mailer.py", project="atlas", explain=True)
    (hit,) = [hit for hit in found if hit.id.startswith(kept["id"])]
    assert hit.metadata["related_files"] == ["src/queue.py"]
    assert found.trace is not None
    assert "files" in found.trace.found_by[hit.id]


def test_coding_takes_files_under_both_names_and_keeps_them_under_one(memory: Memory) -> None:
    for name, path in (("files", "src/queue.py"), ("related_files", "src/mail.py")):
        note = {"content": f"Close what {path} opens", "type": "gotcha", name: [path, path]}
        kept = run("remember_this", note, {"project": "atlas"}, memory=memory)
        record = memory.get(kept["id"], project="atlas")
        assert record is not None
        assert record.metadata == {"related_files": [path]}


def test_chatgpt_shapes(memory: Memory) -> None:
    keep(memory, "Ana moved from vim to Helix\nwith all her settings")
    (found,) = run("search", {"query": "editor of Ana"}, ANA, memory=memory)["results"]
    assert found.keys() == {"id", "title", "url"}
    document = run("fetch", {"id": found["id"]}, ANA, memory=memory)
    assert document.keys() == {"id", "title", "text", "url", "metadata"}
    assert document["text"] == "Ana moved from vim to Helix\nwith all her settings"
    assert document["title"] == found["title"] == "Ana moved from vim to Helix"


def test_topology_answers_in_words(memory: Memory) -> None:
    run("add_learning", {"fact": "The user is called Ana", "category": "user_info"}, ANA, memory=memory)
    assert run("recall_user_info", {}, ANA, memory=memory) == {"text": "- The user is called Ana"}
    said = run("search_memory", {"query": "name"}, ANA, memory=memory, tools="topology")["text"]
    assert "The user is called Ana" in said


def test_topology_answers_within_the_budget(memory: Memory) -> None:
    for number in range(40):
        fact = f"The user keeps {number} bees and says: {'a long word about bees ' * 40}"
        run("add_learning", {"fact": fact, "category": "user_info"}, ANA, memory=memory)
    said = run("recall_user_info", {}, ANA, memory=memory)["text"]
    assert said.startswith("- The user keeps 0 bees")
    assert said.endswith("…")
    assert COUNTER.count(said) <= memory.config.serve.answer_tokens


def test_a_graph_too_long_for_a_client_is_told_in_part(memory: Memory) -> None:
    entities = [
        {"name": f"Bird {number}", "entityType": "bird", "observations": ["sings " * 400]} for number in range(80)
    ]
    run("create_entities", {"entities": entities}, ANA, memory=memory)
    graph = run("read_graph", {}, ANA, memory=memory)
    assert 10 < len(graph["entities"]) < 80
    assert f"{80 - len(graph['entities'])} entities" in graph["note"]
    (last,) = run("open_nodes", {"names": ["Bird 79"]}, ANA, memory=memory)["entities"]
    assert last == entities[79]


def test_reasoning_says_what_it_found_nothing_about(memory: Memory) -> None:
    keep(memory, "Ana likes tea")
    answer = run("memory_reason", {"question": "write_queue"}, ANA, memory=memory)
    assert next(iter(answer)) == "note"
    assert "write" in answer["note"]
    assert "note" not in run("memory_reason", {"question": "What does Ana like?"}, ANA, memory=memory)


@pytest.mark.parametrize("tool", ["confirm_fact", "correct_fact"])
def test_a_fact_that_was_replaced_names_its_successor(memory: Memory, tool: str) -> None:
    old = run("remember_fact", {"content": "Ana lives in Oslo"}, ANA, memory=memory, tools="assistant")["id"]
    corrected = {"fact_id": old, "new_content": "Ana lives in Rome"}
    new = run("correct_fact", corrected, ANA, memory=memory, tools="assistant")["id"]
    given = {"fact_id": old} | ({"new_content": "Ana lives in Bergen"} if tool == "correct_fact" else {})
    with pytest.raises(StatementEnded, match=new):
        run(tool, given, ANA, memory=memory, tools="assistant")
