"""Verbs that find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from recollect.errors import NotFound
from recollect.facade import arguments
from recollect.facade.arguments import TOP_K, ReadArgs, ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX, TOP_K_MAX
from recollect.model.narrowing import facet_query, place_query
from recollect.model.record import Record, SecurityTier
from recollect.model.result import NOTHING_STORED, STORED_ELSEWHERE, Hit, Page, Recollection

if TYPE_CHECKING:
    from recollect.model.timeline import Timeline


class ReadVerbs(Handle):
    """Find by question, by id, by page."""

    def search(
        self,
        query: str,
        *,
        top_k: int = TOP_K,
        kinds: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        tiers: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        as_of: Any = None,
        known_at: Any = None,
        after: Any = None,
        before: Any = None,
        threshold: float | None = None,
        phase: str | None = None,
        mood: float | None = None,
        place: Any = None,
        facets: Any = None,
        mode: Any = None,
        rerank: str | None = None,
        weights: Mapping[str, float] | None = None,
        asked_in: str | None = None,
        max_tokens: int | None = None,
        explain: bool = False,
        **scope: Unpack[ReadArgs],
    ) -> Recollection:
        """Find what answers a question, best first.

        Args:
            query: The question, in any words. Empty: what matters most now.
            top_k: How many records at most.
            kinds: Only these kinds.
            categories: Only these categories.
            tiers: Only these tiers; the archive is searched only when named.
            tags: Only records with all of these tags.
            filters: A tree of conditions, such as `{"metadata.team": {"eq": "core"}}`.
            session_id: Only what comes from this session.
            run_id: Another name for session_id.
            as_of: What was true at this time.
            known_at: What we believed at this time.
            after: Events from this time on.
            before: Events before this time.
            threshold: Leave out hits below this score (0 to 1).
            phase: What the agent is doing (planning, coding, qa_review, debugging, insights, spec); weighs categories.
            mood: How the moment feels, from -1 to 1; records that felt alike come first among equals. By default as the
                query does (affect.mood_leans); 0 leans to nothing.
            place: Where it must come from: `src/auth.py:10-40`, a section, or `{"file_pattern": …, "in_class": …}`.
            facets: What sort of text it must be, such as `{"diataxis_type": "howto"}`.
            mode: By time: `recent_sessions:5`, `trend:30`, `time_window:last week` or `around_event:<id>`.
            rerank: How to make the final order: none, mmr, rrf, rrf_then_mmr or cross_encoder.
            weights: Factors for parts of the score, in this search alone: `{"time": 2, "vector": 0}`.
            asked_in: The session that asks; use is counted once for each.
            max_tokens: Leave out hits beyond this many tokens.
            explain: Say what found each hit, what spoke for it and how each step moved it.
        """
        from recollect.recall.question.modes import time_mode
        from recollect.recall.question.query import Query, narrowed, strategy
        from recollect.recall.ranking.rank import checked_factors
        from recollect.recall.ranking.weigh import checked_phase
        from recollect.recall.unsealing import SHOWN

        by_time = None if mode is None else time_mode(mode, now=self._now(), settings=self._engine.config.current.time)
        criteria = self._criteria(
            scope,
            kinds=kinds,
            categories=categories,
            tiers=tiers,
            tags=tags,
            filters=filters,
            session_id=arguments.session(session_id, run_id),
            as_of=as_of,
            known_at=known_at,
            after=after,
            before=before,
        )
        most = self._engine.config.current.recall.top_k if top_k is TOP_K else top_k
        least = None if threshold is None else check.share(threshold, "threshold")
        found = self._engine.recall.search(
            Query(
                text=self._asked(query, may_be_empty=True),
                criteria=narrowed(criteria, by_time),
                mode=by_time,
                top_k=arguments.count(most, "top_k", TOP_K_MAX),
                threshold=None if self._blurred else least,  # exact scores would be told by what it leaves out
                max_tokens=None if max_tokens is None else arguments.count(max_tokens, "max_tokens", 10**9),
                explain=arguments.truth(explain, "explain"),
                phase=None if phase is None else checked_phase(phase),
                mood=None if mood is None else check.within(mood, -1.0, 1.0, "mood"),
                place=None if place is None else place_query(place),
                facets=None if facets is None else facet_query(facets),
                rerank=strategy(rerank),
                weights={} if weights is None or self._blurred else checked_factors(weights),
                asked_in=None if asked_in is None else check.name(asked_in, "asked_in"),
            )
        )
        found = replace(found, hits=self._engine.unsealing.hits(found.hits)) if _of_a_tier(found.hits) else found
        if self._engine.config.current.security.even_timing:
            self._engine.oracles.equalised(found.hits, SHOWN)
        return self._or_elsewhere(found) if self._owner and found.reason == NOTHING_STORED else found

    def _or_elsewhere(self, found: Recollection) -> Recollection:
        """The owner of a store, who asked where nothing is, is told that there is something in other scopes."""
        with self._engine.store.read() as tx:
            more = tx.records.any_live()
        return replace(found, reason=STORED_ELSEWHERE) if more else found

    def timeline(
        self,
        topic: str,
        *,
        limit: int | None = None,
        as_of: Any = None,
        after: Any = None,
        before: Any = None,
        **scope: Unpack[ReadArgs],
    ) -> Timeline:
        """How what is known about a topic came about: steps, what each changed, and when most of it happened.

        Args:
            topic: A topic or a name, in any words.
            limit: How many steps at most; the newest.
            as_of: Only what was true at this time.
            after: Events from this time on.
            before: Events before this time.
        """
        criteria = self._criteria(scope, as_of=as_of, after=after, before=before)
        most = None if limit is None else arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        return self._engine.timelines.of(self._asked(topic), criteria, limit=most)

    def get(self, id: str, **scope: Unpack[ScopeArgs]) -> Record | None:
        """A record by its id.

        Args:
            id: The record.
        """
        now = self._engine.clock()
        try:
            wanted, sight = self._id(id, scope, reading=True), self._sight(scope, reading=True)
            with self._engine.store.read(sight) as tx:
                pk = tx.records.find_pk(wanted, sight, now=now)
                found = tx.records.load([pk])[pk]
        except NotFound:
            return None
        return found if found.sealed is None else self._engine.unsealing.record(found)

    def reveal(self, id: str, *, reason: str | None = None, **scope: Unpack[ScopeArgs]) -> Record:
        """A record with all that is sealed of it. Each call is in the audit before it is answered.

        Args:
            id: The record.
            reason: What it is needed for.
        """
        from recollect.model.audit import AuditEvent

        engine = self._engine
        why = check.reason(reason, engine.config.current.security)
        wanted = self._id(id, scope)
        with engine.store.read() as tx:
            pk = tx.records.find_pk(wanted, self._sight(scope), now=engine.clock())
            found = tx.records.load([pk])[pk]
        if found.sealed is None:
            return found
        whole = engine.unsealing.revealed(found)
        told = {"tier": found.security.value, "record": found.id, "version": found.version}
        engine.audit.note(
            AuditEvent.FIELD_DECRYPTED,
            verb="reveal",
            scope=found.scope,
            detail=told | ({} if why is None else {"reason": why}),
            at_once=True,
        )
        return whole

    def get_all(
        self,
        *,
        kinds: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        tiers: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        as_of: Any = None,
        known_at: Any = None,
        after: Any = None,
        before: Any = None,
        limit: int = 100,
        cursor: str | None = None,
        **scope: Unpack[ReadArgs],
    ) -> Page:
        """Records, newest first, a page at a time.

        Args:
            kinds: Only these kinds.
            categories: Only these categories.
            tiers: Only these tiers; the archive is listed only when named.
            tags: Only records with all of these tags.
            filters: A tree of conditions.
            session_id: Only what comes from this session.
            run_id: Another name for session_id.
            as_of: What was true at this time.
            known_at: What we believed at this time.
            after: Events from this time on.
            before: Events before this time.
            limit: How many at most.
            cursor: Where the page before ended.
        """
        criteria = self._criteria(
            scope,
            kinds=kinds,
            categories=categories,
            tiers=tiers,
            tags=tags,
            filters=filters,
            session_id=arguments.session(session_id, run_id),
            as_of=as_of,
            known_at=known_at,
            after=after,
            before=before,
        )
        size = arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        with self._engine.store.read(criteria) as tx:
            found = tx.records.page(
                criteria, now=self._engine.clock(), limit=size + 1, before_pk=arguments.position(cursor)
            )
        more = len(found) > size
        found = found[:size]
        records = tuple(record for _, record in found)
        if _of_a_tier(records):
            records = tuple(self._engine.unsealing.records(records))
        return Page(records=records, cursor=arguments.cursor(found[-1][0]) if more else None)


def _of_a_tier(shown: Sequence[Record | Hit]) -> bool:
    """Whether something may be sealed of them; their sources then have the same tier."""
    return any(each.security is not SecurityTier.CLEARTEXT for each in shown)
