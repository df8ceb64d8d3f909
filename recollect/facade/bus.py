"""What agents tell each other: `publish`, `subscribe` and `mem.bus`."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from recollect.clock import from_us
from recollect.errors import AccessDenied, UsageError
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.audited import audited
from recollect.facade.handle import Handle, Namespace, engine_of
from recollect.ids import beginning_of_id, is_id
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX
from recollect.model.publication import (
    Audience,
    BusMessage,
    DeliveryOutcome,
    DeliveryReport,
    Publication,
    PublicationStanding,
    SubscriptionFilter,
)
from recollect.model.query import Criteria
from recollect.model.scope import GLOBAL, Scope

if TYPE_CHECKING:
    from recollect.store.base import Tx

PUBLISHED_MAX = 1_000  # records in one call
TOPICS_MAX = 50
RATE_MAX = 1_000_000
_LOOK_EVERY_S = 0.1
_AT_ONCE = 100  # messages that a subscription reads at a time


class Bus(Handle):
    """Telling other agents, and being told."""

    def publish(
        self,
        id_or_text: Any = None,
        *,
        topics: Sequence[str] = (),
        visibility: str = "project",
        targets: Sequence[str] | None = None,
        importance: float | None = None,
        entity: str | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> list[Publication]:
        """Tell other agents what this one found: each that subscribed to such gets a record of its own, once.

        A record goes with its kind, times and tags, and is believed as far as this agent is. What is kept under a tier,
        was flagged or waits for review is refused; what is private to a user or a channel stays with them. A record
        that was told before, or that corrects one, arrives as its next version.

        Args:
            id_or_text: A record, by its id; a text, which is remembered first; or a list of these.
            topics: Words by which agents choose what they are told.
            visibility: Who may be told: project, squad, targets (agents that are named), or global, for the owner.
            targets: Names of agents.
            importance: 0 to 1; by default the record's, and `bus.importance_min` at least.
            entity: A person or thing, by name: what is known of it is told as one.
        """
        who = Audience(check.one_of(Audience, visibility, "visibility"))
        where = self._in(scope)
        if who is Audience.GLOBAL and not self._owner:
            raise AccessDenied("visibility='global' crosses projects and people; it is for the owner of the store")
        named = arguments.words(targets, lambda each: check.name(each, "target"), "targets") or ()
        about = arguments.words(topics, lambda each: check.name(each, "topic"), "topics") or ()
        weight = None if importance is None else check.share(importance, "importance")
        sight = self._sight(scope, reading=True)
        from recollect.bus.publishing import Told, publisher_of

        publisher_of(where, who, tuple(named))  # before a text is remembered
        publishing = self._engine.publishing
        if (id_or_text is None) == (entity is None):
            raise UsageError("publish takes a record, a text or a list of these, or else entity=…")
        if entity is not None:
            told = [publishing.about(check.name(entity, "entity"), Criteria(scope=where, reach=self._reach(scope)))]
        else:
            given = list(id_or_text) if isinstance(id_or_text, list | tuple) else [id_or_text]
            if not 0 < len(given) <= PUBLISHED_MAX:
                raise UsageError(f"publish takes 1 to {PUBLISHED_MAX:,} records at a time, not {len(given)}")
            told = [Told((id_,)) for id_ in self._ids_of(given, scope)]
        self._writer()
        return publishing.publish(
            told,
            scope=where,
            sight=sight,
            topics=tuple(about)[:TOPICS_MAX],
            visibility=who,
            targets=tuple(named),
            importance=weight,
        )

    def subscribe(
        self,
        topics: Sequence[str] | None = None,
        *,
        importance_min: float | None = None,
        sources: Sequence[str] | None = None,
        rate: int | None = None,
        earlier: bool = False,
        **scope: Unpack[ScopeArgs],
    ) -> Subscription:
        """Have this agent told what others publish. The answer can be iterated, awaited or polled.

        It stays until `mem.bus.unsubscribe`; subscribing to the same again changes nothing. What arrives is a record in
        the scope that is named here, found by every search there.

        Args:
            topics: Only what has one of these topics.
            importance_min: Only what is at least so important, 0 to 1; `bus.importance_min` by default.
            sources: Only from these agents.
            rate: At most so many in `bus.cycle_s`, the most important first; `bus.deliveries_max` by default.
            earlier: Also what was published before.
        """
        about = arguments.words(topics, lambda each: check.name(each, "topic"), "topics")
        kept = self._engine.publishing.subscribe(
            scope=self._in(scope),
            topics=None if about is None else tuple(about)[:TOPICS_MAX],
            importance_min=None if importance_min is None else check.share(importance_min, "importance_min"),
            sources=_names(sources, "sources"),
            rate=None if rate is None else arguments.count(rate, "rate", RATE_MAX),
            earlier=arguments.truth(earlier, "earlier"),
        )
        self._writer()
        with self._engine.store.read() as tx:
            newest = 0 if earlier else tx.bus.newest_number()
        return Subscription(self, kept, after=newest)

    def _ids_of(self, given: Sequence[Any], scope: ScopeArgs) -> list[str]:
        """Records by their ids; texts are remembered first, all at once."""
        texts = [at for at, each in enumerate(given) if isinstance(each, str) and not _may_be_an_id(each)]
        kept = iter(self.add([given[at] for at in texts], **scope).ids) if texts else iter(())  # type: ignore[attr-defined]
        fresh = set(texts)
        return [next(kept) if at in fresh else self._id(each, scope, reading=True) for at, each in enumerate(given)]


class Subscription:
    """What an agent is told, as it arrives. `filter` is what it asked for."""

    def __init__(self, memory: Handle, kept: SubscriptionFilter, *, after: int) -> None:
        self._memory = memory
        self._after = after
        self.filter = kept

    @property
    def id(self) -> str:
        return self.filter.id

    def poll(self, limit: int = _AT_ONCE) -> list[BusMessage]:
        """What arrived since the last look, the oldest first."""
        found = inbox_of(self._memory, self.filter.scope, agent=self.filter.agent_id, after=self._after, limit=limit)
        if found:
            self._after = found[-1].number
        return found

    def wait(self, timeout_s: float | None = None) -> list[BusMessage]:
        """The same, as soon as there is something; nothing if nothing arrives in that time."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while not (found := self.poll()) and (until is None or time.monotonic() < until):
            time.sleep(_LOOK_EVERY_S)
        return found

    def __iter__(self) -> Iterator[BusMessage]:
        """Every message, for ever: waits where there is none."""
        while True:
            yield from self.wait()

    async def __aiter__(self) -> AsyncIterator[BusMessage]:
        import asyncio  # a tenth of a second of a quick command

        while True:
            found = await asyncio.to_thread(self.poll)
            for each in found:
                yield each
            if not found:
                await asyncio.sleep(_LOOK_EVERY_S)

    def to_dict(self) -> dict[str, Any]:
        return self.filter.to_dict()


