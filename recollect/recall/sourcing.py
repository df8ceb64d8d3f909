"""What a hit rests on: the episodic records it was derived from, or itself if it is one."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.query import Criteria
from recollect.model.record import Kind, Record, Tier
from recollect.model.result import Source
from recollect.recall.answers import Answer, answers
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.traverse import Walk, hop

_PROVENANCE = ("derived_from",)


def sources_of(
    tx: Tx, found: Sequence[tuple[int, Answer]], criteria: Criteria, now: int
) -> dict[int, tuple[Source, ...]]:
    """Sources by key, as far as the reader may see them."""
    derived = [pk for pk, answer in found if answer.kind is not Kind.EPISODIC]
    out: dict[int, tuple[Source, ...]] = {
        pk: (source_of(answer),) for pk, answer in found if answer.kind is Kind.EPISODIC
    }
    if not derived or not edges.any_edge(tx):
        return out
    # An archived turn is no longer found by itself, but it is still what the statement rests on.
    sight = Criteria(scope=criteria.scope, reach=criteria.reach, known_at=criteria.known_at, tiers=tuple(Tier))
    heads = {pk: pk for pk in derived} if criteria.known_at is None else _heads(tx, derived)
    steps = hop(tx, Walk(criteria=sight, now=now, labels=_PROVENANCE, direction="out"), list(set(heads.values())))
    loaded = answers(tx, list({step.to_pk for step in steps}))
    rests_on: dict[int, tuple[Source, ...]] = {}
    for step in steps:
        episode = loaded.get(step.to_pk)
        if episode is not None and episode.kind is Kind.EPISODIC:
            rests_on[step.from_pk] = (*rests_on.get(step.from_pk, ()), source_of(episode))
    return out | {pk: rests_on[head] for pk, head in heads.items() if head in rests_on}


def _heads(tx: Tx, pks: Sequence[int]) -> dict[int, int]:
    """The current row of each: relations are kept there, and a search of the past finds earlier versions."""
    rows = tx.all("SELECT pk, coalesce(head_pk, pk) FROM record WHERE pk IN carray(?)", (tx.pk_list(pks),))
    return dict(rows)


def source_of(record: Record | Answer) -> Source:
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
