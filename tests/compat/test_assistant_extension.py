"""The classes of the assistant's design: what a host plugs in, and what it is made of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from properties.tables import open_quick
from ticking import Ticking

from recollect.compat.assistant import (
    MANIFEST,
    WRITE_PATH_TOOLS,
    ContextProvider,
    DecayService,
    EmbeddingIntentClassifier,
    KeywordIntentClassifier,
    MemoryAgent,
    MemoryExtension,
    MemoryRetrieval,
    MemoryStorage,
    SchedulerProvider,
    ToolProvider,
    WritePathTools,
    classify_query_complexity,
)
from recollect.errors import NotFound, UsageError
from recollect.memory import Memory
from recollect.providers.embedders.fake import FakeEmbedder


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with open_quick(tmp_path / "m.db", clock=clock) as opened:
        yield opened


@pytest.fixture
def storage(memory: Memory) -> MemoryStorage:
    return MemoryStorage(memory)


class Router:
    """Something to subscribe to; a bus whose `subscribe` is awaited will do as well."""

    def __init__(self, *, awaited: bool = False) -> None:
        self.handlers: dict[str, Any] = {}
        self._awaited = awaited

    def subscribe(self, topic: str, handler: Any) -> Any:
        self.handlers[topic] = handler
        return asyncio.sleep(0) if self._awaited else None


class Message:
    def __init__(self, text: str, session_id: str) -> None:
        self.text, self.session_id = text, session_id


# --- the extension ----------------------------------------------------------------------------------------------------


def test_an_extension_hears_remembers_and_speaks(tmp_path: Path) -> None:
    async def day() -> None:
        router, bus = Router(), Router(awaited=True)
        extension = MemoryExtension(tmp_path / "data", embedder="fake")
        for role in (ToolProvider, ContextProvider, SchedulerProvider):
            assert isinstance(extension, role)
        await extension.initialize(router, bus)
        assert set(router.handlers) == {"user_message", "agent_response"}
        first = await router.handlers["user_message"](Message("My sister Mia plays the cello", "monday"))
        second = await router.handlers["agent_response"]({"content": "How long?", "session_id": "monday"})
        (edge,) = extension.storage.get_edges(second, "temporal")
        assert (edge["source_id"], edge["target_id"]) == (first, second)
        done = await bus.handlers["session.completed"]({"session_id": "monday"})
        assert not done["skipped"]
        assert (await bus.handlers["session.completed"]({"session_id": "monday"}))["skipped"]
        block = await extension.get_context("What does my sister Mia play?")
        assert block is not None
        assert "cello" in block
        assert await extension.get_context("thanks!") is None
        kept = await extension.call_tool("remember_fact", {"content": "Mia lives in Lima"}, session_id="monday")
        assert kept["saved"]
        assert len(extension.get_tools()) == 8
        (nightly,) = extension.get_schedules()
        assert nightly.cron == "0 3 * * *"
        report = await extension.execute_task(nightly.task)
        assert (report["verb"], report["state"]) == ("maintain", "done")
        with pytest.raises(UsageError, match="no task"):
            await extension.execute_task("sing")
        with pytest.raises(UsageError, match="content"):
            await extension.on_user_message({"session_id": "monday"})
        await extension.destroy()

    asyncio.run(day())
    assert (tmp_path / "data" / "memory.db").exists()


def test_an_extension_forgets_by_the_designs_curve_and_takes_its_manifest(tmp_path: Path) -> None:
    manifest = {"decay_threshold": 0.1, "rrf_k": 30, "rrf_weight_fts": 2.0, "rrf_weight_graph": 1.0}
    extension = MemoryExtension(tmp_path, manifest=manifest, embedder="fake")
    config = extension.memory.config
    assert (config.decay.curve, config.decay.gc_threshold, config.recall.rrf_k) == ("assistant", 0.1, 30)
    assert config.recall.rerank == "rrf"
    assert (config.recall.text_weight, config.recall.vector_weight, config.recall.graph_weight) == (1.0, 0.5, 0.5)
    asyncio.run(extension.destroy())
    plain = MemoryExtension(tmp_path, embedder="fake")
    assert plain.memory.config.recall.rerank == "mmr"
    for key in MANIFEST.values():
        assert plain.memory.config.value(key) is not None
    asyncio.run(plain.destroy())
    with pytest.raises(UsageError, match="colour"):
        MemoryExtension(tmp_path, manifest={"colour": "red"})


def test_an_extension_needs_a_folder_or_a_memory(memory: Memory, tmp_path: Path) -> None:
    for wrong in ({}, {"data_dir": tmp_path, "memory": memory}, {"memory": memory, "manifest": {"rrf_k": 9}}):
        with pytest.raises(UsageError):
            MemoryExtension(**wrong)  # type: ignore[arg-type]
    asyncio.run(MemoryExtension(memory=memory).destroy())
    assert memory.stats()  # a memory that was given stays open


# --- storage ----------------------------------------------------------------------------------------------------------


def test_nodes_are_stored_changed_and_ended(storage: MemoryStorage, clock: Ticking) -> None:
    id_ = storage.save_node("procedural", "To deploy, tag the commit", confidence=0.6, decay_rate=0.2)
    node = storage.get_node(id_)
    assert node is not None
    assert (node["type"], node["confidence"], node["decay_rate"], node["valid_until"]) == ("procedural", 0.6, 0.2, None)
    storage.update_node(id_, confidence=0.9)
    assert [each["id"] for each in storage.get_decayable_nodes()] == [id_]
    storage.soft_delete(id_, "no longer done")
    ended = storage.get_node(id_)
    assert ended is not None
    assert ended["valid_until"] is not None
    assert storage.memory.search("deploy the commit").hits == ()
    assert storage.get_decayable_nodes() == []
    assert storage.get_node("nobody") is None


def test_edges_lead_as_the_design_has_them(storage: MemoryStorage) -> None:
    a, b, c = (
        storage.save_node("episodic", text) for text in ("The disk was full", "The login broke", "We called Ben")
    )
    storage.save_edge(a, b, "causal", confidence=0.7)
    storage.save_edge(b, c, "temporal")
    (causal,) = storage.get_edges(b, "causal")
    assert (causal["source_id"], causal["target_id"], causal["confidence"]) == (a, b, 0.7)
    (temporal,) = storage.get_edges(b, "temporal")
    assert (temporal["source_id"], temporal["target_id"]) == (b, c)
    assert [node["id"] for node in storage.causal_chain(b)] == [a]
    assert [node["id"] for node in storage.temporal_chain(c)] == [b]
    assert storage.stats()["edges"]["causal"] == 1
    with pytest.raises(UsageError, match="relation_type"):
        storage.save_edge(a, b, "hates")


def test_sessions_wait_until_they_were_gone_over(storage: MemoryStorage) -> None:
    storage.ensure_session("monday")
    assert storage.pending_sessions() == ["monday"]
    for number in range(5):
        storage.memory.add({"role": "user", "content": f"turn {number}"}, session_id="tuesday", infer=False)
    page = storage.get_session_episodes("tuesday", offset=1, limit=2)
    assert [node["content"] for node in page] == ["turn 1", "turn 2"]
    assert not storage.is_session_consolidated("tuesday")
    assert storage.mark_session_consolidated("tuesday")
    assert storage.is_session_consolidated("tuesday")
    storage.memory.add({"role": "user", "content": "one more"}, session_id="tuesday", infer=False)
    assert not storage.is_session_consolidated("tuesday")
    assert not storage.mark_session_consolidated("nobody's")
    ben = MemoryStorage(storage.memory.scoped(user_id="ben"))
    assert (ben.pending_sessions(), ben.is_session_consolidated("tuesday")) == ([], False)


# --- retrieval --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", [KeywordIntentClassifier(), EmbeddingIntentClassifier(FakeEmbedder())])
def test_classifiers_say_what_is_asked_for(classifier: Any) -> None:
    asked = {
        "Why did the login break?": "why",
        "When did Ana move?": "when",
        "Who wrote the parser?": "who",
        "Почему сломался вход?": "why",
    }
    assert {query: classifier.classify(query) for query in asked} == asked


def test_a_complex_prompt_gets_more(memory: Memory) -> None:
    for number in range(120):
        memory.add(f"Report {number} says that the harbour of Lima was closed on day {number} because of heavy fog")
    retrieval = MemoryRetrieval(memory)
    simple = "When was the harbour of Lima closed?"
    long = "Compare all reports about the harbour of Lima that was closed and explain how they are related, and why"
    assert (classify_query_complexity(simple), classify_query_complexity(long)) == ("simple", "complex")
    small, large = retrieval.assemble_context(simple), retrieval.assemble_context(long)
    assert small is not None
    assert large is not None
    assert len(small) < 1000 * 5 < len(large)
    assert len(retrieval.search(simple)) == 5
    assert retrieval.assemble_context("Which opera did Verdi write in 1853?") is None


# --- upkeep -----------------------------------------------------------------------------------------------------------


def test_decay_prunes_by_the_designs_curve_whatever_the_store_is_set_to(storage: MemoryStorage, clock: Ticking) -> None:
    assert storage.memory.config.decay.curve == "engram"
    weak = storage.save_node("semantic", "Ana had soup for lunch", confidence=0.3, source="orchestrator")
    sure = storage.save_node("semantic", "Ana is allergic to peanuts", confidence=1.0, source="orchestrator")
    storage.memory.confirm(sure)
    clock.skip(45)
    assert DecayService().apply(storage, dry_run=True)["pruned"] == 1
    done = DecayService(threshold=0.05).apply(storage)
    assert done["pruned"] == 1
    node = storage.get_node(weak)
    assert node is not None
    assert node["valid_until"] is not None
    storage.memory.undo(done["operation"])
    assert DecayService(threshold=0.01).apply(storage)["pruned"] == 0


def test_an_agent_makes_knowledge_of_a_session_once(memory: Memory) -> None:
    agent = MemoryAgent(memory)
    memory.add(
        [
            {"role": "user", "content": "The cache of the shop was full on Monday"},
            {"role": "user", "content": "The login broke because the cache of the shop was full"},
        ],
        session_id="monday",
    )
    assert agent.consolidate_session("monday")["state"] == "done"
    assert agent.consolidate_session("monday")["skipped"]
    assert agent.infer_causes()["counts"].get("caused", 0) + len(memory.relations(labels=["causes"]).edges) > 0
    for told in ("owns the parser", "works at Acme", "plays chess", "likes green tea"):
        memory.add(f"Ben Stone {told}")
    assert agent.enrich_entities()["counts"]["enriched"] >= 1
    assert agent.consolidate_pending()["state"] == "done"


def test_the_nine_tools_make_knowledge_by_hand(memory: Memory) -> None:
    tools = WritePathTools(memory)
    assert all(callable(getattr(tools, name)) for name in WRITE_PATH_TOOLS)
    talk = [{"role": "user", "content": "Ben Stone moved the stand-up"}, {"role": "assistant", "content": "To ten?"}]
    memory.add(talk, session_id="monday", infer=False)
    assert not tools.is_session_consolidated("monday")
    first, second = tools.get_session_episodes("monday")
    saved = tools.save_nodes_batch(
        [
            {"type": "semantic", "content": "The stand-up led by Ben Stone is at nine", "confidence": 0.8},
            {"type": "opinion", "content": "Ben Stone dislikes early meetings", "source_ids": [first["id"]]},
        ],
        session_id="monday",
    )
    assert [record.id for record in memory.explain(saved[1]).derived_from] == [first["id"]]
    assert "Ben Stone" in tools.extract_and_link_entities(saved)[saved[0]]
    (conflict,) = tools.detect_conflicts("The stand-up led by Ben Stone is not at nine")
    assert (conflict["id"], conflict["confidence_of_conflict"]) == (saved[0], 0.7)
    (new,) = tools.save_nodes_batch([{"type": "semantic", "content": "Meetings of Ben Stone begin at ten"}])
    tools.resolve_conflict(saved[0], new, reason="it was moved")
    assert [record.id for record in memory.explain(new).replaced] == [saved[0]]
    ended = memory.get(saved[0])
    assert ended is not None
    assert ended.valid_until is not None
    (edge,) = tools.save_causal_edges([{"cause_id": first["id"], "effect_id": second["id"], "evidence": "he asked"}])
    (caused,) = memory.related(second["id"], labels=["causes"]).edges
    assert (caused.id, caused.confidence) == (edge, 0.7)
    tools.update_entity_summary("Ben Stone", "Leads the stand-up")
    profile = memory.entity("Ben Stone")
    assert profile is not None
    assert profile.entity.summary == "Leads the stand-up"
    assert tools.mark_session_consolidated("monday")
    assert tools.is_session_consolidated("monday")


@pytest.mark.parametrize(
    "bad",
    [
        {"type": "semantic"},
        {"type": "episodic", "content": "x"},
        {"type": "semantic", "content": "x", "confidence": 2},
        {"type": "semantic", "content": "x", "source_ids": ["nobody"]},
    ],
)
def test_a_batch_with_a_bad_node_stores_nothing(memory: Memory, bad: dict[str, Any]) -> None:
    with pytest.raises((UsageError, NotFound)):
        WritePathTools(memory).save_nodes_batch([{"type": "semantic", "content": "Ana sails"}, bad])
    assert memory.get_all().records == ()
    with pytest.raises(NotFound):
        WritePathTools(memory).update_entity_summary("Zoe", "nobody")
