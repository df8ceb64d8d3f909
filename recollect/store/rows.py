"""Rows to values and back. The only place that knows the order of columns."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter
from typing import Any

import orjson

from recollect.clock import from_us
from recollect.model.affect import Affect
from recollect.model.facets import Facets
from recollect.model.place import Place
from recollect.model.record import Kind, Record, SecurityTier, Tier
from recollect.model.scope import DIMENSIONS, Scope
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
    perceived: str | None = None
    turn_pk: int | None = None


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


def record_of(row: Row) -> Record:
    """The value of one row of `RECORD_SELECT`. Ten of these are made for every search: no detour by names."""
    (
        _,
        id_,
        _,
        content,
        hash_,
        created_at,
        updated_at,
        recorded_at,
        _,
        version,
        _,
        kind,
        category,
        tier,
        subject,
        predicate,
        object_,
        tags,
        metadata,
        attributes,
        retired_at,
        event_time,
        valid_from,
        valid_until,
        confidence,
        importance,
        strength,
        decay_rate,
        half_life_days,
        access_count,
        access_sessions,
        last_access,
        success_count,
        failure_count,
        valence,
        arousal,
        intensity,
        dominance,
        surprise,
        source,
        role,
        speaker,
        provenance,
        needs_review,
        user_verified,
        flagged,
        security,
        place,
        facets,
        perceived,
        _,
        project,
        squad,
        agent_id,
        channel,
        user_id,
        session_id,
    ) = row
    created = from_us(created_at)
    return Record(
        id=id_,
        kind=_KINDS[kind],
        category=category,
        content=content,
        version=version,
        scope=_scope_of(project, squad, agent_id, channel, user_id),
        session_id=session_id,
        created_at=created,
        updated_at=created if updated_at == created_at else from_us(updated_at),
        recorded_at=created if recorded_at == created_at else from_us(recorded_at),
        retired_at=None if retired_at is None else from_us(retired_at),
        event_time=None if event_time is None else from_us(event_time),
        valid_from=None if valid_from is None else from_us(valid_from),
        valid_until=None if valid_until is None else from_us(valid_until),
        subject=subject,
        predicate=predicate,
        object=object_,
        tags=tuple(from_json(tags, ())),
        metadata=from_json(metadata, {}),
        attributes=from_json(attributes, {}),
        tier=_TIERS[tier],
        confidence=confidence,
        importance=importance,
        strength=strength,
        decay_rate=decay_rate,
        half_life_days=half_life_days,
        access_count=access_count,
        access_sessions=access_sessions,
        last_access=None if last_access is None else from_us(last_access),
        success_count=success_count,
        failure_count=failure_count,
        affect=_affect_of(valence, arousal, intensity, dominance, surprise),
        source=source,
        role=role,
        speaker=speaker,
        provenance_sessions=tuple(from_json(provenance, ())),
        needs_review=bool(needs_review),
        user_verified=bool(user_verified),
        flagged=bool(flagged),
        security=_SECURITY[security],
        place=Place.from_dict(orjson.loads(place)) if place else None,
        facets=Facets.from_dict(orjson.loads(facets)) if facets else None,
        perceived=from_json(perceived, {}),
        content_hash=hash_,
    )


def stored_value(row: RecordRow, scope: Scope, session_id: str | None) -> Record:
    """The value of a row that was just stored, without reading it again."""
    dimensions = (scope.project, scope.squad, scope.agent_id, scope.channel, scope.user_id)
    return record_of((0, *row_values(row), *dimensions, session_id))


_KINDS = {kind.value: kind for kind in Kind}
_TIERS = {tier.value: tier for tier in Tier}
_SECURITY = {tier.value: tier for tier in SecurityTier}


@lru_cache(maxsize=4096)
def _scope_of(*values: str | None) -> Scope:
    return Scope(**dict(zip(DIMENSIONS, values, strict=True)))


def _affect_of(
    valence: float | None,
    arousal: float | None,
    intensity: float | None,
    dominance: float | None,
    surprise: float | None,
) -> Affect | None:
    if valence is arousal is intensity is dominance is surprise is None:
        return None
    return Affect(
        valence=valence or 0.0,
        arousal=arousal or 0.0,
        intensity=intensity or 0.0,
        dominance=dominance or 0.0,
        surprise=surprise or 0.0,
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
