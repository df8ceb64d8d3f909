"""A node as a record, an edge as an edge of the core, and back.

A node's id may be any text, a record's is a UUID: the one is made of the other (`ids.id_of_name`), so that a node is
found by its id without an index of its own, by every verb. A node whose id is a UUID has it as its record's, which is
why every record of the store is a node. What has no column is in the attributes: the id as given, chunk, section, the
caller's vector, dates as written.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.clock import from_us, to_us
from recollect.compat.topology.facets import ContentFacets
from recollect.compat.topology.memory_node import MemoryNode
from recollect.compat.topology.spatial import PositionType, SpatialContext
from recollect.compat.topology.structural import Chunk, ChunkType, DocumentSection, SectionType
from recollect.compat.topology.topology import ConceptEdge, RelationType
from recollect.errors import DimensionMismatch, UsageError
from recollect.exchange.formats.topology import AWAITED
from recollect.ids import id_of_name
from recollect.ingest import check
from recollect.limits import CONTENT_BYTES_CEILING, REASON_CHARS_MAX
from recollect.model.columns import RecordRow
from recollect.model.edge import CIRCULAR, rule_of
from recollect.model.record import Kind, Record, Tier
from recollect.store.edges import DECAYED_TO
from recollect.store.rows import content_hash, from_json, to_json

CATEGORIES = ("fact", "experience", "snippet")  # of the records that nodes become
_OWN = ("node_id", "chunk", "section", "embedding", "created_at", "updated_at")
_VECTOR = np.dtype("<f4")
_NOT_LOOKED_FOR = "{}"  # a node is kept as given: nothing is to be perceived in it later


def row_of(node: MemoryNode, dimensions: int) -> RecordRow:
    """The row of a node, but for its scope and times; a `UsageError` if it cannot be kept."""
    name = check.name(node.id, "id")
    text = check.content(node.content, bytes_max=CONTENT_BYTES_CEILING)
    kind, category = _sort_of(node.spatial)
    place = check.place(node.spatial.place) if node.spatial else None
    facets = check.facets(node.facets.facets) if node.facets else None
    return RecordRow(
        id=id_of_name(name),
        scope_pk=0,
        content=text,
        content_hash=content_hash(text),
        created_at=0,
        updated_at=0,
        recorded_at=0,
        kind=kind,
        category=category,
        place=place,
        facets=facets,
        event_time=_time(node.created_at),
        attributes=check.mapping(_attributes(node, dimensions), "attributes"),
        perceived=_NOT_LOOKED_FOR,
    )


def awaited_row(node_id: str) -> RecordRow:
    """The row of a node that is only known by name. In the archive, without words: no search finds it."""
    return RecordRow(
        id=id_of_name(node_id),
        scope_pk=0,
        content=node_id,
        content_hash=content_hash(node_id),
        created_at=0,
        updated_at=0,
        recorded_at=0,
        kind=Kind.ENTITY.value,
        category=AWAITED,
        tier=Tier.ARCHIVE.value,
        decay_rate=0.0,
        attributes=to_json({"node_id": node_id}),
        perceived=_NOT_LOOKED_FOR,
    )


def node_of(record: Record, outgoing: list[ConceptEdge], incoming: list[ConceptEdge]) -> MemoryNode:
    """A record as a node; total, whoever wrote the record."""
    kept = record.attributes
    embedding = kept.get("embedding")
    return MemoryNode(
        id=kept.get("node_id", record.id),
        content=record.content,
        chunk=_chunk(kept.get("chunk")),
        spatial=SpatialContext.at(record.place) if record.place else None,
        section=_section(kept.get("section"), record.content),
        facets=ContentFacets.of(record.facets) if record.facets else None,
        outgoing_edges=outgoing,
        incoming_edges=incoming,
        created_at=kept.get("created_at", record.created_at.isoformat()),
        updated_at=kept.get("updated_at", record.updated_at.isoformat()),
        embedding=tuple(unpacked(embedding).tolist()) if isinstance(embedding, str) else None,
    )


def merged_attributes(new: str | None, old: str | None) -> str | None:
    """The attributes of a node that is stored again: its own are new, what others noted stays."""
    others = {name: value for name, value in from_json(old, {}).items() if name not in _OWN}
    return to_json({**others, **from_json(new, {})})


def packed(embedding: Any, dimensions: int) -> str:
    """A vector as text: little-endian 32-bit floats."""
    try:
        numbers = np.asarray(embedding, dtype=_VECTOR)
    except (TypeError, ValueError):
        raise UsageError("embedding must be a list of numbers") from None
    if numbers.shape != (dimensions,):
        raise DimensionMismatch(f"embedding has {numbers.size} numbers; this store was opened for {dimensions}")
    if not np.isfinite(numbers).all():
        raise UsageError("embedding must hold finite numbers")
    return base64.b64encode(numbers.tobytes()).decode()


def unpacked(text: str) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(text), dtype=_VECTOR)


# --- edges ----------------------------------------------------------------------------------------------------------


def labels_of(relation: RelationType) -> tuple[str, ...]:
    """The labels that a relation has in the store."""
    value = RelationType(relation).value
    return (value, CIRCULAR + value) if rule_of(value).acyclic else (value,)


LABELS = tuple(label for relation in RelationType for label in labels_of(relation))


def edge_values(edge: ConceptEdge) -> dict[str, Any]:
    """What the store keeps of an edge besides its ends and label; its loss of confidence counts from its timestamp."""
    check.one_of(RelationType, edge.relation, "relation")
    for end in (edge.source_id, edge.target_id):
        check.name(end, "the id of a node in an edge")
    if edge.source_id == edge.target_id:
        raise UsageError(f"an edge leads from {edge.source_id!r:.60} to itself; a relation joins two nodes")
    if not isinstance(edge.evidence, str):
        raise UsageError(f"the evidence of an edge is a text, not {type(edge.evidence).__name__}")
    why = [check.name(edge.evidence, "evidence", chars_max=REASON_CHARS_MAX)] if edge.evidence.strip() else []
    told_at = _time(edge.timestamp)
    faded = {} if told_at is None else {DECAYED_TO: told_at}
    return {
        "confidence": check.share(edge.confidence, "confidence"),
        "evidence": why,
        "auto_extracted": bool(edge.auto_extracted),
        "attributes": {"timestamp": edge.timestamp, **faded},
    }


def edge_of(source: str, target: str, label: str, values: Mapping[str, Any]) -> ConceptEdge:
    """An edge of the store in the words of RFC-014."""
    timestamp = values["attributes"].get("timestamp")
    return ConceptEdge(
        source_id=source,
        target_id=target,
        relation=RelationType(label.removeprefix(CIRCULAR)),
        confidence=values["confidence"],
        evidence="; ".join(values["evidence"]),
        auto_extracted=values["auto_extracted"],
        timestamp=from_us(values["recorded_at"]).isoformat() if timestamp is None else timestamp,
        id=values["id"],
    )


# --- parts ----------------------------------------------------------------------------------------------------------


def _sort_of(spatial: SpatialContext | None) -> tuple[str, str]:
    """(kind, category) of a record by where the node stands."""
    if spatial is None:
        return Kind.SEMANTIC.value, CATEGORIES[0]
    if spatial.position_type == PositionType.CONVERSATION:
        return Kind.EPISODIC.value, CATEGORIES[1]
    return Kind.SNIPPET.value, CATEGORIES[2]


def _attributes(node: MemoryNode, dimensions: int) -> dict[str, Any]:
    section = asdict(node.section) if node.section else None
    if section and section["content"] == node.content:
        del section["content"]  # said once is enough
    given = {
        "node_id": node.id,
        "created_at": node.created_at,
        "updated_at": node.updated_at,
        "section": section,
        "chunk": asdict(node.chunk) if node.chunk else None,
        "embedding": None if node.embedding is None else packed(node.embedding, dimensions),
    }
    return {name: value for name, value in given.items() if value is not None}


def _chunk(kept: Any) -> Chunk | None:
    if not isinstance(kept, Mapping):
        return None
    first, last = kept["turn_range"]
    ranges = {"turn_range": (first, last), "themes": tuple(kept["themes"])}
    return Chunk(**{**kept, **ranges, "chunk_type": ChunkType(kept["chunk_type"])})


def _section(kept: Any, content: str) -> DocumentSection | None:
    if not isinstance(kept, Mapping):
        return None
    parts = {"content": content, **kept}
    return DocumentSection(**{**parts, "section_type": SectionType(parts["section_type"])})


def _time(text: Any) -> int | None:
    """Microseconds of an ISO text, None of anything else; without a zone it is local."""
    try:
        return to_us(datetime.fromisoformat(text).astimezone(UTC))
    except (ValueError, TypeError, OverflowError):
        return None
