"""`search`: select → gather → rank → load → hits.

Each step is a function of the one before; every figure on the way ends in the recollection's quality, and with
`explain` each hit says what spoke for it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from recollect.clock import Clock, from_us
from recollect.config import LiveConfig
from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.model.query import Query
from recollect.model.record import Record
from recollect.model.result import Hit, Quality, Recollection, Source, Trace, TraceStep
from recollect.recall.access import AccessLog
from recollect.recall.asked import asked_of, direction_of, question_of
from recollect.recall.fuse import fuse
from recollect.recall.lexical import Question
from recollect.recall.rank import PARTICIPANTS_MAX, Asked, Ranked, rank
from recollect.recall.select import select
from recollect.recall.sources.base import Look, Ranking
from recollect.recall.sources.text import by_words
from recollect.recall.sources.vector import VectorSource
from recollect.recall.sourcing import sources_of
from recollect.recall.trust import trust_of
from recollect.store import records
from recollect.store.base import Store, Tx

_CHARS_PER_TOKEN = 4
_BEST_WITH_NEIGHBOURS = 50
_BEST_WITH_LINKS = 10
_ROWS_A_LINK = 20
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
        with watch.stage("embed"):  # before the read: a model far away must not hold a snapshot while it thinks
            ahead = self._vectors.ahead(query.text)
        with self._store.read() as tx:
            look = self._look(tx, query, now, in_memory)
            look.ahead = ahead
            ranked = self._by_parts(look, query, watch) if in_memory else self._by_ranks(look, query, watch)
            with watch.stage("load"):
                found = self._load(tx, query, ranked, now)
        self._access.note(found)
        self._latencies_ms.append(watch.total_ms())
        return self._recollection(query, found, look, ranked, watch)

    def _by_parts(self, look: Look, query: Query, watch: _Stopwatch) -> Ranked:
        """With the indexes at hand: every candidate is looked at and scored by all that speaks for it."""
        assert look.selection is not None
        forward = self._indexes.forward
        with watch.stage("gather"):
            question = question_of(forward, query.text, look.selection)
            asked = self._asked(look, query, question)
            rankings = [
                by_words(look, query.text, self._indexes),
                *self._vectors.by_meaning(look, query.text, asked.direction),
            ]
            look.semantic = len(rankings) > 1
            pks = self._candidates(look, rankings)
        with watch.stage("rank"):
            times = self._indexes.columns.event_times(pks)
            vectors = np.zeros((len(pks), 0)) if asked.direction is None else self._vectors.mixed(pks)
            least = self._config.current.recall.similarity_min
            elsewhere = _likeness(pks, rankings[1:])
            return rank(forward, pks, asked, times, vectors, elsewhere, self._part_weights(), least)

    def _asked(self, look: Look, query: Query, question: Question) -> Asked:
        """A model that failed has left its error in `look.ahead`, and `by_meaning` says what is missing."""
        if look.ahead.vector is not None or look.ahead.error is not None:
            return asked_of(query.text, question, look.ahead.vector)
        embedder = self._vectors.embedder
        return asked_of(
            query.text, question, None if embedder is None else direction_of(query.text, question, embedder)
        )

    def _candidates(self, look: Look, rankings: list[Ranking]) -> Pks:
        """What any source found, and the turns beside the best of it."""
        forward = self._indexes.forward
        best = rankings[0].found.pks[:_BEST_WITH_NEIGHBOURS]
        beside = np.setdiff1d(np.concatenate([forward.before(best), forward.after(best), self._linked(best)]), [0])
        if look.selection is not None and len(beside):
            beside = beside[look.selection.allows(beside)]
            beside = beside if look.settled else beside[look.meets(beside)]
        return np.unique(np.concatenate([*(ranking.found.pks for ranking in rankings), beside]))

    def _linked(self, best: Pks) -> Pks:
        """Rows about what the very best name: their subjects are titles or speakers of other rows."""
        forward = self._indexes.forward
        if forward.speaker_count() <= PARTICIPANTS_MAX:
            return best[:0]
        named = set[int]().union(*(forward.named_in(pk) for pk in best[:_BEST_WITH_LINKS].tolist()))
        return forward.rows_of(named, _ROWS_A_LINK)

    def _by_ranks(self, look: Look, query: Query, watch: _Stopwatch) -> Ranked:
        """From the disk only places are known: they are fused."""
        with watch.stage("gather"):
            rankings = [by_words(look, query.text, self._indexes), *self._vectors.by_meaning(look, query.text)]
            look.semantic = len(rankings) > 1
        with watch.stage("rank"):
            return fuse(rankings, self._weights(), self._config.current.recall.rrf_k)

    def _look(self, tx: Tx, query: Query, now: int, in_memory: bool) -> Look:
        limit = max(self._config.current.recall.candidates, query.top_k)
        selection, settled = select(tx, self._indexes, query.criteria, now=now) if in_memory else (None, True)
        missing = [f"{name} is not weighed by this version" for name in query.not_weighed]
        return Look(
            tx=tx,
            criteria=query.criteria,
            now=now,
            limit=limit,
            top_k=query.top_k,
            selection=selection,
            settled=settled,
            missing=missing,
        )

    def _part_weights(self) -> dict[str, float]:
        """What each part of a score is worth."""
        chosen = self._config.current.ranking
        return {
            "text": 1.0, "vector": chosen.dense, "speaker": chosen.participant, "date": chosen.date,
            "year": chosen.year, "phrase": chosen.phrase, "feedback": chosen.feedback, "link": chosen.link,
            "shared": chosen.share,
        }  # fmt: skip

    def _weights(self) -> dict[str, float]:
        settings = self._config.current.recall
        return {"text": settings.text_weight, "vector": settings.vector_weight}

    def _load(self, tx: Tx, query: Query, ranked: Ranked, now: int) -> dict[int, Hit]:
        """The hits by key, best first."""
        settings = self._config.current.recall
        floor = settings.threshold if query.threshold is None else query.threshold
        best = zip(ranked.pks[: query.top_k].tolist(), ranked.scores[: query.top_k].tolist(), strict=True)
        scores = {pk: score for pk, score in best if score >= floor}
        loaded = records.load(tx, list(scores))
        found = [(pk, loaded[pk]) for pk in scores if pk in loaded]
        sources = sources_of(tx, found, query.criteria, now)
        hits = {
            pk: _hit(record, scores[pk], sources.get(pk, ()), now, settings.freshness_half_life_days)
            for pk, record in found
        }
        return _within_tokens(hits, query.max_tokens)

    def _recollection(
        self, query: Query, found: dict[int, Hit], look: Look, ranked: Ranked, watch: _Stopwatch
    ) -> Recollection:
        hits = tuple(found.values())
        quality = Quality(
            candidates=len(ranked.pks), latency_ms=watch.total_ms(), stages_ms=watch.stages,
            strategy="rrf" if look.selection is None else "parts",
            weights=self._weights() if look.selection is None else self._part_weights(),
            level=_level(look), relevancy=sum(hit.score for hit in hits) / len(hits) if hits else 0.0,
        )  # fmt: skip
        trace = Trace(hits=_steps(found, ranked), notes=tuple(look.notes)) if query.explain else None
        return Recollection(
            query=query.text, hits=hits, quality=quality, missing=tuple(look.missing), trace=trace,
            abstained=not hits, reason=None if hits else "nothing stored here matches",
        )  # fmt: skip


def _likeness(pks: Pks, rankings: list[Ranking]) -> NDArray[np.float64]:
    """The best cosine that any space gave each candidate (ascending)."""
    best = np.zeros(len(pks))
    for ranking in rankings:
        np.maximum.at(best, np.searchsorted(pks, ranking.found.pks), ranking.found.scores)
    return best


def _level(look: Look) -> str:
    if not look.semantic:
        return "text_only"
    return "full" if look.selection is not None else "text_plus_disk_vectors"


def _steps(found: dict[int, Hit], ranked: Ranked) -> dict[str, tuple[TraceStep, ...]]:
    """For each hit what each part put in; the contributions add up to its score."""
    place = {pk: position for position, pk in enumerate(ranked.pks.tolist())}
    ranks = {
        name: np.argsort(np.argsort(-part, kind="stable"), kind="stable") + 1 for name, part in ranked.parts.items()
    }
    return {
        hit.id: tuple(
            TraceStep(
                source=name,
                rank=int(ranks[name][place[pk]]),
                score=float(ranked.scores[place[pk]]),
                contribution=float(part[place[pk]]),
            )
            for name, part in ranked.parts.items()
            if part[place[pk]] > 0
        )
        for pk, hit in found.items()
    }


def _hit(record: Record, score: float, sources: tuple[Source, ...], now: int, half_life_days: float) -> Hit:
    return Hit(
        id=record.id, content=record.content, kind=record.kind, category=record.category, score=score,
        trust=trust_of(record, score, now=from_us(now), half_life_days=half_life_days),
        created_at=record.created_at, updated_at=record.updated_at, event_time=record.event_time,
        valid_from=record.valid_from, valid_until=record.valid_until, metadata=record.metadata, tags=record.tags,
        sources=sources, place=record.place, role=record.role, speaker=record.speaker,
        session_id=record.session_id, version=record.version, confidence=record.confidence,
    )  # fmt: skip


def _within_tokens(hits: dict[int, Hit], max_tokens: int | None) -> dict[int, Hit]:
    """The first hits that fit, by a cautious count of tokens."""
    if max_tokens is None:
        return hits
    kept: dict[int, Hit] = {}
    left = max_tokens
    for pk, hit in hits.items():
        left -= len(hit.content) // _CHARS_PER_TOKEN + 1
        if left < 0:
            break
        kept[pk] = hit
    return kept


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
