"""MemoryStorage: the assistant's graph of nodes, edges and sessions, by its own words, through the verbs of one memory.

The design queues its writes behind one writer; here the store does that, and what a call stored is durable when it
returns. Nothing is deleted: a node that is no longer true has ended, and `memory.undo` takes any of it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.clock import from_us
from recollect.compat.assistant.confidence import Confidence
from recollect.compat.assistant.figures import figures_of
from recollect.compat.assistant.nodes import EDGE_TYPES, TYPES, edge_type, node
from recollect.compat.bridging import every
from recollect.errors import UsageError, shown
from recollect.facade.audited import bridged
from recollect.facade.handle import engine_in_use
from recollect.ingest import check
from recollect.memory import Memory
from recollect.model.edge import Edge
from recollect.model.record import Record
from recollect.model.scope import GLOBAL, Reach
from recollect.store.base import Tx

# The design's types of edges → the label, and whether the core tells the relation from the other end: what comes later
# `follows` what was before.
_LABELS: Mapping[str, tuple[str, bool]] = {
    "temporal": ("follows", True),
    "causal": ("causes", False),
    "entity": ("relates_to", False),
    "derived_from": ("derived_from", False),
    "supersedes": ("supersedes", False),
}
_CHAIN_DEPTH = 4  # of a complex question, by the design


@bridged
class MemoryStorage:
    """The graph of one memory. A scoped handle keeps it within its scope."""

    def __init__(self, memory: Memory) -> None:
        if not isinstance(memory, Memory):
            raise UsageError("the storage needs a memory: MemoryStorage(recollect.open())")
        self.memory = memory
        self._confidence = Confidence(memory)

    # --- nodes ----------------------------------------------------------------------------------------------------

    def save_node(self, type: str, content: str, *, session_id: str | None = None, **fields: Any) -> str:
        """Store a node of one of the four types; its id. `fields` are those of a record, decay_rate among them."""
        if type not in TYPES:
            raise UsageError(f"type must be one of {', '.join(TYPES)}, not {shown(type, 40)}")
        return self.memory.add({"content": content, "kind": type, **fields}, session_id=session_id).id

    def get_node(self, node_id: str) -> dict[str, Any] | None:
        """A node by its id, ended ones included, as sure as it is now."""
        record = self.memory.get(node_id)
        return None if record is None else self.nodes([record])[0]

    def update_node(self, node_id: str, **fields: Any) -> None:
        """Change fields of a node; the version before stays in its history."""
        self.memory.update(node_id, **fields)

    def soft_delete(self, node_id: str, reason: str | None = None) -> None:
        """End a node now: `valid_until` is set, searches leave it out, its history stays."""
        ended = from_us(engine_in_use(self.memory).clock())
        self.memory.update(node_id, valid_until=ended, reason=reason)

    def nodes(self, records: Sequence[Record]) -> list[dict[str, Any]]:
        """Records as nodes, in their order."""
        sure = self._confidence.now(record.id for record in records)
        return [node(record, sure.get(record.id)) for record in records]

    def get_decayable_nodes(self) -> list[dict[str, Any]]:
        """What fades: everything that is neither a turn nor protected, the least sure first."""
        return [node(weak.record, weak.confidence) for weak in self._confidence.weak(None, below=float("inf"))]

    # --- edges ----------------------------------------------------------------------------------------------------

    def save_edge(
        self,
        source_id: str,
        target_id: str,
        relation_type: str,
        *,
        weight: float = 1.0,
        confidence: float = 1.0,
        evidence: str | Sequence[str] | None = None,
    ) -> str:
        """Join two nodes; the edge's id. A temporal edge leads from the earlier to the later one, a causal one from
        the cause to the effect."""
        if relation_type not in _LABELS:
            raise UsageError(f"relation_type must be one of {', '.join(_LABELS)}, not {shown(relation_type, 40)}")
        label, reverse = _LABELS[relation_type]
        ends = (target_id, source_id) if reverse else (source_id, target_id)
        return self.memory.relate(*ends, label, weight=weight, confidence=confidence, evidence=evidence)

    def get_edges(self, node_id: str, relation_type: str | None = None) -> list[dict[str, Any]]:
        """The edges of a node, of one type if it is named, as the design tells them."""
        told = [_edge(edge) for edge in self.memory.related(node_id).edges if len(edge.members) == 2]
        return [edge for edge in told if relation_type in (None, edge["relation_type"])]

    def temporal_chain(self, node_id: str, depth: int = _CHAIN_DEPTH) -> list[dict[str, Any]]:
        """What was said right before and after, nearest first."""
        return self.nodes(self.memory.related(node_id, labels=["follows"], depth=depth).records)

    def causal_chain(self, node_id: str, depth: int = _CHAIN_DEPTH) -> list[dict[str, Any]]:
        """Causes and effects of a node, nearest first."""
        causal = [label for label, type_ in EDGE_TYPES.items() if type_ == "causal"]
        return self.nodes(self.memory.related(node_id, labels=causal, depth=depth).records)

    def nodes_of_entity(self, name: str) -> list[dict[str, Any]]:
        """What tells most about an entity, under any of its names, and the newest that names it."""
        profile = self.memory.entity(name)
        if profile is None:
            return []
        return self.nodes(list({record.id: record for record in (*profile.telling, *profile.newest)}.values()))

    # --- sessions -------------------------------------------------------------------------------------------------

    def ensure_session(self, session_id: str) -> None:
        """Register a session; the first turn that names it does so, too."""
        name, engine = check.name(session_id, "session_id"), engine_in_use(self.memory)

        def work(tx: Tx) -> None:
            tx.sessions.ensure(name, tx.scopes.ensure(self.memory.grant.held), at=engine.clock())

        engine.store.write(work)

    def pending_sessions(self) -> list[str]:
        """Sessions that wait to be consolidated, the oldest first."""
        with engine_in_use(self.memory).store.read() as tx:
            return list(dict.fromkeys(tx.sessions.unconsolidated(self._scope_pks(tx))))

    def is_session_consolidated(self, session_id: str) -> bool:
        """Whether a session is known and was gone over since its last turn."""
        with engine_in_use(self.memory).store.read() as tx:
            return tx.sessions.consolidated(session_id, self._scope_pks(tx))

    def mark_session_consolidated(self, session_id: str) -> bool:
        """Note that everything said in a session so far was gone over; False if there is no such session."""
        name, engine = check.name(session_id, "session_id"), engine_in_use(self.memory)

        def work(tx: Tx) -> bool:
            found = tx.sessions.named(name, self._scope_pks(tx))
            for each in found:
                tx.sessions.move_on(each, to=tx.sessions.newest_record(each.session_pk), at=engine.clock())
            return bool(found)

        return bool(engine.store.write(work))

    def get_session_episodes(self, session_id: str, offset: int = 0, limit: int = 50) -> list[dict[str, Any]]:
        """Turns of a session in their order, a page at a time."""
        newest_first = list(every(self.memory, {}, session_id=session_id, kinds=("episodic",)))
        return self.nodes(newest_first[::-1][max(0, offset) : max(0, offset) + max(0, limit)])

    def _scope_pks(self, tx: Tx) -> list[int] | None:
        """The scopes whose sessions this storage speaks of; None: all of them."""
        if self.memory.grant.owner and self.memory.grant.held == GLOBAL:
            return None
        return tx.scopes.visible(self.memory.grant.held, Reach.OWN) or []

    def stats(self) -> dict[str, Any]:
        """Figures of the graph."""
        return figures_of(self.memory)


def _edge(edge: Edge) -> dict[str, Any]:
    type_ = edge_type(edge.label)
    source, target = (member.record_id for member in edge.members)
    if _LABELS[type_][1] or edge.label == "caused_by":
        source, target = target, source
    return {
        "id": edge.id,
        "source_id": source,
        "target_id": target,
        "relation_type": type_,
        "predicate": edge.label,
        "weight": edge.weight,
        "confidence": edge.confidence,
        "evidence": list(edge.evidence),
    }
