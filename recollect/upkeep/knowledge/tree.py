"""The tree of summaries as it is drawn up: records → clusters → domains → one summary of all.

Entities that many records name are where clusters begin so that what is about one person or project
stays together. Pure: reading and storing is done elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from recollect.config.keeping import AbstractionSettings
from recollect.model.tokens import estimate_tokens
from recollect.store.summaries import CLUSTER, DOMAIN, GLOBAL, SummaryNode
from recollect.upkeep.knowledge import gist
from recollect.upkeep.knowledge.cluster import Rows, Vectors, centre, connected, groups, near_pairs, parts
from recollect.upkeep.knowledge.leaves import Leaves

ABOUT_SHARE = 0.5  # of a cluster's records that name an entity: it is about that one
_CLUSTER_TOKENS = (24, 160)  # least and most: a paragraph
DOMAIN_TOKENS = (16, 64)  # a sentence


@dataclass(slots=True)
class NamedInRows:
    """Which rows name which entity, and how it is called."""

    rows: Rows = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    entities: Rows = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    names: dict[int, str] = field(default_factory=dict)

    def among(self, rows: Rows) -> tuple[int | None, str | None]:
        """Whom most of these rows name."""
        counted, counts = np.unique(self.entities[np.isin(self.rows, rows)], return_counts=True)
        if not len(counted) or counts.max() < ABOUT_SHARE * len(rows):
            return None, None
        entity_pk = int(counted[counts.argmax()])
        return entity_pk, self.names.get(entity_pk)

    def directions(self, vectors: Vectors, least: int) -> Vectors:
        """The mean direction of each entity that at least so many rows name, the most named first."""
        counted, counts = np.unique(self.entities, return_counts=True)
        often = counted[counts >= least][np.argsort(-counts[counts >= least], kind="stable")]
        found = [centre(vectors[self.rows[self.entities == entity_pk]]) for entity_pk in often]
        return np.array([each for each in found if each.any()], dtype=np.float32).reshape(-1, vectors.shape[1])


@dataclass(slots=True)
class SummaryTree:
    """A drawn-up tree: each cluster with its rows and the domain it is in, by their places in the lists."""

    top: SummaryNode
    domains: list[SummaryNode]
    clusters: list[SummaryNode]
    rows: list[Rows]
    domain_of: list[int]


def drawn_up(leaves: Leaves, named: NamedInRows, settings: AbstractionSettings) -> SummaryTree:
    """The tree over all these records."""
    seeds = named.directions(leaves.vectors, settings.cluster_min)
    rows = groups(leaves.vectors, size_min=settings.cluster_min, size_max=settings.cluster_max, seeds=seeds)
    clusters = [cluster_of(leaves, own, named, settings) for own in rows]
    together = _domains(_directions(clusters, leaves.vectors.shape[1]), settings)
    domain_of = [0] * len(clusters)
    domains = []
    for place, own in enumerate(together):
        for at in own.tolist():
            domain_of[at] = place
        domains.append(domain_of_clusters([clusters[at] for at in own.tolist()], settings))
    return SummaryTree(top_of(domains, settings), domains, clusters, rows, domain_of)


def cluster_of(leaves: Leaves, rows: Rows, named: NamedInRows, settings: AbstractionSettings) -> SummaryNode:
    """What these records say: all of it while they are few, the most telling when they are many."""
    direction = centre(leaves.vectors[rows])
    order = rows[np.argsort(-(leaves.vectors[rows] @ direction + 1.0) * leaves.worth[rows], kind="stable")]
    facts = [leaves.facts[row] for row in order.tolist()]
    if len(rows) <= settings.joined_max:
        text = gist.joined(facts)
    else:
        text = gist.told(facts, tokens_max=_within(_CLUSTER_TOKENS, settings.level_ratio * leaves.tokens[rows].sum()))
    entity_pk, name = named.among(rows)
    return SummaryNode(
        level=CLUSTER,
        label=gist.label_of([leaves.topics[row] for row in order.tolist()], name=name),
        text=text,
        tokens=estimate_tokens(text),
        records=len(rows),
        mass=float(leaves.mass[rows].sum()),
        newest_at=int(leaves.times[rows].max()),
        entity_pk=entity_pk,
        centroid=direction if direction.any() else None,
    )


def domain_of_clusters(clusters: Sequence[SummaryNode], settings: AbstractionSettings) -> SummaryNode:
    """What these clusters are about, in a sentence."""
    largest = sorted(clusters, key=lambda each: -each.mass)
    tokens_max = _within(DOMAIN_TOKENS, settings.level_ratio * sum(each.tokens for each in clusters))
    label = gist.label_of([_topics(each.label) for each in largest], name=_whose(clusters))
    text = gist.told([gist.first_fact(each.text) for each in largest if each.text], tokens_max=tokens_max)
    return _above(DOMAIN, clusters, label, text)


def top_of(domains: Sequence[SummaryNode], settings: AbstractionSettings) -> SummaryNode:
    """What there is at all, in as many tokens as that may take."""
    largest = sorted(domains, key=lambda each: -each.mass)
    told = [f"{each.label}: {gist.first_fact(each.text)}" if each.label else each.text for each in largest if each.text]
    label = gist.label_of([_topics(each.label) for each in largest])
    return _above(GLOBAL, domains, label, gist.told(told, tokens_max=settings.global_tokens))


def _above(level: str, below: Sequence[SummaryNode], label: str, text: str) -> SummaryNode:
    directions = [each.centroid * np.float32(each.records) for each in below if each.centroid is not None]
    middle = centre(np.array(directions, dtype=np.float32)) if directions else None
    return SummaryNode(
        level=level,
        label=label,
        text=text,
        tokens=estimate_tokens(text),
        records=sum(each.records for each in below),
        mass=sum(each.mass for each in below),
        newest_at=max((each.newest_at for each in below), default=0),
        centroid=middle,
    )


def _domains(directions: Vectors, settings: AbstractionSettings) -> list[Rows]:
    """Clusters of one area together; one that is not like its domain goes with others like it, or stands alone."""
    found = []
    lost: list[int] = []
    for rows in groups(directions, size_min=settings.domain_min, size_max=settings.domain_max):
        alike = directions[rows] @ centre(directions[rows])
        near = alike >= settings.domain_similarity
        if near.any() and directions.any():
            found.append(rows[near])
            lost += rows[~near].tolist()
        else:
            found.append(rows)
    if lost:
        rest = np.array(lost)
        pairs = near_pairs(directions[rest], least=settings.domain_similarity)
        for part in parts(connected(len(rest), pairs.left, pairs.right)):
            found += [rest[piece] for piece in np.array_split(part, -(-len(part) // settings.domain_max))]
    return found


def _directions(nodes: Sequence[SummaryNode], dimensions: int) -> Vectors:
    nowhere = np.zeros(dimensions, dtype=np.float32)
    return np.array([nowhere if node.centroid is None else node.centroid for node in nodes], dtype=np.float32)


def _topics(label: str) -> list[str]:
    return [topic for topic in label.rpartition(": ")[2].split(", ") if topic]


def _whose(clusters: Sequence[SummaryNode]) -> str | None:
    """The name that most of these clusters are under."""
    names = [each.label.partition(": ")[0] for each in clusters if each.entity_pk is not None]
    if not names:
        return None
    most = max(dict.fromkeys(names), key=names.count)
    return most if names.count(most) >= ABOUT_SHARE * len(clusters) else None


def _within(bounds: tuple[int, int], value: float | NDArray[np.float64]) -> int:
    return int(min(max(bounds[0], value), bounds[1]))
