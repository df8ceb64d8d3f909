"""Rows as an answer shows them: what a hit is made of and judged by, and nothing else.

A whole record has twice as many columns, half of them JSON. Where a context asks for hundreds of candidates, to read
and unpack what no hit shows took longer than to find them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from recollect.clock import from_us
from recollect.model.place import Place
from recollect.model.record import Kind
from recollect.store.base import Row, Tx

_KINDS = {kind.value: kind for kind in Kind}
_COLUMNS = (
    "pk",
    "id",
    "content",
    "kind",
    "category",
    "created_at",
    "updated_at",
    "event_time",
    "valid_from",
    "valid_until",
    "metadata",
    "tags",
    "place",
    "role",
    "speaker",
    "version",
    "confidence",
    "importance",
    "half_life_days",
    "access_count",
    "success_count",
    "failure_count",
    "user_verified",
    "flagged",
    "provenance_sessions",
)
_SELECT = (
    f"SELECT {', '.join(f'r.{name}' for name in _COLUMNS)}, n.id FROM record r "
    "LEFT JOIN session n ON n.pk = r.session_pk WHERE r.pk IN KEYS(?)"
)


class Answer(NamedTuple):
    """One row; every field is what the record's field of that name is."""

    id: str
    content: str
    kind: Kind
    category: str
    created_at: datetime
    updated_at: datetime
    event_time: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    metadata: dict[str, Any]
    tags: tuple[str, ...]
    place: Place | None
    role: str | None
    speaker: str | None
    version: int
    confidence: float
    importance: float
    half_life_days: float | None
    access_count: int
    success_count: int
    failure_count: int
    user_verified: bool
    flagged: bool
    provenance_sessions: tuple[str, ...]
    session_id: str | None


def answers(tx: Tx, pks: Sequence[int], *, known_at: int | None = None) -> dict[int, Answer]:
    """Rows by key, in one statement; keys without a row are left out. With `known_at` as they were judged then."""
    rows = tx.sql.all(_SELECT, (tx.sql.keys(pks),))
    if known_at is not None:
        held = tx.before.of_rows(pks, known_at)
        rows = [
            (*(held.get(row[0], {}).get(name, value) for name, value in zip(_COLUMNS, row, strict=False)), row[-1])
            for row in rows
        ]
    return {row[0]: _answer_of(row) for row in rows}


def _answer_of(row: Row) -> Answer:
    (
        _,
        id_,
        content,
        kind,
        category,
        created_at,
        updated_at,
        event_time,
        valid_from,
        valid_until,
        metadata,
        tags,
        place,
        role,
        speaker,
        version,
        confidence,
        importance,
        half_life_days,
        access_count,
        success_count,
        failure_count,
        user_verified,
        flagged,
        sessions,
        session_id,
    ) = row
    created = from_us(created_at)
    return Answer(
        id_,
        content,
        _KINDS[kind],
        category,
        created,
        created if updated_at == created_at else from_us(updated_at),
        None if event_time is None else from_us(event_time),
        None if valid_from is None else from_us(valid_from),
        None if valid_until is None else from_us(valid_until),
        orjson.loads(metadata) if metadata else {},
        tuple(orjson.loads(tags)) if tags else (),
        Place.from_dict(orjson.loads(place)) if place else None,
        role,
        speaker,
        version,
        confidence,
        importance,
        half_life_days,
        access_count,
        success_count,
        failure_count,
        bool(user_verified),
        bool(flagged),
        tuple(orjson.loads(sessions)) if sessions else (),
        session_id,
    )
