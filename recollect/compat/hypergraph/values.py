"""Nodes, hyperedges and transitions in the words of SPEC-02, and how they are read from records and edges."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from recollect.clock import to_us
from recollect.errors import UsageError
from recollect.exchange.formats.hypergraph import KINDS, UNLABELLED
from recollect.ingest import check
from recollect.ingest.drafts import FIELDS
from recollect.limits import NAME_CHARS_MAX
from recollect.model.edge import CIRCULAR, Edge, Role, rule_of
from recollect.model.record import Kind, Record
from recollect.store.rows import from_json

# What each type of node is in the one store: its kind and its category.
NODE_TYPES: Mapping[str, tuple[Kind, str]] = {type_: (Kind(kind), named) for type_, (kind, named) in KINDS.items()}
# The way back is wider, so that whatever else is in the store is some node too: a preference is a fact of
# subtype "preference", a turn an experience of subtype "turn".
_TYPE_OF_KIND = {Kind.ENTITY: "entity", Kind.EPISODIC: "experience", Kind.SNIPPET: "snippet"}
STATEMENT_KINDS = tuple(kind for kind in Kind if kind not in _TYPE_OF_KIND)
PROVENANCE_CHARS_MAX = 4_000
EMBEDDING_BYTES_MAX = 32 * 1024  # 8,192 numbers; the attributes of a record hold 64 KiB in all
_TEXTS = {"subtype": NAME_CHARS_MAX, "provenance": PROVENANCE_CHARS_MAX}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A checked wish: columns in stored form, and attributes to set. Building one writes nothing."""

    columns: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def over(self, old: Mapping[str, Any]) -> dict[str, Any]:
        """The columns that differ from a stored row once this is applied to it."""
        new = dict(self.columns)
        if self.attributes:
            new["attributes"] = check.mapping({**from_json(old["attributes"], {}), **self.attributes}, "attributes")
        return {name: value for name, value in new.items() if old[name] != value}


def checked(given: Mapping[str, Any]) -> FieldChange:
    """The change that these keyword arguments ask for, all of them sound, or a `UsageError`."""
    columns: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    for name, value in given.items():
        if name == "type":
            columns["kind"], columns["category"] = kind_and_category(value)
        elif name in ("tier", "confidence", "metadata"):
            columns[name] = FIELDS[name](value)
        elif name in _TEXTS:
            attributes[name] = None if value is None else check.name(value, name, chars_max=_TEXTS[name])
        elif name == "embedding":
            attributes[name] = None if value is None else base64.b64encode(_blob(value)).decode()
        else:
            known = "subtype, embedding, tier, confidence, provenance, metadata"
            raise UsageError(f"a node has no field {name!r}; give content, type or one of {known}")
    return FieldChange(columns=columns, attributes=attributes)


def kind_and_category(type_: object) -> tuple[str, str]:
    """Where a type of node lives in the store."""
    if not isinstance(type_, str) or type_ not in NODE_TYPES:
        raise UsageError(f"unknown node type {type_!r:.60}; known: {', '.join(NODE_TYPES)}")
    kind, category = NODE_TYPES[type_]
    return kind.value, category


def selection(type_: object) -> tuple[Sequence[str] | None, list[dict[str, Any]]]:
    """The kinds and the filters that pick exactly what `values.type_of` calls by this type; None picks everything."""
    if type_ is None:
        return None, []
    kind, category = kind_and_category(type_)
    if kind not in STATEMENT_KINDS:
        return [kind], []
    return STATEMENT_KINDS, [{"category": {"eq" if category == "decision" else "ne": "decision"}}]


def members_of(given: Any) -> list[tuple[str, str, int]]:
    """Members as (id, role, position), given so or as mappings; without a position they stand in the order given."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise UsageError("members must be a list of (node_id, role) or (node_id, role, position)")
    return [_member(index, member) for index, member in enumerate(given)]


def _member(index: int, member: Any) -> tuple[str, str, int]:
    if isinstance(member, Mapping):
        unknown = sorted(member.keys() - {"node_id", "role", "position"})
        if unknown or not {"node_id", "role"} <= member.keys():
            raise UsageError(f"member {index} must have node_id and role, and may have a position; not {member!r:.60}")
        member = [member["node_id"], member["role"], *([member["position"]] if "position" in member else [])]
    if not isinstance(member, tuple | list) or len(member) not in (2, 3):
        raise UsageError(f"member {index} must be (node_id, role) or (node_id, role, position), not {member!r:.60}")
    node_id, role, *rest = member
    position = rest[0] if rest else index
    if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < 2**31:
        raise UsageError(f"the position of member {index} must be a whole number of at least 0, not {position!r:.40}")
    return node_id, check.one_of(Role, role, "role"), position


def _blob(value: Any) -> bytes:
    """Bytes as they are; numbers as little-endian 32-bit floats."""
    if isinstance(value, bytes | bytearray | memoryview):
        blob = bytes(value)
    else:
        try:
            numbers = np.asarray(value, dtype="<f4")
        except (TypeError, ValueError):
            raise UsageError("embedding must be bytes or a list of numbers") from None
        if numbers.ndim != 1 or not np.isfinite(numbers).all():
            raise UsageError("embedding must be one list of finite numbers")
        blob = numbers.tobytes()
    if not 1 <= len(blob) <= EMBEDDING_BYTES_MAX:
        raise UsageError(f"embedding has {len(blob)} bytes; 1 to {EMBEDDING_BYTES_MAX} can be kept")
    return blob
