"""From the ranking to the final order: belief, suppression, current truth, no repetition, variety.

Each step takes an order and gives one; every order is kept, so that a trace can show how a hit came to its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.config import Config, LiveConfig
from recollect.errors import ProviderError
from recollect.index.base import Mask, Pks
from recollect.index.follow import Indexes
from recollect.index.keys import among
from recollect.model.record import Kind
from recollect.model.scope import Reach
from recollect.providers.base import Embedder, Reranker, Vectors
from recollect.recall.gather import Gathered
from recollect.recall.quality import QualityWindow, ndcg
from recollect.recall.question.plan import Plan
from recollect.recall.question.query import Query
from recollect.recall.ranking.arrange import any_alike, distinct, facts_first, falling, fuse, suppressed, varied
from recollect.recall.ranking.current import current_first
from recollect.recall.ranking.rank import Asked, Ranked
from recollect.recall.ranking.weigh import weigh
from recollect.recall.sources.base import Look
from recollect.recall.sources.marked import scores_of
from recollect.store import feedback, traverse
from recollect.store.feedback import Context
from recollect.store.signals import Signals

_HEAD_MIN = 50  # of the ranking that is looked at again
_HEAD_TIMES = 3  # … or so many times what is wanted
_DERIVED = ("derived_from",)
Scores = NDArray[np.float64]
VectorsOf = Callable[[Pks], Vectors]


class Order(NamedTuple):
    """Rows best first, after a step."""

    step: str
    pks: Pks
    scores: Scores


@dataclass(slots=True)
class Finished:
    """The final order, the orders on the way, what belief and the like did to scores, and who repeats whom.

    `ranked` is the ranking it began with, and `weights` what each part or source counted in it.
    """

    orders: list[Order]
    strategy: str
    ranked: Ranked
    weights: dict[str, float]
    factors: dict[str, dict[int, float]] = field(default_factory=dict)
    repeated: dict[int, list[int]] = field(default_factory=dict)

    @property
    def last(self) -> Order:
        return self.orders[-1]

    def worth(self, pks: Iterable[int]) -> list[float]:
        """What rows were worth before anything but their own merit moved them."""
        own = next(order for order in reversed(self.orders) if order.step in ("rank", "belief"))
        scores = dict(zip(own.pks.tolist(), own.scores.tolist(), strict=True))
        return [scores.get(pk, 0.0) for pk in pks]


class Finisher:
    """The steps after ranking."""

    def __init__(
        self,
        indexes: Indexes,
        embedder: Embedder | None,
        reranker: Reranker | None,
        window: QualityWindow,
        config: LiveConfig,
    ) -> None:
        self._indexes = indexes
        self._embedder = embedder
        self._reranker = reranker
        self._window = window
        self._config = config

    def finish(
        self,
        look: Look,
        query: Query,
        plan: Plan,
        asked: Asked,
        gathered: Gathered,
        ranked: Ranked,
        weights: dict[str, float],
        vectors_of: VectorsOf,
    ) -> Finished:
        """The order to answer in; `weights` are those of the parts of `ranked`."""
        config = self._config.current
        chosen = query.rerank or config.recall.rerank
        if chosen.startswith("rrf"):
            by_places = self.by_places(plan, gathered)
            ranked, weights = by_places.ranked, by_places.weights
        head = max(_HEAD_MIN, _HEAD_TIMES * query.top_k)
        done = Finished([Order("rank", ranked.pks[:head], ranked.scores[:head])], chosen, ranked, weights)
        known = look.tx.signals.signals(done.last.pks)
        self._believe(done, known, look, query, plan, config)
        self._say_once(done, known, look)
        self._suppress(done, look, query, config)
        self._put_current_first(done, known, look, query, asked, gathered, config)
        self._rerank(done, look, query, plan, config)
        if chosen in ("mmr", "rrf_then_mmr") and query.top_k > 1:
            self._vary(done, query, config, vectors_of)
        return done

    def by_places(self, plan: Plan, gathered: Gathered) -> Finished:
        """What the sources found, by its places in them and nothing else."""
        config = self._config.current
        weights = _source_weights(plan, config)
        ranked = fuse(gathered.rankings, weights, config.recall.rrf_k)
        return Finished([Order("rank", ranked.pks, ranked.scores)], "rrf", ranked, weights)

    def _believe(self, done: Finished, known: Signals, look: Look, query: Query, plan: Plan, config: Config) -> None:
        scores, parts = weigh(
            done.last.scores,
            known,
            config=config,
            now=look.now,
            phase=query.phase,
            mood=query.mood,
            freshness_bias=plan.recipe.freshness,
            kinds=plan.recipe.kinds,
        )
        for name, moved in parts.items():
            done.factors[name] = dict(zip(done.last.pks.tolist(), moved.tolist(), strict=True))
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
        if look.selection is not None:
            arcs = self._indexes.graph.hop(pks.tolist(), labels=_DERIVED, direction="out", at=look.now)
            facts, turns = arcs.start, arcs.end
        else:
            walk = traverse.Walk(criteria=look.criteria, now=look.now, labels=_DERIVED, direction="out")
            steps = look.tx.paths.hop(walk, pks.tolist())
            facts, turns = np.array([(step.from_pk, step.to_pk) for step in steps], dtype=np.int64).reshape(-1, 2).T
        if not len(facts):
            return facts, turns
        episodic = known.pks[np.array([kind == Kind.EPISODIC for kind in known.kind], dtype=np.bool_)]
        across = among(turns, episodic) & ~among(facts, episodic)
        return facts[across], turns[across]

    def _suppress(self, done: Finished, look: Look, query: Query, config: Config) -> None:
        """What was no help for such a question stays out, unless the past is asked about."""
        if look.criteria.as_of is not None or look.criteria.known_at is not None:
            return
        _, pks, scores = done.last
        hidden = suppressed(look.tx, pks, lambda: self._context(query, look), now=look.now, settings=config.recall)
        if hidden.any():
            done.orders.append(Order("feedback", pks[~hidden], scores[~hidden]))
            look.notes.append(f"feedback: {int(hidden.sum())} left out that were no help for such a question")

    def _context(self, query: Query, look: Look) -> Context:
        if self._embedder is None:
            return feedback.context_of(query.text)
        try:
            vector = look.ahead.vector if look.ahead.vector is not None else self._embedder.embed([query.text])[0]
        except ProviderError:
            return feedback.context_of(query.text)
        return feedback.context_of(query.text, self._embedder.name, vector)

    def _put_current_first(
        self, done: Finished, known: Signals, look: Look, query: Query, asked: Asked, gathered: Gathered, config: Config
    ) -> None:
        if look.selection is None:  # edges are looked up in memory only
            return
        _, pks, scores = done.last
        now = current_first(Ranked(pks, scores, {}), asked, self._indexes, look)
        if now.pks is pks:
            return
        keep = among(now.pks, pks)
        keep[~keep] = self._welcome(now.pks[~keep], done, known, look, query, gathered, config)
        done.orders.append(Order("current", now.pks[keep], now.scores[keep]))

    def _welcome(
        self, brought: Pks, done: Finished, known: Signals, look: Look, query: Query, gathered: Gathered, config: Config
    ) -> Mask:
        """Which rows that only an edge brings in may stand in the answer: they meet what the others had to."""
        out = ~suppressed(look.tx, brought, lambda: self._context(query, look), now=look.now, settings=config.recall)
        for wanted in gathered.filters.values():
            out &= scores_of(look, wanted, brought) > 0
        if look.criteria.reach is Reach.SCOPE:
            hashes = dict(zip(known.pks.tolist(), known.content_hash, strict=True))
            said = {hashes[pk] for pk in done.last.pks.tolist()}
            for at, content in enumerate(look.tx.signals.signals(brought).content_hash):
                out[at] &= content not in said
                said |= {content} if out[at] else set()
        return out

    def _rerank(self, done: Finished, look: Look, query: Query, plan: Plan, config: Config) -> None:
        """A model's judgement of the first few, where it was asked for and is there."""
        if done.strategy != "cross_encoder":
            return
        if self._reranker is None:
            look.missing.append("cross_encoder: no reranker is configured (recall.reranker); the order is by score")
            done.strategy = "none"
            return
        if query.rerank is None and not self._window.reranking_pays(plan.intent.kind):
            look.notes.append(f"cross_encoder: left out, it has not changed answers to {plan.intent.kind} questions")
            done.strategy = "none"
            return
        _, pks, scores = done.last
        first = pks[: config.recall.reranked]
        try:
            judged = self._reranker.scores(query.text, look.tx.records.contents(first.tolist()))
        except ProviderError as error:
            look.missing.append(f"cross_encoder: {self._reranker.name} did not answer ({error.code})")
            done.strategy = "none"
            return
        shares = 1.0 / (1.0 + np.exp(-(judged - judged.mean()) / (judged.std() or 1.0)))
        order = np.argsort(-judged, kind="stable")
        self._window.note_rerank(plan.intent.kind, 1.0 - ndcg(shares))
        rest = slice(len(first), None)
        done.orders.append(
            Order(
                "cross_encoder",
                np.concatenate([first[order], pks[rest]]),
                scores,  # the places have new owners
            )
        )

    def _vary(self, done: Finished, query: Query, config: Config, vectors_of: VectorsOf) -> None:
        _, pks, scores = done.last
        if not any_alike(vectors_of(pks[: query.top_k]), config.recall.mmr_alike) and (np.diff(scores) <= 0).all():
            return
        order = varied(
            scores,
            vectors_of(pks),
            count=query.top_k,
            relevance_share=config.recall.mmr_lambda,
            alike_min=config.recall.mmr_alike,
        )
        if (order != np.arange(len(order))).any():
            done.orders.append(Order("variety", pks[order], falling(scores[order])))


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
