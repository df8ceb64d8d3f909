"""The map of what is known: domains with depth, freshness, uncertainty and confidence.

A domain is a part of the tree of summaries. Its depth counts records by how well they are remembered and believed;
records that come in make it fresh, and a month without any makes it stale; what is contradicted or
waits for a person's word makes it uncertain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.clock import DAY_US, from_us
from recollect.config import Config
from recollect.model.knowledge import Domain, KnowledgeMap
from recollect.model.scope import Scope
from recollect.store.base import Tx
from recollect.store.summaries import CLUSTER, DOMAIN, SummaryNode

DEPTH_HALF = 5.0  # records, fully remembered and believed, at which a domain is known by half


def knowledge(tx: Tx, scope_pks: Sequence[int] | None, config: Config, *, now: int) -> KnowledgeMap:
    """The map of these scopes (None: all)."""
    found = tx.summaries.of_level(scope_pks, DOMAIN, space=None)
    counts: dict[int | None, int] = {}
    for _, cluster in tx.summaries.of_level(scope_pks, CLUSTER, space=None):
        counts[cluster.parent_pk] = counts.get(cluster.parent_pk, 0) + 1
    scopes, doubted = tx.scopes.load_all({scope_pk for scope_pk, _ in found}), tx.relations.by_domain()
    domains = [
        domain_of(
            node,
            config,
            now=now,
            doubts=doubted.get(node.pk, 0),
            clusters=counts.get(node.pk, 0),
            scope=scopes[scope_pk],
        )
        for scope_pk, node in found
        if node.records
    ]
    domains.sort(key=lambda each: (-each.confidence, -each.depth, each.label))
    coverage = sum(each.confidence for each in domains) / max(1, len(domains))
    return KnowledgeMap(
        domains=tuple(domains), coverage=coverage, unmapped=tx.summaries.unplaced_count(scope_pks, now=now)
    )


def domain_of(
    node: SummaryNode, config: Config, *, now: int, doubts: int = 0, clusters: int = 0, scope: Scope | None = None
) -> Domain:
    """A node of the tree as an area of knowledge; `doubts` of its records are in doubt."""
    fresh = freshness(now - node.newest_at, config.domains.stale_days)
    uncertainty = min(1.0, doubts / max(1, node.records))
    known = node.mass / (node.mass + DEPTH_HALF)
    return Domain(
        label=node.label,
        summary=node.text,
        records=node.records,
        clusters=clusters,
        depth=node.mass,
        freshness=fresh,
        uncertainty=uncertainty,
        confidence=known * fresh * (1.0 - uncertainty),
        newest=from_us(node.newest_at),
        number=node.pk,
        scope=scope or Scope(),
    )


def area_of(tx: Tx, scope_pks: Sequence[int] | None, scores: Mapping[str, float]) -> SummaryNode | None:
    """The domain in which most of these records lie, by id and by what each is worth."""
    votes: dict[int, float] = {}
    for record_id, domain_pk in tx.summaries.domains_of(scope_pks, list(scores)):
        votes[domain_pk] = votes.get(domain_pk, 0.0) + scores[record_id]
    if not votes:
        return None
    (node,) = tx.summaries.load([max(votes, key=lambda pk: (votes[pk], -pk))], space=None)
    return node


def freshness(age_us: int, stale_days: float) -> float:
    """1 while something new came lately; half of it with every further stretch of silence."""
    silent = age_us / (stale_days * DAY_US)
    return 1.0 if silent <= 1.0 else float(0.5 ** (silent - 1.0))


def is_weak(node: SummaryNode, config: Config, *, doubts: int = 0) -> bool:
    """Whether so little of a domain is sure that it is worth a closer look.

    That nothing new came does not count: looking closer makes nothing fresher.
    """
    return (
        bool(node.records)
        and domain_of(node, config, now=node.newest_at, doubts=doubts).confidence < config.domains.weak
    )
