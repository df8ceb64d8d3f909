"""Several sides of a question to the store, met at once.

Facets and place are found by the core's marks, relations by its walks. Each side narrows what the one before left, and
those that score are averaged; settings make that a union, the least or the best.

The vectors that callers gave their nodes are searched in memory. They are of a model the store does not know: so they
are in the attributes of their records rather than in a space of the core, where `reembed` would drop them. They are
read at the first question, then followed by the change feed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.compat.topology.shelf import EVERYTHING, Shelf
from recollect.compat.topology.stored import unpacked
from recollect.compat.topology.topology import RelationType
from recollect.errors import DimensionMismatch, UsageError
from recollect.model.facets import FacetQuery
from recollect.model.place import PlaceQuery
from recollect.recall.sources.base import Look
from recollect.recall.sources.marked import READ_MAX, MarkFilter, facet_filter, listing, place_filter, scores_of
from recollect.store.base import Tx

_UNION = "union"
_NEAREST = 3  # times the wanted number that vectors bring
DEPTH = 2  # steps taken along relations when none are named
Found = list[tuple[int, float]]
Vector = NDArray[np.float32]
_CHANGES_MAX = 1_000  # entries of the feed up to which rows are read again one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridQuestion:
    """What is asked, in the core's words. None asks for nothing."""

    text: str | None = None
    place: PlaceQuery | None = None
    facets: FacetQuery | None = None
    origin: str | None = None
    relation: RelationType | None = None


class _KeptNode:
    """Rows that met everything so far, ascending, and what each side scored them; None: nothing narrowed them yet."""

    def __init__(self, aggregation: str) -> None:
        self.pks: NDArray[np.int64] | None = None
        self._scores: list[NDArray[np.float64]] = []  # of each side
        self._aggregation = aggregation

    def narrow(self, pks: Sequence[int] | NDArray[np.int64], scores: Sequence[float] | NDArray[Any] | None) -> None:
        """Keep these rows of what is left; scores of None say only that they may stay."""
        new = np.asarray(pks, dtype=np.int64)
        if self.pks is None:
            theirs = np.argsort(new)
            self.pks = new[theirs]
        else:
            self.pks, mine, theirs = np.intersect1d(self.pks, new, return_indices=True)
            self._scores = [side[mine] for side in self._scores]
        if scores is not None:
            self._scores.append(np.asarray(scores, dtype=np.float64)[theirs])

    def widen(self, pks: Sequence[int] | NDArray[np.int64], scores: Sequence[float] | NDArray[Any]) -> None:
        """Keep these rows, too; a side that a row does not meet scores it 0."""
        new = np.asarray(pks, dtype=np.int64)
        before = np.zeros(0, dtype=np.int64) if self.pks is None else self.pks
        self.pks = np.union1d(before, new)
        sides = [(before, side) for side in self._scores] + [(new, np.asarray(scores, dtype=np.float64))]
        self._scores = [_spread(self.pks, mine, side) for mine, side in sides]

    def best(self, limit: int) -> Found:
        """The best first, by the mean of the sides, or the least or most of them; equals: the newest first."""
        if self.pks is None:
            return []
        together = _AGGREGATIONS[self._aggregation]
        scores = together(np.stack(self._scores), axis=0) if self._scores else np.ones(len(self.pks))
        order = np.lexsort((-self.pks, -scores))[:limit]
        return list(zip(self.pks[order].tolist(), scores[order].tolist(), strict=True))


_AGGREGATIONS: Mapping[str, Callable[..., NDArray[np.float64]]] = {"average": np.mean, "min": np.min, "max": np.max}


