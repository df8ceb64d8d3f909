"""From the best records along relations to what fills a gap. Whoever may search may walk: the same criteria count."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.errors import NotFound
from recollect.language.terms import terms_of
from recollect.model.edge import Edge
from recollect.model.query import Criteria
from recollect.model.reasoning import Followed
from recollect.model.record import Record
from recollect.model.result import Hit, Neighbourhood
from recollect.recall.graph import GraphReading
from recollect.recall.hits import load_hits
from recollect.store.base import Store

STARTS_MAX = 3
KEPT_A_HOP = 5
_HOP_SHARE = 0.5  # what each further hop leaves of a score
_STATED_SHARE = 0.3  # somebody related the two: worth a look whatever the words
_BESIDE = frozenset({"follows", "derived_from"})  # one turn after the other: only words tell whether it matters


class Walked(NamedTuple):
    """Records that relations led to, the best first, and the relations."""

    hits: tuple[Hit, ...] = ()
    followed: tuple[Followed, ...] = ()


class _Way(NamedTuple):
    record: Record
    followed: Followed
    score: float


class Walking:
    """Walks over one store."""

    def __init__(
        self,
        store: Store,
        graph: GraphReading,
        config: LiveConfig,
        clock: Clock,
        screened: Callable[[Sequence[Hit]], list[Hit]] = list,
    ) -> None:
        self._screened = screened
        self._store = store
        self._graph = graph
        self._config = config
        self._clock = clock

    @property
    def hops(self) -> int:
        return self._config.current.reason.gap_hops

    def walk(self, found: Sequence[Hit], wanted: Collection[str], criteria: Criteria) -> Walked:
        """What lies within `reason.gap_hops` of the best hits and holds wanted terms, or was related by hand."""
        criteria = replace(criteria, drawn=criteria.asks_for_statements)  # as a search does
        starts = {hit.id: hit.score for hit in found[:STARTS_MAX]}
        known = {hit.id for hit in found}
        ways: dict[str, _Way] = {}
        for _ in range(self.hops):
            if not starts:
                break
            reached = self._hop(starts, frozenset(wanted), criteria)
            fresh = [way for way in reached if way.record.id not in known][:KEPT_A_HOP]
            ways |= {way.record.id: way for way in fresh}
            known.update(ways)
            starts = {way.record.id: way.score * _HOP_SHARE for way in fresh}
        if not ways:
            return Walked()
        hits = self._loaded({way.record.id: way.score for way in ways.values()}, criteria)
        return Walked(hits, tuple(ways[hit.id].followed for hit in hits))

    def _hop(self, starts: Mapping[str, float], wanted: frozenset[str], criteria: Criteria) -> list[_Way]:
        best: dict[str, _Way] = {}
        for start, share in starts.items():
            near = self._near(start, criteria)
            by_id = {record.id: record for record in near.records if record.id not in starts}
            for edge in near.edges:
                for end in {member.record_id for member in edge.members} & by_id.keys():
                    score = share * _strength(edge, by_id[end], wanted)
                    if score > 0 and (end not in best or best[end].score < score):
                        best[end] = _Way(by_id[end], Followed(edge=edge, source=start, target=end), score)
        return sorted(best.values(), key=lambda way: -way.score)

    def _near(self, start: str, criteria: Criteria) -> Neighbourhood:
        """What is one step from a record; nothing if it was deleted since it was found."""
        try:
            sight = Criteria(scope=criteria.scope, reach=criteria.reach)
            return self._graph.related([start], criteria, visible=sight)
        except NotFound:
            return Neighbourhood(records=(), edges=())

    def _loaded(self, scores: Mapping[str, float], criteria: Criteria) -> tuple[Hit, ...]:
        now = self._clock()
        by_pk: dict[int, float] = {}
        with self._store.read() as tx:
            for each in sorted(scores, key=lambda each: -scores[each]):
                with suppress(NotFound):  # deleted meanwhile
                    by_pk[tx.records.find_pk(each, now=now)] = scores[each]
            hits = load_hits(tx, by_pk, criteria, now=now, config=self._config.current)
        return tuple(self._screened(list(hits.values())))


def _strength(edge: Edge, record: Record, wanted: frozenset[str]) -> float:
    """How much of a score goes over an edge: by its weight, and by what the record says of what is wanted."""
    held = wanted.intersection(terms_of(record.content))
    said = len(held) / len(wanted) if wanted else 0.0
    by_hand = 0.0 if edge.auto_extracted or edge.label in _BESIDE else _STATED_SHARE
    return min(1.0, edge.weight) * edge.confidence * max(said, by_hand)
