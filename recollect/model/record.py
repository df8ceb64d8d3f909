"""One stored memory."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from recollect.model.facets import Facets
from recollect.model.place import Place
from recollect.model.scope import GLOBAL, Scope


class Kind(StrEnum):
    """What a record is to the mind."""

    EPISODIC = "episodic"  # an event or a turn, verbatim
    SEMANTIC = "semantic"  # a statement held true
    PROCEDURAL = "procedural"  # how to do something
    OPINION = "opinion"  # a preference or judgement
    ENTITY = "entity"  # a person, project, tool …
    SNIPPET = "snippet"  # a piece of a document or of code
    SCHEMA = "schema"  # a pattern found over many records


class Tier(StrEnum):
    """How long a record is meant to live."""

    TASK = "task"
    SESSION = "session"
    LONGTERM = "longterm"
    ARCHIVE = "archive"


class SecurityTier(StrEnum):
    CLEARTEXT = "cleartext"
    SENSITIVE = "sensitive"
    CONFIDENTIAL = "confidential"


# The categories the designs name. The list is open: any short word is accepted, these have a meaning already.
CATEGORIES: tuple[str, ...] = (
    "fact",
    "preference",
    "decision",
    "requirement",
    "instruction",
    "constraint",
    "insight",
    "user_info",
    "experience",
    "gotcha",
    "pattern",
    "error_pattern",
    "module_insight",
    "workflow",
    "prefetch_pattern",
    "work_state",
    "causal_dependency",
    "task_calibration",
    "dead_end",
    "turn",
    "entity",
    "snippet",
    "schema",
)

# What a text can be filtered by without the caller saying so: `metadata.language` means what was perceived wherever the
# caller's own metadata has no such key.
PERCEIVED: tuple[str, ...] = (
    "people",
    "technologies",
    "file_paths",
    "urls",
    "emails",
    "versions",
    "dates",
    "topics",
    "language",
    "code_language",
    "sentiment",
)

INFERRED = "observer_inferred"  # the source of what rules concluded from agents at work
WATCHED = "observed"  # under which its attributes hold the evidence
KEPT_CATEGORIES = ("instruction", "constraint")  # what is wanted always: never forgotten for its age
DEFAULT_CATEGORY: dict[Kind, str] = {
    Kind.EPISODIC: "experience",
    Kind.SEMANTIC: "fact",
    Kind.PROCEDURAL: "workflow",
    Kind.OPINION: "preference",
    Kind.ENTITY: "entity",
    Kind.SNIPPET: "snippet",
    Kind.SCHEMA: "schema",
}


class Brief(NamedTuple):
    """A record in fewer and fewer words, as far as it was perceived, and its place in the order of writing."""

    order: int
    summary: str = ""
    key_fact: str = ""
    tag: str = ""
    tokens: tuple[int, ...] = ()  # about how long it is in full, in short, as key fact and tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One version of one memory, with both its times.

    `valid_from`/`valid_until` say when it was true in the world, `recorded_at`/`retired_at` when we believed it.
    A record is never edited: `update` makes the next version, `delete` ends our belief, and both can be undone.
    """

    id: str
    kind: Kind
    category: str
    content: str
    created_at: datetime
    updated_at: datetime
    recorded_at: datetime
    scope: Scope = GLOBAL
    version: int = 1
    retired_at: datetime | None = None
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    tier: Tier = Tier.LONGTERM
    confidence: float = 1.0
    importance: float = 0.5
    strength: float = 1.0
    decay_rate: float | None = None
    half_life_days: float | None = None
    access_count: int = 0
    access_sessions: int = 0
    last_access: datetime | None = None
    success_count: int = 0
    failure_count: int = 0
    affect: Affect | None = None
    source: str | None = None
    role: str | None = None
    speaker: str | None = None
    session_id: str | None = None
    provenance_sessions: tuple[str, ...] = ()
    needs_review: bool = False
    user_verified: bool = False
    flagged: bool = False
    security: SecurityTier = SecurityTier.CLEARTEXT
    place: Place | None = None
    facets: Facets | None = None
    perceived: dict[str, Any] = field(default_factory=dict)
    content_hash: str = ""
    sealed: int | None = field(default=None, repr=False)  # where the store keeps what is not shown here

    def to_dict(self) -> dict[str, Any]:
        """Plain values, times as ISO text, scope dimensions at the top level; `memory` repeats `content`."""
        plain = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        out = {k: v.isoformat() if isinstance(v, datetime) else v for k, v in plain.items()}
        out["memory"] = self.content
        out["tags"] = list(self.tags)
        out["provenance_sessions"] = list(self.provenance_sessions)
        out.update(dict(self.scope.items()))
        out["affect"] = asdict(self.affect) if self.affect else None
        out["place"] = self.place.to_dict() if self.place else None
        out["facets"] = self.facets.to_dict() if self.facets else None
        return out


_NESTED = {"scope", "tags", "affect", "place", "facets", "provenance_sessions", "sealed"}
_PLAIN_FIELDS = tuple(name for name in Record.__dataclass_fields__ if name not in _NESTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Affect:
    """Valence in [-1, 1]; arousal, intensity, dominance and surprise in [0, 1]."""

    valence: float = 0.0
    arousal: float = 0.0
    intensity: float = 0.0
    dominance: float = 0.0
    surprise: float = 0.0
