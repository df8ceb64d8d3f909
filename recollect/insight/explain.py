"""`explain`: where a record comes from, what became of it, and why it is believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from recollect.clock import DAY_US, from_us, maybe_from_us
from recollect.config import Config
from recollect.ids import ID_CHARS
from recollect.ingest.corroborate import CORROBORATIONS
from recollect.limits import GRAPH_DEPTH_MAX
from recollect.model.anchor import StatesOfCode, anchors_on, code_in_words
from recollect.model.edge import CONTRADICTION_LABELS, Edge
from recollect.model.ending import MAY_REPLACE, REPLACES, Decider, Doubt, Ending, JudgedDoubt
from recollect.model.explanation import Explanation
from recollect.model.pair import PairLabel
from recollect.model.query import Criteria
from recollect.model.record import Kind, Record, Tier
from recollect.model.result import Operation
from recollect.model.scope import Reach
from recollect.model.trust import Trust
from recollect.recall.hits import source_of
from recollect.recall.ranking.trust import judged, trust_in
from recollect.store.base import Store, Tx
from recollect.store.endings import MODEL, UNTIL, decider_of
from recollect.store.shown import NO_FACTS
from recollect.store.traverse import Walk, neighbours
from recollect.upkeep.forgetting.strength import fading

PROVENANCE = ("derived_from", "inferred_from")
_SUPPORT = ("supports", "validates")
_QUOTED_CHARS = 80
_EXACTLY = 1.0  # as an answer to a question that it fits


def explain(
    store: Store, record_id: str, *, visible: Criteria | None, now: int, config: Config, code: StatesOfCode
) -> Explanation:
    """Everything that says why this record is there; also of one that was deleted. `visible` None: the owner asks."""
    with store.read() as tx:
        pk = tx.records.find_pk(record_id, visible, now=now, live=False)
        found = _explained(tx, pk, _sight(visible), now, config)
    about = anchors_on(found.record.attributes)
    if not about:
        return found
    found = replace(found, code=code({found.record.id: about}).get(found.record.id, ()))
    return replace(found, because=(*found.because, *_of_code(found)))


def _of_code(found: Explanation) -> Iterator[str]:
    words = code_in_words(found.code)
    if words or found.code:
        yield words or f"the code that it is about is as it was: {', '.join(each.label for each in found.code)}"


def trust_in_records(
    store: Store, found: Sequence[Record], criteria: Criteria, *, now: int, config: Config
) -> dict[str, Trust]:
    """How far records that no search found can be believed, by id: the figure that a search tells of them."""
    with store.read() as tx:
        keys = tx.records.load(tx.records.pks_of([record.id for record in found]))
        trust = trust_in(tx, keys, dict.fromkeys(keys, 1.0), now=now, config=config, visible=criteria)
    return {keys[pk].id: figures for pk, figures in trust.items()}


def _sight(visible: Criteria | None) -> Criteria:
    """What the reader may see of the chains: archived and ended records too, for they are the reasons."""
    if visible is None:
        return Criteria(reach=Reach.ALL, tiers=tuple(Tier), ended=True)
    return Criteria(scope=visible.scope, reach=visible.reach, tiers=tuple(Tier), ended=True)


def _explained(tx: Tx, pk: int, sight: Criteria, now: int, config: Config) -> Explanation:
    record = tx.records.load([pk])[pk]
    edge_pks: set[int] = set()

    def chain(
        labels: tuple[str, ...], direction: str, depth: int = 1, start: Sequence[int] = (pk,)
    ) -> tuple[Record, ...]:
        walk = Walk(criteria=sight, now=now, labels=labels, direction=direction)
        distance, walked = neighbours(lambda frontier: tx.paths.hop(walk, frontier), start, depth)
        edge_pks.update(walked)
        loaded = tx.records.load(list(distance))
        return tuple(loaded[each] for each in distance if each in loaded)

    derived_from = chain(PROVENANCE, "out", GRAPH_DEPTH_MAX)
    derived_into = chain(PROVENANCE, "in")
    said = [pk, *tx.records.pks_of([each.id for each in derived_into])] if record.kind is Kind.EPISODIC else [pk]
    before, after = (chain((REPLACES,), way, GRAPH_DEPTH_MAX, said) for way in ("out", "in"))
    chain((MAY_REPLACE,), "in", start=said)
    operations = tuple(operation for _, operation in tx.journal.operations_on_record(pk))
    strength, fades_at, kept = _lasting(tx, pk, now, config)
    facts = tx.shown.facts([pk], now=now, visible=sight).get(pk, NO_FACTS)
    own = (record, *derived_into) if record.kind is Kind.EPISODIC else (record,)
    found = Explanation(
        record=record,
        derived_from=derived_from,
        derived_into=derived_into,
        replaced=before,
        replaced_by=after,
        supported_by=chain(_SUPPORT, "in"),
        contradicted_by=chain(CONTRADICTION_LABELS, "both"),
        edges=_edges(tx, sorted(edge_pks), sight, now),
        sources=tuple(source_of(each) for each in (record, *derived_from) if each.kind is Kind.EPISODIC),
        entities=_named(tx, pk),
        operations=operations,
        corroborations=int(record.attributes.get(CORROBORATIONS, 0)),
        corroborated_by=record.provenance_sessions,
        confirmed_at=_confirmed_at(record, operations),
        trust=judged(record, _EXACTLY, facts, now=from_us(now), config=config),
        strength=strength,
        fades_at=fades_at,
        judged=_judged(tx, said, sight, now),
    )
    found = replace(found, ended_by=_endings(found.edges, own), may_have_changed=_doubts(found.edges, own))
    changed = any(each.id in {edge.target for edge in found.edges if edge.label == REPLACES} for each in (*own, *after))
    told = {each.id: each for each in (*before, *(own[1:] or own), *after)} if before or changed else {}
    found = replace(found, evolution=tuple(sorted(told.values(), key=_begun)))
    return replace(found, because=tuple(_reasons(found, kept)))


def _begun(record: Record) -> datetime:
    """From when on a record holds."""
    return record.valid_from or record.event_time or record.created_at


def _endings(edges: Sequence[Edge], own: Sequence[Record]) -> tuple[Ending, ...]:
    """What ended these records, the surest first."""
    ends = {record.id: record.valid_until for record in own}
    found = [
        Ending(
            record=edge.target,
            by_record=edge.source,
            ended_at=ends[edge.target] or maybe_from_us(edge.attributes.get(UNTIL)),
            by=decider_of(edge),
            probability=edge.confidence,
            reason=next(iter(edge.evidence), ""),
            model=edge.attributes.get(MODEL),
        )
        for edge in edges
        if edge.label == REPLACES and edge.target in ends
    ]
    return tuple(sorted(found, key=lambda each: -each.probability))


def _doubts(edges: Sequence[Edge], own: Sequence[Record]) -> tuple[Doubt, ...]:
    """What may have changed these records, the most probable first."""
    ids = {record.id for record in own if record.valid_until is None}
    found = [
        Doubt(id=edge.source, probability=edge.confidence, reason=next(iter(edge.evidence), ""))
        for edge in edges
        if edge.label == MAY_REPLACE and edge.target in ids
    ]
    return tuple(sorted(found, key=lambda each: -each.probability))


def _judged(tx: Tx, said: Sequence[int], sight: Criteria, now: int) -> tuple[JudgedDoubt, ...]:
    """What language models said of doubts about these records, as far as the reader sees what raised them."""
    found = tx.doubts.judged(said)
    seen = tx.records.seen(sight, now=now, among=sorted({pk for each in found for pk in (each.older, each.newer)}))
    ids = dict(zip(seen, tx.records.ids(seen), strict=True))
    return tuple(
        JudgedDoubt(record=ids[each.older], by_record=ids[each.newer], judgement=each.judgement)
        for each in found
        if each.older in ids and each.newer in ids
    )


def _edges(tx: Tx, edge_pks: Sequence[int], sight: Criteria, now: int) -> tuple[Edge, ...]:
    members = sorted(tx.edges.members_of(edge_pks))
    seen = tx.records.seen(sight, now=now, among=members)
    ids = dict(zip(seen, tx.records.ids(seen), strict=True))
    return tuple(tx.edges.load(edge_pks, ids, set(members) - ids.keys()))


def _named(tx: Tx, pk: int) -> tuple[str, ...]:
    """Entities that the record names, by the names it uses or those they have."""
    loaded = tx.entities.as_named_in(sorted(tx.mentions.of_record(pk)), pk)
    return tuple(entity.name for entity in loaded.values())


def _confirmed_at(record: Record, operations: Sequence[Operation]) -> datetime | None:
    if not record.user_verified:
        return None
    confirmed = [each.at for each in operations if each.verb == "confirm" and not each.undone]
    return confirmed[-1] if confirmed else record.updated_at


def _lasting(tx: Tx, pk: int, now: int, config: Config) -> tuple[float, datetime | None, bool]:
    """How strong it is, when it fades, and whether it never does."""
    own = tx.imprints.of([pk])
    if not len(own.pks):
        return 0.0, None, False
    state = fading(own, now, config)
    left = float(state.days_left(config.decay.gc_threshold)[0])
    fades_at = from_us(now + int(left * DAY_US)) if np.isfinite(left) and left < 36_500 else None
    return float(state.strength[0]), fades_at, bool(state.never[0])


# --- the same in words -----------------------------------------------------------------------------------------------


def _reasons(found: Explanation, kept: bool) -> Iterator[str]:
    record = found.record
    yield _origin(found)
    if found.corroborations:
        sessions = len(found.corroborated_by)
        yield f"said again {_times(found.corroborations)}" + (f", in {sessions} sessions" if sessions > 1 else "")
    if found.confirmed_at is not None:
        yield f"confirmed by a person on {found.confirmed_at:%Y-%m-%d}"
    if record.flagged:
        yield "flagged as wrong, and waiting for a person's word"
    if found.supported_by:
        yield f"supported by {_records(len(found.supported_by))}"
    if found.contradicted_by:
        yield f"contradicted by {_records(len(found.contradicted_by))}"
    if record.success_count:
        yield f"helped {_times(record.success_count)}"
    if record.failure_count:
        yield f"was no help {_times(record.failure_count)}"
    if found.replaced:
        yield f"stands in for {_records(len(found.replaced))}"
    if found.replaced_by:
        yield f"replaced by {_records(len(found.replaced_by))} since"
    yield from _changes(found)
    yield f"its confidence is {record.confidence:.2f}, trust in it {found.trust.composite:.2f}"
    yield _outlook(found, kept)


_DECIDED = {
    Decider.RULE: "by a rule",
    Decider.MODEL: "by the reader of pairs",
    Decider.LLM: "by the language model",
    Decider.PERSON: "by a person",
}


_DOES = {
    PairLabel.REPLACES: "replaces it",
    PairLabel.ENDS: "ends it",
    PairLabel.CORRECTS: "corrects it",
    PairLabel.ADDS: "adds to it",
    PairLabel.RESTATES: "restates it",
    PairLabel.UNRELATED: "has nothing to do with it",
}


def _changes(found: Explanation) -> Iterator[str]:
    """What ended it, or may have: by which text, who decided it, how probable it is and why."""
    texts = {record.id: record.content for record in (*found.replaced_by, *found.derived_into, found.record)}
    for each in found.ended_by:
        what = "" if each.record == found.record.id else f"of it, {_quoted(texts.get(each.record, ''))} "
        when = f"ended on {each.ended_at:%Y-%m-%d} " if each.ended_at else "ended "
        who = f"{_DECIDED[each.by]} {each.model}" if each.model else _DECIDED[each.by]
        said = f"by {_quoted(texts.get(each.by_record, ''))}, decided {who}"
        why = f" ({each.reason})" if each.reason else ""
        yield f"{what}{when}{said} with probability {each.probability:.2f}{why}"
    for doubt in found.may_have_changed:
        why = f" ({doubt.reason})" if doubt.reason else ""
        yield f"may have been changed by #{doubt.id[:ID_CHARS]}, with probability {doubt.probability:.2f}{why}"
    ended = {(each.record, each.by_record) for each in found.ended_by}
    for asked in found.judged:
        if (asked.record, asked.by_record) not in ended:
            told = asked.judgement
            yield (
                f"the language model {told.model} says that #{asked.by_record[:ID_CHARS]} {_DOES[told.label]}, "
                f"with probability {told.probability:.2f} ({told.reason})"
            )


def _quoted(text: str) -> str:
    said = " ".join(text.split())
    return f"“{said if len(said) <= _QUOTED_CHARS else said[: _QUOTED_CHARS - 1].rstrip() + '…'}”"


def _origin(found: Explanation) -> str:
    record = found.record
    if record.kind is Kind.EPISODIC:
        return f"said by {record.speaker or record.role or 'somebody'} on {record.created_at:%Y-%m-%d}"
    inferred = any(edge.label == "inferred_from" and edge.source == record.id for edge in found.edges)
    if found.derived_from:
        how = "inferred" if inferred else "drawn"
        return f"{how} from {_records(len(found.derived_from))}, {len(found.sources)} of them turns"
    return f"stored on {record.created_at:%Y-%m-%d}" + (f" by {record.source}" if record.source else "")


def _outlook(found: Explanation, kept: bool) -> str:
    record = found.record
    if record.retired_at is not None:
        return f"believed until {record.retired_at:%Y-%m-%d}"
    if record.tier is Tier.ARCHIVE:
        return "archived: found only by its id or when the archive is searched"
    if kept:
        return "does not fade"
    if found.fades_at is None:
        return f"its strength is {found.strength:.2f}"
    return f"its strength is {found.strength:.2f}; unless it is used, it fades on {found.fades_at:%Y-%m-%d}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _records(count: int) -> str:
    return "one record" if count == 1 else f"{count} records"
