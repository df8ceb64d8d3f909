"""What is known, at a distance: summaries of many records, domains, and how well a question can be answered."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.record import Record
from recollect.model.scope import GLOBAL, Scope


class SummaryLevel(StrEnum):
    """How much a summary stands for, least first."""

    CLUSTER = "cluster"  # a handful of records about one thing
    DOMAIN = "domain"  # a handful of clusters
    GLOBAL = "global"  # everything in a scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One node of the tree of summaries: what so many records say, in so many tokens."""

    level: SummaryLevel
    label: str
    text: str
    tokens: int
    records: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """A summary where it stands in the tree. `number` names it until the tree is drawn up again; `parts` are right
    below it. While its words are written anew it has none."""

    number: int
    summary: Summary
    newest: datetime
    parts: int
    scope: Scope = GLOBAL

    def to_dict(self) -> dict[str, Any]:
        return {
            "number": self.number,
            **self.summary.to_dict(),
            "level": self.summary.level.value,
            "newest": self.newest.isoformat(),
            "parts": self.parts,
            **dict(self.scope.items()),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryBranch:
    """What is right below a node of the tree: nodes, or the records of a cluster. `above` leads from the top to it.

    Without a `node` it is what is at the top of each scope.
    """

    node: TreeNode | None = None
    above: tuple[TreeNode, ...] = ()
    below: tuple[TreeNode, ...] = ()
    records: tuple[Record, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "node": self.node and self.node.to_dict(),
            "above": [each.to_dict() for each in self.above],
            "below": [each.to_dict() for each in self.below],
            "records": [each.to_dict() for each in self.records],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """An area of what is known. `depth` counts records by how well they are remembered and believed, the rest is in
    [0, 1]: `freshness` falls when nothing new comes, `uncertainty` is the share of records that are in doubt. `number`
    is that of its node in the tree of summaries."""

    label: str
    summary: str
    records: int
    clusters: int
    depth: float
    freshness: float
    uncertainty: float
    confidence: float
    newest: datetime
    number: int = 0
    scope: Scope = GLOBAL

    def to_dict(self) -> dict[str, Any]:
        figures = {name: round(getattr(self, name), 4) for name in ("depth", "freshness", "uncertainty", "confidence")}
        return {
            "number": self.number,
            "label": self.label,
            "summary": self.summary,
            "records": self.records,
            "clusters": self.clusters,
            **figures,
            "newest": self.newest.isoformat(),
            **dict(self.scope.items()),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeMap:
    """The domains, those known best first. `coverage` is their mean confidence; `unmapped` records are in none yet."""

    domains: tuple[Domain, ...]
    coverage: float
    unmapped: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "domains": [domain.to_dict() for domain in self.domains],
            "coverage": round(self.coverage, 4),
            "unmapped": self.unmapped,
        }


class Level(StrEnum):
    """How well a question can be answered from memory."""

    CONFIDENT = "confident"
    UNCERTAIN = "uncertain"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """The domain that a prompt falls into, how well it is known, and what of it is not. `weak`: it is known little."""

    label: str
    records: int
    confidence: float
    level: Level
    doubts: int = 0
    newest: datetime | None = None  # when the last record came, where that is long ago
    missing: tuple[str, ...] = ()
    weak: bool = False

    @property
    def in_words(self) -> str:
        """One line for a reader."""
        known = {Level.CONFIDENT: "well", Level.UNCERTAIN: "in part"}.get(self.level, "little")
        parts = [f"About {self.label}: {self.records} records, known {known} ({self.confidence:.0%})"]
        if self.doubts:
            parts.append(f"{self.doubts} in doubt")
        if self.newest is not None:
            parts.append(f"nothing new since {self.newest.date().isoformat()}")
        told = "; ".join(parts)
        return f"{told}. Not known: {' '.join(self.missing)}" if self.missing else told

    def to_dict(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "records": self.records,
            "confidence": round(self.confidence, 4),
            "level": self.level.value,
            "doubts": self.doubts,
            "newest": self.newest and self.newest.isoformat(),
            "missing": list(self.missing),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Whether a question can be answered from memory, how sure that is, and why. `domain` is the nearest one."""

    level: Level
    confidence: float
    domain: str | None = None
    reasons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "level": self.level.value,
            "confidence": round(self.confidence, 4),
            "domain": self.domain,
            "reasons": list(self.reasons),
        }
