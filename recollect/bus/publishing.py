"""Publishing and subscribing: what an agent tells others, and what an agent wants to be told.

What is told is a record, so everything that is known of it goes along; a text becomes a record first. A record that is
kept under a tier, was flagged, or waits for a person is not told. Who may be told is decided by the scope of the
publisher and the visibility, and by what a record is private to: a user's or a channel's stays there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from recollect.bus.versions import counted
from recollect.clock import Clock, from_us
from recollect.config import LiveConfig
from recollect.errors import NotFound, Overloaded, UsageError, shown
from recollect.ids import new_id
from recollect.model.audit import AuditEvent
from recollect.model.publication import Audience, Publication, SubscriptionFilter, standing_of
from recollect.model.query import Criteria
from recollect.model.record import Record, SecurityTier
from recollect.model.scope import Scope
from recollect.store.base import Store, Tx
from recollect.store.bus import PartRow, PublicationRow, SubscriptionRow

DELIVER_JOB = "deliver"
UNIT_RECORDS_MAX = 50  # of an entity that is published as a whole
UNIT_RECORDS_LOOKED_AT = 500


class Told(NamedTuple):
    """What is to be published: records by id, or everything known of an entity."""

    records: tuple[str, ...]
    subject: str | None = None


class Publishing:
    """Publications and subscriptions over one store. `poke` tells who does the jobs that there is one."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock, poke: Callable[[], None]) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._poke = poke

    def about(self, name: str, visible: Criteria) -> Told:
        """What a reader may see of an entity, the newest of it, to be published as a whole."""
        now = self._clock()
        with self._store.read() as tx:
            found = tx.entities.named(name, tx.scopes.visible(visible.scope))
            pks = tx.entities.newest_mentions([pk for pk, _ in found], limit=UNIT_RECORDS_LOOKED_AT)
            seen = tx.records.seen(visible, now=now, among=pks)[:UNIT_RECORDS_MAX]
            if not seen:
                raise NotFound(f"nothing is known here of an entity named {shown(name)}")
            return Told(tuple(tx.records.ids(seen)), found[0][1].name)

    def publish(
        self,
        told: Sequence[Told],
        *,
        scope: Scope,
        sight: Criteria | None,
        topics: tuple[str, ...],
        visibility: Audience,
        targets: tuple[str, ...],
        importance: float | None,
    ) -> list[Publication]:
        """Put all of these into the queues of those they are for, or, with an error, none."""
        agent = publisher_of(scope, visibility, targets)
        settings = self._config.current.bus

        def work(tx: Tx) -> list[Publication]:
            at = self._clock()
            room = settings.pending_max - tx.bus.waiting()
            scope_pk = tx.scopes.ensure(scope)
            standing = standing_of(*tx.bus.standing(agent))
            done: list[Publication] = []
            for each in told:
                pks = [tx.records.find_pk(id_, sight, now=at) for id_ in each.records]
                records = tx.records.load(pks)
                for pk in pks:
                    _refuse_what_stays(records[pk], scope)
                weight = max(settings.importance_min, *(records[pk].importance for pk in pks))
                row = PublicationRow(
                    pk=0,
                    id=new_id(),
                    scope_pk=scope_pk,
                    agent=agent,
                    topics=topics,
                    visibility=visibility.value,
                    targets=targets,
                    importance=weight if importance is None else importance,
                    standing=standing,
                    subject=each.subject,
                    at=at,
                )
                receivers = tx.bus.publish(row, _parts(tx, agent, pks, at=at))
                room -= receivers
                done.append(publication_of(row, each.records, receivers, scope))
            if room < 0:
                raise Overloaded(
                    f"{settings.pending_max:,} deliveries wait already (bus.pending_max), so nothing of this was "
                    "published (texts are remembered all the same); raise the rates of subscriptions, or the limit"
                )
            tx.audit.append(AuditEvent.MEMORY_WRITTEN, at=at, verb="publish", scope=scope.key, count=len(done))
            if any(each.receivers for each in done):
                tx.jobs.enqueue_once(DELIVER_JOB, now=at)
            return done

        done = self._store.write(work)
        if any(each.receivers for each in done):
            self._poke()
        return done

    def withdraw(self, publication_id: str, scope_pks: Callable[[Tx], Sequence[int] | None]) -> int:
        """Deliver a publication to nobody any more; how many were still to get it."""

        def work(tx: Tx) -> int:
            row = tx.bus.find_publication(publication_id)
            visible = scope_pks(tx)
            if row is None or (visible is not None and row.scope_pk not in visible):
                raise NotFound(f"no publication has the id {publication_id}")
            return tx.bus.withdraw(row.pk)

        return self._store.write(work)

    def subscribe(
        self,
        *,
        scope: Scope,
        topics: tuple[str, ...] | None,
        importance_min: float | None,
        sources: tuple[str, ...] | None,
        rate: int | None,
        earlier: bool,
    ) -> SubscriptionFilter:
        """Have an agent told from now on, and with `earlier` what was published before; the same again changes
        nothing."""
        agent = _agent_of(scope)
        settings = self._config.current.bus
        least = settings.importance_min if importance_min is None else importance_min
        most = settings.deliveries_max if rate is None else rate

        def work(tx: Tx) -> tuple[SubscriptionRow, int]:
            at = self._clock()
            row = SubscriptionRow(0, "", tx.scopes.ensure(scope), agent, topics, least, sources, most, at)
            id_, queued = tx.bus.subscribe(row, earlier=earlier)
            if queued:
                tx.jobs.enqueue_once(DELIVER_JOB, now=at)
            return row._replace(id=id_), queued

        row, queued = self._store.write(work)
        if queued:
            self._poke()
        return subscription_of(row, scope)


