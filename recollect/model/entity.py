"""A person, project, tool … that records name."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.record import Record
from recollect.model.scope import GLOBAL, Scope


def fold(name: str) -> str:
    """A name as it is compared: case and spacing do not matter."""
    return " ".join(name.casefold().split())


class EntityType(StrEnum):
    PERSON = "person"
    PROJECT = "project"
    ORGANIZATION = "organization"
    PLACE = "place"
    CONCEPT = "concept"
    TOOL = "tool"
    TECHNOLOGY = "technology"
    FILE = "file"
    SERVICE = "service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    id: str
    name: str
    type: EntityType
    first_seen: datetime
    last_seen: datetime
    scope: Scope = GLOBAL
    aliases: tuple[str, ...] = ()
    summary: str | None = None
    mention_count: int = 0
    attributes: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "type": self.type.value,
            "aliases": list(self.aliases),
            "summary": self.summary,
            "mention_count": self.mention_count,
            "first_seen": self.first_seen.isoformat(),
            "last_seen": self.last_seen.isoformat(),
            "attributes": self.attributes,
            **dict(self.scope.items()),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """An entity that stands beside another: in how many records with it, or how near in meaning its records are."""

    name: str
    type: EntityType
    count: int = 0
    similarity: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "type": self.type.value,
            "count": self.count,
            "similarity": round(self.similarity, 4),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityProfile:
    """Everything known about an entity, as far as the reader may see it.

    `together` are entities that the same records name, the most frequent first; `similar` those whose records are
    about similar things.
    """

    entity: Entity
    together: tuple[Companion, ...] = ()
    similar: tuple[Companion, ...] = ()
    newest: tuple[Record, ...] = ()
    telling: tuple[Record, ...] = ()

    @property
    def name(self) -> str:
        return self.entity.name

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.entity.to_dict(),
            "together": [each.to_dict() for each in self.together],
            "similar": [each.to_dict() for each in self.similar],
            "newest": [each.to_dict() for each in self.newest],
            "telling": [each.to_dict() for each in self.telling],
        }
