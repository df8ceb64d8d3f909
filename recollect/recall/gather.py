"""Candidates: the union of what every source finds, and what stands beside the best of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.config import Config
from recollect.deadline import current
from recollect.errors import SearchTimeout
from recollect.index.base import Pks, Scored
from recollect.index.follow import Indexes
from recollect.index.keys import each_once
from recollect.recall.question.query import Query
from recollect.recall.question.when import When
from recollect.recall.search import Gathered, Search
from recollect.recall.sources.base import NOTHING, Look, SourceRanking
from recollect.recall.sources.entity import NamedEntities, by_entity, named_in
from recollect.recall.sources.files import LinkedFiles, by_files, paths_in
from recollect.recall.sources.marked import (
    MarkFilter,
    by_facets,
    by_place,
    facet_filter,
    listing,
    place_filter,
    scores_of,
)
from recollect.recall.sources.relations import (
    NO_SEEDS,
    NOTHING_ACTIVATED,
    Wakened,
    by_relations,
    leads_anywhere,
    seeds_of,
)
from recollect.recall.sources.text import by_words
from recollect.recall.sources.time import by_sessions, by_time, event_times, nearness
from recollect.recall.sources.vector import VectorSource

T = TypeVar("T")
NO_WORDS = SourceRanking("text", NOTHING)
NO_RANKINGS: Sequence[SourceRanking] = ()
NO_RELATIONS = Wakened(SourceRanking("graph", NO_SEEDS), NOTHING_ACTIVATED)
_BEST_WITH_NEIGHBOURS = 50
_BEST_WITH_LINKS = 10
_ROWS_A_LINK = 20
_LISTED_TIMES = 10  # the rows a source brings, where a filter alone decides


class Gatherer:
    """Asks every source that has something to say about a question."""

    def __init__(self, indexes: Indexes, vectors: VectorSource, linked: LinkedFiles) -> None:
        self._indexes = indexes
        self._vectors = vectors
        self._linked_files = linked

    def gather(self, search: Search) -> Gathered:
        """Candidates for a question that was weighed and given its directions."""
        look, plan, config, text = search.look, search.plan, search.config, search.query.text
        named = named_in(look, text, aliases_max=config.entity.aliases_max)
        filters = _filters(look, search.query, config)
        also = named.expanded_terms(search.question.terms)
        rankings = self._in_time(
            search, "text", lambda: [by_words(look, search.question.terms, self._indexes, also=also)], [NO_WORDS]
        )
        rankings += self._in_time(
            search, "vectors", lambda: self._vectors.by_meaning(look, text, search.directions), NO_RANKINGS
        )
        look.semantic = len(rankings) > 1
        related = leads_anywhere(look, plan.recipe.route, self._indexes)
        seeds = seeds_of(rankings, config.graph.activation_seeds) if related else NO_SEEDS
        rankings += self._in_time(
            search, "names and times", lambda: self._by_what_is_told(search, named, filters), NO_RANKINGS
        )
        asked = {pk for pks in named.pks.values() for pk in pks}
        woken = self._in_time(
            search,
            "relations",
            lambda: by_relations(
                look, seeds, plan.recipe.route, self._indexes, config.graph, hops=plan.recipe.hops, asked=asked
            ),
            NO_RELATIONS,
        )
        rankings.append(woken.ranking)
        pks = self._united(look, rankings, config.ranking.participants_max)
        # Every candidate lies somewhere in time, whichever source found it: its nearness is worked out for all.
        given = {ranking.source: _aligned(pks, ranking.found) for ranking in rankings if ranking.source in _SHARES}
        if plan.when is not None and plan.when.resolved:
            given["time"] = self._nearness(look, pks, plan.when, config)
        for name, wanted in filters.items():
            given[name] = scores_of(look, wanted, pks).astype(np.float64)
            keep = given[name] > 0
            pks, given = pks[keep], {each: share[keep] for each, share in given.items()}
            rankings = [_among(ranking, pks) for ranking in rankings]
        return Gathered(pks=pks, rankings=rankings, given=given, activated=woken.activated, filters=filters)

    @staticmethod
    def _in_time(search: Search, source: str, ask: Callable[[], T], without: T) -> T:
        """What a source finds, if it does in time; the answer says what it had to do without."""
        limit = current()
        if limit is None:
            return ask()
        try:
            if not search.late:
                with limit.breaking_off():
                    return ask()
        except SearchTimeout:
            pass
        search.left_out(source, "what other sources found by then is here")
        return without

    def narrowed(self, look: Look, query: Query, config: Config) -> Pks | None:
        """The rows of the place and of the sort asked for, of very many the newest; None where neither is asked for."""
        filters = list(_filters(look, query, config).values())
        if not filters:
            return None
        pks = listing(look, filters[0], enough=_LISTED_TIMES * look.limit).pks
        for wanted in filters[1:]:
            pks = pks[scores_of(look, wanted, pks) > 0]
        return np.sort(pks)

    def _by_what_is_told(
        self, search: Search, named: NamedEntities, filters: dict[str, MarkFilter]
    ) -> list[SourceRanking]:
        """Sources that a name, a time, a place, a sort of text or a file in the question brings into play."""
        look, query, plan, config = search.look, search.query, search.plan, search.config
        found = []
        if named.pks:
            found.append(by_entity(look, named))
        if look.criteria.session_pks is not None:
            found.append(by_sessions(look, look.criteria.session_pks, self._indexes.columns))
        elif plan.when is not None and plan.when.resolved:
            found.append(by_time(look, plan.when, self._indexes.columns, sigma_hours=config.time.sigma_hours))
        if "place" in filters:
            found.append(by_place(look, filters["place"]))
        if "facets" in filters:
            found.append(by_facets(look, filters["facets"]))
        paths = paths_in(query.text) + ([query.place.file_pattern] if query.place and query.place.file_pattern else [])
        if paths:
            found.append(by_files(look, paths, self._linked_files, config.expand))
        return found

    def _nearness(self, look: Look, pks: Pks, when: When, config: Config) -> NDArray[np.float64]:
        return nearness(event_times(look, pks, self._indexes), when, sigma_hours=config.time.sigma_hours)

    def _united(self, look: Look, rankings: list[SourceRanking], participants_max: int) -> Pks:
        """What any source found, the turns beside the best of it, and rows about what the very best name."""
        every = [ranking.found.pks for ranking in rankings]
        if look.selection is not None:
            forward = self._indexes.forward
            best = rankings[0].found.pks[:_BEST_WITH_NEIGHBOURS]
            beside = np.concatenate([forward.before(best), forward.after(best), self._linked(best, participants_max)])
            beside = beside[beside > 0]
            every.append(beside[look.counts(beside)] if len(beside) else beside)
        elif look.criteria.known_at is None:
            best = rankings[0].found.pks[:_BEST_WITH_NEIGHBOURS].tolist()
            beside = np.array(look.tx.candidates.beside(best), dtype=np.int64)
            every.append(beside[look.counts(beside)] if len(beside) else beside)
        return each_once(np.concatenate(every))

    def _linked(self, best: Pks, participants_max: int) -> Pks:
        forward = self._indexes.forward
        if len(set(forward.spoken_by(best).tolist())) <= participants_max:  # people who talk, not subjects of records
            return best[:0]
        named = set[int]().union(*(forward.named_in(pk) for pk in best[:_BEST_WITH_LINKS].tolist()))
        return forward.rows_of(named, _ROWS_A_LINK)


_SHARES = ("entity", "files", "graph")  # sources whose scores are shares of the whole


def _filters(look: Look, query: Query, config: Config) -> dict[str, MarkFilter]:
    wanted: dict[str, MarkFilter] = {}
    if query.place is not None:
        wanted["place"] = place_filter(look.tx, query.place, config.structure)
    if query.facets is not None:
        wanted["facets"] = facet_filter(query.facets, config.structure)
    return wanted


def _among(ranking: SourceRanking, pks: Pks) -> SourceRanking:
    """What a source found of these rows: a filter holds for it too, whether its scores count or only its places."""
    keep = np.isin(ranking.found.pks, pks)
    return SourceRanking(ranking.source, Scored(ranking.found.pks[keep], ranking.found.scores[keep]))


def _aligned(pks: Pks, found: Scored) -> NDArray[np.float64]:
    """A source's scores for candidates (ascending), 0 where it did not find one."""
    out = np.zeros(len(pks))
    if len(found.pks):
        np.maximum.at(out, np.searchsorted(pks, found.pks), found.scores)
    return out
