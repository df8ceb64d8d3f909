"""Links that are missing: records of one scope that are about the same thing, though no relation says so.

They become `similar_to` edges that count as found: they fade when pruned, and one that a person withdrew stays away.
Statements that answer through a turn are left out, as the turn stands for them, and so are texts of a few words, which
are alike whatever they are about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from recollect.index.follow import Indexes
from recollect.language.terms import telling, terms_of
from recollect.store import edges
from recollect.store.base import Store, Tx
from recollect.store.journal import Op

LABEL = "similar_to"
METHOD = "replay"
WEIGHT = 0.25  # likeness is a weak relation: with more weight, what is alike crowds out what answers
LINKS_MAX = 8  # new ones of one record at a time
NEIGHBOURS = 24  # looked at for them
TERMS_MIN = 5  # telling words of a text that can be like another


class Latent(NamedTuple):
    """Two records that are alike. The first is the one that was gone over."""

    pk: int
    other_pk: int
    cosine: float


def find_latent(
    store: Store, indexes: Indexes, pks: Sequence[int], *, similarity: float, now: int
) -> dict[int, list[Latent]]:
    """For each of these records those of its scope that are most like it and not joined to it, the most alike first."""
    with store.read() as tx:
        linkable = tx.records.linkable(pks, now=now)
    near = {pk: _neighbours(indexes, pk, linkable[pk][0], similarity, now) for pk in pks if pk in linkable}
    with store.read() as tx:
        linkable |= tx.records.linkable({link.other_pk for links in near.values() for link in links}, now=now)
        telling_enough = {pk for pk, (_, text) in linkable.items() if len(set(telling(terms_of(text)))) >= TERMS_MIN}
        return {
            pk: [link for link in links if link.other_pk in telling_enough and not _joined(tx, link)][:LINKS_MAX]
            for pk, links in near.items()
            if pk in telling_enough
        }


def join(tx: Tx, op: Op, links: Iterable[Latent], now: int) -> list[Latent]:
    """Make edges of those that are still there and not joined yet; which ones that were."""
    made = []
    for link in links:
        ends = tx.records.linkable((link.pk, link.other_pk), now=now)
        alike = len(ends) == 2 and len({scope_pk for scope_pk, _ in ends.values()}) == 1
        if alike and not _joined(tx, link):
            tx.edges.insert(op, [_edge(link)])
            made.append(link)
    return made


def _neighbours(indexes: Indexes, pk: int, scope_pk: int, similarity: float, now: int) -> list[Latent]:
    among = indexes.columns.select(scope_pks=[scope_pk], tiers=["longterm"], drawn=False, now=now)
    own_row = np.array([pk], dtype=np.int64)
    best: dict[int, float] = {}
    for index in list(indexes.vectors.values()):
        own = index.vectors(own_row)[0]
        if own.any():
            found = index.search(own, limit=NEIGHBOURS, among=among)
            for other, cosine in zip(found.pks.tolist(), found.scores.tolist(), strict=True):
                best[other] = max(cosine, best.get(other, -1.0))
    alike = sorted((-cosine, other) for other, cosine in best.items() if cosine >= similarity and other != pk)
    return [Latent(pk, other, min(1.0, -negative)) for negative, other in alike]


def _joined(tx: Tx, link: Latent) -> bool:
    """Whether a relation holds between the two already, or a person withdrew one like it, which is an answer."""
    return tx.relations.is_joined(link.pk, link.other_pk, even_withdrawn=LABEL)


def _edge(link: Latent) -> edges.NewEdge:
    cosine = round(link.cosine, 3)
    return edges.pair(
        link.pk,
        link.other_pk,
        LABEL,
        weight=WEIGHT,
        confidence=cosine,
        auto_extracted=True,
        evidence=[f"cosine {cosine:g}"],
        attributes={"method": METHOD},
    )


def ids_of(tx: Tx, links: Sequence[Latent]) -> list[tuple[str, str]]:
    """The public ids of both ends."""
    return list(
        zip(
            tx.records.ids([link.pk for link in links]),
            tx.records.ids([link.other_pk for link in links]),
            strict=True,
        )
    )
