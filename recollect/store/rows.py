"""Rows to values and back. The only place that knows the order of columns."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

import orjson

from recollect.clock import from_us, maybe_from_us
from recollect.model.affect import Affect
from recollect.model.facets import Facets
from recollect.model.place import Place
from recollect.model.record import Kind, Record, SecurityTier, Tier
from recollect.model.scope import Scope
from recollect.store.base import Row


@dataclass(slots=True, kw_only=True)
class RecordRow:
    """A row of `record` as the database holds it: times in microseconds, JSON as text. Field order is column order.

    Not frozen: ten thousand a second are made on the write path, and freezing doubles the cost of making one.
    """

    id: str
    scope_pk: int
    content: str
    content_hash: str
    created_at: int
    updated_at: int
    recorded_at: int
    head_pk: int | None = None
    version: int = 1
    session_pk: int | None = None
    kind: str = "semantic"
    category: str = "fact"
    tier: str = "longterm"
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    tags: str | None = None
    metadata: str | None = None
    attributes: str | None = None
    retired_at: int | None = None
    event_time: int | None = None
    valid_from: int | None = None
    valid_until: int | None = None
    confidence: float = 1.0
    importance: float = 0.5
    strength: float = 1.0
    decay_rate: float | None = None
    half_life_days: float | None = None
    access_count: int = 0
    access_sessions: int = 0
    last_access: int | None = None
    success_count: int = 0
    failure_count: int = 0
    valence: float | None = None
    arousal: float | None = None
    intensity: float | None = None
    dominance: float | None = None
    surprise: float | None = None
    source: str | None = None
    role: str | None = None
    speaker: str | None = None
    provenance_sessions: str | None = None
    needs_review: int = 0
    user_verified: int = 0
    flagged: int = 0
    security: str = "cleartext"
    place: str | None = None
    facets: str | None = None


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(RecordRow))
row_values = attrgetter(*COLUMNS)

INSERT_RECORD = f"INSERT INTO record (pk, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"
COPY_COLUMNS = ", ".join(COLUMNS)

# One record with what it points at: its scope's dimensions and the name of its session.
RECORD_FROM = "FROM record r JOIN scope s ON s.pk = r.scope_pk LEFT JOIN session n ON n.pk = r.session_pk"
RECORD_SELECT = (
    f"SELECT r.pk, {', '.join(f'r.{name}' for name in COLUMNS)}, "
    f"s.project, s.squad, s.agent_id, s.channel, s.user_id, n.id {RECORD_FROM}"
)
_SCOPE_AT = 1 + len(COLUMNS)


def record_of(row: Row) -> Record:
    """The value of one row of `RECORD_SELECT`."""
    r = RecordRow(**dict(zip(COLUMNS, row[1:_SCOPE_AT], strict=True)))
    project, squad, agent_id, channel, user_id, session_id = row[_SCOPE_AT:]
    return Record(
        id=r.id, kind=Kind(r.kind), category=r.category, content=r.content, version=r.version,
        scope=Scope(project=project, squad=squad, agent_id=agent_id, channel=channel, user_id=user_id),
        created_at=from_us(r.created_at), updated_at=from_us(r.updated_at), recorded_at=from_us(r.recorded_at),
        retired_at=maybe_from_us(r.retired_at), event_time=maybe_from_us(r.event_time),
        valid_from=maybe_from_us(r.valid_from), valid_until=maybe_from_us(r.valid_until),
        subject=r.subject, predicate=r.predicate, object=r.object, tags=tuple(from_json(r.tags, [])),
        metadata=from_json(r.metadata, {}), attributes=from_json(r.attributes, {}), tier=Tier(r.tier),
        confidence=r.confidence, importance=r.importance, strength=r.strength, decay_rate=r.decay_rate,
        half_life_days=r.half_life_days, access_count=r.access_count, access_sessions=r.access_sessions,
        last_access=maybe_from_us(r.last_access), success_count=r.success_count, failure_count=r.failure_count,
        affect=_affect_of(r), source=r.source, role=r.role, speaker=r.speaker, session_id=session_id,
        provenance_sessions=tuple(from_json(r.provenance_sessions, [])), needs_review=bool(r.needs_review),
        user_verified=bool(r.user_verified), flagged=bool(r.flagged), security=SecurityTier(r.security),
        place=Place.from_dict(orjson.loads(r.place)) if r.place else None,
        facets=Facets.from_dict(orjson.loads(r.facets)) if r.facets else None, content_hash=r.content_hash,
    )  # fmt: skip


def _affect_of(r: RecordRow) -> Affect | None:
    if r.valence is None and r.arousal is None and r.intensity is None:
        return None
    return Affect(
        valence=r.valence or 0.0,
        arousal=r.arousal or 0.0,
        intensity=r.intensity or 0.0,
        dominance=r.dominance or 0.0,
        surprise=r.surprise or 0.0,
    )


def to_json(value: Any) -> str | None:
    """JSON text of a non-empty value, None for an empty one."""
    return orjson.dumps(value).decode() if value else None


def from_json(text: str | None, empty: Any) -> Any:
    return orjson.loads(text) if text else empty


def content_hash(content: str) -> str:
    """The same for texts that differ only in case, spacing or Unicode form."""
    folded = content.casefold() if content.isascii() else unicodedata.normalize("NFKC", content).casefold()
    return hashlib.blake2b(" ".join(folded.split()).encode(), digest_size=16).hexdigest()
