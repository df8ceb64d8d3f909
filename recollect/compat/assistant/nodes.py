"""Records in the words of the assistant's design: nodes of four types, typed edges, entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.model.entity import EntityType
from recollect.model.record import Kind, Record, Tier
from recollect.model.result import Hit

TYPES = ("episodic", "semantic", "procedural", "opinion")
# Labels of the core → the five types of edges the design knows; what is none of these relates what it joins.
EDGE_TYPES: Mapping[str, str] = {
    "follows": "temporal",
    "causes": "causal",
    "caused_by": "causal",
    "derived_from": "derived_from",
    "supersedes": "supersedes",
    "updates": "supersedes",
}
_OTHER_EDGES = "entity"
_SOURCES = {"episodic": "conversation"}
# Types of entities that the design does not have, in its words.
_ENTITY_TYPES = {EntityType.TECHNOLOGY: "tool", EntityType.SERVICE: "tool", EntityType.FILE: "concept"}


def node(record: Record, confidence: float | None = None) -> dict[str, Any]:
    """A record as a node, as sure as it is now. Kinds that the design does not know are facts to it.

    What was pruned has ended: it lies in the archive since then.
    """
    pruned = record.updated_at if record.tier == Tier.ARCHIVE else None
    return {
        "id": record.id,
        "type": type_of(record.kind),
        "content": record.content,
        "event_time": _iso(record.event_time or record.created_at),
        "created_at": _iso(record.created_at),
        "valid_from": _iso(record.valid_from or record.created_at),
        "valid_until": _iso(record.valid_until or record.retired_at or pruned),
        "confidence": _rounded(record.confidence, confidence),
        "access_count": record.access_count,
        "last_accessed": _iso(record.last_access),
        "decay_rate": record.decay_rate,
        "source_type": _SOURCES.get(record.kind, record.source or "extraction"),
        "source_role": record.role,
        "session_id": record.session_id,
    }


def found(hit: Hit, confidence: float | None = None) -> dict[str, Any]:
    """What a search found, in short, with the turns it rests on."""
    return {
        "id": hit.id,
        "type": type_of(hit.kind),
        "content": hit.content,
        "score": round(hit.score, 4),
        "confidence": _rounded(hit.confidence, confidence),
        "event_time": _iso(hit.event_time or hit.created_at),
        "session_id": hit.session_id,
        "sources": [source.id for source in hit.sources if source.id != hit.id],
    }


def type_of(kind: str) -> str:
    return str(kind) if kind in TYPES else "semantic"


def kinds_of(type_: str | None) -> Sequence[str] | None:
    """The kinds of records that are shown as nodes of a type; None: any."""
    return None if type_ is None else [kind.value for kind in Kind if type_of(kind) == type_]


def entity_type(type_: EntityType) -> str:
    """One of the design's six."""
    return _ENTITY_TYPES.get(type_, type_.value)


def edge_type(label: str) -> str:
    return EDGE_TYPES.get(label, _OTHER_EDGES)


def edge_counts(by_label: Mapping[str, int]) -> dict[str, int]:
    """Edges by the design's types."""
    counts = dict.fromkeys(("temporal", "causal", "entity", "derived_from", "supersedes"), 0)
    for label, count in by_label.items():
        counts[edge_type(label)] += count
    return counts


def node_counts(by_kind: Mapping[str, int]) -> dict[str, int]:
    """Nodes by the design's types."""
    counts = dict.fromkeys(TYPES, 0)
    for kind, count in by_kind.items():
        counts[type_of(kind)] += count
    return counts


def _rounded(stored: float, now: float | None) -> float:
    return round(stored if now is None else now, 4)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
