"""Candidates by their relations: activation spreads from what the other sources found, less with every step.

    level(end) = level(start) × strength × decay

A record takes the strongest activation that reaches it, never the sum, so that a circle cannot feed itself. Weak
activation ends. A record with very many relations passes on along its strongest ones only, and less the more it
has: what is related to everything says little about anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.config.keeping import GraphSettings
from recollect.index.base import Pks, Scored
from recollect.index.follow import Indexes
from recollect.index.keys import each_once
from recollect.recall.question.routes import Lane, Route
from recollect.recall.sources.base import Look, SourceRanking, best_first
from recollect.recall.sources.entity import MENTIONS
from recollect.store.traverse import Walk

Levels = NDArray[np.float64]
Counts = NDArray[np.int64]
Column = NDArray[Any]


class Links(NamedTuple):
    """One step from some records to others: columns of one length, the strongest of each start first.

    `edge` is the key of a relation; a negative one is that of an entity which both ends mention.
    """

    start: Column
    end: Column
    edge: Column
    strength: Column

    def at(self, rows: Column) -> Links:
        return Links(*(column[rows] for column in self))


class Joined(NamedTuple):
    """Relations from some records to others: columns of one length."""

    start: Column
    end: Column
    edge: Column


Hop = Callable[[Pks], Links]  # every step that may be taken from these records, which come strongest first

_NONE = np.empty(0, dtype=np.int64)
NO_LINKS = Links(_NONE, _NONE, _NONE, np.empty(0))


class Activated(NamedTuple):
    """Records that activation reached, the strongest first; seeds among them only if others reached them.

    `came_from` and `edge` are the last step to each, `hops` the number of steps from its seed.
    """

    pks: Pks
    levels: Levels
    hops: Counts
    came_from: Pks
    edge: Pks

    def chain(self, pk: int) -> list[tuple[int, int, int]]:
        """The steps (from, edge, to) that led to a record, its seed first; empty if it was not reached."""
        steps: list[tuple[int, int, int]] = []
        at = {reached: row for row, reached in enumerate(self.pks.tolist())}
        row = at.get(pk)
        while row is not None:
            here, hops = int(self.pks[row]), int(self.hops[row])
            steps.append((int(self.came_from[row]), int(self.edge[row]), here))
            before = at.get(int(self.came_from[row]))
            row = before if before is not None and hops > 1 and self.hops[before] < hops else None
        return steps[::-1]


NOTHING_ACTIVATED = Activated(_NONE, np.empty(0), _NONE, _NONE, _NONE)


class _Lit(NamedTuple):
    """What is lit so far, ascending by key: `level` is what a record passes on, `arrived` what others gave it."""

    pks: Column
    level: Column
    arrived: Column
    hops: Column
    came_from: Column
    edge: Column
    origin: Column  # the seed whose activation it passes on


def activate(
    hop: Hop,
    seeds: Scored,
    *,
    hops: int,
    decay: float = 0.6,
    threshold: float = 0.1,
    fan_max: int = 50,
    frontier_max: int = 200,
) -> Activated:
    """Spread from the seeds, whose scores are levels from 0 to 1, for a number of steps."""
    lit = _seeded(seeds)
    frontier = _strongest(lit.pks, lit.level, threshold, frontier_max)
    for step in range(1, hops + 1):
        if not len(frontier):
            break
        links = hop(frontier)
        if not len(links.start):
            break
        reached = _reached(lit, _fanned(links, fan_max), decay, threshold)
        lit, risen = _merged(lit, reached, step)
        frontier = _strongest(lit.pks[risen], lit.level[risen], threshold, frontier_max)
    rows = np.flatnonzero(lit.arrived > 0)
    rows = rows[np.lexsort((-lit.pks[rows], -lit.arrived[rows]))]
    return Activated(lit.pks[rows], lit.arrived[rows], lit.hops[rows], lit.came_from[rows], lit.edge[rows])


def _seeded(seeds: Scored) -> _Lit:
    order = np.argsort(seeds.pks, kind="stable")
    pks = seeds.pks[order]
    none = np.zeros(len(pks), dtype=np.int64)
    level = np.clip(seeds.scores[order].astype(np.float64), 0.0, 1.0)
    return _Lit(pks, level, np.zeros(len(pks)), none, none.copy(), none.copy(), pks.copy())


def _strongest(pks: Pks, level: Levels, threshold: float, limit: int) -> Pks:
    """The liveliest records, strongest first."""
    lively = np.flatnonzero(level >= threshold)
    return pks[lively[np.argsort(-level[lively], kind="stable")[:limit]]]


def _fanned(links: Links, fan_max: int) -> Links:
    """The strongest links of each start, weakened where there are more: by a tenth for each tenth more, at first."""
    order = np.argsort(links.start, kind="stable")  # within a start the strongest stays first
    _, first, which, fan = np.unique(links.start[order], return_index=True, return_inverse=True, return_counts=True)
    place = np.arange(len(order)) - first[which]
    damped = 1.0 / (1.0 + np.log(np.maximum(1.0, fan / fan_max)))
    links = links.at(order)._replace(strength=np.minimum(links.strength[order], 1.0) * damped[which])
    return links.at(place < fan_max)


def _reached(lit: _Lit, links: Links, decay: float, threshold: float) -> Links:
    """The best link to each record that is strong enough, `strength` now the level it brings."""
    start = np.searchsorted(lit.pks, links.start)
    links = links._replace(strength=lit.level[start] * links.strength * decay)
    links = links.at((links.strength >= threshold) & (links.end != lit.origin[start]))  # no seed lights itself
    order = np.lexsort((-links.strength, links.end))
    _, best = np.unique(links.end[order], return_index=True)
    return links.at(order[best])


def _merged(lit: _Lit, reached: Links, step: int) -> tuple[_Lit, Counts]:
    """What is lit afterwards, and the rows that pass on more than before."""
    pks = each_once(np.concatenate([lit.pks, reached.end]))
    old, new = np.searchsorted(pks, lit.pks), np.searchsorted(pks, reached.end)
    grown = _Lit(pks, *(_spread_out(column, old, len(pks)) for column in lit[1:]))
    origin = grown.origin[np.searchsorted(pks, reached.start)]
    better = reached.strength > grown.arrived[new]
    rows = new[better]
    grown.arrived[rows] = reached.strength[better]
    grown.hops[rows] = step
    grown.came_from[rows] = reached.start[better]
    grown.edge[rows] = reached.edge[better]
    rises = reached.strength > grown.level[new]
    grown.level[new[rises]] = reached.strength[rises]
    grown.origin[new[rises]] = origin[rises]
    return grown, new[rises]


def _spread_out(column: Column, at: Column, size: int) -> Column:
    out = np.zeros(size, dtype=column.dtype)
    out[at] = column
    return out


NO_SEEDS = Scored(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


STARTS_MAX, ENTITIES_MAX = 5, 10  # records one step by mentions starts from, and entities it goes by


class Wakened(NamedTuple):
    """What relations found, and how activation came there."""

    ranking: SourceRanking
    activated: Activated


def leads_anywhere(look: Look, route: Route, indexes: Indexes) -> bool:
    """Whether the store holds anything a route could follow; in one that does not, seeds are not worth choosing."""
    if look.selection is None:
        related = bool(look.holds().edges)
    else:
        related = any(indexes.graph.holds(labels=lane.labels, besides=lane.besides) for lane in route.lanes)
    return related or (route.mentions and bool(look.holds().mentions))


def by_relations(
    look: Look,
    seeds: Scored,
    route: Route,
    indexes: Indexes,
    settings: GraphSettings,
    *,
    hops: int | None = None,
    asked: Collection[int] = (),
) -> Wakened:
    """Rows within a few steps of the seeds, the most activated first; `asked` are entities that the question names."""
    if look.criteria.known_at is not None:
        look.missing.append("relations: earlier versions are found by their words only")
        seeds = NO_SEEDS
    if not len(seeds.pks):
        return Wakened(SourceRanking("graph", NO_SEEDS), NOTHING_ACTIVATED)
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
        return Wakened(SourceRanking("graph", best_first(lit.pks[keep], lit.levels[keep], look.limit)), lit)
    return Wakened(SourceRanking("graph", best_first(lit.pks, lit.levels, look.limit)), lit)


def seeds_of(rankings: Iterable[SourceRanking], limit: int) -> Scored:
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
    return best_first(pks, total / max(float(total.max()), 1e-9), limit)


def linked(look: Look, indexes: Indexes, starts: Pks, labels: Sequence[str], direction: str) -> Joined:
    """Relations of some sorts from these records, as they hold now; rows that no reader may see are for the caller."""
    if look.selection is not None:
        arcs = indexes.graph.hop(starts.tolist(), labels=labels, direction=direction, at=look.now)
        return Joined(arcs.start, arcs.end, arcs.edge)
    walk = Walk(criteria=look.criteria, now=look.now, labels=tuple(labels), direction=direction)
    steps = look.tx.paths.hop(walk, starts.tolist()) if look.holds().edges else []
    return Joined(
        *np.array([(step.from_pk, step.to_pk, step.edge_pk) for step in steps], dtype=np.int64).reshape(-1, 3).T
    )


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
    labels = look.tx.edges.labels(edge for edge in edges if edge > 0)
    starts = list({start for chain in chains.values() for start, _, _ in chain})
    ids = look.tx.candidates.ids(starts)
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
    steps = look.tx.paths.hop(walk, starts.tolist())
    if not steps:
        return NO_LINKS
    start, end, edge = np.array([(step.from_pk, step.to_pk, step.edge_pk) for step in steps], dtype=np.int64).T
    strength = look.tx.edges.strengths({step.edge_pk for step in steps}, besides=lane.besides)
    links = Links(start, end, edge, np.array([strength.get(pk, 0.0) for pk in edge.tolist()]) * lane.share)
    return links.at(links.strength > 0)


def mention_links(look: Look, starts: Pks, fan_max: int, *, asked: Collection[int] = ()) -> Links:
    """Steps from the first of these records to others that name the same: the newest, weaker the more there are.

    A name that stands nearly everywhere leads nowhere, and what was `asked` about by its name is no news.
    """
    pairs = [
        (start, one) for start, one in look.tx.entities.spoken_of(starts[:STARTS_MAX].tolist()) if one not in asked
    ]
    columns: list[Pks] = []
    named = list(dict.fromkeys(entity_pk for _, entity_pk in pairs))[:ENTITIES_MAX]
    for entity_pk, found in look.tx.entities.mentions_of_each(named, limit=fan_max + 1).items():
        if len(found) <= fan_max:
            ends, from_pks = _keys(found), _keys([start for start, one in pairs if one == entity_pk])
            start, end = np.repeat(from_pks, len(ends)), np.tile(ends, len(from_pks))
            columns.append(np.stack([start, end, np.full(len(end), -entity_pk), np.full(len(end), len(ends))]))
    if not columns:
        return NO_LINKS
    start, end, edge, fan = np.concatenate(columns, axis=1)
    links = Links(start, end, edge, MENTIONS / (1.0 + np.log(fan) / 2))
    links = links.at(start != end)
    return links.at(look.counts(links.end)) if len(links.end) else links


def _keys(pks: list[int]) -> Pks:
    return np.array(pks, dtype=np.int64)
