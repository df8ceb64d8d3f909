"""From rows to hits: loaded, with what they rest on and how far they can be believed, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from recollect.config import Config
from recollect.model.query import Criteria
from recollect.model.record import Kind
from recollect.model.result import Hit, Source
from recollect.model.tokens import estimate_tokens
from recollect.model.trust import Trust
from recollect.recall.answers import Answer, answers
from recollect.recall.ranking.trust import trust_in
from recollect.recall.sourcing import source_of, sources_of
from recollect.store.base import Tx

NOT_REPEATED: Mapping[int, Sequence[int]] = MappingProxyType({})


def load_hits(
    tx: Tx,
    scores: Mapping[int, float],
    criteria: Criteria,
    *,
    now: int,
    config: Config,
    repeated: Mapping[int, Sequence[int]] = NOT_REPEATED,
) -> dict[int, Hit]:
    """Hits by key, in the order given; a row that is gone by now is left out.

    Turns that say the same as a hit are `repeated`, by its key: the hit rests on them too.
    """
    twins = {pk: repeated[pk] for pk in scores if pk in repeated}
    wanted = [*scores, *(pk for several in twins.values() for pk in several)]
    loaded = answers(tx, wanted, known_at=criteria.known_at)
    found = {pk: loaded[pk] for pk in scores if pk in loaded}
    sources = sources_of(tx, list(found.items()), criteria, now)
    for pk, several in twins.items():
        more = (source_of(loaded[twin]) for twin in several if twin in loaded and loaded[twin].kind is Kind.EPISODIC)
        sources[pk] = (*sources.get(pk, ()), *more)
    sight = Criteria(scope=criteria.scope, reach=criteria.reach, known_at=criteria.known_at)
    trust = trust_in(tx, found, scores, now=now, config=config, visible=sight)
    return {pk: _hit(answer, scores[pk], sources.get(pk, ()), trust[pk]) for pk, answer in found.items()}


def within_tokens(hits: dict[int, Hit], max_tokens: int | None) -> dict[int, Hit]:
    """The first hits that fit, by an estimate of their tokens."""
    if max_tokens is None:
        return hits
    kept: dict[int, Hit] = {}
    left = max_tokens
    for pk, hit in hits.items():
        left -= estimate_tokens(hit.content)
        if left < 0:
            break
        kept[pk] = hit
    return kept


def _hit(answer: Answer, score: float, sources: tuple[Source, ...], trust: Trust) -> Hit:
    return Hit(
        id=answer.id,
        content=answer.content,
        kind=answer.kind,
        category=answer.category,
        score=score,
        trust=trust,
        created_at=answer.created_at,
        updated_at=answer.updated_at,
        event_time=answer.event_time,
        valid_from=answer.valid_from,
        valid_until=answer.valid_until,
        metadata=answer.metadata,
        tags=answer.tags,
        sources=sources,
        place=answer.place,
        role=answer.role,
        speaker=answer.speaker,
        session_id=answer.session_id,
        version=answer.version,
        confidence=answer.confidence,
    )
