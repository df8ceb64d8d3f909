"""From rows to hits: loaded, with what they rest on and how far they can be believed, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config import Config
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.result import Hit, Source
from recollect.model.trust import Trust
from recollect.recall.sourcing import sources_of
from recollect.recall.trust import trust_in
from recollect.store import records
from recollect.store.base import Tx

_CHARS_PER_TOKEN = 4


def load_hits(tx: Tx, scores: Mapping[int, float], criteria: Criteria, *, now: int, config: Config) -> dict[int, Hit]:
    """Hits by key, in the order given; a row that is gone by now is left out."""
    loaded = records.load(tx, list(scores))
    found = {pk: loaded[pk] for pk in scores if pk in loaded}
    sources = sources_of(tx, list(found.items()), criteria, now)
    sight = Criteria(scope=criteria.scope, reach=criteria.reach)
    trust = trust_in(tx, found, scores, now=now, config=config, visible=sight)
    return {pk: _hit(record, scores[pk], sources.get(pk, ()), trust[pk]) for pk, record in found.items()}


def within_tokens(hits: dict[int, Hit], max_tokens: int | None) -> dict[int, Hit]:
    """The first hits that fit, by a cautious count of tokens."""
    if max_tokens is None:
        return hits
    kept: dict[int, Hit] = {}
    left = max_tokens
    for pk, hit in hits.items():
        left -= len(hit.content) // _CHARS_PER_TOKEN + 1
        if left < 0:
            break
        kept[pk] = hit
    return kept


def _hit(record: Record, score: float, sources: tuple[Source, ...], trust: Trust) -> Hit:
    return Hit(
        id=record.id, content=record.content, kind=record.kind, category=record.category, score=score, trust=trust,
        created_at=record.created_at, updated_at=record.updated_at, event_time=record.event_time,
        valid_from=record.valid_from, valid_until=record.valid_until, metadata=record.metadata, tags=record.tags,
        sources=sources, place=record.place, role=record.role, speaker=record.speaker,
        session_id=record.session_id, version=record.version, confidence=record.confidence,
    )  # fmt: skip
