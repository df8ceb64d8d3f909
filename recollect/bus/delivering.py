"""Delivering: what was published becomes a record of each agent's own who asked for such, once.

A delivery, the record it makes and the note that it was made are one transaction: a process that dies in between leaves
it in the queue, and no two processes make the same one. Each record says where it came from, and is believed as far as
its publisher is. A new version takes the place of the one that the agent has. If the agent has changed that one without
knowing of the new one, both are kept and contradict each other: the surer one holds, of two equally sure ones the
newer, and both agents are told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recollect.bus.publishing import DELIVER_JOB
from recollect.bus.versions import VersionOrder, merged, order_of
from recollect.clock import SECOND_US, Clock
from recollect.config import LiveConfig
from recollect.ingest.addition import add
from recollect.ingest.drafts import draft
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import WhenRead, prepare
from recollect.ingest.screening import ScreeningGate
from recollect.model.ending import Decider, EndCause
from recollect.model.publication import ATTRIBUTE, SOURCE, DeliveryOutcome, DeliveryReport, may_be_told
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.store.base import Store, Tx
from recollect.store.bus import PartRow, PublicationRow, SubscriptionRow, VersionRow
from recollect.store.edges import pair
from recollect.store.jobs import Job
from recollect.store.journal import Op
from recollect.store.rows import to_json

BATCH = 200  # deliveries to one agent in one transaction
ACTOR = "bus"
_KEPT = ("kind", "category", "importance", "tags", "metadata", "subject", "predicate", "object", "facets")
_TIMES = ("event_time", "valid_from", "valid_until")


class _OvertakenError(Exception):
    """Others delivered, or changed what the agent has, since this was prepared: it is looked at anew."""


class _ArrivingPart(NamedTuple):
    """A record that is to arrive, and the version of its thing that the agent has."""

    publication: PublicationRow
    part: PartRow
    record: Record
    held: VersionRow | None
    confidence: float


@dataclass(slots=True, kw_only=True)
class _Round:
    """What is to be delivered to one agent now."""

    subscription: SubscriptionRow
    scope: Scope
    publications: dict[int, PublicationRow] = field(default_factory=dict)
    parts: list[_ArrivingPart] = field(default_factory=list)
    known: dict[int, list[int]] = field(default_factory=dict)  # by publication: records that the agent had already
    alike: list[VersionRow] = field(default_factory=list)  # what the agent has and others came to as well
    outcomes: dict[int, DeliveryOutcome] = field(default_factory=dict)
    arrived: dict[int, list[int]] = field(default_factory=dict)

    def begin(self) -> None:
        """Nothing has come of it yet: a transaction may be done twice."""
        self.outcomes.clear()
        self.arrived.clear()

    def note(self, publication_pk: int, outcome: DeliveryOutcome, records: Sequence[int]) -> None:
        """One part came to this; the most telling outcome of its parts is a publication's."""
        self.arrived.setdefault(publication_pk, []).extend(records)
        self.outcomes[publication_pk] = max(
            outcome, self.outcomes.get(publication_pk, DeliveryOutcome.WITHDRAWN), key=_TELLING.index
        )


_TELLING = (
    DeliveryOutcome.WITHDRAWN,
    DeliveryOutcome.KNOWN,
    DeliveryOutcome.DELIVERED,
    DeliveryOutcome.RENEWED,
    DeliveryOutcome.CONFLICT,
)