@partial(audited, prefix="bus_")
class BusVerbs(Namespace):
    """What waits, what arrived and who subscribed."""

    def inbox(self, *, newer_than: int = 0, limit: int = 50, **scope: Unpack[ScopeArgs]) -> list[BusMessage]:
        """What arrived for an agent, and conflicts with what it published; the oldest first.

        Args:
            newer_than: Only what has a higher number: that of the last message that was read.
            limit: At most so many.
        """
        where = self._handle._in(scope)
        return inbox_of(
            self._handle,
            where,
            agent=where.agent_id,
            after=arguments.count(newer_than, "newer_than", 2**62, least=0),
            limit=arguments.count(limit, "limit", PAGE_RECORDS_MAX),
            everything=self._handle._owner and where == GLOBAL,
        )

    def publications(self, *, limit: int = 50, **scope: Unpack[ScopeArgs]) -> list[PublicationStanding]:
        """What an agent has told others, or what all have, the newest first, and what became of it.

        Args:
            limit: At most so many.
        """
        from recollect.bus.publishing import publication_of

        where, most = self._handle._in(scope), arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        with self._handle._engine.store.read() as tx:
            rows = tx.bus.published(self._scope_pks(tx, where), limit=most)
            records = tx.records.load([pk for row in rows for pk in row.records])
            scopes = tx.scopes.load_all({row.publication.scope_pk for row in rows})
        told = []
        for row in rows:
            known = [records[pk] for pk in row.records if pk in records]
            receivers = sum(row.outcomes.values()) + row.waiting
            ids = tuple(each.id for each in known)
            told.append(
                PublicationStanding(
                    publication=publication_of(row.publication, ids, receivers, scopes[row.publication.scope_pk]),
                    contents=tuple(each.content for each in known),
                    outcomes=row.outcomes,
                    waiting=row.waiting,
                )
            )
        return told

    def subscriptions(self, **scope: Unpack[ScopeArgs]) -> list[SubscriptionFilter]:
        """Who is told what: the subscriptions of an agent, or all."""
        from recollect.bus.publishing import subscription_of

        where = self._handle._in(scope)
        with self._handle._engine.store.read() as tx:
            rows = tx.bus.subscriptions(self._scope_pks(tx, where))
            scopes = tx.scopes.load_all({row.scope_pk for row in rows})
        return [subscription_of(row, scopes[row.scope_pk]) for row in rows]

    def unsubscribe(self, id: str, **scope: Unpack[ScopeArgs]) -> bool:
        """End a subscription; what arrived stays. Whether there was one.

        Args:
            id: The subscription's id.
        """
        where, named = self._handle._in(scope), check.name(id, "id")
        return bool(self._handle._engine.store.write(lambda tx: tx.bus.unsubscribe(named, self._scope_pks(tx, where))))

    def withdraw(self, id: str, **scope: Unpack[ScopeArgs]) -> int:
        """Tell nobody else what was published; for how many that was. What arrived already stays.

        Args:
            id: The publication's id.
        """
        where, named = self._handle._in(scope), check.name(id, "id")
        return self._handle._engine.publishing.withdraw(named, lambda tx: self._scope_pks(tx, where))

    def deliver(self) -> DeliveryReport:
        """Deliver now what waits, as far as the rates of the subscriptions allow."""
        self._handle._owner_only("bus.deliver")
        return self._handle._engine.delivering.run()

    def _scope_pks(self, tx: Tx, where: Scope) -> list[int] | None:
        """The scopes whose rows a caller may see and change: its own; for the owner without a scope, all."""
        if self._handle._owner and where == GLOBAL:
            return None
        pk = tx.scopes.find(where)
        return [] if pk is None else [pk]


