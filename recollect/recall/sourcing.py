"""What a hit rests on: the episodic records it was derived from, or itself if it is one."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.query import Criteria
from recollect.model.record import Kind, Record
from recollect.model.result import Source
from recollect.store import records
from recollect.store.base import Tx
from recollect.store.traverse import Walk, hop

_PROVENANCE = ("derived_from",)


def sources_of(
    tx: Tx, found: Sequence[tuple[int, Record]], criteria: Criteria, now: int
) -> dict[int, tuple[Source, ...]]:
    """Sources by key, as far as the reader may see them."""
    derived = [pk for pk, record in found if record.kind is not Kind.EPISODIC]
    out: dict[int, tuple[Source, ...]] = {
        pk: (source_of(record),) for pk, record in found if record.kind is Kind.EPISODIC
    }
    if not derived:
        return out
    sight = Criteria(scope=criteria.scope, reach=criteria.reach, known_at=criteria.known_at)
    steps = hop(tx, Walk(criteria=sight, now=now, labels=_PROVENANCE, direction="out"), derived)
    loaded = records.load(tx, list({step.to_pk for step in steps}))
    for step in steps:
        episode = loaded.get(step.to_pk)
        if episode is not None and episode.kind is Kind.EPISODIC:
            out[step.from_pk] = (*out.get(step.from_pk, ()), source_of(episode))
    return out


def source_of(record: Record) -> Source:
    return Source(
        id=record.id, content=record.content, created_at=record.created_at, session_id=record.session_id,
        metadata=record.metadata, role=record.role, speaker=record.speaker, event_time=record.event_time,
    )  # fmt: skip
