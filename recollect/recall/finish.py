"""From the ranking to the final order: belief, suppression, current truth, no repetition, variety.

Each step takes an order and gives one; every order is kept, so that a trace can show how a hit came to its place.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from recollect.config import Config
from recollect.deadline import TimedCalls
from recollect.errors import ProviderError
from recollect.index.base import Mask, Pks
from recollect.index.follow import Indexes
from recollect.index.keys import among
from recollect.model.record import Kind
from recollect.model.scope import Reach
from recollect.providers.base import Reranker
from recollect.providers.health import ask_in_time
from recollect.recall.quality import QualityWindow, ndcg
from recollect.recall.question.plan import Plan
from recollect.recall.ranking.arrange import any_alike, distinct, facts_first, falling, fuse, suppressed, varied
from recollect.recall.ranking.current import current_first
from recollect.recall.ranking.rank import Ranked
from recollect.recall.ranking.weigh import weigh
from recollect.recall.search import Finished, Order, Search
from recollect.recall.sources.base import Look
from recollect.recall.sources.marked import scores_of
from recollect.recall.sources.relations import linked
from recollect.recall.sources.vector import VectorSource
from recollect.store import feedback
from recollect.store.feedback import Context
from recollect.store.signals import Signals

_HEAD_MIN = 50  # of the ranking that is looked at again
_HEAD_TIMES = 3  # … or so many times what is wanted
_DERIVED = ("derived_from",)


class Finisher:
    """The steps after ranking."""

    def __init__(
        self,
        indexes: Indexes,
        vectors: VectorSource,
        reranker: Reranker | None,
        window: QualityWindow,
    ) -> None:
        self._indexes = indexes
        self._vectors = vectors
        self._reranker = reranker
        self._calls = TimedCalls()
        self._window = window

    def finish(self, search: Search) -> Finished:
        """The order to answer in."""
        if search.late:
            search.out_of_time("finish", "by score")
            ranked = search.ranked
            return Finished([Order("rank", ranked.pks, ranked.scores)], "none", ranked, search.weights)
        query, look = search.query, search.look
        chosen = query.rerank or search.config.recall.rerank
        done = self.by_places(search) if chosen.startswith("rrf") else _begun(search.ranked, search.weights)
        done.strategy = chosen
        head = max(_HEAD_MIN, _HEAD_TIMES * query.top_k)
        done.orders = [Order("rank", done.ranked.pks[:head], done.ranked.scores[:head])]
        known = look.tx.signals.signals(done.last.pks)
        self._believe(done, known, search)
        self._say_once(done, known, look)
        self._suppress(done, search)
        self._put_current_first(done, known, search)
        self._rerank(done, search)
        if chosen in ("mmr", "rrf_then_mmr") and query.top_k > 1:
            self._vary(done, search)
        return done

    def by_places(self, search: Search) -> Finished:
        """What the sources found, by its places in them and nothing else."""
        weights = _source_weights(search.plan, search.config)
        done = _begun(fuse(search.gathered.rankings, weights, search.config.recall.rrf_k), weights)
        done.strategy = "rrf"
        return done

    def _believe(self, done: Finished, known: Signals, search: Search) -> None:
        scores, parts = weigh(
            done.last.scores,
            known,
            config=search.config,
            now=search.look.now,
            phase=search.query.phase,
            mood=search.query.mood or 0.0,
            freshness_bias=search.plan.recipe.freshness,
            kinds=search.plan.recipe.kinds,
        )
        if search.query.explain:
            pks = done.last.pks.tolist()
            done.factors = {name: dict(zip(pks, moved.tolist(), strict=True)) for name, moved in parts.items()}
        if parts:
            order = np.argsort(-scores, kind="stable")
            done.orders.append(Order("belief", done.last.pks[order], scores[order]))

    def _say_once(self, done: Finished, known: Signals, look: Look) -> None:
        """One of each content, and a fact in place of the turn it was drawn from."""
        _, pks, scores = done.last
        if look.criteria.reach is Reach.SCOPE:  # who looks further wants to see whose it is, each time
            hashes = dict(zip(known.pks.tolist(), known.content_hash, strict=True))
            places, repeated = distinct([hashes[pk] or str(pk) for pk in pks.tolist()])
            done.repeated = {int(pks[first]): pks[others].tolist() for first, others in repeated.items()}
            pks, scores = pks[places], scores[places]
        facts, turns = self._derived(look, pks, known)
        if len(facts):
            said_by = {twin: first for first, twins in done.repeated.items() for twin in twins}
            turns = np.array([said_by.get(turn, turn) for turn in turns.tolist()], dtype=np.int64)
            order, scores = facts_first(pks, scores, facts, turns)
            pks = pks[order]
        if len(facts) or len(pks) < len(done.last.pks):
            done.orders.append(Order("once", pks, scores))

    def _derived(self, look: Look, pks: Pks, known: Signals) -> tuple[Pks, Pks]:
        """Which of these rows were drawn from which turns."""
        facts, turns, _ = linked(look, self._indexes, pks, _DERIVED, "out")
        if not len(facts):
            return facts, turns
        episodic = known.pks[np.array([kind == Kind.EPISODIC for kind in known.kind], dtype=np.bool_)]
        across = among(turns, episodic) & ~among(facts, episodic)
        return facts[across], turns[across]

    def _suppress(self, done: Finished, search: Search) -> None:
        """What was no help for such a question stays out, unless the past is asked about."""
        look = search.look
        if look.criteria.as_of is not None or look.criteria.known_at is not None or not look.holds().feedback:
            return
        _, pks, scores = done.last
        hidden = suppressed(look.tx, pks, lambda: self._context(search), now=look.now, settings=search.config.recall)
        if hidden.any():
            done.orders.append(Order("feedback", pks[~hidden], scores[~hidden]))
            look.notes.append(f"feedback: {int(hidden.sum())} left out that were no help for such a question")

    def _context(self, search: Search) -> Context:
        embedder, text, ahead = self._vectors.embedder, search.query.text, search.look.ahead.vector
        if embedder is None or search.look.ahead.error is not None:  # one that hangs is not asked twice
            return feedback.context_of(text)
        try:
            vector = ahead if ahead is not None else embedder.embed([text])[0]
        except ProviderError:
            return feedback.context_of(text)
        return feedback.context_of(text, embedder.name, vector)

    def _put_current_first(self, done: Finished, known: Signals, search: Search) -> None:
        if search.look.criteria.known_at is not None:  # edges are kept at current rows
            return
        _, pks, scores = done.last
        now = current_first(Ranked(pks, scores, {}), search.question, self._indexes, search.look)
        if now.pks is pks:
            return
        keep = among(now.pks, pks)
        keep[~keep] = self._welcome(now.pks[~keep], done, known, search)
        done.orders.append(Order("current", now.pks[keep], now.scores[keep]))

    def _welcome(self, brought: Pks, done: Finished, known: Signals, search: Search) -> Mask:
        """Which rows that only an edge brings in may stand in the answer: they meet what the others had to."""
        look = search.look
        out = ~suppressed(look.tx, brought, lambda: self._context(search), now=look.now, settings=search.config.recall)
        for wanted in search.gathered.filters.values():
            out &= scores_of(look, wanted, brought) > 0
        if look.criteria.reach is Reach.SCOPE:
            hashes = dict(zip(known.pks.tolist(), known.content_hash, strict=True))
            said = {hashes[pk] for pk in done.last.pks.tolist()}
            for at, content in enumerate(look.tx.signals.signals(brought).content_hash):
                out[at] &= content not in said
                said |= {content} if out[at] else set()
        return out

    def _rerank(self, done: Finished, search: Search) -> None:
        """A model's judgement of the first few, where it was asked for and is there."""
        look, query, kind = search.look, search.query, search.plan.intent.kind
        if done.strategy != "cross_encoder":
            return
        if self._reranker is None:
            look.missing.append("cross_encoder: no reranker is configured (recall.reranker); the order is by score")
            done.strategy = "none"
            return
        if query.rerank is None and not self._window.reranking_pays(kind):
            look.notes.append(f"cross_encoder: left out, it has not changed answers to {kind} questions")
            done.strategy = "none"
            return
        _, pks, scores = done.last
        first = pks[: search.config.recall.reranked]
        try:
            texts, reranker = look.tx.records.contents(first.tolist()), self._reranker
            judged = ask_in_time(self._calls, reranker, lambda: reranker.scores(query.text, texts))
        except ProviderError as error:
            look.missing.append(f"cross_encoder: {self._reranker.name} did not answer ({error.code})")
            done.strategy = "none"
            return
        shares = 1.0 / (1.0 + np.exp(-(judged - judged.mean()) / (judged.std() or 1.0)))
        order = np.argsort(-judged, kind="stable")
        self._window.note_rerank(kind, 1.0 - ndcg(shares))
        rest = slice(len(first), None)
        done.orders.append(
            Order(
                "cross_encoder",
                np.concatenate([first[order], pks[rest]]),
                scores,  # the places have new owners
            )
        )

    def _vary(self, done: Finished, search: Search) -> None:
        _, pks, scores = done.last
        chosen, count = search.config.recall, search.query.top_k
        vectors = self._vectors.plain(search.look, pks)
        if not any_alike(vectors[:count], chosen.mmr_alike) and (np.diff(scores) <= 0).all():
            return
        order = varied(scores, vectors, count=count, relevance_share=chosen.mmr_lambda, alike_min=chosen.mmr_alike)
        if (order != np.arange(len(order))).any():
            done.orders.append(Order("variety", pks[order], falling(scores[order])))


def _begun(ranked: Ranked, weights: Mapping[str, float]) -> Finished:
    return Finished([Order("rank", ranked.pks, ranked.scores)], "none", ranked, weights)


def _source_weights(plan: Plan, config: Config) -> dict[str, float]:
    """What each source counts where only places are fused."""
    chosen = config.recall
    others = dict.fromkeys(("entity", "place", "facets", "files"), chosen.other_weight)
    return others | {
        "text": chosen.text_weight * plan.lean["text"],
        "vector": chosen.vector_weight * plan.lean["vector"],
        "graph": chosen.graph_weight * plan.lean["graph"],
        "time": chosen.temporal_weight * plan.lean["temporal"],
    }
