"""`search`: plan → gather → rank → judge → finish → load.

Each step takes the search and adds to it what it found out; every figure on the way ends in the recollection's quality,
and with `explain` each hit says what found it, what spoke for it and how each step moved it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from recollect.clock import Clock, to_us
from recollect.config import LiveConfig
from recollect.config.reading import ExpandSettings
from recollect.config.writing import AffectSettings
from recollect.deadline import TimedCalls, within
from recollect.errors import ProviderError, SearchTimeout
from recollect.ids import parse_id
from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.model.query import Criteria
from recollect.model.result import NOTHING_STORED, Hit, Quality, Recollection
from recollect.model.scope import Scope
from recollect.providers.base import Embedder, Llm, Reranker, Vectors
from recollect.recall.access import AccessLog
from recollect.recall.answer import SearchAnswer, answer_of
from recollect.recall.finish import Finisher
from recollect.recall.foremost import foremost
from recollect.recall.gather import Gatherer
from recollect.recall.hits import load_hits, within_tokens
from recollect.recall.quality import Measured, QualityWindow, Stopwatch, ndcg, relevancy
from recollect.recall.question.modes import TimeMode
from recollect.recall.question.plan import Plan, Planner, at_time
from recollect.recall.question.present import presentness
from recollect.recall.question.query import Query
from recollect.recall.question.when import anchored
from recollect.recall.ranking.abstain import Answerability, answerability, bent
from recollect.recall.ranking.asked import cold_question, in_terms_of, own_terms, question_of, shares_of
from recollect.recall.ranking.ground import Ground, cold_ground, warm_ground
from recollect.recall.ranking.lexical import WeighedQuestion
from recollect.recall.ranking.rank import CandidateEvidence, Ranked, part_weights, rank
from recollect.recall.ranking.stated import stated
from recollect.recall.search import Search
from recollect.recall.select import select_in
from recollect.recall.sources.base import NOT_YET, Ahead, Look, SourceRanking
from recollect.recall.sources.time import sessions_of
from recollect.recall.sources.vector import VectorSource
from recollect.recall.suspects import Suspects
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


class ReadPath:
    """The read path over one store."""

    def __init__(
        self,
        *,
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
        reader: Reranker | None = None,
        shown: Callable[[Scope, list[tuple[str, str]]], None] = lambda scope, said: None,
        suspects: Suspects | None = None,
        code: Callable[[Sequence[Hit]], list[Hit]] = list,
    ) -> None:
        self._code = code  # says of hits how the code stands that they are about
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
        self._reader = reader
        self._turns = OneAtATime()
        self._calls = TimedCalls()
        self._suspects = suspects
        self._shown = shown  # told what was recalled, so that it is known when it comes back

    @property
    def window(self) -> QualityWindow:
        """The last searches in figures."""
        return self._window

    def search(
        self, query: Query, *, for_use: bool = True, imagine: bool = True, measured: bool = True
    ) -> Recollection:
        """The records that answer best, best first. What is not looked for to be used was not used by that.

        Who counts every call of a language model has no answer imagined. What nobody asked is not `measured`: it says
        nothing about how well people are answered.
        """
        with within(self._config.current.recall.timeout_s):
            return self._search(query, for_use=for_use, imagine=imagine, measured=measured)

    def _search(self, query: Query, *, for_use: bool, imagine: bool, measured: bool) -> Recollection:
        watch = Stopwatch()
        now = self._clock()
        query = replace(
            query,
            criteria=replace(query.criteria, drawn=query.criteria.asks_for_statements),
            mood=felt_in(query, self._config.current.affect),
        )
        if not query.text.strip():
            found, pks = self._foremost(query, watch, now)
        else:
            with watch.stage("plan"):
                plan = self._planned(query, now)
            answered = self._answer(query, plan, watch, now)
            config = self._config.current
            poor = imagine and self._llm is not None and wants_hyde(answered.found, config.expand, query.top_k)
            if poor and watch.total_ms() <= 1e3 * config.recall.timeout_s:
                answered = self._answer_again(query, plan, watch, now, answered)
            found, pks = answered
        found, pks = self._screened(found, pks)
        found = replace(found, hits=tuple(self._about_code(found.hits)))
        if for_use:
            self._access.note(pks, query.asked_in)
            self._tell(found.hits, query)
        quality = replace(found.quality, latency_ms=watch.total_ms())
        if measured:
            self._window.note(
                Measured(quality.latency_ms, quality.relevancy, quality.ndcg, len(found)), self._config.current.recall
            )
        return replace(found, quality=quality)

    def in_time(self, query: Query) -> Recollection:
        """What a search finds that does not count as used; nothing, and a word in `missing`, where no time is left."""
        try:
            return self.search(query, for_use=False)
        except SearchTimeout as error:
            quality = Quality(candidates=0, stages_ms={}, strategy="none", relevancy=0.0, ndcg=0.0)
            return Recollection(
                query=query.text, hits=(), quality=quality, missing=(f"recall: {error.message}",), abstained=True
            )

    def screened(self, hits: Sequence[Hit]) -> list[Hit]:
        """Of hits that no search found, those that may be shown, marked where they give orders."""
        shown = list(hits) if self._suspects is None else self._suspects.shown(hits)
        return self._about_code(shown)

    def _about_code(self, hits: Sequence[Hit]) -> list[Hit]:
        """Hits with the state of their code; those that are about none cost nothing."""
        return self._code(hits) if any(hit.code for hit in hits) else list(hits)

    def _screened(self, found: Recollection, pks: list[int]) -> SearchAnswer:
        """An answer without hits that give orders, if nobody has judged them yet; it says how many are missing."""
        changed = {} if self._suspects is None else self._suspects.withheld(found.hits)
        if not changed:
            return SearchAnswer(found, pks)
        kept = [(changed.get(hit.id, hit), pk) for hit, pk in zip(found.hits, pks, strict=True)]
        shown = [(hit, pk) for hit, pk in kept if hit is not None]
        missing = found.missing
        if len(shown) < len(kept):
            missing = (*missing, f"screening: {len(kept) - len(shown)} withheld that give orders to their reader")
        hits = tuple(hit for hit, _ in shown)
        return SearchAnswer(replace(found, hits=hits, missing=missing), [pk for _, pk in shown])

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
        happened = f"When was {plan.when.anchor}?"  # asked for as something past: the newest is not the likeliest
        event = replace(query, text=happened, top_k=1, explain=False, mode=None)
        about = self._planner.plan(event, now)
        found = self._answer(event, at_time(about, None), Stopwatch(), now).found
        if not found or found.abstained or found[0].score < _EVENT_SCORE_MIN:
            return at_time(plan, None)
        return at_time(plan, anchored(plan.when, to_us(found[0].event_time or found[0].created_at)))

    def _answer(
        self, query: Query, plan: Plan, watch: Stopwatch, now: int, imagined: Vectors | None = None
    ) -> SearchAnswer:
        """Gather, rank, judge, finish, load: each step takes the search and adds to it."""
        config = self._config.current
        with watch.stage("freshen"):
            in_memory = query.criteria.known_at is None and self._indexes.current()
        with watch.stage("embed"):  # before the read: a model far away must not hold a snapshot while it thinks
            ahead = self._vectors.ahead(query.text)
        with self._turn(query, in_memory), self._store.read(query.criteria) as tx:
            search = Search(
                query=query,
                plan=plan,
                config=config,
                weights=part_weights(config.ranking, plan.lean, query.weights),
                look=self._look(tx, query, now, in_memory, plan.recipe.candidates, ahead),
                watch=watch,
            )
            with watch.stage("gather"):
                search.question = self._question(search)
                search.directions = self._vectors.directions(
                    search.look, search.question, self._turns_of(search, imagined)
                )
                search.gathered = self._gatherer.gather(search)
            if search.late:
                return self._unranked(search)
            with watch.stage("rank"):
                search.ground = self._ground(search)
                search.ranked = self._rank(search)
            with watch.stage("judge"):
                search.verdict = self._judge(search)
                search.ranked = self._bent(search)
            with watch.stage("finish"):
                search.finished = self._finisher.finish(search)
            with watch.stage("load"):
                return answer_of(search)

    def nearest_parts(self, text: str, hits: Sequence[Hit]) -> dict[str, str]:
        """What each hit says that is nearest to a text, by id, where it says several things."""
        with self._store.read() as tx:
            return self._vectors.nearest_parts(tx, text, hits)

    def _unranked(self, search: Search) -> SearchAnswer:
        """No time is left: what the sources found, by the places they gave it."""
        search.finished = self._finisher.by_places(search)
        search.ranked = search.finished.ranked
        search.verdict = Answerability(share=1.0, abstained=False)
        if not len(search.ranked.pks):
            limit_s = search.config.recall.timeout_s
            raise SearchTimeout(
                f"nothing was found within {limit_s:g} s; ask in fewer words, or raise recall.timeout_s"
            )
        search.out_of_time("rank", "by sources")
        with search.watch.stage("load"):
            return answer_of(search)

    def _turn(self, query: Query, in_memory: bool) -> AbstractContextManager[None]:
        """A search that asks the disk or a reranker waits for those more than for the interpreter: it takes no turn."""
        chosen = query.rerank or self._config.current.recall.rerank
        return self._turns.turn() if in_memory and chosen != "cross_encoder" else nullcontext()

    def _answer_again(self, query: Query, plan: Plan, watch: Stopwatch, now: int, first: SearchAnswer) -> SearchAnswer:
        """A second look by an imagined answer; the better of the two."""
        embedder = self._vectors.embedder
        if embedder is None or self._llm is None:
            return first
        with watch.stage("imagine"):
            vector = self._imagined(self._llm, embedder, query.text)
        if isinstance(vector, ProviderError):
            said = f"hyde: {self._llm.name} did not answer ({vector.code}); the question was searched as it is"
            return first._replace(found=replace(first.found, missing=(*first.found.missing, said)))
        again = self._answer(query, plan, watch, now, vector)
        return again if again.relevancy >= first.relevancy else first

    def _imagined(self, llm: Llm, embedder: Embedder, text: str) -> Vectors | ProviderError:
        try:
            return self._calls.ask(llm.name, lambda: imagined(llm, embedder, text, self._config.current.expand))
        except ProviderError as error:  # it took longer than there was time
            return error

    def _look(
        self, tx: Tx, query: Query, now: int, in_memory: bool, candidates: int = 0, ahead: Ahead = NOT_YET
    ) -> Look:
        limit = max(self._config.current.recall.candidates, candidates, query.top_k)
        look = Look(tx=tx, criteria=query.criteria, now=now, limit=limit, top_k=query.top_k, selection=None)
        look.ahead = ahead
        inside = self._indexes.inside
        look.inside = inside.ready and query.criteria.known_at is None
        if inside.trouble and self._config.current.index.search == "database":
            look.missing.append(f"database: {inside.trouble}")
        if query.mode is not None and query.mode.when is None:
            look.criteria = replace(query.criteria, session_pks=_sessions(look, query.mode))
        if in_memory:
            look.selection, look.settled = select_in(tx, self._indexes, look.visible(), look.criteria, now=now)
        return look

    def _question(self, search: Search) -> WeighedQuestion:
        look, text = search.look, search.query.text
        own = own_terms(search.query.criteria.scope)
        if look.selection is None:
            question = cold_question(look.tx, text, look.criteria, now=look.now, counted=look.inside)
            return replace(question, worth=question.worth * shares_of(question.terms, own))
        among, index = look.selection, self._indexes.text
        holds = lambda term: len(index.search([term], limit=1, among=among).pks) > 0  # noqa: E731
        return question_of(self._indexes.forward, text, among, holds, own=own)

    def _turns_of(self, search: Search, imagined: Vectors | None) -> Iterator[tuple[Vectors, float]]:
        """What turns the direction of a question: an imagined answer, and what the conversation is about."""
        if imagined is not None:
            yield imagined, search.config.expand.hyde_query_share
        if search.query.leaning is not None:
            towards, share = search.query.leaning
            yield towards, 1.0 - share

    def _ground(self, search: Search) -> Ground:
        """What ranking stands on; a cold one has codes of its own for the question's terms."""
        if search.look.selection is not None:
            return warm_ground(self._indexes, search.gathered.pks)
        ground = cold_ground(search.look.tx, search.gathered.pks)
        search.question = in_terms_of(search.question, ground.forward)
        return ground

    def _rank(self, search: Search) -> Ranked:
        look, ground, gathered = search.look, search.ground, search.gathered
        channels = self._vectors.channels(look, ground, search.directions)
        own = channels.pop(encoder.name, None) if (encoder := self._vectors.encoder) is not None else None
        asked = search.question
        quickest = self._vectors.quickest
        if quickest is not None and quickest.name in search.directions:
            asked = search.question = replace(asked, direction=search.directions[quickest.name])
        given = dict(gathered.given)
        if asked.terms and look.criteria.known_at is None:
            given["stated"] = stated(look, self._indexes, ground.pks, asked, lambda pks: self._vectors.plain(look, pks))
        evidence = CandidateEvidence(
            own=own,
            beside=next(iter(channels.values()), None),
            elsewhere=_likeness(ground.pks, gathered.rankings),
            given=given,
        )
        return rank(
            ground,
            asked,
            evidence,
            settings=search.config.ranking,
            weights=search.weights,
            similarity_min=search.config.recall.similarity_min,
            present=presentness(asked.text, asked.cues),
        )

    def _judge(self, search: Search) -> Answerability:
        look, ground, when = search.look, search.ground, search.plan.when

        def texts(keys: Pks) -> list[str]:
            return look.tx.records.contents(ground.rows(keys).tolist())

        def reads(question: str, shown: Sequence[str]) -> NDArray[np.float64] | None:
            try:
                return None if self._reader is None else self._reader.scores(question, shown)
            except ProviderError as error:
                look.missing.append(f"reader: {error.code}; whether there is an answer was judged by nearness alone")
                return None

        return answerability(
            ground,
            search.question,
            search.ranked,
            settings=search.config.ranking,
            texts=texts,
            time_said=when.surface if when is not None and when.resolved else "",
            nothing=_nothing(look.criteria),
            rarity=self._vectors.rarity,
            reads=reads,
        )

    def _bent(self, search: Search) -> Ranked:
        """The ranking with scores that mean the same in every question, by the keys of the tables."""
        ranked = search.ranked.rescored(bent(search.ranked.scores, search.verdict.share))
        return replace(ranked, pks=search.ground.rows(ranked.pks))

    def _foremost(self, query: Query, watch: Stopwatch, now: int) -> SearchAnswer:
        """An empty question asks for what matters most now."""
        config = self._config.current
        with self._store.read(query.criteria) as tx, watch.stage("load"):
            look = self._look(tx, query, now, in_memory=False)
            scores = foremost(
                tx,
                look.criteria,
                now=now,
                limit=query.top_k,
                config=config,
                phase=query.phase,
                mood=query.mood or 0.0,
                among=self._gatherer.narrowed(look, query, config),
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
        found = Recollection(
            query=query.text, hits=tuple(hits.values()), quality=quality, abstained=not hits, reason=reason
        )
        return SearchAnswer(found, list(hits))


INSTRUCTIONS = (
    "You complete an agent's memory. Write the short, concrete note that would answer the question, as if it had been "
    "written down earlier. One to three sentences, nothing else."
)
MOOD_CHARS = 500  # of a question, that tell how it feels
_MOODY = re.compile(
    r"[!:;]|\b(?:i|i'm|i’m|me|my|we|feel|feels|feeling|so)\b", re.IGNORECASE
)  # else nobody speaks of it
_EVENT_SCORE_MIN = 0.5  # what scores less is as likely something else, and its time would mislead


def felt_in(query: Query, settings: AffectSettings) -> float:
    """The mood that a search leans to: the given one, else that of its words, where it is clear and wanted."""
    if query.mood is not None:
        return query.mood
    if not settings.mood_leans or not settings.recall_gain:
        return 0.0
    text = query.text[:MOOD_CHARS]
    if _MOODY.search(text) is None:
        return 0.0
    from recollect.perceive.traits.affect import affect_of  # its words take long to read, and few questions need them

    felt = affect_of(text, settings=settings).valence
    return felt if abs(felt) >= settings.mood_valence_min else 0.0


def wants_hyde(found: Recollection, settings: ExpandSettings, wanted: int) -> bool:
    """Whether too few of the `wanted` results are good: who asks for one and gets a good one has enough."""
    good = sum(hit.score >= settings.hyde_confidence for hit in found)
    return settings.hyde and good < min(settings.hyde_results_min, wanted)


def imagined(llm: Llm, embedder: Embedder, question: str, settings: ExpandSettings) -> Vectors | ProviderError:
    """The vector of an imagined answer, or why there is none.

    A question and its answer use different words; an imagined answer, right or wrong, uses those of a real one.
    """
    try:
        answer = llm.complete(question, instructions=INSTRUCTIONS, max_tokens=settings.hyde_output_tokens)
        return np.asarray(embedder.embed([answer])[0])
    except ProviderError as error:
        return error


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
    written_at = look.tx.candidates.stored_at(pk)
    return tuple(sessions_of(look, mode, written_at))


def _likeness(pks: Pks, rankings: list[SourceRanking]) -> NDArray[np.float64]:
    """The best cosine that any space gave each candidate (ascending)."""
    best = np.zeros(len(pks))
    for ranking in rankings:
        if not ranking.source.startswith("vector"):
            continue
        at = np.searchsorted(pks, ranking.found.pks)
        held = at < len(pks)
        held[held] = pks[at[held]] == ranking.found.pks[held]
        at = at[held]  # a source names each row once
        best[at] = np.maximum(best[at], ranking.found.scores[held])
    return best
