"""Records and entities as dots and the relations among them as lines: what a drawing of a graph needs, and no more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

NAMES = "names"  # the label of a line from a record to an entity that it names


class NodeSort(StrEnum):
    """What a dot stands for."""

    RECORD = "record"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkNode:
    """A record, or an entity that records name. `text` is the beginning of the one, the name of the other.

    `kind` is the kind of a record, the type of an entity. It is there from `since` on, and holds until `until`.
    `weight` is how important a record is, or how many records name an entity.
    """

    id: str
    sort: NodeSort
    kind: str
    text: str
    since: datetime
    until: datetime | None = None
    weight: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "sort": self.sort.value,
            "kind": self.kind,
            "text": self.text,
            "since": self.since.isoformat(),
            "until": self.until and self.until.isoformat(),
            "weight": round(self.weight, 4),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkLink:
    """A relation between two nodes, by their places in `Network.nodes`. A relation of more than two starts at its
    first member, with a line to each of the others."""

    source: int
    target: int
    label: str
    family: str | None = None  # None: a record that names an entity
    weight: float = 1.0
    until: datetime | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "target": self.target,
            "label": self.label,
            "family": self.family,
            "weight": round(self.weight, 4),
            "until": self.until and self.until.isoformat(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Nodes and the links among them. `more` says that there are records beyond those that are told."""

    nodes: tuple[NetworkNode, ...] = ()
    links: tuple[NetworkLink, ...] = ()
    more: bool = False

    def __len__(self) -> int:
        return len(self.nodes)

    def to_dict(self) -> dict[str, Any]:
        return {
            "nodes": [each.to_dict() for each in self.nodes],
            "links": [each.to_dict() for each in self.links],
            "more": self.more,
        }
