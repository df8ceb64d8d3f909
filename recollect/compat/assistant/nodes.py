"""Records in the words of the assistant's design: nodes of four types, typed edges, entities."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.model.record import Record
from recollect.model.result import Hit

TYPES = ("episodic", "semantic", "procedural", "opinion")
# Labels of the core → the five types of edges the design knows; what is none of these relates what it joins.
EDGE_TYPES: Mapping[str, str] = {
    "follows": "temporal", "causes": "causal", "caused_by": "causal", "derived_from": "derived_from",
    "supersedes": "supersedes", "updates": "supersedes",
}  # fmt: skip
_OTHER_EDGES = "entity"
_SOURCES = {"episodic": "conversation"}


def node(record: Record) -> dict[str, Any]:
    """A record as a node. Kinds that the design does not know are facts to it."""
    return {
        "id": record.id, "type": type_of(record.kind), "content": record.content,
        "event_time": _iso(record.event_time or record.created_at), "created_at": _iso(record.created_at),
        "valid_from": _iso(record.valid_from or record.created_at),
        "valid_until": _iso(record.valid_until or record.retired_at),
        "confidence": round(record.confidence, 4), "access_count": record.access_count,
        "last_accessed": _iso(record.last_access), "decay_rate": record.decay_rate,
        "source_type": _SOURCES.get(record.kind, record.source or "extraction"), "source_role": record.role,
        "session_id": record.session_id,
    }  # fmt: skip


def found(hit: Hit) -> dict[str, Any]:
    """What a search found, in short, with the turns it rests on."""
    return {
        "id": hit.id, "type": type_of(hit.kind), "content": hit.content, "score": round(hit.score, 4),
        "confidence": round(hit.confidence, 4), "event_time": _iso(hit.event_time or hit.created_at),
        "session_id": hit.session_id,
        "sources": [source.id for source in hit.sources if source.id != hit.id],
    }  # fmt: skip


def type_of(kind: str) -> str:
    return str(kind) if kind in TYPES else "semantic"


def edge_counts(by_label: Mapping[str, int]) -> dict[str, int]:
    """Edges by the design's types."""
    counts = dict.fromkeys(("temporal", "causal", "entity", "derived_from", "supersedes"), 0)
    for label, count in by_label.items():
        counts[EDGE_TYPES.get(label, _OTHER_EDGES)] += count
    return counts


def node_counts(by_kind: Mapping[str, int]) -> dict[str, int]:
    """Nodes by the design's types."""
    counts = dict.fromkeys(TYPES, 0)
    for kind, count in by_kind.items():
        counts[type_of(kind)] += count
    return counts


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