def _spread(over: NDArray[np.int64], pks: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of some rows as a column over more of them."""
    column = np.zeros(len(over))
    column[np.searchsorted(over, pks)] = scores
    return column


def answer(
    tx: Tx, asked: HybridQuestion, shelf: Shelf, vectors: NodeVectors, vector: Vector | None, *, limit: int
) -> Found:
    """(key, score) of the nodes that meet a question, best first: all of it, or any of it where the settings say so.

    `vector` is what its text means, if known.
    """
    settings = shelf.engine.config.current.structure
    kept = _KeptNode(settings.score_aggregation)
    filters = [] if asked.facets is None else [facet_filter(asked.facets, settings)]
    filters += [] if asked.place is None else [place_filter(tx, asked.place, settings)]
    by_words = partial(_by_words, tx, asked.text or "", shelf, vectors, vector, limit=limit)
    if settings.combine_strategy == _UNION:
        for each in filters:
            found = listing(_look(tx, shelf, limit), each, enough=limit)
            kept.widen(found.pks, found.scores)
        if asked.text is not None:
            kept.widen(*by_words(among=None))
        if asked.origin is not None:
            near = _around(tx, asked, shelf)
            kept.widen(near, [1.0] * len(near))
        return kept.best(limit)
    if asked.origin is not None:
        kept.narrow(_around(tx, asked, shelf), None)
    if filters:
        only = len(filters) == 1 and asked.text is None
        _by_marks(_look(tx, shelf, limit), kept, filters, enough=limit if only else max(limit, READ_MAX))
    if asked.text is not None:
        kept.narrow(*by_words(among=None if kept.pks is None else kept.pks.tolist()))
    return kept.best(limit)


def _by_words(
    tx: Tx, text: str, shelf: Shelf, vectors: NodeVectors, vector: Vector | None, *, among: list[int] | None, limit: int
) -> tuple[list[int], list[float]]:
    """(keys, scores) of the nodes that have a text in them, or are like it where vectors can be compared."""
    if vector is not None and vectors.count(tx):
        near = vectors.nearest(tx, vector, limit=limit * _NEAREST, among=among)
        return [pk for pk, _ in near], [score for _, score in near]
    found = shelf.holding(tx, text, among=among, limit=limit if among is None else len(among))
    return found, [shelf.engine.config.current.structure.text_match_score] * len(found)


def _by_marks(look: Look, kept: _KeptNode, filters: list[MarkFilter], *, enough: int) -> None:
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


def _around(tx: Tx, asked: HybridQuestion, shelf: Shelf) -> list[int]:
    """The node a question starts from and what is near it, or only what a relation of it leads to."""
    pk = shelf.find(tx, asked.origin)
    if pk is None:
        return []
    if asked.relation is not None:
        return shelf.near(tx, pk, asked.relation, direction="out")
    return [*shelf.counting(tx, [pk]), *shelf.near(tx, pk, depth=DEPTH)]


def vector_of(embedder: Any, text: str, dimensions: int) -> Vector:
    """What a caller's embedder makes of a text, or one of the core's, which takes a list of them."""
    several = hasattr(embedder, "inline") and hasattr(embedder, "dimensions")
    made = embedder.embed([text])[0] if several else embedder.embed(text)
    try:
        vector = np.asarray(made, dtype=np.float32)
    except (TypeError, ValueError):
        raise UsageError("the embedder gave something that is no vector; embed(text) must return numbers") from None
    if vector.ndim != 1:
        raise DimensionMismatch(f"the embedder gave an array of {vector.ndim} dimensions; one vector is wanted")
    if len(vector) != dimensions:
        raise DimensionMismatch(
            f"the embedder gave {len(vector)} numbers; this store was opened for {dimensions}: open it with "
            "embedding_dims= of the model, or set the embedder that its nodes were given vectors by"
        )
    return vector


class NodeVectors:
    """Vectors by the key of their record. Safe for many threads."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._seq: int | None = None
        self._rows: dict[int, Vector] = {}
        self._stacked: tuple[NDArray[np.int64], Vector] | None = None
        self._lock = Lock()
        self._warned = False

    def count(self, tx: Tx) -> int:
        """How many nodes have a vector of the store's length."""
        return len(self._current(tx)[0])

    def nearest(self, tx: Tx, vector: Vector, *, limit: int, among: Sequence[int] | None) -> list[tuple[int, float]]:
        """(key, cosine) of the nodes whose vectors are most like this one."""
        pks, rows = self._current(tx)
        if among is not None:
            kept = np.isin(pks, np.asarray(among, dtype=np.int64))
            pks, rows = pks[kept], rows[kept]
        scores = rows @ _unit(vector)
        best = np.lexsort((-pks, -scores))[:limit]
        return list(zip(pks[best].tolist(), scores[best].tolist(), strict=True))

    def _current(self, tx: Tx) -> tuple[NDArray[np.int64], Vector]:
        with self._lock:
            newest = tx.changes.newest()
            if self._seq != newest:
                self._follow(tx)
                self._seq = newest
            if self._stacked is None:
                pks = np.fromiter(self._rows, dtype=np.int64, count=len(self._rows))
                empty = np.empty((0, self._dimensions), dtype=np.float32)
                self._stacked = pks, np.stack(list(self._rows.values())) if self._rows else empty
            return self._stacked

    def _follow(self, tx: Tx) -> None:
        """Read what changed again, or everything if too much did or the feed does not reach back."""
        news = None
        if self._seq is not None and tx.changes.oldest() <= self._seq + 1:
            news = tx.changes.since(self._seq, _CHANGES_MAX + 1)
        if news is None or len(news) > _CHANGES_MAX:
            self._rows, self._stacked = {}, None
            self._take(tx.vectors.given())
            return
        for change in news:
            if change.topic == "record":
                span = range(change.first_pk, change.last_pk + 1)
                gone = [pk for pk in self._rows if pk in span]
                rows = tx.vectors.given((change.first_pk, change.last_pk))
                for pk in gone:
                    del self._rows[pk]
                self._take(rows)
                if gone or rows:
                    self._stacked = None

    def _take(self, rows: Iterable[tuple[int, str]]) -> None:
        taken: dict[int, Vector] = {}
        for pk, text in rows:
            vector = unpacked(text)
            if len(vector) == self._dimensions:
                taken[pk] = vector
            elif not self._warned:
                self._warned = True
                warnings.warn(
                    f"some nodes have vectors of {len(vector)} numbers, this store was opened for {self._dimensions}; "
                    "they are not searched by meaning: open it with their length, or store them again",
                    RuntimeWarning,
                    stacklevel=2,
                )
        if taken:  # lengths in one step
            stacked = np.stack(list(taken.values())).astype(np.float32)
            lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
            self._rows.update(zip(taken, stacked / np.where(lengths > 0, lengths, 1.0), strict=True))


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return (vector / length if length else vector).astype(np.float32)
