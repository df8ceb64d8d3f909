"""What makes knowledge of conversations at night, or when one has ended: `MemoryAgent`, its tools, and `DecayService`.

The design has a language model call tools one after the other. Here the steps are the core's (docs/upkeep.md): rules do
them, and a model where one is configured. An agent of your own can call the nine tools instead (`WritePathTools`). They
are not for the assistant's own model. Each does its work through the verbs of the memory, so `undo` takes it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.compat.assistant.nodes import TYPES
from recollect.compat.assistant.storage import MemoryStorage
from recollect.errors import NotFound, UsageError, shown
from recollect.facade.handle import engine_in_use
from recollect.facade.upkeep import run_of
from recollect.ingest import check
from recollect.memory import Memory
from recollect.model.run import RunReport
from recollect.perceive.relations.standing import CONTRADICTS, RelationCandidate, relations_in
from recollect.store.base import Tx
from recollect.upkeep.forgetting.strength import ASSISTANT

SOURCE = "consolidation"
WRITE_PATH_TOOLS = (
    "is_session_consolidated",
    "get_session_episodes",
    "save_nodes_batch",
    "extract_and_link_entities",
    "detect_conflicts",
    "resolve_conflict",
    "mark_session_consolidated",
    "save_causal_edges",
    "update_entity_summary",
)
_FACTS = tuple(type_ for type_ in TYPES if type_ != "episodic")
_SUMMARY_CHARS_MAX = 4_000


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


class WritePathTools:
    """The tools over one memory. What makes no sense is an error of the memory's, and changes nothing."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._storage = MemoryStorage(memory)

    def is_session_consolidated(self, session_id: str) -> bool:
        """Whether a session was gone over since its last turn."""
        return self._storage.is_session_consolidated(session_id)

    def get_session_episodes(self, session_id: str, offset: int = 0, limit: int = 50) -> list[dict[str, Any]]:
        """Turns of a session in their order, a page at a time."""
        return self._storage.get_session_episodes(session_id, offset, limit)

    def save_nodes_batch(self, nodes: Iterable[Mapping[str, Any]], session_id: str | None = None) -> list[str]:
        """Store facts, procedures and opinions; their ids.

        Each is `{"type", "content", "confidence", "source_ids"}`, of which the first two are needed; it is joined to
        the turns it was drawn from by `derived_from` edges. All of them are checked before the first is stored.
        """
        given = [_wanted(at, each) for at, each in enumerate(nodes)]
        for _, sources in given:
            for source in sources:
                if self.memory.get(source) is None:
                    raise NotFound(f"no turn has the id {shown(source, 80)}")
        saved: list[str] = []
        for fields, sources in given:
            saved.append(self.memory.add(**fields, source=SOURCE, session_id=session_id).id)
            for source in sources:
                self.memory.relate(saved[-1], source, "derived_from")
        return saved

    def extract_and_link_entities(self, node_ids: Sequence[str]) -> dict[str, list[str]]:
        """The entities that nodes name, by the ids of the nodes; what was stored and not read yet is read first."""
        self.memory.settle()
        return {id_: list(self.memory.explain(id_).entities) for id_ in node_ids}

    def detect_conflicts(self, content: str, limit: int = 5) -> list[dict[str, Any]]:
        """Facts near a statement that cannot hold beside it, or are known to contradict one that says the same.

        Each is a node with `confidence_of_conflict` and the words that speak for it; the surest first.
        """
        near = self.memory.search(check.content(content, bytes_max=None), top_k=limit, kinds=_FACTS)
        said = {hit.id: hit.content for hit in near}
        found: dict[str, tuple[float, str]] = {}
        candidates = [RelationCandidate(key=id_, text=text) for id_, text in said.items()]
        for relation in relations_in(content, candidates, settings=self.memory.config.perceive):
            if relation.label == CONTRADICTS:
                found[relation.key] = (relation.confidence, relation.evidence)
        alike = [id_ for id_, text in said.items() if text.casefold() == content.casefold()]
        for id_ in alike:
            against = self.memory.contradictions(id_)
            for record in against:
                edges = [edge for edge in against.edges if record.id in {each.record_id for each in edge.members}]
                sure = max((edge.confidence for edge in edges), default=0.0)
                found.setdefault(record.id, (sure, "; ".join(edges[0].evidence) if edges else ""))
        surest = sorted(found, key=lambda id_: -found[id_][0])
        nodes = [self._storage.get_node(id_) for id_ in surest]
        return [
            node | {"confidence_of_conflict": found[node["id"]][0], "evidence": found[node["id"]][1]}
            for node in nodes
            if node is not None
        ]

    def resolve_conflict(self, old_id: str, new_id: str, reason: str | None = None) -> str:
        """Let one fact take the place of another: the old one ends now; the id of the `supersedes` edge."""
        edge = self.memory.relate(new_id, old_id, "supersedes", evidence=reason)
        self._storage.soft_delete(old_id, reason)
        return edge

    def mark_session_consolidated(self, session_id: str) -> bool:
        """Note that a session was gone over; False if there is no such session."""
        return self._storage.mark_session_consolidated(session_id)

    def save_causal_edges(self, pairs: Iterable[Mapping[str, Any]]) -> list[str]:
        """Join causes to effects; the ids of the edges. Each is `{"cause_id", "effect_id", "evidence"}`."""
        usual = self.memory.config.graph.causal_confidence
        return [
            self.memory.relate(
                pair["cause_id"],
                pair["effect_id"],
                "causes",
                evidence=pair.get("evidence"),
                confidence=pair.get("confidence", usual),
            )
            for pair in pairs
        ]

    def update_entity_summary(self, name: str, summary: str) -> str:
        """Say in your own words what is known about an entity; its id."""
        text = check.name(summary, "summary", chars_max=_SUMMARY_CHARS_MAX)
        engine, memory = engine_in_use(self.memory), self.memory

        def work(tx: Tx) -> str:
            found = tx.entities.named(check.name(name, "name"), tx.scopes.visible(memory.grant.held))
            if not found:
                raise NotFound(f"no entity is called {shown(name, 60)}, or it is not visible from this scope")
            pk, entity = found[0]
            scope_pk = tx.entities.scope_pk(pk)
            op = tx.journal.begin("update", at=engine.clock(), scope_pk=scope_pk, actor=memory.actor)
            tx.entities.revise(op, pk, {"summary": text})
            op.finish(1)
            return entity.id

        return str(engine.store.write(work))


