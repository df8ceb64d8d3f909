"""Nodes, hyperedges and transitions in the words of SPEC-02, and how they are read from records and edges."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.clock import to_us
from recollect.exchange.formats.hypergraph import KINDS, UNLABELLED
from recollect.model.edge import CIRCULAR, Edge, rule_of
from recollect.model.record import Kind, Record

# What each type of node is in the one store: its kind and its category.
NODE_TYPES: Mapping[str, tuple[Kind, str]] = {type_: (Kind(kind), named) for type_, (kind, named) in KINDS.items()}
# The way back is wider, so that whatever else is in the store is some node too: a preference is a fact of
# subtype "preference", a turn an experience of subtype "turn".
_TYPE_OF_KIND = {Kind.ENTITY: "entity", Kind.EPISODIC: "experience", Kind.SNIPPET: "snippet"}
STATEMENT_KINDS = tuple(kind for kind in Kind if kind not in _TYPE_OF_KIND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One node. Times are milliseconds since 1970 UTC; `embedding` is the caller's own, byte for byte."""

    id: str
    type: str
    content: str
    tier: str
    confidence: float
    created_at: int
    updated_at: int
    last_accessed: int
    access_count: int
    subtype: str | None = None
    embedding: bytes | None = None
    provenance: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hyperedge:
    """One hyperedge; `members` are (node id, role, position), in the order of their positions."""

    id: str
    type: str
    label: str | None
    weight: float
    members: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One line of the evolution log: nodes moved from a tier to another, by what and why."""

    id: int
    timestamp: int
    operation: str
    node_ids: tuple[str, ...]
    from_tier: str
    to_tier: str
    reasoning: str | None


def node_of(record: Record) -> Node:
    """A record as a node; total, whoever wrote the record."""
    type_, kept = type_of(record.kind, record.category), record.attributes
    embedding = kept.get("embedding")
    return Node(
        id=record.id,
        type=type_,
        subtype=kept.get("subtype", record.category if record.category != NODE_TYPES[type_][1] else None),
        content=record.content,
        embedding=base64.b64decode(embedding) if isinstance(embedding, str) else None,
        tier=record.tier.value,
        confidence=record.confidence,
        provenance=kept.get("provenance", record.source),
        created_at=milliseconds(record.created_at),
        updated_at=milliseconds(record.updated_at),
        last_accessed=milliseconds(record.last_access or record.created_at),
        access_count=record.access_count,
        metadata=record.metadata,
    )


def type_of(kind: Kind, category: str) -> str:
    return _TYPE_OF_KIND.get(kind) or ("decision" if category == "decision" else "fact")


def hyperedge_of(edge: Edge) -> Hyperedge:
    members = tuple((member.record_id, member.role.value, member.position) for member in edge.members)
    bare = edge.label.removeprefix(CIRCULAR)
    label = bare if rule_of(bare).acyclic else edge.label
    told = None if label == UNLABELLED else label
    return Hyperedge(id=edge.id, type=edge.family.value, label=told, weight=edge.weight, members=members)


def milliseconds(moment: datetime) -> int:
    return to_us(moment) // 1000
