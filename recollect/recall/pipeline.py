"""`search`: plan → gather → rank → finish → judge → load.

Each step is a function of the one before; every figure on the way ends in the recollection's quality, and with
`explain` each hit says what found it, what spoke for it and how each step moved it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from recollect.clock import Clock, to_us
from recollect.config import LiveConfig
from recollect.errors import ProviderError, SearchTimeout
from recollect.ids import parse_id
from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.model.query import Criteria
from recollect.model.result import NOTHING_STORED, Hit, Quality, Recollection
from recollect.model.scope import Scope
from recollect.providers.base import Llm, Vectors
from recollect.recall.access import AccessLog
from recollect.recall.finish import Finished, Finisher, Order
from recollect.recall.foremost import foremost
from recollect.recall.gather import Gathered, Gatherer
from recollect.recall.hits import load_hits, within_tokens
from recollect.recall.hyde import blended, imagined, wants_hyde
from recollect.recall.quality import Measured, QualityWindow, Stopwatch, ndcg, relevancy
from recollect.recall.question.modes import TimeMode
from recollect.recall.question.plan import Plan, Planner, at_time
from recollect.recall.question.query import Query
from recollect.recall.question.when import anchored
from recollect.recall.ranking.abstain import Verdict, answerability, bent
from recollect.recall.ranking.asked import asked_of, own_terms, question_of, shares_of
from recollect.recall.ranking.channels import Channel
from recollect.recall.ranking.current import asks_for_the_present
from recollect.recall.ranking.ground import Ground, cold_ground, cold_question, in_terms_of, warm_ground
from recollect.recall.ranking.lexical import Question
from recollect.recall.ranking.rank import Asked, Ranked, part_weights, rank, rescored
from recollect.recall.ranking.stated import stated
from recollect.recall.select import select_in
from recollect.recall.sources.base import Look, Ranking
from recollect.recall.sources.time import sessions_of
from recollect.recall.sources.vector import VectorSource
from recollect.recall.trace import trace_of
from recollect.store.base import Store, Tx

_WAIT_S = 0.2  # some forty searches


class OneAtATime:
    """Searches of one process work one after the other, as far as none waits longer than `wait_s` for that.

    A search is a few milliseconds of Python with a score of short calls into libraries, each of which lets go of the
    interpreter. Where several searches run at once, every such call hands it to another thread and waits to get it
    back: four searches at once took up to twice the CPU of four in a row, and no answer came sooner. It is a courtesy
    and guards nothing: a search that has waited long, because another waits for a model or a disk, goes ahead.
    """

    def __init__(self, wait_s: float = _WAIT_S) -> None:
        self._wait_s = wait_s
        self._taken = Lock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, but not for ever."""
        mine = self._taken.acquire(timeout=self._wait_s)
        try:
            yield
        finally:
            if mine:
                self._taken.release()


