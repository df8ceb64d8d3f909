"""MemoryAgent: what makes knowledge of conversations at night, or when one has ended.

The design has a language model call tools one after the other. Here the steps are the core's (docs/upkeep.md): rules do
them, and a model where one is configured. An agent of your own can call the nine tools instead (`agent_tools`).
"""

from __future__ import annotations

from typing import Any

from recollect.compat.assistant.agent_tools import WritePathTools
from recollect.facade.upkeep import run_of
from recollect.memory import Memory
from recollect.model.run import RunReport


class MemoryAgent:
    """Consolidation, causes and summaries of one memory, or of what a scoped handle may change."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.tools = WritePathTools(memory)

    def consolidate_session(self, session_id: str) -> dict[str, Any]:
        """Draw facts, procedures and opinions from a session; one that was gone over and has no new turn is skipped."""
        if self.tools.is_session_consolidated(session_id):
            return {"session_id": session_id, "skipped": True}
        return {"session_id": session_id, "skipped": False, **_told(self.memory.consolidate(session_id=session_id))}

    def consolidate_pending(self) -> dict[str, Any]:
        """The same for all sessions that have ended and wait."""
        return _told(self.memory.consolidate())

    def infer_causes(self) -> dict[str, Any]:
        """Join turns that say why something happened to what they speak of, at most `upkeep.causal_pairs_max` pairs."""
        return _told(run_of(self.memory, "causes"))

    def enrich_entities(self) -> dict[str, Any]:
        """Summaries for entities that are named `entity.enrich_mentions_min` times or more and have none yet."""
        return _told(run_of(self.memory, "enrich"))


def _told(report: RunReport) -> dict[str, Any]:
    return {
        "operation": report.operation,
        "state": report.state,
        "counts": dict(report.counts),
        "problems": list(report.problems),
    }