def inbox_of(
    memory: Handle, where: Scope, *, agent: str | None, after: int, limit: int, everything: bool = False
) -> list[BusMessage]:
    """Messages of a scope, with the texts of their records as they are now."""
    with engine_of(memory).store.read() as tx:  # whoever waits for a delivery must not keep it from being made
        pk = tx.scopes.find(where)
        scope_pks = None if everything else [] if pk is None else [pk]
        rows = tx.bus.inbox(agent, scope_pks, after=after, limit=limit)
        records = tx.records.load([pk for row in rows for pk in row.records])
    return [
        BusMessage(
            number=row.number,
            publication=row.publication.id,
            agent_id=row.agent,
            sender=row.other or row.publication.agent,
            outcome=DeliveryOutcome(row.outcome),
            records=tuple(records[pk].id for pk in row.records if pk in records),
            contents=tuple(records[pk].content for pk in row.records if pk in records),
            topics=row.publication.topics,
            subject=row.publication.subject,
            at=from_us(row.at),
        )
        for row in rows
    ]


def _names(given: Sequence[str] | None, what: str) -> tuple[str, ...] | None:
    found = arguments.words(given, lambda each: check.name(each, what), what)
    return None if found is None else tuple(found)


def _may_be_an_id(text: str) -> bool:
    return is_id(text) or beginning_of_id(text) is not None
