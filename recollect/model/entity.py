"""A person, project, tool … that records name."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.scope import GLOBAL, Scope


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
