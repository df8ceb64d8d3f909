"""Figures of the graph in the words of the assistant's design, of all that is stored or of what a handle sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recollect.compat.assistant.nodes import edge_counts, node_counts
from recollect.facade.handle import engine_in_use, sight_of
from recollect.limits import PAGE_RECORDS_MAX
from recollect.memory import Memory
from recollect.model.record import Tier

_RUNS = ("maintain", "consolidate", "decay", "replay")


def figures_of(memory: Memory) -> dict[str, Any]:
    """Nodes that hold now, by type, and the edges among all that was ever held: what replaced what is history too.

    `node_entities` are the mentions that join nodes to entities. When the store was last looked after and how large it
    is concerns all of it: only its owner is told.
    """
    engine, sight = engine_in_use(memory), sight_of(memory)
    now = engine.clock()
    with engine.store.read() as tx:
        counted = tx.figures.graph(sight, now=now)
        related = tx.marks.figures(replace(sight, ended=True, tiers=tuple(tier.value for tier in Tier)), now=now)
    figures: dict[str, Any] = {
        "nodes": node_counts(counted.by_kind),
        "total_nodes": sum(counted.by_kind.values()),
        "edges": edge_counts(related["by_label"]),
        "total_edges": related["edges"],
        "entities": len(memory.entities(limit=PAGE_RECORDS_MAX)),
        "node_entities": counted.mentions,
        "orphan_nodes": counted.orphans,
        "sessions": counted.sessions,
    }
    return figures | (_of_the_store(memory) if memory.grant.owner else {})


def _of_the_store(memory: Memory) -> dict[str, Any]:
    report = memory.maintain(status=True, limit=100)
    ended: dict[str, str | None] = dict.fromkeys(_RUNS)
    for run in (report, *report.history):
        if run.state == "done" and run.finished_at is not None and ended.get(run.verb) is None:
            ended[run.verb] = run.finished_at.isoformat()
    return {"storage_bytes": memory.stats().figures["size_bytes"], "maintenance": ended}
