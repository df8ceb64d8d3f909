"""What is in mind now: exchanges as they came, slots, where the topic goes. Short-lived; records are what lasts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.scope import Scope


class SlotSource(StrEnum):
    """How something came to mind."""

    SENSORY = "sensory"  # it was said a moment ago
    RECALL = "recall"  # a record that was shown
    SCHEMA = "schema"  # a pattern that fits
    USER = "user"  # somebody asked to bear it in mind
    INFERENCE = "inference"  # the agent found it important
    MORNING = "morning"  # what matters most, after a long absence
    QUESTION = "question"  # something to ask when it fits


class TopicChange(StrEnum):
    """What a prompt does to the topic."""

    CONTINUATION = "continuation"
    DRIFT = "drift"
    SWITCH = "switch"


class Saying(StrEnum):
    """What sort of thing was said."""

    QUESTION = "question"
    INSTRUCTION = "instruction"
    STATEMENT = "statement"
    CONTINUATION = "continuation"  # it says little without what came before: "ok, now deploy it"


class Restored(StrEnum):
    """Where a mind came from when it was last taken up."""

    FULL = "full"  # a recent snapshot
    FADED = "faded"  # an older one, its slots weaker
    MORNING = "morning"  # too long ago, or never: what matters most
    EMPTY = "empty"  # … and nothing was known


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What was said and what was answered, as it came. `answered` is None while the answer is awaited."""

    said: str
    answered: str | None
    at: datetime
    names: tuple[str, ...] = ()
    saying: Saying = Saying.STATEMENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One thing in mind. `activation` is what is left of it now; `record_id` names the record it shows, if one does."""

    id: str
    text: str
    source: SlotSource
    activation: float
    accessed_at: datetime
    tokens: int
    record_id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "text": self.text,
            "source": self.source.value,
            "activation": round(self.activation, 4),
            "accessed_at": self.accessed_at.isoformat(),
            "tokens": self.tokens,
            "record_id": self.record_id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ToKeep:
    """What left the mind and should not be lost: words that are in no record, and records that were of use."""

    said: tuple[Slot, ...] = ()
    reinforced: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.said or self.reinforced)


@dataclass(frozen=True, slots=True, kw_only=True)
class MindState:
    """A mind in figures. Since it was taken up, searches were `prepared` for so many prompts, and
    `prepared_used` by some of them."""

    session_id: str | None
    restored: Restored
    slots: int
    tokens: int
    exchanges: int
    certainty: float  # how settled the topic is, from 0 to 1
    change: TopicChange | None  # what the last prompt did to it
    heard_at: datetime | None
    prepared: int = 0
    prepared_used: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "restored": self.restored.value,
            "slots": self.slots,
            "tokens": self.tokens,
            "exchanges": self.exchanges,
            "certainty": round(self.certainty, 4),
            "change": self.change.value if self.change else None,
            "heard_at": self.heard_at.isoformat() if self.heard_at else None,
            "prepared": self.prepared,
            "prepared_used": self.prepared_used,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MindInSight:
    """A mind as others see it: whose it is, whether it is at work, what it holds. `change` is known while it is."""

    scope: Scope
    session_id: str | None
    held: bool  # in memory; else it was put aside
    used_at: datetime
    heard_at: datetime | None
    certainty: float
    change: TopicChange | None
    slots: tuple[Slot, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "held": self.held,
            "used_at": self.used_at.isoformat(),
            "heard_at": self.heard_at.isoformat() if self.heard_at else None,
            "certainty": round(self.certainty, 4),
            "change": self.change.value if self.change else None,
            "slots": [each.to_dict() for each in self.slots],
            **dict(self.scope.items()),
        }