class Recall:
    """The read path over one store."""

    def __init__(
        self,
        store: Store,
        indexes: Indexes,
        vectors: VectorSource,
        planner: Planner,
        gatherer: Gatherer,
        finisher: Finisher,
        window: QualityWindow,
        access: AccessLog,
        config: LiveConfig,
        clock: Clock,
        llm: Llm | None = None,
        shown: Callable[[Scope, list[tuple[str, str]]], None] = lambda scope, said: None,
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._vectors = vectors
        self._planner = planner
        self._gatherer = gatherer
        self._finisher = finisher
        self._window = window
        self._access = access
        self._config = config
        self._clock = clock
        self._llm = llm
        self._turns = OneAtATime()
        self._shown = shown  # told what was recalled, so that it is known when it comes back

    @property
    def window(self) -> QualityWindow:
        """The last searches in figures."""
        return self._window

    def search(self, query: Query, *, for_use: bool = True, imagine: bool = True) -> Recollection:
        """The records that answer best, best first. What is not looked for to be used was not used by that.

        Who counts every call of a language model has no answer imagined.
        """
        watch = Stopwatch()
        now = self._clock()
        query = replace(query, criteria=replace(query.criteria, drawn=query.criteria.asks_for_statements))
        if not query.text.strip():
            found, pks = self._foremost(query, watch, now)
        else:
            with watch.stage("plan"):
                plan = self._planned(query, now)
            found, pks = self._answer(query, plan, watch, now)
            poor = imagine and self._llm is not None and wants_hyde(found, self._config.current.expand, query.top_k)
            if poor and not self._is_late(watch):
                found, pks = self._answer_again(query, plan, watch, now, found, pks)
        if for_use:
            self._access.note(pks, query.asked_in)
            self._tell(found.hits, query)
        quality = replace(found.quality, latency_ms=watch.total_ms())
        self._window.note(
            Measured(quality.latency_ms, quality.relevancy, quality.ndcg, len(found)), self._config.current.recall
        )
        return replace(found, quality=quality)

    def used(self, hits: Sequence[Hit], query: Query) -> None:
        """Of what was found without counting as used, these were shown after all."""
        self.reinforce([hit.id for hit in hits], query.asked_in)
        self._tell(hits, query)

    def reinforce(self, record_ids: Sequence[str], session: str | None) -> None:
        """These records were of use."""
        with self._store.read() as tx:
            self._access.note(tx.records.pks_of(record_ids), session)

    def _tell(self, hits: Sequence[Hit], query: Query) -> None:
        self._shown(query.criteria.scope, [(hit.id, hit.content) for hit in hits])

    def _planned(self, query: Query, now: int) -> Plan:
        """The plan; an event that the question counts from is looked for first."""
        plan = self._planner.plan(query, now)
        if plan.when is None or plan.when.anchor is None:
            return plan
        event = replace(query, text=plan.when.anchor, top_k=1, explain=False, mode=None)
        about = self._planner.plan(event, now)
        found, _ = self._answer(event, at_time(about, None), Stopwatch(), now)
        if not found or found.abstained or found[0].score < _EVENT_SCORE_MIN:
            return at_time(plan, None)
        return at_time(plan, anchored(plan.when, to_us(found[0].event_time or found[0].created_at)))

    def _answer(
        self, query: Query, plan: Plan, watch: Stopwatch, now: int, imagined: Vectors | None = None
    ) -> tuple[Recollection, list[int]]:
        with watch.stage("freshen"):
            in_memory = query.criteria.known_at is None and self._indexes.current()
        with watch.stage("embed"):  # before the read: a model far away must not hold a snapshot while it thinks
            ahead = self._vectors.ahead(query.text)
        with self._turn(query, in_memory), self._store.read() as tx:
            look = self._look(tx, query, now, in_memory, plan.recipe.candidates)
            look.ahead = ahead
            with watch.stage("gather"):
                question = self._question(look, query)
                directions = self._directions(look, query, question, imagined)
                gathered = self._gatherer.gather(look, query, plan, directions)
            if self._is_late(watch):
                return self._unranked(look, query, plan, gathered, watch)
            with watch.stage("rank"):
                ground = warm_ground(self._indexes, gathered.pks) if in_memory else cold_ground(tx, gathered.pks)
                channels = self._vectors.channels(look, ground, directions)
                own = channels.pop(self._vectors.embedder.name, None) if self._vectors.embedder is not None else None
                question = question if in_memory else in_terms_of(question, ground.forward)
                asked = asked_of(query.text, question, None if own is None else own.direction)
                ranked = self._rank(look, plan, gathered, ground, asked, own, next(iter(channels.values()), None))
            with watch.stage("judge"):
                verdict = self._judge(look, plan, ground, asked, ranked)
            ranked = rescored(replace(ranked, pks=ground.rows(ranked.pks)), bent(ranked.scores, verdict.share))
            with watch.stage("finish"):
                finished = self._finish(look, query, plan, asked, gathered, ranked, watch)
            with watch.stage("load"):
                return self._recollection(look, query, plan, gathered, ranked, finished, verdict, watch)

    def _is_late(self, watch: Stopwatch) -> bool:
        return watch.total_ms() > 1e3 * self._config.current.recall.timeout_s

    def _unranked(
        self, look: Look, query: Query, plan: Plan, gathered: Gathered, watch: Stopwatch
    ) -> tuple[Recollection, list[int]]:
        """No time is left: what the sources found, by the places they gave it."""
        limit_s = self._config.current.recall.timeout_s
        finished = self._finisher.by_places(plan, gathered)
        if not len(finished.ranked.pks):
            raise SearchTimeout(
                f"nothing was found within {limit_s:g} s; ask in fewer words, or raise recall.timeout_s"
            )
        look.missing.append(f"rank: no time was left of recall.timeout_s ({limit_s:g} s); the order is by sources")
        unjudged = Verdict(share=1.0, abstained=False)
        with watch.stage("load"):
            return self._recollection(look, query, plan, gathered, finished.ranked, finished, unjudged, watch)

    def _finish(
        self, look: Look, query: Query, plan: Plan, asked: Asked, gathered: Gathered, ranked: Ranked, watch: Stopwatch
    ) -> Finished:
        weights = self.part_weights(plan)
        if self._is_late(watch):
            limit_s = self._config.current.recall.timeout_s
            look.missing.append(f"finish: no time was left of recall.timeout_s ({limit_s:g} s); the order is by score")
            return Finished([Order("rank", ranked.pks, ranked.scores)], "none", ranked, weights)
        return self._finisher.finish(
            look, query, plan, asked, gathered, ranked, weights, lambda pks: self._vectors.plain(look, pks)
        )

    def _turn(self, query: Query, in_memory: bool) -> AbstractContextManager[None]:
        """Who asks the disk or a reranker waits for those more than for the interpreter, and takes no turn."""
        chosen = query.rerank or self._config.current.recall.rerank
        return self._turns.turn() if in_memory and chosen != "cross_encoder" else nullcontext()

    def _answer_again(
        self, query: Query, plan: Plan, watch: Stopwatch, now: int, found: Recollection, pks: list[int]
    ) -> tuple[Recollection, list[int]]:
        """A second look by an imagined answer; the better of the two."""
        embedder = self._vectors.embedder
        if embedder is None or self._llm is None:
            return found, pks
        with watch.stage("imagine"):
            vector = imagined(self._llm, embedder, query.text, self._config.current.expand)
        if isinstance(vector, ProviderError):
            said = f"hyde: {self._llm.name} did not answer ({vector.code}); the question was searched as it is"
            return replace(found, missing=(*found.missing, said)), pks
        again = self._answer(query, plan, watch, now, vector)
        return again if relevancy([h.score for h in again[0]]) >= relevancy([h.score for h in found]) else (found, pks)

    def _look(self, tx: Tx, query: Query, now: int, in_memory: bool, candidates: int = 0) -> Look:
        limit = max(self._config.current.recall.candidates, candidates, query.top_k)
        look = Look(tx=tx, criteria=query.criteria, now=now, limit=limit, top_k=query.top_k, selection=None)
        if query.mode is not None and query.mode.when is None:
            look.criteria = replace(query.criteria, session_pks=_sessions(look, query.mode))
        if in_memory:
            look.selection, look.settled = select_in(tx, self._indexes, look.visible(), look.criteria, now=now)
        return look

    def _question(self, look: Look, query: Query) -> Question:
        if look.selection is None:
            question = cold_question(look.tx, query.text, look.tx.criteria.where(look.criteria, now=look.now))
            return replace(question, worth=question.worth * shares_of(question.terms, own_terms(query.criteria.scope)))
        among, index = look.selection, self._indexes.text
        return question_of(
            self._indexes.forward,
            query.text,
            among,
            lambda term: len(index.search([term], limit=1, among=among).pks) > 0,
            own=own_terms(query.criteria.scope),
        )

    def _directions(self, look: Look, query: Query, question: Question, imagined: Vectors | None) -> dict[str, Vectors]:
        """Where the question points, by model; an imagined answer, or the talk so far, turns the configured model's.

        A model that failed has left its error in `look.ahead`, and `by_meaning` says what is missing.
        """
        directions = self._vectors.directions(look, query.text, question)
        embedder = self._vectors.embedder
        if imagined is not None and embedder is not None and embedder.name in directions:
            share = self._config.current.expand.hyde_query_share
            directions[embedder.name] = blended(directions[embedder.name], imagined, share)
        if query.leaning is not None and embedder is not None and embedder.name in directions:
            towards, share = query.leaning
            directions[embedder.name] = blended(directions[embedder.name], towards, 1.0 - share)
        return directions

    def _rank(
        self,
        look: Look,
        plan: Plan,
        gathered: Gathered,
        ground: Ground,
        asked: Asked,
        own: Channel | None,
        beside: Channel | None,
    ) -> Ranked:
        vectors = np.zeros((len(ground.pks), 0)) if own is None else own.vectors
        elsewhere = _likeness(ground.pks, [one for one in gathered.rankings if one.source.startswith("vector")])
        least = self._config.current.recall.similarity_min
        given = dict(gathered.given)
        if look.selection is not None and asked.question.terms:
            given["stated"] = stated(
                self._indexes, ground.pks, asked, lambda pks: self._vectors.plain(look, pks), now=look.now
            )
        return rank(
            ground.forward,
            ground.keys,
            asked,
            ground.times_us,
            vectors,
            elsewhere,
            beside=beside,
            given=given,
            settings=self._config.current.ranking,
            weights=self.part_weights(plan),
            similarity_min=least,
            present=look.criteria.as_of is None and asks_for_the_present(asked.text, asked.cues),
        )

    def part_weights(self, plan: Plan) -> dict[str, float]:
        """What each part of a score is worth for such a question."""
        return part_weights(self._config.current.ranking, plan.lean)

    def _judge(self, look: Look, plan: Plan, ground: Ground, asked: Asked, ranked: Ranked) -> Verdict:
        first = ranked.pks[:_JUDGED_ROWS]
        times = ground.times_us[np.searchsorted(ground.keys, first)]

        def texts(keys: Pks) -> list[str]:
            return look.tx.records.contents(ground.rows(keys).tolist())

        return answerability(
            ground.forward,
            asked,
            ranked,
            times,
            settings=self._config.current.ranking,
            weights=self.part_weights(plan),
            texts=texts,
            time_said=plan.when.surface if plan.when is not None and plan.when.resolved else "",
            nothing=_nothing(look.criteria),
            rarity=self._vectors.rarity,
        )

    def _recollection(
        self,
        look: Look,
        query: Query,
        plan: Plan,
        gathered: Gathered,
        ranked: Ranked,
        finished: Finished,
        verdict: Verdict,
        watch: Stopwatch,
    ) -> tuple[Recollection, list[int]]:
        config = self._config.current
        floor = config.recall.threshold if query.threshold is None else query.threshold
        best = zip(finished.last.pks[: query.top_k].tolist(), finished.last.scores[: query.top_k].tolist(), strict=True)
        scores = {pk: score for pk, score in best if score >= floor}
        loaded = load_hits(look.tx, scores, look.criteria, now=look.now, config=config, repeated=finished.repeated)
        hits = within_tokens(loaded, query.max_tokens)
        trace = trace_of(look, hits, plan, gathered, finished) if query.explain else None
        given = [hit.score for hit in hits.values()]
        quality = Quality(
            candidates=len(ranked.pks),
            stages_ms=watch.stages,
            strategy=finished.strategy,
            weights=finished.weights,
            level=_level(look),
            relevancy=relevancy(given),
            ndcg=ndcg(finished.worth(hits)),
            intent=plan.intent.kind,
            answerable=verdict.share,
        )
        abstained = verdict.abstained or not hits
        left_out = "all that matches was left out by threshold or max_tokens" if len(ranked.pks) else None
        reason = "; ".join(verdict.reasons) or left_out or "nothing stored here matches"
        found = Recollection(
            query=query.text,
            hits=tuple(hits.values()),
            quality=quality,
            missing=tuple(dict.fromkeys(look.missing)),
            trace=trace,
            abstained=abstained,
            reason=reason if abstained else None,
        )
        return found, list(hits)

    def _foremost(self, query: Query, watch: Stopwatch, now: int) -> tuple[Recollection, list[int]]:
        """An empty question asks for what matters most now."""
        config = self._config.current
        with self._store.read() as tx, watch.stage("load"):
            look = self._look(tx, query, now, in_memory=False)
            scores = foremost(
                tx,
                look.criteria,
                now=now,
                limit=query.top_k,
                config=config,
                phase=query.phase,
                mood=query.mood,
                among=self._gatherer.narrowed(look, query),
            )
            hits = within_tokens(load_hits(tx, scores, look.criteria, now=now, config=config), query.max_tokens)
        given = [hit.score for hit in hits.values()]
        quality = Quality(
            candidates=len(scores),
            stages_ms=watch.stages,
            strategy="foremost",
            relevancy=relevancy(given),
            ndcg=ndcg(given),
        )
        reason = "the question is empty: this is what matters most now" if hits else _nothing(query.criteria, query)
        return Recollection(
            query=query.text, hits=tuple(hits.values()), quality=quality, abstained=not hits, reason=reason
        ), list(hits)


_JUDGED_ROWS = 50
_EVENT_SCORE_MIN = 0.5  # what scores less is as likely something else, and its time would mislead


def _nothing(criteria: Criteria, query: Query | None = None) -> str:
    """Why there was nothing to look at."""
    narrowed = [name for name in ("place", "facets") if getattr(query, name, None) is not None]
    given = ", ".join([*criteria.conditions, *narrowed])
    return f"nothing stored here meets the conditions: {given}" if given else NOTHING_STORED


def _sessions(look: Look, mode: TimeMode) -> tuple[int, ...]:
    """The sessions that a mode looks at."""
    if mode.event is None:
        return tuple(sessions_of(look, mode))
    # The event need not be of the kind asked for.
    sight = Criteria(scope=look.criteria.scope, reach=look.criteria.reach)
    pk = look.tx.records.find_pk(parse_id(mode.event), sight, now=look.now)
    written_at = look.tx.sql.value("SELECT created_at FROM record WHERE pk = ?", (pk,))
    return tuple(sessions_of(look, mode, written_at))


def _likeness(pks: Pks, rankings: list[Ranking]) -> NDArray[np.float64]:
    """The best cosine that any space gave each candidate (ascending)."""
    best = np.zeros(len(pks))
    for ranking in rankings:
        at = np.searchsorted(pks, ranking.found.pks)
        held = at < len(pks)
        held[held] = pks[at[held]] == ranking.found.pks[held]
        at = at[held]  # a source names each row once
        best[at] = np.maximum(best[at], ranking.found.scores[held])
    return best


def _level(look: Look) -> str:
    """How much of the machinery took part."""
    if look.selection is not None:
        return "full" if look.semantic else "text_only"
    return "text_plus_disk_vectors" if look.semantic else "degraded"
