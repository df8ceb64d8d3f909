"""`search`, first version: words and meaning, fused over their union.

select → gather → fuse → load → hits. Each step is a function of the one before; every figure on the way ends in
the recollection's quality, and with `explain` each hit says which source put it where.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from recollect.clock import Clock, from_us
from recollect.config import LiveConfig
from recollect.index.follow import Indexes
from recollect.model.query import Query
from recollect.model.record import Record
from recollect.model.result import Hit, Quality, Recollection, Source, Trace
from recollect.recall.access import AccessLog
from recollect.recall.fuse import Fused, fuse
from recollect.recall.select import select
from recollect.recall.sources.base import Look, Ranking
from recollect.recall.sources.text import by_words
from recollect.recall.sources.vector import VectorSource
from recollect.recall.sourcing import sources_of
from recollect.recall.trust import trust_of
from recollect.store import records
from recollect.store.base import Store, Tx

_CHARS_PER_TOKEN = 4
_WINDOW = 100  # searches over which health() averages


class Recall:
    """The read path over one store."""

    def __init__(
        self,
        store: Store,
        indexes: Indexes,
        vectors: VectorSource,
        access: AccessLog,
        config: LiveConfig,
        clock: Clock,
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._vectors = vectors
        self._access = access
        self._config = config
        self._clock = clock
        self._latencies_ms: deque[float] = deque(maxlen=_WINDOW)

    def latencies_ms(self) -> list[float]:
        """Of the last searches."""
        return list(self._latencies_ms)

    def search(self, query: Query) -> Recollection:
        """The records that answer best, best first."""
        watch = _Stopwatch()
        now = self._clock()
        with watch.stage("freshen"):
            in_memory = query.criteria.known_at is None and self._indexes.current()
        with self._store.read() as tx:
            look = self._look(tx, query, now, in_memory)
            with watch.stage("gather"):
                rankings = self._gather(look, query)
            with watch.stage("fuse"):
                fused = fuse(rankings, self._weights(), self._config.current.recall.rrf_k)
            with watch.stage("load"):
                hits, best = self._load(tx, query, fused, now)
        self._access.note(candidate.pk for candidate in best)
        self._latencies_ms.append(watch.total_ms())
        return self._recollection(query, hits, best, look, rankings, len(fused), watch)

    def _look(self, tx: Tx, query: Query, now: int, in_memory: bool) -> Look:
        settings = self._config.current.recall
        limit = max(settings.candidates, query.top_k)
        selection, settled = select(tx, self._indexes, query.criteria, now=now) if in_memory else (None, True)
        return Look(tx=tx, criteria=query.criteria, now=now, limit=limit, selection=selection, settled=settled)

    def _gather(self, look: Look, query: Query) -> list[Ranking]:
        return [by_words(look, query.text, self._indexes), *self._vectors.by_meaning(look, query.text)]

    def _weights(self) -> dict[str, float]:
        settings = self._config.current.recall
        return {"text": settings.text_weight, "vector": settings.vector_weight}

    def _load(self, tx: Tx, query: Query, fused: list[Fused], now: int) -> tuple[list[Hit], list[Fused]]:
        floor = query.threshold if query.threshold is not None else self._config.current.recall.threshold
        best = [candidate for candidate in fused[: query.top_k] if candidate.score >= floor]
        loaded = records.load(tx, [candidate.pk for candidate in best])
        best = [candidate for candidate in best if candidate.pk in loaded]
        found = [(candidate.pk, loaded[candidate.pk]) for candidate in best]
        sources = sources_of(tx, found, query.criteria, now)
        half_life = self._config.current.recall.freshness_half_life_days
        hits = [
            _hit(record, candidate.score, sources.get(pk, ()), now, half_life)
            for candidate, (pk, record) in zip(best, found, strict=True)
        ]
        kept = _within_tokens(hits, query.max_tokens)
        return hits[:kept], best[:kept]

    def _recollection(
        self,
        query: Query,
        hits: list[Hit],
        best: list[Fused],
        look: Look,
        rankings: list[Ranking],
        candidates: int,
        watch: _Stopwatch,
    ) -> Recollection:
        semantic = any(ranking.source != "text" for ranking in rankings)
        level = (
            "full" if semantic and look.selection is not None else "text_plus_disk_vectors" if semantic else "text_only"
        )
        quality = Quality(
            candidates=candidates, latency_ms=watch.total_ms(), stages_ms=watch.stages, weights=self._weights(),
            level=level, relevancy=sum(hit.score for hit in hits) / len(hits) if hits else 0.0,
        )  # fmt: skip
        trace = None
        if query.explain:
            steps = {hit.id: tuple(candidate.steps) for hit, candidate in zip(hits, best, strict=True)}
            trace = Trace(hits=steps, notes=tuple(look.notes))
        return Recollection(
            query=query.text, hits=tuple(hits), quality=quality, missing=tuple(look.missing), trace=trace,
            abstained=not hits, reason=None if hits else "nothing stored here matches",
        )  # fmt: skip


def _hit(record: Record, score: float, sources: tuple[Source, ...], now: int, half_life_days: float) -> Hit:
    return Hit(
        id=record.id, content=record.content, kind=record.kind, category=record.category, score=score,
        trust=trust_of(record, score, now=from_us(now), half_life_days=half_life_days),
        created_at=record.created_at, updated_at=record.updated_at, event_time=record.event_time,
        valid_from=record.valid_from, valid_until=record.valid_until, metadata=record.metadata, tags=record.tags,
        sources=sources, place=record.place, role=record.role, speaker=record.speaker,
        session_id=record.session_id, version=record.version, confidence=record.confidence,
    )  # fmt: skip


def _within_tokens(hits: list[Hit], max_tokens: int | None) -> int:
    """How many of the first hits fit, by a cautious count of tokens."""
    if max_tokens is None:
        return len(hits)
    used = 0
    for count, hit in enumerate(hits):
        used += len(hit.content) // _CHARS_PER_TOKEN + 1
        if used > max_tokens:
            return count
    return len(hits)


class _Stopwatch:
    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.stages[name] = round((time.perf_counter() - start) * 1e3, 3)

    def total_ms(self) -> float:
        return round((time.perf_counter() - self._start) * 1e3, 3)
