"""The tree of summaries where it is stored: put in place, added to, and written anew where records changed.

Adding and rewriting read and write in one transaction, so that no text can hold what was erased in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from recollect.config.keeping import AbstractionSettings
from recollect.store.base import Tx
from recollect.store.summaries import CLUSTER, DOMAIN, GLOBAL, SummaryNode
from recollect.store.vectors import Space
from recollect.upkeep.knowledge.cluster import groups
from recollect.upkeep.knowledge.leaves import Leaves, leaves
from recollect.upkeep.knowledge.tree import NamedInRows, SummaryTree, cluster_of, domain_of_clusters, top_of

_CHANGES_MAX = 100_000


class TreePlace(NamedTuple):
    """Where a tree stands, and what it is drawn up by."""

    scope_pk: int
    space: Space | None
    settings: AbstractionSettings
    now: int


def space_of_tree(tx: Tx) -> Space | None:
    """The space whose vectors trees are built on: the first one in use."""
    return next(iter(tx.vectors.spaces()), None)


def named_in(tx: Tx, own: Leaves) -> NamedInRows:
    """Which of these records name which entity, but for who speaks."""
    pairs = tx.entities.spoken_of(own.pks.tolist())
    if not pairs:
        return NamedInRows()
    records, named = np.array(pairs, dtype=np.int64).T
    return NamedInRows(np.searchsorted(own.pks, records), named, tx.entities.names(set(named.tolist())))


def add(tx: Tx, place: TreePlace, pks: Sequence[int]) -> set[int]:
    """Put records into the clusters nearest to them, and write anew what is above; the clusters that changed."""
    own = leaves(tx, place.scope_pk, space=place.space, now=place.now, among=pks)
    homes = _homes(tx, place, own)
    if homes is None:
        return set()
    tx.summaries.put_members(zip(own.pks.tolist(), homes, strict=True))
    touched = set(homes)
    for pk in sorted(touched):
        touched |= _split_if_large(tx, place, pk)
    rewrite_clusters(tx, place, touched)
    return touched


def rewrite_clusters(tx: Tx, place: TreePlace, pks: Iterable[int]) -> None:
    """Write these clusters anew from the records they have left, and everything above them."""
    nodes = tx.summaries.load(pks, space=place.space)
    members = tx.summaries.member_pks([node.pk for node in nodes])
    for node in nodes:
        own = leaves(tx, place.scope_pk, space=place.space, now=place.now, among=members.get(node.pk, []))
        if len(own):
            _replace(tx, place, node, cluster_of(own, np.arange(len(own)), named_in(tx, own), place.settings))
        elif not members.get(node.pk):
            tx.summaries.remove([node.pk])
        else:  # deleted for now; they may come back
            _replace(tx, place, node, SummaryNode(level=CLUSTER))
    rewrite_domains(tx, place, {node.parent_pk for node in nodes if node.parent_pk is not None})


def rewrite_domains(tx: Tx, place: TreePlace, pks: Iterable[int]) -> None:
    """Write these domains anew from their clusters, and the summary of all from its domains."""
    tops = set()
    for node in tx.summaries.load(pks, space=place.space):
        below = tx.summaries.children(node.pk, space=place.space)
        tops.add(node.parent_pk)
        if below:
            _replace(tx, place, node, domain_of_clusters(below, place.settings))
        else:
            tx.summaries.remove([node.pk])
    for top in tx.summaries.load([pk for pk in tops if pk is not None], space=place.space):
        below = tx.summaries.children(top.pk, space=place.space)
        if below:
            _replace(tx, place, top, top_of(below, place.settings))
        else:
            tx.summaries.remove([top.pk])


def stale_clusters(tx: Tx, place: TreePlace) -> list[int]:
    return tx.summaries.stale_pks(place.scope_pk, CLUSTER)


def stale_above(tx: Tx, place: TreePlace) -> list[int]:
    """Domains whose words were taken away, or those that a summary of all without words is made of."""
    found = tx.summaries.stale_pks(place.scope_pk, DOMAIN)
    if not found:
        for pk in tx.summaries.stale_pks(place.scope_pk, GLOBAL):
            found += [node.pk for node in tx.summaries.children(pk, space=None)][:1]
    return found


def take_changed(tx: Tx, tree: SummaryTree, own: Leaves, pks: Sequence[int], *, since: int) -> None:
    """Take the words of a new tree back where records changed since they were read; `pks` are its nodes' keys."""
    seen = tx.changes.since(since, _CHANGES_MAX)
    kept_all = tx.changes.oldest() <= since + 1 and len(seen) < _CHANGES_MAX
    if not kept_all:
        tx.summaries.take_words(pks)
        return
    drawn = np.array(sorted(own.drawn), dtype=np.int64)
    changed: set[int] = set()
    for change in seen:
        if change.topic == "record":
            changed.update(_span(own.pks, change.first_pk, change.last_pk))
            changed.update(own.drawn[pk] for pk in _span(drawn, change.first_pk, change.last_pk))
    rows = np.searchsorted(own.pks, np.array(sorted(changed), dtype=np.int64))
    touched: set[int] = set()
    for at, members in enumerate(tree.rows):
        if np.isin(rows, members).any():
            touched |= {0, 1 + tree.domain_of[at], 1 + len(tree.domains) + at}
    tx.summaries.take_words([pks[at] for at in touched])


