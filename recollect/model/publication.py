"""What agents tell each other through the bus: publications, subscriptions, and what arrived of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.record import Record, SecurityTier
from recollect.model.scope import GLOBAL, Scope

SOURCE = "bus"  # of records that arrived
ATTRIBUTE = "bus"  # under which a record's attributes say where it came from
_USUAL_CONFIRMED = 4  # records that an agent is taken to have had confirmed before anybody looked


class Audience(StrEnum):
    """Who may be told, at most. What is private to a user or a channel stays with that user and channel always."""

    PROJECT = "project"  # agents in the publisher's project
    SQUAD = "squad"  # agents in the publisher's squad, of the same project where it has one
    TARGETS = "targets"  # agents that are named, of the same project where the publisher has one
    GLOBAL = "global"  # all agents of the store


class DeliveryOutcome(StrEnum):
    """What became of a publication at an agent it was for."""

    DELIVERED = "delivered"  # a record of the agent's own says it now
    RENEWED = "renewed"  # … in the place of the version that the agent had
    KNOWN = "known"  # the agent had that, or a later version of it
    CONFLICT = "conflict"  # two agents had changed it without knowing of each other: both versions are kept
    WITHDRAWN = "withdrawn"  # its records were gone, or no longer fit to be told, when it was to be delivered


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Something an agent has told others. `receivers` is for how many it was put in the queue."""

    id: str
    agent_id: str
    records: tuple[str, ...]
    topics: tuple[str, ...]
    visibility: Audience
    importance: float
    at: datetime
    targets: tuple[str, ...] = ()
    subject: str | None = None  # the name of the person or thing that it is about as a whole
    receivers: int = 0
    scope: Scope = GLOBAL

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "from": self.agent_id,
            "records": list(self.records),
            "topics": list(self.topics),
            "visibility": self.visibility.value,
            "targets": list(self.targets),
            "importance": round(self.importance, 4),
            "subject": self.subject,
            "receivers": self.receivers,
            "at": self.at.isoformat(),
            **dict(self.scope.items()),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationStanding:
    """Something that was published, what it says now, and what became of it at the agents it was for."""

    publication: Publication
    contents: tuple[str, ...]
    outcomes: Mapping[str, int]
    waiting: int

    def to_dict(self) -> dict[str, Any]:
        outcomes = {each.value: self.outcomes[each.value] for each in DeliveryOutcome if each.value in self.outcomes}
        return {
            **self.publication.to_dict(),
            "contents": list(self.contents),
            "outcomes": outcomes,
            "waiting": self.waiting,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionFilter:
    """What an agent wants to be told. Without topics or sources, of any; `rate` is how many in one `bus.cycle_s`."""

    id: str
    agent_id: str
    topics: tuple[str, ...] | None
    importance_min: float
    sources: tuple[str, ...] | None
    rate: int
    at: datetime
    scope: Scope = GLOBAL

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "topics": None if self.topics is None else list(self.topics),
            "importance_min": self.importance_min,
            "sources": None if self.sources is None else list(self.sources),
            "rate": self.rate,
            "at": self.at.isoformat(),
            **dict(self.scope.items()),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BusMessage:
    """Something that arrived for an agent. `records` are the agent's own; of a conflict the first one holds.

    The publisher of what came into conflict is told as well, with the outcome and the agent at which it did.
    """

    number: int
    publication: str
    agent_id: str
    sender: str
    outcome: DeliveryOutcome
    records: tuple[str, ...]
    contents: tuple[str, ...]
    topics: tuple[str, ...]
    subject: str | None
    at: datetime

    def to_dict(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "publication": self.publication,
            "to": self.agent_id,
            "from": self.sender,
            "outcome": self.outcome.value,
            "records": list(self.records),
            "contents": list(self.contents),
            "topics": list(self.topics),
            "subject": self.subject,
            "at": self.at.isoformat(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryReport:
    """What a round of deliveries did: how many of each outcome, and how many wait for their next cycle."""

    outcomes: Mapping[str, int]
    waiting: int

    def to_dict(self) -> dict[str, Any]:
        return {**{each.value: self.outcomes.get(each.value, 0) for each in DeliveryOutcome}, "waiting": self.waiting}


def may_be_told(record: Record) -> bool:
    """Whether a record may be handed on to others: it holds, nobody doubts it, and it is under no tier."""
    doubted = record.flagged or record.needs_review
    return record.retired_at is None and not doubted and record.security is SecurityTier.CLEARTEXT


def standing_of(confirmed: int, flagged: int) -> float:
    """How far an agent is believed that had so many of its records confirmed, and so many flagged."""
    return (confirmed + _USUAL_CONFIRMED) / (confirmed + flagged + _USUAL_CONFIRMED)
