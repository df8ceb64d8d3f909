"""What is known, at a distance: summaries of many records, domains, and how well a question can be answered."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

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
class Domain:
    """An area of what is known. `depth` counts records by how well they are remembered and believed, the rest is in
    [0, 1]: `freshness` falls when nothing new comes, `uncertainty` is the share of records that are in doubt."""

    label: str
    summary: str
    records: int
    clusters: int
    depth: float
    freshness: float
    uncertainty: float
    confidence: float
    newest: datetime
    scope: Scope = GLOBAL

    def to_dict(self) -> dict[str, Any]:
        figures = {name: round(getattr(self, name), 4) for name in ("depth", "freshness", "uncertainty", "confidence")}
        return {
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
