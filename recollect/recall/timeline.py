"""`timeline`: how knowledge about a topic evolved, what changed from step to step, and when most of it happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from statistics import fmean, pstdev

from recollect.clock import Clock, maybe_from_us, to_us
from recollect.config import LiveConfig
from recollect.language.terms import query_terms, terms_of
from recollect.model.query import Criteria
from recollect.model.record import Kind, Record
from recollect.model.result import Hit, Recollection
from recollect.model.timeline import Peak, Timeline, TimelineEvent, Transition
from recollect.recall.pipeline import ReadPath
from recollect.recall.question.query import Query
from recollect.store.base import Store, Tx
from recollect.store.traverse import Walk
from recollect.store.validity import Replacement

CORRECTING = ("supersedes", "updates", "contradicts", "conflicts_with")
REINFORCING = ("supports", "validates", "similar_to")
ON_TOPIC_SHARE = 0.65  # of the best score: what answers less well is another topic
SAME_WORDS_SHARE = 0.8  # of two texts' words: they say the same
PEAK_EVENTS_MIN = 2
PEAKS_MAX = 5


class Timelines:
    """Evolution of topics in one store."""

    def __init__(self, store: Store, recall: ReadPath, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._recall = recall
        self._config = config
        self._clock = clock

    def of(self, topic: str, criteria: Criteria, *, limit: int | None = None) -> Timeline:
        """Every version of every record on the topic, oldest first; what has ended or was corrected is part of it."""
        most = self._config.current.recall.timeline_records
        most = most if limit is None else min(limit, most)
        found = self._recall.search(Query(text=topic, criteria=replace(criteria, ended=True), top_k=most, explain=True))
        with self._store.read(criteria) as tx:
            ids = _on_topic(found)
            changes = _changes(tx, ids, criteria, self._clock())
            if criteria.as_of is None and criteria.after is None:  # a chain is told whole, in whatever words
                ids = [*dict.fromkeys([*ids, *(id_ for each in changes for id_ in (each.older_id, each.newer_id))])]
            steps = _versions(tx, ids)
            times = _times_told(tx, steps)
            steps = [step for step in steps if criteria.before is None or to_us(_moment(step, times)) < criteria.before]
            steps.sort(key=lambda step: _moment(step, times))
            related = _relations(tx, steps, criteria, self._clock())
        for each in changes:
            related[each.newer_id, each.older_id] = Transition.CORRECTION
        ended = {each.older_id: each for each in reversed(changes)}
        events = tuple(_events(steps, related, ended, times))[-most:]
        return Timeline(topic=topic, events=events, peaks=peaks([event.at for event in events]), missing=found.missing)


def peaks(moments: Sequence[datetime]) -> tuple[Peak, ...]:
    """Days, weeks or months, by how long it all took, that hold clearly more events than the others.

    Where all of it fell into one there are no others, and no peak.
    """
    if len(moments) < PEAK_EVENTS_MIN:
        return ()
    start, end = min(moments), max(moments)
    grain = next(days for days, most in ((1, 31), (7, 217), (30, 10**9)) if (end - start).days <= most)
    day = datetime(start.year, start.month, start.day, tzinfo=UTC)
    counted = Counter((moment - day).days // grain for moment in moments)
    counts = [counted[index] for index in range(max(counted) + 1)]
    if len(counts) < 2:
        return ()
    usual = fmean(counts) + pstdev(counts)
    high = [(index, count) for index, count in counted.items() if count >= max(PEAK_EVENTS_MIN, usual)]
    best = sorted(high, key=lambda one: (-one[1], one[0]))[:PEAKS_MAX]
    return tuple(
        Peak(
            start=day + timedelta(days=index * grain),
            end=day + timedelta(days=(index + 1) * grain),
            events=count,
        )
        for index, count in sorted(best)
    )


def _on_topic(found: Recollection) -> list[str]:
    """Of the hits those that are about the topic themselves: a turn may be found for the words of the one before it.

    They share a word with it, or name what it names in other words. Where none does, meaning alone has to tell.
    """
    if found.abstained:
        return []
    asked = frozenset(query_terms(found.query))
    named = {one for one, by in found.trace.found_by.items() if "entity" in by} if found.trace else set()
    own = [hit for hit in found if hit.id in named or not asked.isdisjoint(_words_of(hit))] or list(found)
    least = ON_TOPIC_SHARE * max(hit.score for hit in own)
    return [hit.id for hit in own if hit.score >= least]


def _words_of(hit: Hit) -> Iterable[str]:
    return terms_of(" ".join((hit.content, hit.speaker or "", hit.category, *hit.tags)))


def _versions(tx: Tx, ids: Iterable[str]) -> list[Record]:
    """All versions that said something else than the one before."""
    out: list[Record] = []
    for record_id in ids:
        pk = next(iter(tx.records.pks_of([record_id])), None)
        said = None
        for version in sorted(tx.records.versions(pk), key=lambda one: one.version) if pk else ():
            if version.content != said:
                out.append(version)
                said = version.content
    return out


Times = Mapping[str, datetime]


def _times_told(tx: Tx, steps: Sequence[Record]) -> Times:
    """When that happened which turns tell of, by their ids: "we shipped it on April 2", said in May.

    Only what was over when it was said, and only where a turn tells of one such time: of a plan it is the saying that
    happened.
    """
    found: dict[str, datetime] = {}
    for turn in steps:
        if turn.kind is not Kind.EPISODIC or turn.event_time is None:
            continue
        stated = tx.records.load(sorted(tx.statements.said_in(tx.records.pks_of([turn.id])))).values()
        told = {each.event_time for each in stated if each.event_time is not None}
        if len(told) == 1 and (only := told.pop()) < turn.event_time:
            found[turn.id] = only
    return found


def _moment(record: Record, times: Times) -> datetime:
    """When a step happened: a first version when its event did, a later one when it was written.

    A record that happened in time may have been rewritten later: that step did not.
    """
    if record.version > 1:
        return record.recorded_at
    return times.get(record.id) or record.event_time or record.created_at


def _changes(tx: Tx, ids: Sequence[str], criteria: Criteria, now: int) -> list[Replacement]:
    """What ended what among these records, as far as the reader may see both."""
    pks = tx.records.pks_of(ids)
    found = tx.validity.changes_around({*pks, *tx.statements.said_in(pks)}) if pks else []
    sight = Criteria(scope=criteria.scope, reach=criteria.reach)
    seen = set(tx.records.seen(sight, now=now, among=list({pk for each in found for pk in (each.newer, each.older)})))
    return [each for each in found if {each.newer, each.older} <= seen]


Related = dict[tuple[str, str], Transition]


def _relations(tx: Tx, steps: Sequence[Record], criteria: Criteria, now: int) -> Related:
    """What the store itself says of pairs of these records, by id, both ways."""
    keys = tx.candidates.of_ids([record.id for record in steps])
    sight = Criteria(scope=criteria.scope, reach=criteria.reach, ended=True)
    out: Related = {}
    for labels, transition in ((REINFORCING, Transition.REINFORCEMENT), (CORRECTING, Transition.CORRECTION)):
        for step in tx.paths.hop(Walk(criteria=sight, now=now, labels=labels), list(keys)):
            if step.to_pk in keys:
                pair = keys[step.from_pk], keys[step.to_pk]
                out[pair] = out[pair[::-1]] = transition
    return out


def _events(
    steps: Sequence[Record], related: Related, ended: Mapping[str, Replacement], times: Times
) -> Iterable[TimelineEvent]:
    for index, record in enumerate(steps):
        before = steps[:index]
        transition, earlier = _change(record, before, related)
        end = ended.get(record.id)
        yield TimelineEvent(
            record=record,
            at=_moment(record, times),
            transition=transition,
            since=_moment(record, times) - _moment(before[-1], times) if before else None,
            of=earlier.id if earlier else None,
            replaced=earlier.content if earlier and transition is Transition.CORRECTION else None,
            ended_at=maybe_from_us(end.until) if end else None,
            ended_by=end.newer_id if end else None,
        )


def _change(record: Record, before: Sequence[Record], related: Related) -> tuple[Transition, Record | None]:
    """What a step did to those before it; the latest one concerned decides."""
    if not before:
        return Transition.BEGINNING, None
    words = frozenset(terms_of(record.content))
    for earlier in reversed(before):
        if earlier.id == record.id:
            return Transition.CORRECTION, earlier
        told = related.get((record.id, earlier.id))
        if told is not None:
            return told, earlier
        theirs = frozenset(terms_of(earlier.content))
        if words and len(words & theirs) >= SAME_WORDS_SHARE * len(words | theirs):
            return Transition.REINFORCEMENT, earlier
    return Transition.ADDITION, None
