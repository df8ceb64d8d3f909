"""From rows to hits: loaded, with what they rest on and how far they can be believed, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from recollect.config import Config
from recollect.model.anchor import anchors_on
from recollect.model.ending import HOLDS, Validity
from recollect.model.query import Criteria
from recollect.model.record import Kind, Record, Tier
from recollect.model.result import Hit, Source
from recollect.model.screening import flags_on
from recollect.model.tokens import estimate_tokens
from recollect.model.trust import Trust
from recollect.recall.ranking.trust import trust_in
from recollect.store.base import Tx
from recollect.store.shown import ShownRecord
from recollect.store.traverse import Walk

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
    loaded = tx.shown.load(wanted, known_at=criteria.known_at)
    found = {pk: loaded[pk] for pk in scores if pk in loaded}
    sources = sources_of(tx, list(found.items()), criteria, now)
    for pk, several in twins.items():
        more = (source_of(loaded[twin]) for twin in several if twin in loaded and loaded[twin].kind is Kind.EPISODIC)
        sources[pk] = (*sources.get(pk, ()), *more)
    sight = Criteria(scope=criteria.scope, reach=criteria.reach, known_at=criteria.known_at)
    trust = trust_in(tx, found, scores, now=now, config=config, visible=sight)
    validity = tx.validity.of(found, criteria, now=now)
    return {
        pk: _hit(shown, scores[pk], sources.get(pk, ()), trust[pk], validity.get(pk, HOLDS))
        for pk, shown in found.items()
    }


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


def _hit(shown: ShownRecord, score: float, sources: tuple[Source, ...], trust: Trust, validity: Validity) -> Hit:
    return Hit(
        id=shown.id,
        content=shown.content,
        kind=shown.kind,
        category=shown.category,
        score=score,
        trust=trust,
        created_at=shown.created_at,
        updated_at=shown.updated_at,
        event_time=shown.event_time,
        valid_from=shown.valid_from,
        valid_until=shown.valid_until,
        metadata=shown.metadata,
        tags=shown.tags,
        sources=sources,
        place=shown.place,
        role=shown.role,
        speaker=shown.speaker,
        security=shown.security,
        session_id=shown.session_id,
        version=shown.version,
        confidence=shown.confidence,
        current=validity.current,
        ended_at=validity.ended_at,
        replaced_by=validity.replaced_by,
        partly_ended=validity.partly_ended,
        may_have_changed=validity.may_have_changed,
        flags=flags_on(shown.attributes),
        code=anchors_on(shown.attributes),
        sealed=shown.sealed,
    )


_PROVENANCE = ("derived_from",)


def sources_of(
    tx: Tx, found: Sequence[tuple[int, ShownRecord]], criteria: Criteria, now: int
) -> dict[int, tuple[Source, ...]]:
    """Sources by key, as far as the reader may see them."""
    derived = [pk for pk, shown in found if shown.kind is not Kind.EPISODIC]
    out: dict[int, tuple[Source, ...]] = {pk: (source_of(shown),) for pk, shown in found if shown.kind is Kind.EPISODIC}
    if not derived or not tx.edges.any_edge():
        return out
    # An archived turn is no longer found by itself, but it is still what the statement rests on.
    sight = Criteria(scope=criteria.scope, reach=criteria.reach, known_at=criteria.known_at, tiers=tuple(Tier))
    heads = {pk: pk for pk in derived} if criteria.known_at is None else tx.candidates.heads(derived)
    steps = tx.paths.hop(Walk(criteria=sight, now=now, labels=_PROVENANCE, direction="out"), list(set(heads.values())))
    loaded = tx.shown.load(list({step.to_pk for step in steps}))
    rests_on: dict[int, tuple[Source, ...]] = {}
    for step in steps:
        episode = loaded.get(step.to_pk)
        if episode is not None and episode.kind is Kind.EPISODIC:
            rests_on[step.from_pk] = (*rests_on.get(step.from_pk, ()), source_of(episode))
    return out | {pk: rests_on[head] for pk, head in heads.items() if head in rests_on}


def source_of(record: Record | ShownRecord) -> Source:
    return Source(
        id=record.id,
        content=record.content,
        created_at=record.created_at,
        session_id=record.session_id,
        metadata=record.metadata,
        role=record.role,
        speaker=record.speaker,
        event_time=record.event_time,
    )
