"""What agents tell each other: publications, who asked for such, what waits to be delivered, and what was delivered.

Bookkeeping beside the records: no operation, no journal. A publication goes with any of its records that is erased.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import orjson

from recollect.ids import new_id
from recollect.model.ending import REPLACES
from recollect.model.promotion import ATTRIBUTE, SOURCE
from recollect.store.base import Group
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.journal import MAKING_UNDONE

# Whether a receiver may be told at all: `p` is the publication, `o` the scope of its publisher, `r` the receiver's.
_MAY_BE_TOLD = (
    "s.agent <> p.agent AND (o.channel IS NULL OR o.channel IS NOT DISTINCT FROM r.channel) "
    "AND (o.user_id IS NULL OR o.user_id IS NOT DISTINCT FROM r.user_id) "
    "AND (p.visibility = 'global' OR o.project IS NOT DISTINCT FROM r.project) "
    "AND (p.visibility <> 'squad' OR o.squad IS NOT DISTINCT FROM r.squad) "
    "AND (p.visibility <> 'targets' OR s.agent IN (SELECT value FROM EACH_ITEM(p.targets)))"
)
_IS_WANTED = (
    "p.importance >= s.importance_min "
    "AND (s.sources IS NULL OR p.agent IN (SELECT value FROM EACH_ITEM(s.sources))) "
    "AND (s.topics IS NULL OR EXISTS (SELECT 1 FROM EACH_ITEM(s.topics) wanted "
    "JOIN EACH_ITEM(p.topics) told ON told.value = wanted.value))"
)
_MATCHED = (
    "FROM bus_publication p JOIN scope o ON o.pk = p.scope_pk CROSS JOIN bus_subscription s "
    f"JOIN scope r ON r.pk = s.scope_pk WHERE {_MAY_BE_TOLD} AND {_IS_WANTED} "
)
_QUEUE = (
    "INSERT INTO bus_waiting (publication_pk, agent, subscription_pk) "
    f"SELECT p.pk, s.agent, min(s.pk) {_MATCHED}"
    "AND NOT EXISTS (SELECT 1 FROM bus_delivery d WHERE d.publication_pk = p.pk AND d.agent = s.agent) AND {} "
    "GROUP BY p.pk, s.agent ON CONFLICT DO NOTHING"
)


class PartRow(NamedTuple):
    """A record of a publication: the thing it is a version of, and which version."""

    record_pk: int
    thing: str
    vector: dict[str, int]


class PublicationRow(NamedTuple):
    """A publication as it is stored."""

    pk: int
    id: str
    scope_pk: int
    agent: str
    topics: tuple[str, ...]
    visibility: str
    targets: tuple[str, ...]
    importance: float
    standing: float
    subject: str | None
    at: int


class SubscriptionRow(NamedTuple):
    """A subscription as it is stored."""

    pk: int
    id: str
    scope_pk: int
    agent: str
    topics: tuple[str, ...] | None
    importance_min: float
    sources: tuple[str, ...] | None
    rate: int
    at: int


class VersionRow(NamedTuple):
    """A version of a thing that an agent holds as a record of its own."""

    record_pk: int
    thing: str
    vector: dict[str, int]
    at: int


class DeliveryRow(NamedTuple):
    """A delivery as it is stored, with what it delivered."""

    number: int
    publication: PublicationRow
    agent: str
    outcome: str
    other: str | None
    at: int
    records: tuple[int, ...]


class PublishedRow(NamedTuple):
    """A publication with what became of it: for how many agents each outcome, and for how many it waits."""

    publication: PublicationRow
    records: tuple[int, ...]
    outcomes: dict[str, int]
    waiting: int


_PUBLICATION = (
    "p.pk, p.id, p.scope_pk, p.agent, p.topics, p.visibility, p.targets, p.importance, p.standing, p.subject, p.at"
)
_SUBSCRIPTION = "s.pk, s.id, s.scope_pk, s.agent, s.topics, s.importance_min, s.sources, s.rate, s.at"


class BusRows(Group):
    """The bus between agents."""

    # --- publishing ---------------------------------------------------------------------------------------------

    def publish(self, row: PublicationRow, parts: Sequence[PartRow]) -> int:
        """Keep a publication and put it in the queue of everybody it is for; for how many that is. `row.pk` is not
        looked at."""
        pk = self.sql.insert(
            "INSERT INTO bus_publication (id, scope_pk, agent, topics, visibility, targets, importance, standing, "
            "subject, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row.id,
                row.scope_pk,
                row.agent,
                _listed(row.topics),
                row.visibility,
                _listed(row.targets),
                row.importance,
                row.standing,
                row.subject,
                row.at,
            ),
        )
        self.sql.many(
            "INSERT INTO bus_part (publication_pk, record_pk, thing, vector) VALUES (?, ?, ?, ?)",
            [(pk, part.record_pk, part.thing, orjson.dumps(part.vector).decode()) for part in parts],
        )
        return self.sql.run(_QUEUE.format("p.pk = ?"), (pk,))

    def withdraw(self, publication_pk: int) -> int:
        """Deliver a publication to nobody any more; how many were still to get it."""
        return self.sql.run("DELETE FROM bus_waiting WHERE publication_pk = ?", (publication_pk,))

    def find_publication(self, publication_id: str) -> PublicationRow | None:
        row = self.sql.one(f"SELECT {_PUBLICATION} FROM bus_publication p WHERE p.id = ?", (publication_id,))
        return None if row is None else _publication(row)

    def publications(self, pks: Iterable[int]) -> dict[int, PublicationRow]:
        rows = self.sql.all(
            f"SELECT {_PUBLICATION} FROM bus_publication p WHERE p.pk IN KEYS(?)", (self.sql.keys(pks),)
        )
        return {row[0]: _publication(row) for row in rows}

    def published(self, scope_pks: Sequence[int] | None, *, limit: int) -> list[PublishedRow]:
        """What was published from these scopes, or from any, the newest first."""
        found = self.sql.all(
            f"SELECT {_PUBLICATION} FROM bus_publication p WHERE ?1 = 1 OR p.scope_pk IN KEYS(?2) "
            "ORDER BY p.pk DESC LIMIT ?3",
            (int(scope_pks is None), self.sql.keys(scope_pks or ()), limit),
        )
        keys = self.sql.keys([row[0] for row in found])
        outcomes: dict[int, dict[str, int]] = {}
        for pk, outcome, count in self.sql.all(
            "SELECT publication_pk, outcome, count(*) FROM bus_delivery WHERE publication_pk IN KEYS(?) "
            "GROUP BY publication_pk, outcome ORDER BY publication_pk, outcome",
            (keys,),
        ):
            outcomes.setdefault(pk, {})[outcome] = count
        waiting: dict[int, int] = dict(
            self.sql.all(
                "SELECT publication_pk, count(*) FROM bus_waiting WHERE publication_pk IN KEYS(?) "
                "GROUP BY publication_pk",
                (keys,),
            )
        )
        parts = self.parts([row[0] for row in found])
        return [
            PublishedRow(
                _publication(row),
                tuple(part.record_pk for part in parts.get(row[0], ())),
                outcomes.get(row[0], {}),
                waiting.get(row[0], 0),
            )
            for row in found
        ]

    def parts(self, publication_pks: Iterable[int]) -> dict[int, list[PartRow]]:
        """The records of publications, by publication."""
        found: dict[int, list[PartRow]] = {}
        for pk, record_pk, thing, vector in self.sql.all(
            "SELECT publication_pk, record_pk, thing, vector FROM bus_part WHERE publication_pk IN KEYS(?) "
            "ORDER BY publication_pk, record_pk",
            (self.sql.keys(publication_pks),),
        ):
            found.setdefault(pk, []).append(PartRow(record_pk, thing, orjson.loads(vector)))
        return found

    def standing(self, agent: str) -> tuple[int, int]:
        """How many of an agent's own live records a person confirmed, and how many were flagged."""
        row = self.sql.one(
            "SELECT coalesce(sum(r.user_verified), 0), coalesce(sum(r.flagged), 0) FROM record r "
            "JOIN scope s ON s.pk = r.scope_pk WHERE s.agent_id = ? AND HEAD(r) AND LIVE(r)",
            (agent,),
        )
        assert row is not None
        return int(row[0]), int(row[1])

    def promoted(self, scope_pk: int) -> set[str]:
        """The ids of records that were handed on to this scope, also where somebody deleted the copy since."""
        rows = self.sql.all(
            f"SELECT JSON_TEXT(r.attributes, '$.{ATTRIBUTE}.record') FROM record r "
            f"WHERE r.scope_pk = ? AND r.source = '{SOURCE}' AND HEAD(r) AND (LIVE(r) OR NOT {MAKING_UNDONE})",
            (scope_pk,),
        )
        return {row[0] for row in rows}

    # --- versions -----------------------------------------------------------------------------------------------

    def versions_of(self, record_pks: Iterable[int]) -> dict[int, VersionRow]:
        """Of which thing these records are versions, where they are of one."""
        rows = self.sql.all(
            "SELECT record_pk, thing, vector, at FROM bus_version WHERE record_pk IN KEYS(?)",
            (self.sql.keys(record_pks),),
        )
        return {row[0]: VersionRow(row[0], row[1], orjson.loads(row[2]), row[3]) for row in rows}

    def version_replaced_by(self, record_pk: int) -> VersionRow | None:
        """The version that a record was put in the place of: what it corrects, or ended."""
        row = self.sql.one(
            "SELECT v.record_pk, v.thing, v.vector, v.at FROM member here JOIN edge e ON e.pk = here.edge_pk "
            f"AND e.label = '{REPLACES}' AND LIVE(e) JOIN member there ON there.edge_pk = e.pk "
            "JOIN bus_version v ON v.record_pk = there.record_pk "
            f"WHERE here.record_pk = ? AND here.role IN {SOURCE_ROLES} AND there.role IN {TARGET_ROLES} "
            "ORDER BY v.record_pk DESC LIMIT 1",
            (record_pk,),
        )
        return None if row is None else VersionRow(row[0], row[1], orjson.loads(row[2]), row[3])

    def held(self, agent: str, things: Sequence[str]) -> dict[str, VersionRow]:
        """The newest live version of each thing that an agent holds, by thing."""
        rows = self.sql.all(
            "SELECT v.record_pk, v.thing, v.vector, v.at FROM bus_version v JOIN record r ON r.pk = v.record_pk "
            "WHERE v.agent = ? AND v.thing IN (SELECT value FROM EACH_ITEM(?)) AND LIVE(r) ORDER BY v.record_pk",
            (agent, _listed(things)),
        )
        return {row[1]: VersionRow(row[0], row[1], orjson.loads(row[2]), row[3]) for row in rows}

    def hold(self, record_pk: int, thing: str, agent: str, vector: Mapping[str, int], *, at: int) -> None:
        """An agent's record is this version of a thing."""
        self.sql.run(
            "INSERT INTO bus_version (record_pk, thing, agent, vector, at) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (record_pk) DO UPDATE SET thing = excluded.thing, agent = excluded.agent, "
            "vector = excluded.vector, at = excluded.at",
            (record_pk, thing, agent, orjson.dumps(dict(vector)).decode(), at),
        )

    # --- subscribing --------------------------------------------------------------------------------------------

    def subscribe(self, row: SubscriptionRow, *, earlier: bool) -> tuple[str, int]:
        """Keep a subscription, once; its id, and how much of what was published before it gets as well."""
        given = (row.scope_pk, row.agent, _listed(row.topics), row.importance_min, _listed(row.sources), row.rate)
        known = self.sql.one(
            "SELECT pk, id FROM bus_subscription WHERE scope_pk = ? AND agent = ? AND topics IS NOT DISTINCT FROM ? "
            "AND importance_min = ? AND sources IS NOT DISTINCT FROM ? AND rate = ?",
            given,
        )
        if known is None:
            id_ = new_id()
            pk = self.sql.insert(
                "INSERT INTO bus_subscription (scope_pk, agent, topics, importance_min, sources, rate, id, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*given, id_, row.at),
            )
        else:
            pk, id_ = known
        return id_, self.sql.run(_QUEUE.format("s.pk = ?"), (pk,)) if earlier else 0

    def unsubscribe(self, subscription_id: str, scope_pks: Sequence[int] | None) -> int:
        """Forget a subscription of one of these scopes, or of any; what waited for it is not delivered."""
        return self.sql.run(
            "DELETE FROM bus_subscription WHERE id = ?1 AND (?2 = 1 OR scope_pk IN KEYS(?3))",
            (subscription_id, int(scope_pks is None), self.sql.keys(scope_pks or ())),
        )

    def subscriptions(self, scope_pks: Sequence[int] | None) -> list[SubscriptionRow]:
        """Subscriptions of these scopes, or all, the oldest first."""
        rows = self.sql.all(
            f"SELECT {_SUBSCRIPTION} FROM bus_subscription s WHERE ?1 = 1 OR s.scope_pk IN KEYS(?2) ORDER BY s.pk",
            (int(scope_pks is None), self.sql.keys(scope_pks or ())),
        )
        return [_subscription(row) for row in rows]

    # --- delivering ---------------------------------------------------------------------------------------------

    def waiting(self) -> int:
        """How many deliveries wait."""
        return int(self.sql.value("SELECT count(*) FROM bus_waiting"))

    def due(self, *, since: int, limit: int) -> tuple[SubscriptionRow, list[int]] | None:
        """A subscription with deliveries within its rate since then, and the weightiest of these by the keys of their
        publications; None if nothing may be delivered now."""
        rows = self.sql.all(
            f"SELECT {_SUBSCRIPTION} FROM bus_subscription s "
            "WHERE EXISTS (SELECT 1 FROM bus_waiting w WHERE w.subscription_pk = s.pk) ORDER BY s.pk"
        )
        for row in rows:
            subscription = _subscription(row)
            room = subscription.rate - int(
                self.sql.value(
                    "SELECT count(*) FROM bus_delivery WHERE subscription_pk = ? AND at > ?", (subscription.pk, since)
                )
            )
            found = self.sql.all(
                "SELECT w.publication_pk FROM bus_waiting w JOIN bus_publication p ON p.pk = w.publication_pk "
                "WHERE w.subscription_pk = ? ORDER BY p.importance DESC, p.pk LIMIT ?",
                (subscription.pk, max(0, min(room, limit))),
            )
            if found:
                return subscription, sorted(each[0] for each in found)
        return None

    def take(self, publication_pk: int, subscription: SubscriptionRow) -> bool:
        """Take a delivery out of the queue; False if somebody else did."""
        return bool(
            self.sql.run(
                "DELETE FROM bus_waiting WHERE publication_pk = ? AND agent = ? AND subscription_pk = ?",
                (publication_pk, subscription.agent, subscription.pk),
            )
        )

    def note_delivery(
        self,
        publication_pk: int,
        agent: str,
        scope_pk: int,
        outcome: str,
        records: Sequence[int],
        *,
        at: int,
        subscription_pk: int | None = None,
        other: str | None = None,
    ) -> None:
        """Note what became of a publication at an agent, once."""
        known = self.sql.value(
            "SELECT pk FROM bus_delivery WHERE publication_pk = ? AND agent = ?", (publication_pk, agent)
        )
        if known is not None:
            return
        pk = self.sql.insert(
            "INSERT INTO bus_delivery (publication_pk, agent, scope_pk, subscription_pk, outcome, other, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (publication_pk, agent, scope_pk, subscription_pk, outcome, other, at),
        )
        self.sql.many(
            "INSERT INTO bus_arrival (delivery_pk, position, record_pk) VALUES (?, ?, ?)",
            [(pk, position, record_pk) for position, record_pk in enumerate(dict.fromkeys(records))],
        )

    def inbox(self, agent: str | None, scope_pks: Sequence[int] | None, *, after: int, limit: int) -> list[DeliveryRow]:
        """What arrived after a number, the oldest first, for an agent, or for all of these scopes, or for everybody."""
        rows = self.sql.all(
            f"SELECT d.pk, d.agent, d.outcome, d.other, d.at, {_PUBLICATION} FROM bus_delivery d "
            "JOIN bus_publication p ON p.pk = d.publication_pk WHERE d.pk > ?1 AND (CAST(?2 AS TEXT) IS NULL OR "
            "d.agent = ?2) "
            "AND (?3 = 1 OR d.scope_pk IN KEYS(?4)) ORDER BY d.pk LIMIT ?5",
            (after, agent, int(scope_pks is None), self.sql.keys(scope_pks or ()), limit),
        )
        arrived: dict[int, list[int]] = {}
        for pk, record_pk in self.sql.all(
            "SELECT delivery_pk, record_pk FROM bus_arrival WHERE delivery_pk IN KEYS(?) "
            "ORDER BY delivery_pk, position",
            (self.sql.keys([row[0] for row in rows]),),
        ):
            arrived.setdefault(pk, []).append(record_pk)
        return [
            DeliveryRow(pk, _publication(publication), agent, outcome, other, at, tuple(arrived.get(pk, ())))
            for pk, agent, outcome, other, at, *publication in rows
        ]

    def newest_number(self) -> int:
        """The number of the last delivery; 0 before any."""
        return int(self.sql.value("SELECT coalesce(max(pk), 0) FROM bus_delivery"))

    def arrived(self, *, since: int, limit: int) -> list[int]:
        """Records that arrived since then, the newest first."""
        rows = self.sql.all(
            "SELECT a.record_pk FROM bus_delivery d JOIN bus_arrival a ON a.delivery_pk = d.pk "
            "WHERE d.at > ? AND d.outcome <> 'known' ORDER BY d.pk DESC LIMIT ?",
            (since, limit),
        )
        return [row[0] for row in rows]

    def trim(self, *, before: int) -> int:
        """Forget publications of before then that nobody waits for, and their deliveries; how many they were."""
        return self.sql.run(
            "DELETE FROM bus_publication WHERE at < ? AND pk NOT IN (SELECT publication_pk FROM bus_waiting)", (before,)
        )

    def forget_records(self, record_pks: Iterable[int]) -> None:
        """Publications go with any of their records: what they say of it, they say of what is erased."""
        self.sql.run(
            "DELETE FROM bus_publication WHERE pk IN (SELECT publication_pk FROM bus_part WHERE record_pk IN KEYS(?))",
            (self.sql.keys(record_pks),),
        )


def _listed(values: Sequence[str] | None) -> str | None:
    return None if values is None else orjson.dumps(list(values)).decode()


def _publication(row: Sequence[object]) -> PublicationRow:
    values = list(row)
    values[4], values[6] = (tuple(orjson.loads(str(values[at]))) for at in (4, 6))
    return PublicationRow(*values)  # type: ignore[arg-type]


def _subscription(row: Sequence[object]) -> SubscriptionRow:
    values = list(row)
    for at in (4, 6):
        values[at] = None if values[at] is None else tuple(orjson.loads(str(values[at])))
    return SubscriptionRow(*values)  # type: ignore[arg-type]
