"""The assistant's eight tools: their schemas, what they do, and what a model gets to read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from typing import Any

import pytest
from properties.tables import open_quick
from ticking import Ticking

from recollect.compat.assistant import ASSISTANT_TOOLS, TOOLS, AssistantTools
from recollect.errors import NotFound, UsageError

NAMES = [
    "search_memory",
    "remember_fact",
    "correct_fact",
    "confirm_fact",
    "get_entity_info",
    "memory_stats",
    "explain_fact",
    "weak_facts",
]
TALK = [
    {"role": "user", "name": "Ana", "content": "I work at Acme with Ben Stone in Oslo"},
    {"role": "assistant", "content": "How long have you known Ben Stone?"},
    {"role": "user", "name": "Ana", "content": "Ben Stone and I met at a chess club"},
]


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def tools(tmp_path: Path, clock: Ticking) -> Iterator[AssistantTools]:
    with open_quick(tmp_path / "m.db", clock=clock) as memory:
        yield AssistantTools(memory, session_id="monday")


def test_there_are_eight_tools_with_schemas_that_are_json() -> None:
    assert list(ASSISTANT_TOOLS) == [tool["name"] for tool in TOOLS] == NAMES
    assert json.loads(json.dumps(TOOLS)) == TOOLS
    for tool in TOOLS:
        schema = tool["parameters"]
        assert set(schema.get("required", ())) <= schema["properties"].keys()
        assert all(each["description"] for each in schema["properties"].values())
        assert callable(getattr(AssistantTools, tool["name"]))


def test_a_remembered_fact_is_found(tools: AssistantTools) -> None:
    kept = tools.remember_fact("Ana is allergic to peanuts", confidence=0.9)
    assert kept["saved"]
    answer = tools.search_memory("what is Ana allergic to?")
    assert answer["intent"] in ("what", "who")
    assert answer["count"] == 1
    (hit,) = answer["results"]
    assert (hit["id"], hit["type"], hit["confidence"]) == (kept["id"], "semantic", 0.9)
    record = tools.memory.get(kept["id"])
    assert record is not None
    assert (record.session_id, record.kind) == ("monday", "semantic")
    assert tools.remember_fact("Ana is allergic to peanuts")["saved"] is False


def test_search_narrows_by_type_entity_and_time(tools: AssistantTools, clock: Ticking) -> None:
    tools.memory.add(TALK, session_id="monday")
    tools.remember_fact("Ben Stone plays chess on Fridays")
    assert {hit["type"] for hit in tools.search_memory("chess", type="episodic")["results"]} == {"episodic"}
    named = tools.search_memory("chess", entity_name="Ben Stone")["results"]
    assert named
    assert all("Ben Stone" in hit["content"] for hit in named)
    nobody = tools.search_memory("chess", entity_name="Zoe")
    assert nobody["results"] == []
    assert "Zoe" in nobody["reason"]
    clock.skip(40)
    tools.remember_fact("The chess club has moved to the harbour")
    recent = tools.search_memory("chess club", after="last_week")["results"]
    assert [hit["content"] for hit in recent] == ["The chess club has moved to the harbour"]
    assert all("harbour" not in hit["content"] for hit in tools.search_memory("chess", before="last_month")["results"])
    assert tools.search_memory("chess", after="2026-06-01", limit=1)["count"] == 1


def test_a_complex_question_gets_more_results(tools: AssistantTools) -> None:
    for number in range(30):
        tools.memory.add(f"Report number {number} about the harbour was late because of rain", infer=False)
    simple = tools.search_memory("harbour report")
    long = tools.search_memory(
        "compare all the reports about the harbour that were late because of rain, and explain how they are related to "
        "each other and why they came one after the other"
    )
    assert simple["count"] == 5
    assert 5 < long["count"] <= 20


def test_a_corrected_fact_ends_and_stays_in_the_history(tools: AssistantTools) -> None:
    old = tools.remember_fact("Ana uses vim")["id"]
    new = tools.correct_fact(old, "Ana uses Helix", reason="she said so")
    assert new["supersedes"] == old
    contents = [hit["content"] for hit in tools.search_memory("which editor does Ana use")["results"]]
    assert contents[0] == "Ana uses Helix"
    assert tools.memory.stats()["edges_by_label"]["supersedes"] == 1
    ended = tools.memory.get(old)
    assert ended is not None
    assert ended.valid_until is not None


def test_a_confirmed_fact_never_fades(tools: AssistantTools, clock: Ticking) -> None:
    kept = tools.remember_fact("Ana is allergic to peanuts", confidence=0.4)["id"]
    fading = tools.memory.add("Ana had soup for lunch", kind="semantic", confidence=0.4).id
    assert tools.confirm_fact(kept) == {"id": kept, "confidence": 1.0, "decay_rate": 0.0}
    clock.skip(2000)
    tools.memory.decay()
    tiers = {id_: tools.memory.get(id_) for id_ in (kept, fading)}
    assert tiers[kept] is not None
    assert tiers[kept].tier == "longterm"  # type: ignore[union-attr]
    assert tiers[fading] is None or tiers[fading].tier == "archive"  # type: ignore[union-attr]


def test_an_entity_has_facts_and_a_timeline(tools: AssistantTools) -> None:
    tools.memory.add(TALK, session_id="monday")
    tools.remember_fact("Ben Stone plays chess on Fridays")
    info = tools.get_entity_info("Ben Stone")
    assert (info["name"], info["type"]) == ("Ben Stone", "person")
    assert info["mention_count"] >= 3
    assert any("Fridays" in fact["content"] for fact in info["facts"])
    assert info["timeline"]
    with pytest.raises(NotFound):
        tools.get_entity_info("Zoe")


def test_a_fact_is_explained_by_its_sources_and_its_past(tools: AssistantTools) -> None:
    receipt = tools.memory.add([{"role": "user", "name": "Ana", "content": "I work at Acme with Ben Stone"}])
    (fact, *_) = [id_ for id_ in receipt.statements if "Acme" in (tools.memory.get(id_) or receipt.records[0]).content]
    told = tools.explain_fact(fact)
    assert told["fact"]["id"] == fact
    assert [source["id"] for source in told["sources"]] == [receipt.id]
    assert told["because"]
    old = tools.remember_fact("Ben Stone uses vim")["id"]
    new = tools.correct_fact(old, "Ben Stone uses Helix")["id"]
    assert [each["id"] for each in tools.explain_fact(new)["supersedes"]] == [old]
    assert [each["id"] for each in tools.explain_fact(old)["superseded_by"]] == [new]
    assert "Ben Stone" in tools.explain_fact(new)["entities"]


def test_weak_facts_are_those_that_fade_or_are_in_doubt(tools: AssistantTools, clock: Ticking) -> None:
    sure = tools.remember_fact("Ana is allergic to peanuts")["id"]
    fading = tools.memory.add("Ana had soup for lunch", kind="semantic").id
    doubted = tools.remember_fact("Ana owns a boat")["id"]
    tools.confirm_fact(sure)
    tools.memory.flag(doubted, reason="she laughed when asked")
    assert [fact["id"] for fact in tools.weak_facts()["facts"]] == [doubted]
    for _ in range(400):
        if tools.memory.weak():
            break
        clock.skip(5)
    weak = tools.weak_facts()
    assert {fact["id"] for fact in weak["facts"]} == {fading, doubted}
    assert weak["count"] == 2
    assert all(fact["reason"] for fact in weak["facts"])
    assert tools.weak_facts(limit=1)["count"] == 1


def test_facts_of_low_confidence_are_weak_from_the_start(tools: AssistantTools) -> None:
    told = {
        share: tools.remember_fact(f"Box {share} holds {what}", share)["id"]
        for share, what in ((0.04, "apples"), (0.3, "a violin"), (0.1, "letters"), (0.9, "coins"))
    }
    weak = tools.weak_facts()["facts"]
    assert [fact["id"] for fact in weak] == [told[0.04], told[0.1], told[0.3]]
    assert [fact["confidence"] for fact in weak] == [0.04, 0.1, 0.3]
    assert weak[0]["reason"] == "its confidence is down to 0.04"
    tools.confirm_fact(told[0.1])
    assert told[0.1] not in {fact["id"] for fact in tools.weak_facts()["facts"]}


def test_confidence_fades_and_grows_by_the_designs_formula(tools: AssistantTools, clock: Ticking) -> None:
    kept = tools.memory.add("Ana is allergic to peanuts", kind="semantic", confidence=0.8).id
    clock.skip(30)
    assert tools.explain_fact(kept)["fact"]["confidence"] == pytest.approx(0.8 * exp(-0.1 * 30**0.8), abs=1e-3)
    for _ in range(50):
        tools.search_memory("what is Ana allergic to?")
    tools.memory._engine.access.flush()
    (found,) = tools.search_memory("what is Ana allergic to?")["results"]
    assert found["confidence"] == pytest.approx(0.8 + 0.05 * log(1 + 50 / 20), abs=5e-3)
    stored = tools.memory.get(kept)
    assert stored is not None
    assert stored.confidence == 0.8  # worked out when it is asked for: nothing was written


def test_what_was_pruned_has_ended(tools: AssistantTools, clock: Ticking) -> None:
    kept = tools.memory.add("Ana had soup for lunch", kind="semantic", confidence=0.4).id
    clock.skip(400)
    tools.memory.decay()
    ended = tools.explain_fact(kept)["fact"]["valid_until"]
    assert ended is not None
    assert ended.startswith("2027-")


def test_what_is_shown_as_a_type_is_found_by_it(tools: AssistantTools, tmp_path: Path) -> None:
    (tmp_path / "zoo.md").write_text("# Zoo\n\nThe zebra eats hay in the morning.\n")
    tools.memory.ingest(tmp_path / "zoo.md")
    (shown,) = tools.search_memory("zebra hay")["results"]
    assert shown["type"] == "semantic"
    assert [hit["id"] for hit in tools.search_memory("zebra hay", type="semantic")["results"]] == [shown["id"]]
    assert tools.search_memory("zebra hay", type="opinion")["results"] == []


def test_a_long_chain_of_corrections_is_told_to_its_end(tools: AssistantTools) -> None:
    ids = [tools.remember_fact("Ana has 0 boats")["id"]]
    for number in range(1, 16):
        ids.append(tools.correct_fact(ids[-1], f"Ana has {number} boats")["id"])
    told = tools.explain_fact(ids[-1])
    assert [each["id"] for each in told["supersedes"]] == ids[-2::-1]
    assert told["cut"] == []
    assert [each["id"] for each in tools.explain_fact(ids[0])["superseded_by"]] == ids[1:]


def test_entities_have_one_of_the_designs_six_types(tools: AssistantTools) -> None:
    tools.remember_fact("Ana Ruiz moved the Atlas project from MySQL to PostgreSQL")
    types = {tools.get_entity_info(entity.name)["type"] for entity in tools.memory.entities()}
    assert types <= {"person", "project", "organization", "place", "concept", "tool"}
    assert tools.get_entity_info("PostgreSQL")["type"] == "tool"


def test_an_empty_result_has_the_right_reason(tools: AssistantTools) -> None:
    assert tools.search_memory("tea")["reason"] == "nothing is stored here"
    tools.remember_fact("Ana drinks tea")
    assert tools.search_memory("tea", after="2099-01-01")["reason"] == "nothing stored here meets the conditions: after"
    assert tools.search_memory("tea", before="last_month")["reason"].endswith("conditions: before")
    assert tools.search_memory("tea", type="opinion")["reason"].endswith("conditions: kinds")


def test_stats_count_what_holds_now(tools: AssistantTools) -> None:
    fact = tools.remember_fact("Ana uses vim")["id"]
    for editor in ("Helix", "Emacs", "Zed"):
        fact = tools.correct_fact(fact, f"Ana uses {editor}")["id"]
    stats = tools.memory_stats()
    assert stats["nodes"]["semantic"] == stats["total_nodes"] == 1
    assert stats["edges"]["supersedes"] == 3


def test_stats_are_by_the_designs_types(tools: AssistantTools) -> None:
    assert tools.memory_stats()["maintenance"] == dict.fromkeys(("maintain", "consolidate", "decay", "replay"))
    tools.memory.add(TALK, session_id="monday", infer=False)
    old = tools.remember_fact("Ana uses vim")["id"]
    tools.correct_fact(old, "Ana uses Helix")
    tools.memory.decay()
    stats = tools.memory_stats()
    assert stats["nodes"].keys() == {"episodic", "semantic", "procedural", "opinion"}
    assert stats["nodes"]["episodic"] == 3
    assert sum(stats["nodes"].values()) == stats["total_nodes"]
    assert stats["edges"]["temporal"] == 2
    assert stats["edges"]["supersedes"] >= 1
    assert sum(stats["edges"].values()) == stats["total_edges"]
    assert stats["storage_bytes"] > 0
    assert stats["maintenance"]["decay"] is not None
    assert stats["maintenance"]["maintain"] is None


def test_a_call_that_makes_no_sense_is_answered(tools: AssistantTools) -> None:
    nobody = "00000000-0000-4000-8000-000000000000"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("forget_everything", {}),
        ("search_memory", {}),
        ("search_memory", {"query": "x", "type": "rumour"}),
        ("search_memory", {"query": "x", "limit": 0}),
        ("search_memory", {"query": "x", "after": "after never"}),
        ("remember_fact", {"content": " "}),
        ("remember_fact", {"content": "x", "confidence": 2}),
        ("correct_fact", {"fact_id": nobody, "new_content": "x"}),
        ("correct_fact", {"fact_id": "f1", "new_content": "x"}),
        ("confirm_fact", {"fact_id": nobody}),
        ("explain_fact", {"fact_id": nobody}),
        ("get_entity_info", {"name": "Zoe"}),
        ("memory_stats", {"of": "Ana"}),
        ("weak_facts", {"limit": "many"}),
    ]
    for name, arguments in calls:
        answer = tools.run(name, arguments)
        assert answer.keys() <= {"error", "code"}, name
        assert answer["error"]
    assert tools.memory.operations() == []


def test_tools_stay_within_a_scope(tools: AssistantTools) -> None:
    ana = AssistantTools(tools.memory.scoped(user_id="ana"))
    ben = AssistantTools(tools.memory.scoped(user_id="ben"))
    kept = ana.remember_fact("The code of the safe is 1234")["id"]
    assert ben.search_memory("code of the safe")["results"] == []
    for name in ("confirm_fact", "explain_fact"):
        assert "error" in ben.run(name, {"fact_id": kept})
    assert "error" in ben.run("correct_fact", {"fact_id": kept, "new_content": "none"})
    assert ben.memory_stats()["total_nodes"] == 0
    stats = ana.memory_stats()
    assert stats["nodes"] == {"episodic": 0, "semantic": 1, "procedural": 0, "opinion": 0}
    assert (stats["total_nodes"], stats["total_edges"], stats["orphan_nodes"]) == (1, 0, 1)
    assert not {"maintenance", "storage_bytes"} & stats.keys()  # those concern the whole store


def test_tools_can_be_awaited(tools: AssistantTools) -> None:
    kept = asyncio.run(tools.handle("remember_fact", {"content": "Ana sails"}))
    assert tools.memory.get(kept["id"]) is not None


def test_tools_need_a_memory() -> None:
    with pytest.raises(UsageError, match="memory"):
        AssistantTools("m.db")  # type: ignore[arg-type]