def _wanted(at: int, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """(fields of `add`, ids of the turns it was drawn from) of one node."""
    if not isinstance(given, Mapping) or given.get("type") not in _FACTS:
        raise UsageError(f"node {at} needs a type, one of {', '.join(_FACTS)}, and a content")
    content = check.content(given.get("content"), bytes_max=None)
    confidence = check.share(given.get("confidence", 1.0), "confidence")
    return {"content": content, "kind": given["type"], "confidence": confidence}, list(given.get("source_ids") or ())


class DecayService:
    """Prunes by `confidence · exp(-decay_rate · days^0.8)`, whichever curve the store is set to forget by.

    Without a threshold that of the store's settings counts (`decay.gc_threshold`, 0.05).
    """

    def __init__(self, threshold: float | None = None) -> None:
        self._settings: dict[str, Any] = {"decay.curve": ASSISTANT}
        if threshold is not None:
            self._settings["decay.gc_threshold"] = threshold

    def apply(self, storage: MemoryStorage, *, dry_run: bool = False) -> dict[str, Any]:
        """Archive what has faded; how many nodes that were, and the operation that `memory.undo` takes back."""
        report = run_of(storage.memory, "decay", dry_run=dry_run, settings=self._settings)
        return {"pruned": report.counts.get("archived", 0), "operation": report.operation, "dry_run": dry_run}
