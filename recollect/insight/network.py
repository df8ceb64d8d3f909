"""A part of the graph to draw: the records that are joined most strongly, or those around some, with whom they name.

Everything is read from records that the criteria allow, so no line leads to what a reader may not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from recollect.clock import from_us, maybe_from_us
from recollect.model.network import NAMES, Network, NetworkLink, NetworkNode, NodeSort
from recollect.model.query import Criteria
from recollect.store.base import Store, Tx
from recollect.store.network import NodeRow

ENTITY_SHARE = 4  # at most one node in so many is an entity, unless there is room
NAMED_OFTEN = 2  # records that name an entity, for it to be told before others


def network(
    store: Store,
    criteria: Criteria,
    *,
    around: Sequence[str],
    labels: Sequence[str] | None,
    entities: bool,
    limit: int,
    now: int,
) -> Network:
    """At most so many nodes: around these records and entities, by their ids, or of all that meets the criteria."""
    with store.read(criteria) as tx:
        found = _around(tx, criteria, around, limit, now) if around else _strongest(tx, criteria, labels, limit, now)
        pks, more = found[:limit], len(found) > limit
        named = tx.network.named(pks) if entities else []
        chosen = _entities(named, limit, room=limit - len(pks), all_of_them=bool(around))
        pks = pks[: limit - len(chosen)] if len(pks) + len(chosen) > limit else pks
        rows = tx.network.nodes(pks)
        known = tx.entities.as_seen(chosen, criteria, now=now)
        links = _links(tx, rows, labels)
    places = {row.pk: at for at, row in enumerate(rows)}
    seats = {pk: len(rows) + at for at, pk in enumerate(known)}
    naming = [
        NetworkLink(source=places[record], target=seats[entity], label=NAMES)
        for record, entity in named
        if record in places and entity in seats
    ]
    people = [
        NetworkNode(
            id=each.id,
            sort=NodeSort.ENTITY,
            kind=each.type.value,
            text=each.name,
            since=each.first_seen,
            weight=each.mention_count,
        )
        for each in known.values()
    ]
    return Network(nodes=(*map(_node, rows), *people), links=(*links, *naming), more=more or len(pks) < len(found))


def _strongest(tx: Tx, criteria: Criteria, labels: Sequence[str] | None, limit: int, now: int) -> list[int]:
    """Records that relations join, the strongest first, then the newest of the others; one more than is wanted."""
    _, joined = tx.marks.strongest(criteria, now=now, labels=labels, limit=limit)
    newest = [] if labels is not None else tx.network.newest(criteria, now=now, limit=limit + 1)
    return list(dict.fromkeys((*joined, *newest)))[: limit + 1]


def _around(tx: Tx, criteria: Criteria, ids: Sequence[str], limit: int, now: int) -> list[int]:
    """The records that were asked about, those that relations join to them, and those that name the entities."""
    asked = tx.records.matching(criteria, now=now, among=tx.records.pks_of(list(ids)))
    sight = tx.scopes.visible(criteria.scope, criteria.reach)
    people = [pk for id_ in ids for pk, _ in tx.entities.named(id_, sight)]
    naming = tx.entities.mentions_of_each(people, limit=limit) if people else {}
    wanted = dict.fromkeys((*asked, *tx.network.beside(asked), *(pk for pks in naming.values() for pk in pks)))
    seen = set(tx.records.matching(criteria, now=now, among=sorted(wanted)))
    return [pk for pk in wanted if pk in seen]


def _entities(named: Sequence[tuple[int, int]], limit: int, *, room: int, all_of_them: bool) -> list[int]:
    """The entities that most of the records name; those that one names only where there is room."""
    counted = Counter(entity for _, entity in named).most_common()
    often = [pk for pk, count in counted if count >= NAMED_OFTEN or all_of_them]
    most = max(room, limit // ENTITY_SHARE)
    seldom = [pk for pk, count in counted if not (count >= NAMED_OFTEN or all_of_them)]
    return [*often[:most], *seldom[: max(0, room - len(often))]]


def _links(tx: Tx, rows: Sequence[NodeRow], labels: Sequence[str] | None) -> list[NetworkLink]:
    """A line from the first member of each relation to each of the others, as far as both are told."""
    places = {row.pk: at for at, row in enumerate(rows)}
    links: list[NetworkLink] = []
    first: tuple[int, int] | None = None  # (relation, the record it starts from)
    for member in tx.network.members(list(places), labels):
        if first is None or first[0] != member.edge_pk:
            first = (member.edge_pk, member.record_pk)
            continue
        links.append(
            NetworkLink(
                source=places[first[1]],
                target=places[member.record_pk],
                label=member.label,
                family=member.family,
                weight=member.strength,
                until=maybe_from_us(member.valid_until),
            )
        )
    return links


def _node(row: NodeRow) -> NetworkNode:
    return NetworkNode(
        id=row.id,
        sort=NodeSort.RECORD,
        kind=row.kind,
        text=row.text,
        since=from_us(min(row.created_at, row.event_time or row.created_at)),
        until=maybe_from_us(row.valid_until),
        weight=row.importance,
    )
