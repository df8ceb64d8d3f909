"""Several sides of a question to the store, met at once (RFC-014 §5.2).

Facets and place are found by the core's marks, relations by its walks. Each side narrows what the one before left, and
those that score are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.compat.topology.node_vectors import NodeVectors, Vector
from recollect.compat.topology.shelf import EVERYTHING, Shelf
from recollect.compat.topology.topology import RelationType
from recollect.config.belief import Graph
from recollect.errors import DimensionMismatch, UsageError
from recollect.model.facets import FacetQuery
from recollect.model.place import PlaceQuery
from recollect.recall.sources.base import Look
from recollect.recall.sources.facets import facet_filter
from recollect.recall.sources.marked import READ_MAX, MarkFilter, listing, scores_of
from recollect.recall.sources.place import place_filter
from recollect.store.base import Tx

_NEAREST = 3  # times the wanted number that vectors bring
_DEPTH = Graph().neighbourhood_depth
Found = list[tuple[int, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, in the core's words. None asks for nothing."""

    text: str | None = None
    place: PlaceQuery | None = None
    facets: FacetQuery | None = None
    origin: str | None = None
    relation: RelationType | None = None


class _Kept:
    """Rows that met everything so far, ascending, and the sums of their scores; None: nothing narrowed them yet."""

    def __init__(self) -> None:
        self.pks: NDArray[np.int64] | None = None
        self._sums = np.zeros(0)
        self._sides = 0

    def narrow(self, pks: Sequence[int] | NDArray[np.int64], scores: Sequence[float] | NDArray[Any] | None) -> None:
        """Keep these rows of what is left; scores of None say only that they may stay."""
        new = np.asarray(pks, dtype=np.int64)
        added = np.zeros(len(new)) if scores is None else np.asarray(scores, dtype=np.float64)
        if self.pks is None:
            order = np.argsort(new)
            self.pks, self._sums = new[order], added[order]
        else:
            self.pks, mine, theirs = np.intersect1d(self.pks, new, return_indices=True)
            self._sums = self._sums[mine] + added[theirs]
        self._sides += scores is not None

    def best(self, limit: int) -> Found:
        """The best mean first; equals: the newest first."""
        if self.pks is None:
            return []
        means = self._sums / self._sides if self._sides else np.ones(len(self.pks))
        order = np.lexsort((-self.pks, -means))[:limit]
        return list(zip(self.pks[order].tolist(), means[order].tolist(), strict=True))


def answer(tx: Tx, asked: Question, shelf: Shelf, vectors: NodeVectors, vector: Vector | None, *, limit: int) -> Found:
    """(key, score) of the nodes that meet all of a question, best first. `vector` is what its text means, if known."""
    kept = _Kept()
    settings = shelf.engine.config.current.structure
    if asked.origin is not None:
        kept.narrow(_around(tx, asked, shelf), None)
    filters = [] if asked.facets is None else [facet_filter(asked.facets, settings)]
    filters += [] if asked.place is None else [place_filter(tx, asked.place, settings)]
    if filters:
        only = len(filters) == 1 and asked.text is None
        _by_marks(_look(tx, shelf, limit), kept, filters, enough=limit if only else max(limit, READ_MAX))
    if asked.text is not None:
        among = None if kept.pks is None else kept.pks.tolist()
        if vector is not None and vectors.count(tx):
            near = vectors.nearest(tx, vector, limit=limit * _NEAREST, among=among)
            kept.narrow([pk for pk, _ in near], [score for _, score in near])
        else:
            found = shelf.holding(tx, asked.text, among=among, limit=limit if among is None else len(among))
            kept.narrow(found, [settings.text_match_score] * len(found))
    return kept.best(limit)


def _by_marks(look: Look, kept: _Kept, filters: list[MarkFilter], *, enough: int) -> None:
    """Keep the rows that meet every filter; without any yet, list those that have the marks of all of them."""
    if kept.pks is None:
        first, *filters = filters
        groups = tuple(group for each in (first, *filters) for group in each.groups)
        found = listing(look, replace(first, groups=groups), enough=enough)
        kept.narrow(found.pks, found.scores)
    for each in filters:
        assert kept.pks is not None
        scores = scores_of(look, each, kept.pks)
        kept.narrow(kept.pks[scores > 0], scores[scores > 0])


def _look(tx: Tx, shelf: Shelf, limit: int) -> Look:
    now = shelf.engine.clock()
    return Look(tx=tx, criteria=EVERYTHING, now=now, limit=limit, top_k=limit, selection=None, settled=False)


def _around(tx: Tx, asked: Question, shelf: Shelf) -> list[int]:
    """The node a question starts from and what is near it, or only what a relation of it leads to."""
    pk = shelf.find(tx, asked.origin)
    if pk is None:
        return []
    if asked.relation is not None:
        return shelf.near(tx, pk, asked.relation, direction="out")
    return [*shelf.counting(tx, [pk]), *shelf.near(tx, pk, depth=_DEPTH)]


def vector_of(embedder: Any, text: str) -> Vector:
    """What a caller's embedder makes of a text, or one of the core's, which takes a list of them."""
    several = hasattr(embedder, "inline") and hasattr(embedder, "dimensions")
    made = embedder.embed([text])[0] if several else embedder.embed(text)
    try:
        vector = np.asarray(made, dtype=np.float32)
    except (TypeError, ValueError):
        raise UsageError("the embedder gave something that is no vector; embed(text) must return numbers") from None
    if vector.ndim != 1:
        raise DimensionMismatch(f"the embedder gave an array of {vector.ndim} dimensions; one vector is wanted")
    return vector