def cut_finer(tx: Tx, place: TreePlace, domain: SummaryNode) -> int:
    """Cluster what is in a domain anew, into smaller clusters; how many there are then."""
    old = [node.pk for node in tx.summaries.children(domain.pk, space=place.space)]
    members = [pk for own in tx.summaries.member_pks(old).values() for pk in own]
    own = leaves(tx, place.scope_pk, space=place.space, now=place.now, among=members)
    settings = place.settings
    size_max = max(settings.cluster_min, settings.cluster_max // 2)
    parts = groups(own.vectors, size_min=max(2, settings.cluster_min // 2), size_max=size_max)
    tx.summaries.remove(old)
    named = named_in(tx, own)
    nodes = [cluster_of(own, rows, named, settings) for rows in parts]
    for node in nodes:
        node.parent_pk = domain.pk
    pks = tx.summaries.insert(place.scope_pk, nodes, space=place.space, at=place.now, live=True)
    for pk, rows in zip(pks, parts, strict=True):
        tx.summaries.put_members((record_pk, pk) for record_pk in own.pks[rows].tolist())
    tx.summaries.mark_finer(domain.pk)
    rewrite_domains(tx, place, [domain.pk])
    return len(nodes)


def _homes(tx: Tx, place: TreePlace, own: Leaves) -> list[int] | None:
    """The cluster for each record: the nearest one; the newest for one that points nowhere. None: there is none."""
    newest = tx.summaries.newest_pk(place.scope_pk, CLUSTER)
    if newest is None:
        return None
    homes = [newest] * len(own)
    if place.space is not None:
        found = tx.summaries.directions(place.scope_pk, CLUSTER, place.space)
        if len(found.pks):
            nearest = found.pks[(own.vectors @ found.vectors.T).argmax(axis=1)]
            homes = np.where(own.vectors.any(axis=1), nearest, newest).tolist()
    return homes


def _split_if_large(tx: Tx, place: TreePlace, pk: int) -> set[int]:
    """A cluster that has become too large becomes two or more beside each other; the keys of the new ones."""
    members = tx.summaries.member_pks([pk]).get(pk, [])
    if len(members) <= place.settings.cluster_max:
        return set()
    own = leaves(tx, place.scope_pk, space=place.space, now=place.now, among=members)
    parts = groups(own.vectors, size_min=place.settings.cluster_min, size_max=place.settings.cluster_max)
    (node,) = tx.summaries.load([pk], space=None)
    fresh = [SummaryNode(level=CLUSTER, parent_pk=node.parent_pk) for _ in parts[1:]]
    pks = tx.summaries.insert(place.scope_pk, fresh, space=None, at=place.now, live=True)
    for new_pk, rows in zip(pks, parts[1:], strict=True):
        moved = own.pks[rows].tolist()
        tx.summaries.take_members(pk, moved)
        tx.summaries.put_members((record_pk, new_pk) for record_pk in moved)
    return set(pks)


def _replace(tx: Tx, place: TreePlace, node: SummaryNode, new: SummaryNode) -> None:
    new.pk = node.pk
    tx.summaries.rewrite(new, space=place.space, at=place.now)


def _span(pks: np.ndarray[tuple[int], np.dtype[np.int64]], first: int, last: int) -> list[int]:
    low, high = np.searchsorted(pks, (first, last + 1))
    return [int(pk) for pk in pks[low:high]]
