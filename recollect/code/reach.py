"""Walking the graph: what a change reaches, what something rests on, the way from one thing to another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.code.graph import Adjacency, CodeGraph, Numbers
from recollect.code.packed import KINDS, RESOLVED
from recollect.config.coding import CodeGraphSettings

Scores = NDArray[np.float64]


class ReachedNodes(NamedTuple):
    """Nodes that a walk came to, without those it began with. `via` and `by` are the last step of the best way."""

    nodes: Numbers
    scores: Scores
    depths: Numbers
    via: Numbers
    by: Numbers  # the edge of that step


class EdgeWorth:
    """What every edge of a graph passes on: weight of its kind times confidence.

    An edge that was said has a weight and a confidence of its own besides.
    """

    def __init__(self, graph: CodeGraph, settings: CodeGraphSettings) -> None:
        self.weights = {kind: float(settings.impact.get(kind, 0.0)) for kind in KINDS}
        self.trust = {str(each): float(settings.confidence.get(str(each), 1.0)) for each in RESOLVED}
        weight = np.array([self.weights[kind] for kind in KINDS])
        trust = np.array([self.trust[str(each)] for each in RESOLVED])
        self.of = weight[graph.kind] * trust[graph.resolved] if graph.edge_count else np.empty(0)
        if graph.said:
            self.of[-len(graph.said) :] *= [each.weight * each.confidence for each in graph.said]


def reached(
    size: int, starts: Numbers, adjacency: Adjacency, far: Numbers, worth: Scores, *, depth: int
) -> ReachedNodes:
    """Everything within some steps of where a walk starts. A node scores the best way's product, whatever its length.

    `adjacency` gives the edges of a node, `far` the node at the other end of each edge.
    """
    best = np.zeros(size)
    depths = np.zeros(size, dtype=np.int64)
    via = np.full(size, -1, dtype=np.int64)
    by = np.full(size, -1, dtype=np.int64)
    best[starts] = np.inf  # nothing leads back into them
    now = np.zeros(size)
    now[starts] = 1.0
    front = starts
    found: list[Numbers] = []
    for step in range(1, depth + 1):
        counts = adjacency.starts[front + 1] - adjacency.starts[front]
        total = int(counts.sum())
        if not total:
            break
        offsets = np.repeat(adjacency.starts[front] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        edges = adjacency.edges[np.arange(total) + offsets]
        sources = np.repeat(front, counts)
        scores = now[sources] * worth[edges]
        targets = far[edges]
        order = np.lexsort((edges, -scores, targets))
        order = order[_first_of_each(targets[order])]  # the best way to each, the first of equal ones
        targets = targets[order]
        better = scores[order] > best[targets]
        targets, order = targets[better], order[better]
        if not len(targets):
            break
        fresh = targets[depths[targets] == 0]
        depths[fresh] = step
        found.append(fresh)
        best[targets] = now[targets] = scores[order]
        via[targets], by[targets] = sources[order], edges[order]
        front = targets
    nodes = np.concatenate(found) if found else np.empty(0, dtype=np.int64)
    return ReachedNodes(nodes, best[nodes], depths[nodes], via[nodes], by[nodes])


def _first_of_each(ordered: Numbers) -> NDArray[np.bool_]:
    """Where each value of a row of ordered ones stands first."""
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return first


def best_first(found: ReachedNodes) -> ReachedNodes:
    """By score; equal ones by depth, then in the order of files and lines."""
    order = np.lexsort((found.nodes, found.depths, -found.scores))
    return _taken(found, order)


def part_of(found: ReachedNodes, first: int, end: int) -> ReachedNodes:
    return _taken(found, slice(first, end))


def _taken(found: ReachedNodes, which: Numbers | slice) -> ReachedNodes:
    return ReachedNodes(
        nodes=found.nodes[which],
        scores=found.scores[which],
        depths=found.depths[which],
        via=found.via[which],
        by=found.by[which],
    )


class FilePairs(NamedTuple):
    """Dependencies between files with the best edge of each."""

    incoming: Adjacency
    outgoing: Adjacency
    source: Numbers
    target: Numbers
    worth: Scores
    edge: Numbers


def file_pairs(graph: CodeGraph, worth: Scores) -> FilePairs:
    """One dependency for each pair of files: the edge between them that passes on most."""
    sure = np.flatnonzero(graph.sure)
    source, target = graph.file_of_nodes(graph.source[sure]), graph.file_of_nodes(graph.target[sure])
    other = source != target
    sure, source, target = sure[other], source[other], target[other]
    count = max(1, len(graph.paths))
    order = np.lexsort((sure, -worth[sure], source * count + target))
    chosen = order[_first_of_each((source * count + target)[order])]
    source, target, sure = source[chosen], target[chosen], sure[chosen]
    return FilePairs(
        _adjacent(target, len(graph.paths)), _adjacent(source, len(graph.paths)), source, target, worth[sure], sure
    )


def _adjacent(ends: Numbers, count: int) -> Adjacency:
    order = np.argsort(ends, kind="stable")
    counts = np.bincount(ends, minlength=count)
    return Adjacency(np.concatenate(([0], np.cumsum(counts))), order)


def way(
    starts: Numbers, goal: set[int], adjacency: Adjacency, far: Numbers, *, most: int
) -> list[tuple[int, int]] | None:
    """A shortest way: nodes, each with the edge that led to it (-1 for the first); None if there is none."""
    came: dict[int, tuple[int, int]] = {int(node): (-1, -1) for node in starts}
    front = [int(node) for node in starts]
    for _ in range(most):
        following: list[int] = []
        for node in front:
            if node in goal:
                return _back(came, node)
            for edge in adjacency.of(node).tolist():
                further = int(far[edge])
                if further not in came:
                    came[further] = (node, edge)
                    following.append(further)
        front = following
    return next((_back(came, node) for node in front if node in goal), None)


def _back(came: dict[int, tuple[int, int]], node: int) -> list[tuple[int, int]]:
    steps: list[tuple[int, int]] = []
    while node != -1:
        before, edge = came[node]
        steps.append((node, edge))
        node = before
    return steps[::-1]


def ranked(graph: CodeGraph, worth: Scores, favoured: Numbers | None = None, *, rounds: int = 30) -> Scores:
    """How much each node is leaned on: PageRank over sure edges, begun anew at favoured nodes where there are some."""
    size = len(graph)
    if not size:
        return np.empty(0)
    edges = np.flatnonzero(graph.sure)
    source, target, weight = graph.source[edges], graph.target[edges], worth[edges]
    given = np.bincount(source, weights=weight, minlength=size)
    start = np.full(size, 1.0 / size)
    if favoured is not None and len(favoured):
        start = np.zeros(size)
        start[favoured] = 1.0 / len(favoured)
    share = weight / np.maximum(given[source], 1e-12)
    rank = start
    for _ in range(rounds):
        lost = rank[given == 0].sum()
        rank = _DAMPING * (np.bincount(target, weights=rank[source] * share, minlength=size) + lost * start)
        rank = rank + (1 - _DAMPING) * start
    return rank


_DAMPING = 0.85