def subscription_of(row: SubscriptionRow, scope: Scope) -> SubscriptionFilter:
    """A subscription as it is told."""
    return SubscriptionFilter(
        id=row.id,
        agent_id=row.agent,
        topics=row.topics,
        importance_min=row.importance_min,
        sources=row.sources,
        rate=row.rate,
        at=from_us(row.at),
        scope=scope,
    )


def publication_of(row: PublicationRow, records: tuple[str, ...], receivers: int, scope: Scope) -> Publication:
    """A publication as it is told."""
    return Publication(
        id=row.id,
        agent_id=row.agent,
        records=records,
        topics=row.topics,
        visibility=Audience(row.visibility),
        importance=row.importance,
        at=from_us(row.at),
        targets=row.targets,
        subject=row.subject,
        receivers=receivers,
        scope=scope,
    )


def _parts(tx: Tx, agent: str, pks: Sequence[int], *, at: int) -> list[PartRow]:
    """The records of a publication as the next versions of their things; a correction is one of what it corrects."""
    known = tx.bus.versions_of(pks)
    parts: list[PartRow] = []
    for pk in dict.fromkeys(pks):
        before = known.get(pk) or tx.bus.version_replaced_by(pk)
        thing, vector = (new_id(), {}) if before is None else (before.thing, before.vector)
        part = PartRow(pk, thing, counted(vector, agent))
        tx.bus.hold(pk, thing, agent, part.vector, at=at)
        parts.append(part)
    return parts


def _agent_of(scope: Scope) -> str:
    if scope.agent_id is None:
        raise UsageError("the bus is between agents: say whose this is with agent_id")
    return scope.agent_id


def publisher_of(scope: Scope, visibility: Audience, targets: Sequence[str]) -> str:
    """The agent that publishes; a `UsageError` where nobody could be told."""
    agent = _agent_of(scope)
    if visibility is Audience.PROJECT and scope.project is None:
        raise UsageError("visibility='project' needs a project; name one, or choose targets or global")
    if visibility is Audience.SQUAD and scope.squad is None:
        raise UsageError("visibility='squad' needs a squad; name one")
    if bool(targets) != (visibility is Audience.TARGETS):
        raise UsageError("targets are named with visibility='targets', and only with that")
    return agent


def _refuse_what_stays(record: Record, scope: Scope) -> None:
    """What nobody else may be told."""
    if record.security is not SecurityTier.CLEARTEXT:
        raise UsageError(f"record {record.id} is kept under the tier {record.security}; it is not told to others")
    if record.flagged or record.needs_review:
        why = "was flagged" if record.flagged else "waits for a person's word"
        raise UsageError(f"record {record.id} {why}; confirm it first")
    for name in ("user_id", "channel"):
        private = getattr(record.scope, name)
        if private is not None and private != getattr(scope, name):
            raise UsageError(f"record {record.id} is private to a {name.removesuffix('_id')}; publish it in that scope")
