"""MemoryExtension: the assistant's memory as one thing to plug in: tools, context before each prompt, nightly upkeep.

A host calls it by the three roles below, or subscribes its methods to its own events. Everything is awaited, and runs
in a thread of its own, so that no loop waits for a database.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from recollect.compat.assistant.agent import DecayService, MemoryAgent
from recollect.compat.assistant.retrieval import MemoryRetrieval
from recollect.compat.assistant.schemas import TOOLS
from recollect.compat.assistant.storage import MemoryStorage
from recollect.compat.assistant.tools import AssistantTools
from recollect.errors import UsageError, shown
from recollect.memory import Memory
from recollect.upkeep.forgetting.strength import ASSISTANT
from recollect.wiring import open_memory

FILE = "memory.db"
NIGHTLY = "run_nightly_maintenance"
# Keys of the design's manifest → settings of the core.
MANIFEST: Mapping[str, str] = {
    "embedding_dimensions": "embedding.dimensions",
    "decay_threshold": "decay.gc_threshold",
    "decay_rate_default": "decay.rate",
    "entity_enrichment_min_mentions": "entity.enrich_mentions_min",
    "causal_inference_batch_size": "upkeep.causal_pairs_max",
    "context_token_budget": "context.tokens",
    "rrf_k": "recall.rrf_k",
    "rrf_weight_fts": "recall.text_weight",
    "rrf_weight_vector": "recall.vector_weight",
    "rrf_weight_graph": "recall.graph_weight",
    "intent_similarity_threshold": "intent.similarity_min",
}
_WEIGHTS = ("rrf_weight_fts", "rrf_weight_vector", "rrf_weight_graph")
_TOPICS = ("user_message", "agent_response")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A task of the extension and when it wants to be run, as cron has it."""

    task: str
    cron: str


@runtime_checkable
class ToolProvider(Protocol):
    """Has tools for the main agent."""

    def get_tools(self) -> list[dict[str, Any]]: ...

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, session_id: str | None = None
    ) -> dict[str, Any]: ...


@runtime_checkable
class ContextProvider(Protocol):
    """Has something to say before an agent answers."""

    async def get_context(self, prompt: str) -> str | None: ...


@runtime_checkable
class SchedulerProvider(Protocol):
    """Wants to be woken now and then."""

    def get_schedules(self) -> Sequence[Schedule]: ...

    async def execute_task(self, task: str) -> dict[str, Any]: ...


class MemoryExtension:
    """ToolProvider, ContextProvider and SchedulerProvider over one memory.

    Give a folder, in which `memory.db` is opened with the design's curve of forgetting, or a memory of your own, which
    stays as it is set. `manifest` takes the design's keys (`MANIFEST`); whoever sets one of `rrf_*` ranks by reciprocal
    ranks. Conversations of one user: give `memory.scoped(user_id=…)` to keep several apart.
    """

    name = "memory"

    def __init__(
        self,
        data_dir: str | Path | None = None,
        *,
        memory: Memory | None = None,
        manifest: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if (data_dir is None) == (memory is None):
            raise UsageError("give the folder of the memory or an open memory, one of the two")
        if memory is not None and (manifest or options):
            raise UsageError("a memory that is open has its settings already; give manifest and options with a folder")
        self._owned = memory is None
        if memory is None:
            assert data_dir is not None
            config = {"decay.curve": ASSISTANT, **_settings(manifest or {}), **(options.pop("config", None) or {})}
            Path(data_dir).mkdir(parents=True, exist_ok=True)
            memory = open_memory(Path(data_dir) / FILE, config=config, **options)
        self.memory = memory
        self.storage = MemoryStorage(memory)
        self.retrieval = MemoryRetrieval(memory)
        self.agent = MemoryAgent(memory)
        self.decay = DecayService()

    async def initialize(self, message_router: Any = None, event_bus: Any = None) -> None:
        """Subscribe to what happens: `router.subscribe(topic, handler)` for messages, the same on a bus of events."""
        if message_router is not None:
            await _settled(message_router.subscribe(_TOPICS[0], self.on_user_message))
            await _settled(message_router.subscribe(_TOPICS[1], self.on_agent_response))
        if event_bus is not None:
            await _settled(event_bus.subscribe("session.completed", self.on_session_completed))

    async def destroy(self) -> None:
        """Let go of the file, if it was opened here."""
        if self._owned:
            await asyncio.to_thread(self.memory.close)

    # --- what happens ---------------------------------------------------------------------------------------------

    async def on_user_message(self, event: Any) -> str:
        """Keep what the user said; the id of the node.

        Where it begins another session, the one before is consolidated in the background (`upkeep.after_session`).
        """
        return await self._heard(event, "user")

    async def on_agent_response(self, event: Any) -> str:
        """Keep what the assistant answered; the id of the node."""
        return await self._heard(event, "assistant")

    async def on_session_completed(self, event: Any) -> dict[str, Any]:
        """Make knowledge of a session that has ended, once."""
        session = _part(event, "session_id")
        if session is None:
            raise UsageError("session.completed needs a session_id")
        return await asyncio.to_thread(self.agent.consolidate_session, session)

    async def _heard(self, event: Any, role: str) -> str:
        content = next((said for name in ("content", "text", "message") if (said := _part(event, name))), None)
        if content is None:
            raise UsageError("a message needs a content")
        said = {"role": role, "content": content}
        receipt = await asyncio.to_thread(self.memory.add, said, session_id=_part(event, "session_id"))
        return receipt.id

    # --- the three roles ------------------------------------------------------------------------------------------

    def get_tools(self) -> list[dict[str, Any]]:
        """The schemas of the eight tools."""
        return list(TOOLS)

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, session_id: str | None = None
    ) -> dict[str, Any]:
        """Run a tool; its answer, or what is wrong with the call."""
        return await AssistantTools(self.memory, session_id=session_id).handle(name, arguments)

    async def get_context(self, prompt: str) -> str | None:
        """What is known that helps to answer a prompt; None if nothing is."""
        return await asyncio.to_thread(self.retrieval.assemble_context, prompt)

    def get_schedules(self) -> Sequence[Schedule]:
        """Every night at three."""
        return (Schedule(task=NIGHTLY, cron="0 3 * * *"),)

    async def execute_task(self, task: str) -> dict[str, Any]:
        """Consolidate what waits, forget what has faded, sum up who is named often, find causes; what was done."""
        if task != NIGHTLY:
            raise UsageError(f"there is no task {shown(task, 40)}; there is {NIGHTLY}")
        report = await asyncio.to_thread(self.memory.maintain)
        return report.to_dict()


def _settings(manifest: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(manifest.keys() - MANIFEST.keys())
    if unknown:
        raise UsageError(f"the manifest has no key {shown(unknown[0], 40)}; it has {', '.join(MANIFEST)}")
    given = dict(manifest)
    most = max((float(given[name]) for name in _WEIGHTS if name in given), default=1.0)
    if most > 1.0:  # weights of the core are shares; only how they stand to each other changes an order
        given |= {name: float(given.get(name, 1.0)) / most for name in _WEIGHTS}
    by_ranks = {"recall.rerank": "rrf"} if any(name.startswith("rrf_") for name in given) else {}
    return by_ranks | {MANIFEST[name]: value for name, value in given.items()}


def _part(event: Any, name: str) -> Any:
    return event.get(name) if isinstance(event, Mapping) else getattr(event, name, None)


async def _settled(answer: Any) -> None:
    if inspect.isawaitable(answer):
        await answer
