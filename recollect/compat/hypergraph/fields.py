"""What a caller may say about a node, checked and put where the store keeps it.

Subtype, provenance and embedding have no column of their own: they are the record's attributes. The embedding is
kept as given and comes back as given; searching is done with the vectors that the memory makes of the content.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recollect.compat.hypergraph.values import NODE_TYPES, STATEMENT_KINDS
from recollect.errors import UsageError
from recollect.ingest import check
from recollect.ingest.drafts import FIELDS
from recollect.limits import NAME_CHARS_MAX
from recollect.model.edge import Role
from recollect.store.rows import from_json

PROVENANCE_CHARS_MAX = 4_000
EMBEDDING_BYTES_MAX = 32 * 1024  # 8,192 numbers; the attributes of a record hold 64 KiB in all
_TEXTS = {"subtype": NAME_CHARS_MAX, "provenance": PROVENANCE_CHARS_MAX}


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
