"""Candidates by their relations: activation spreads from what the other sources found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from recollect.config.belief import Graph
from recollect.index.base import Pks, Scored
from recollect.index.follow import Indexes
from recollect.index.keys import each_once
from recollect.recall.question.routes import Lane, Route
from recollect.recall.sources.activation import NO_LINKS, NOTHING_ACTIVATED, Activated, Hop, Links, activate
from recollect.recall.sources.base import Look, Ranking
from recollect.recall.sources.counting import best
from recollect.recall.sources.entity import mention_links
from recollect.store import edges, entities, traverse
from recollect.store.traverse import Walk

NO_SEEDS = Scored(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


class Wakened(NamedTuple):
    """What relations found, and how activation came there."""

    ranking: Ranking
    activated: Activated


def leads_anywhere(look: Look, route: Route, indexes: Indexes) -> bool:
    """Whether the store holds anything a route could follow; in one that does not, seeds are not worth choosing."""
    if look.selection is None:
        related = edges.any_edge(look.tx)
    else:
        related = any(indexes.graph.holds(labels=lane.labels, besides=lane.besides) for lane in route.lanes)
    return related or (route.mentions and entities.any_mention(look.tx))


def by_relations(
    look: Look,
    seeds: Scored,
    route: Route,
    indexes: Indexes,
    settings: Graph,
    *,
    hops: int | None = None,
    asked: Collection[int] = (),
) -> Wakened:
    """Rows within a few steps of the seeds, the most activated first; `asked` are entities that the question names."""
    if look.criteria.known_at is not None:
        look.missing.append("relations: earlier versions are found by their words only")
        seeds = NO_SEEDS
    if not len(seeds.pks):
        return Wakened(Ranking("graph", NO_SEEDS), NOTHING_ACTIVATED)
    most = settings.activation_seeds
    lit = activate(
        hop_along(look, route, indexes, settings.activation_fan, asked),
        Scored(seeds.pks[:most], seeds.scores[:most]),
        hops=settings.activation_hops if hops is None else hops,
        decay=settings.activation_decay,
        threshold=settings.activation_min,
        fan_max=settings.activation_fan,
        frontier_max=settings.activation_frontier,
    )
    if not look.settled and len(lit.pks):  # the hops have only seen what the columns in memory decide
        keep = look.meets(lit.pks)
        return Wakened(Ranking("graph", best(lit.pks[keep], lit.levels[keep], look.limit)), lit)
    return Wakened(Ranking("graph", best(lit.pks, lit.levels, look.limit)), lit)


def seeds_of(rankings: Iterable[Ranking], limit: int) -> Scored:
    """The rows on which the sources agree most, as levels: each source's scores by its best, then their mean."""
    taking_part = [ranking.found for ranking in rankings if len(ranking.found.pks)]
    if not taking_part:
        return NO_SEEDS
    pks = each_once(np.concatenate([found.pks for found in taking_part]))
    total = np.zeros(len(pks))
    for found in taking_part:
        most = float(found.scores.max())
        if most > 0:
            total[pks.searchsorted(found.pks)] += np.maximum(found.scores / most, 0.0)  # a source names each row once
    return best(pks, total / max(float(total.max()), 1e-9), limit)


def hop_along(look: Look, route: Route, indexes: Indexes, fan_max: int, asked: Collection[int] = ()) -> Hop:
    """One step along a route: in memory when the indexes are at hand, in the tables when not."""

    def hop(starts: Pks) -> Links:
        found = [
            _in_memory(look, lane, indexes, starts) if look.selection is not None else _in_tables(look, lane, starts)
            for lane in route.lanes
        ]
        if route.mentions:
            found.append(mention_links(look, starts, fan_max, asked=asked))
        found = [links for links in found if len(links.start)]
        if len(found) < 2:
            return found[0] if found else NO_LINKS
        together = Links(*(np.concatenate(columns) for columns in zip(*found, strict=True)))
        return together.at(np.argsort(-together.strength, kind="stable"))

    return hop


def told(look: Look, activated: Activated, pks: Sequence[int]) -> dict[int, str]:
    """For each record how activation came to it: `via causes from <id>`, the last step first."""
    chains = {pk: activated.chain(pk) for pk in pks}
    edges = {edge for chain in chains.values() for _, edge, _ in chain}
    labels = dict[int, str](
        look.tx.all("SELECT pk, label FROM edge WHERE pk IN carray(?)", (look.tx.pk_list(e for e in edges if e > 0),))
    )
    starts = look.tx.pk_list({start for chain in chains.values() for start, _, _ in chain})
    ids = dict[int, str](look.tx.all("SELECT pk, id FROM record WHERE pk IN carray(?)", (starts,)))
    return {
        pk: ", ".join(
            f"via {labels.get(edge, 'mention')} from {ids.get(start, 'a record')}" for start, edge, _ in chain[::-1]
        )
        for pk, chain in chains.items()
        if chain
    }


def _in_memory(look: Look, lane: Lane, indexes: Indexes, starts: Pks) -> Links:
    assert look.selection is not None
    at = look.now if look.criteria.as_of is None else look.criteria.as_of
    arcs = indexes.graph.hop(starts.tolist(), labels=lane.labels, besides=lane.besides, direction=lane.direction, at=at)
    arcs = arcs.at(look.selection.allows(arcs.end))
    return Links(arcs.start, arcs.end, arcs.edge, np.minimum(arcs.strength, 1.0) * lane.share)


def _in_tables(look: Look, lane: Lane, starts: Pks) -> Links:
    walk = Walk(criteria=look.criteria, now=look.now, labels=lane.labels, direction=lane.direction)
    steps = traverse.hop(look.tx, walk, starts.tolist())
    if not steps:
        return NO_LINKS
    start, end, edge = np.array([(step.from_pk, step.to_pk, step.edge_pk) for step in steps], dtype=np.int64).T
    rows = look.tx.all(
        "SELECT pk, min(weight * confidence, 1.0), label FROM edge WHERE pk IN carray(?)",
        (look.tx.pk_list({step.edge_pk for step in steps}),),
    )
    strength = {pk: value for pk, value, label in rows if label not in lane.besides}
    links = Links(start, end, edge, np.array([strength.get(pk, 0.0) for pk in edge.tolist()]) * lane.share)
    return links.at(links.strength > 0)
