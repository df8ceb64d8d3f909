"""Typed hyperedges: what relates to what, how, and why we think so."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Family(StrEnum):
    RELATION = "relation"
    COMPOSITION = "composition"
    CAUSATION = "causation"
    CONTEXT = "context"


class Role(StrEnum):
    SUBJECT = "subject"
    OBJECT = "object"
    CONTEXT = "context"
    PARTICIPANT = "participant"
    CAUSE = "cause"
    EFFECT = "effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRule:
    """What the store guarantees for edges of a label."""

    family: Family = Family.RELATION
    symmetric: bool = False  # A-B means B-A
    acyclic: bool = False  # following it never leads back
    reverse_of: str | None = None  # the same relation told from the other end


LABELS: dict[str, LabelRule] = {
    "relates_to": LabelRule(symmetric=True),
    "similar_to": LabelRule(symmetric=True),
    "contradicts": LabelRule(symmetric=True),
    "conflicts_with": LabelRule(symmetric=True),
    "required_with": LabelRule(symmetric=True),
    "supports": LabelRule(),
    "elaborates": LabelRule(),
    "summarizes": LabelRule(),
    "exemplifies": LabelRule(),
    "qualifies": LabelRule(),
    "updates": LabelRule(),
    "may_replace": LabelRule(),
    "validates": LabelRule(),
    "interferes_with": LabelRule(),  # from the weaker of two that compete for the same question
    "follows": LabelRule(family=Family.CONTEXT),
    "derived_from": LabelRule(acyclic=True),
    "inferred_from": LabelRule(acyclic=True),
    "supersedes": LabelRule(acyclic=True),
    "depends_on": LabelRule(acyclic=True),
    "instance_of": LabelRule(family=Family.COMPOSITION, acyclic=True),
    "part_of": LabelRule(family=Family.COMPOSITION, acyclic=True),
    "causes": LabelRule(family=Family.CAUSATION, acyclic=True),
    "caused_by": LabelRule(family=Family.CAUSATION, acyclic=True, reverse_of="causes"),
}
OPEN_LABEL = LabelRule()
CONTRADICTION_LABELS = ("contradicts", "conflicts_with")
CIRCULAR = "circular_"  # before the label of an edge that closes a circle, in designs that allow it where we do not


def rule_of(label: str) -> LabelRule:
    """The rule of a label; labels nobody listed are plain directed relations."""
    return LABELS.get(label, OPEN_LABEL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One end of a hyperedge."""

    record_id: str
    role: Role
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relation among two or more records. `members` lists those the reader may see."""

    id: str
    family: Family
    label: str
    members: tuple[Member, ...]
    recorded_at: datetime
    weight: float = 1.0
    confidence: float = 1.0
    evidence: tuple[str, ...] = ()
    auto_extracted: bool = False
    attributes: dict[str, Any] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    retired_at: datetime | None = None

    @property
    def source(self) -> str:
        """The id at position 0: where a directed relation starts."""
        return self.members[0].record_id

    @property
    def target(self) -> str:
        """The id at the last position: where a directed relation leads."""
        return self.members[-1].record_id

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "family": self.family.value,
            "label": self.label,
            "weight": self.weight,
            "confidence": self.confidence,
            "evidence": list(self.evidence),
            "auto_extracted": self.auto_extracted,
            "members": [{"id": m.record_id, "role": m.role.value, "position": m.position} for m in self.members],
            "valid_from": self.valid_from and self.valid_from.isoformat(),
            "valid_until": self.valid_until and self.valid_until.isoformat(),
            "recorded_at": self.recorded_at.isoformat(),
        }