class Delivering:
    """Deliveries over one store."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        gate: ScreeningGate,
        poke: Callable[[], None],
    ) -> None:
        self._poke = poke  # tells who does the jobs that there is one: texts are read in the background
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock
        self._gate = gate

    def run_job(self, job: Job, progress: Callable[[float], bool]) -> None:
        """The handler of `deliver` jobs."""
        self.run(lambda: progress(0.5))

    def run(self, going_on: Callable[[], bool] = lambda: True) -> DeliveryReport:
        """Deliver what waits, as far as the rates of the subscriptions allow; the rest is tried when they do again."""
        outcomes: Counter[str] = Counter()
        while True:
            settings = self._config.current.bus
            since = self._clock() - int(settings.cycle_s * SECOND_US)
            with self._store.read() as tx:
                due = tx.bus.due(since=since, limit=BATCH)
                prepared = None if due is None else _prepared(tx, *due)
            if prepared is None:
                break
            try:
                outcomes.update(each.value for each in self._deliver(prepared).values())
            except _OvertakenError:
                continue
            if not going_on():
                break
        return DeliveryReport(outcomes=outcomes, waiting=self._store.write(self._ask_again))

    def _ask_again(self, tx: Tx) -> int:
        waiting = tx.bus.waiting()
        if waiting:
            tx.jobs.enqueue_once(DELIVER_JOB, now=self._clock(), delay_s=self._config.current.bus.cycle_s)
        return waiting

    def _deliver(self, this: _Round) -> Mapping[int, DeliveryOutcome]:
        if not this.parts:
            self._store.write(lambda tx: self._finish(tx, this, at=self._clock(), anew=True))
            return this.outcomes
        now, config = self._clock(), self._config.current
        drafts = draft(
            [_item(each) for each in this.parts],
            {"source": SOURCE},
            timestamp=None,
            now=now,
            bytes_max=config.ingest.content_bytes_max,
            parts_max=config.ingest.turn_parts_max,
            privacy=self._gate.privacy(config.security, this.scope),
        )
        for row, position in zip(drafts.rows, drafts.items, strict=True):
            row.attributes = to_json({ATTRIBUTE: _origin(this.parts[position])})
        drafts = self._gate.admit_drafts(drafts)
        material = prepare(drafts, self._embedding, config, now=now, read=WhenRead(now=False, later=True))

        def work(tx: Tx) -> None:
            this.begin()
            before = tx.arrivals.newest_key("record")
            at = self._clock()

            def also(tx: Tx, op: Op, pks: list[int]) -> None:
                _refuse_if_overtaken(tx, this)
                by_item: dict[int, list[int]] = {}
                for position, pk in zip(drafts.items, pks, strict=True):
                    by_item.setdefault(position, []).append(pk)
                for position, part in enumerate(this.parts):
                    if rows := by_item.get(position):
                        self._settle(tx, op, this, part, rows, is_new=rows[0] > before)
                self._finish(tx, this, at=at)

            add(tx, material, at=at, scope=this.scope, session=None, actor=ACTOR, verb="deliver", also=also)

        self._store.write(work)
        self._poke()
        return this.outcomes

    def _settle(self, tx: Tx, op: Op, this: _Round, one: _ArrivingPart, rows: list[int], *, is_new: bool) -> None:
        """Hold the version that arrived against the one the agent has."""
        publication, part, agent = one.publication, one.part, this.subscription.agent
        if one.held is None:
            tx.bus.hold(rows[0], part.thing, agent, part.vector, at=publication.at)
            this.note(publication.pk, DeliveryOutcome.DELIVERED if is_new else DeliveryOutcome.KNOWN, rows)
            return
        if order_of(part.vector, one.held.vector) is VersionOrder.NEWER:
            tx.bus.hold(rows[0], part.thing, agent, part.vector, at=publication.at)
            cause = EndCause(by=Decider.RULE, probability=1.0, reason=f"a later version, from {publication.agent}")
            tx.endings.end(op, older=one.held.record_pk, newer=rows[0], cause=cause)
            this.note(publication.pk, DeliveryOutcome.RENEWED, rows)
            return
        self._conflict(tx, op, this, one, rows[0])

    def _conflict(self, tx: Tx, op: Op, this: _Round, one: _ArrivingPart, arrived: int) -> None:
        """Two agents changed the same thing without knowing of each other."""
        assert one.held is not None
        held = one.held.record_pk
        own = tx.records.columns_of(held) or {}
        gap = one.confidence - float(own.get("confidence") or 0.0)
        if abs(gap) <= self._config.current.bus.confidence_gap:
            gap = one.publication.at - one.held.at
        holds, loses = (arrived, held) if gap >= 0 else (held, arrived)
        knows_both = merged(one.part.vector, one.held.vector)
        for pk, at in ((held, one.held.at), (arrived, one.publication.at)):
            tx.bus.hold(pk, one.part.thing, this.subscription.agent, knows_both, at=at)
        reason = f"changed by {this.subscription.agent} and {one.publication.agent} at once"
        tx.endings.end(op, older=loses, newer=holds, cause=EndCause(by=Decider.RULE, probability=0.7, reason=reason))
        tx.edges.insert(op, [pair(holds, loses, "contradicts", auto_extracted=True, attributes={"by": ACTOR})])
        this.note(one.publication.pk, DeliveryOutcome.CONFLICT, [holds, loses])
        tx.bus.note_delivery(
            one.publication.pk,
            one.publication.agent,
            one.publication.scope_pk,
            DeliveryOutcome.CONFLICT,
            [one.part.record_pk],
            at=op.at,
            other=this.subscription.agent,
        )

    def _finish(self, tx: Tx, this: _Round, *, at: int, anew: bool = False) -> None:
        """Take the deliveries out of the queue and note what became of them."""
        if anew:
            this.begin()
        for own in this.alike:
            tx.bus.hold(own.record_pk, own.thing, this.subscription.agent, own.vector, at=own.at)
        for pk in this.publications:
            if not tx.bus.take(pk, this.subscription):
                raise _OvertakenError
            for record_pk in this.known.get(pk, ()):
                this.note(pk, DeliveryOutcome.KNOWN, [record_pk])
            outcome = this.outcomes.setdefault(pk, DeliveryOutcome.WITHDRAWN)
            tx.bus.note_delivery(
                pk,
                this.subscription.agent,
                this.subscription.scope_pk,
                outcome,
                this.arrived.get(pk, ()),
                at=at,
                subscription_pk=this.subscription.pk,
            )


def _prepared(tx: Tx, subscription: SubscriptionRow, publication_pks: Sequence[int]) -> _Round:
    """What is to be done for one subscription, as things are now.

    Of two versions of a thing the second one is left to the next round, which finds the first one delivered.
    """
    scope = tx.scopes.load(subscription.scope_pk)
    assert scope is not None, "a subscription has a scope"
    this = _Round(subscription=subscription, scope=scope)
    parts = tx.bus.parts(publication_pks)
    every = [part for each in parts.values() for part in each]
    held = tx.bus.held(subscription.agent, list({part.thing for part in every}))
    own_pks = [own.record_pk for own in held.values()]
    records = tx.records.load([*(part.record_pk for part in every), *own_pks])
    coming: set[str] = set()
    for pk, publication in tx.bus.publications(publication_pks).items():
        told = parts.get(pk, ())
        if any(part.thing in coming for part in told):
            continue
        this.publications[pk] = publication
        coming |= {part.thing for part in told}
        for part in told:
            record, own = records.get(part.record_pk), held.get(part.thing)
            if record is None or not may_be_told(record):
                continue
            if own is not None and order_of(part.vector, own.vector) is VersionOrder.SAME_OR_OLDER:
                this.known.setdefault(pk, []).append(own.record_pk)
            elif own is not None and records[own.record_pk].content_hash == record.content_hash:
                this.known.setdefault(pk, []).append(own.record_pk)
                this.alike.append(own._replace(vector=merged(part.vector, own.vector)))
            elif scope.sees(record.scope):
                this.known.setdefault(pk, []).append(part.record_pk)
            else:
                confidence = min(1.0, record.confidence * publication.standing)
                this.parts.append(_ArrivingPart(publication, part, record, own, confidence))
    return this


def _refuse_if_overtaken(tx: Tx, this: _Round) -> None:
    now = tx.bus.held(this.subscription.agent, [each.part.thing for each in this.parts])
    if any(now.get(each.part.thing) != each.held for each in this.parts):
        raise _OvertakenError


def _item(one: _ArrivingPart) -> dict[str, Any]:
    """The record that the agent gets, as `add` takes one."""
    record = one.record
    item: dict[str, Any] = {"content": record.content, "confidence": one.confidence}
    item |= {name: value for name in _KEPT if (value := getattr(record, name, None)) not in (None, (), {})}
    item |= {name: value for name in _TIMES if (value := getattr(record, name, None)) is not None}
    return item


def _origin(one: _ArrivingPart) -> dict[str, str]:
    """Where a record came from. It is the store's own word, so no policy looks through it."""
    return {"from": one.publication.agent, "record": one.record.id, "publication": one.publication.id}
