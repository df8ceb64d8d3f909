"""Verbs about relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from recollect.errors import NotFound
from recollect.facade import arguments
from recollect.facade.arguments import ReadArgs, ScopeArgs
from recollect.facade.reading import ReadVerbs
from recollect.ingest import check
from recollect.limits import GRAPH_RECORDS_MAX
from recollect.model.network import Network
from recollect.model.result import Neighbourhood, Receipt, Report


class Graph(ReadVerbs):
    """Relate, and walk along relations."""

    def relate(
        self,
        source: str | None = None,
        target: str | None = None,
        label: str = "relates_to",
        *,
        members: Sequence[Sequence[Any]] | None = None,
        family: str | None = None,
        weight: float = 1.0,
        confidence: float = 1.0,
        evidence: str | Sequence[str] | None = None,
        valid_from: Any = None,
        valid_until: Any = None,
        **scope: Unpack[ScopeArgs],
    ) -> str:
        """Relate two records, or several with their roles; the edge's id.

        Args:
            source: The record the relation starts from.
            target: The record it leads to.
            label: relates_to, supports, contradicts, depends_on, causes, derived_from, …
            members: Instead of source and target, each member with its role. In Python: `(id, role)` or
                `(id, role, position)`.
            family: relation, composition, causation or context; by default the label's own.
            weight: 0 or more.
            confidence: 0 to 1.
            evidence: Why we think so.
            valid_from: When it became true.
            valid_until: When it stops being true.
        """
        joined = [(self._id(id_, scope), role, at) for id_, role, at in arguments.members(source, target, members)]
        return self._engine.relating.relate(
            joined,
            label,
            visible=self._sight(scope),
            family=family,
            weight=weight,
            confidence=confidence,
            evidence=evidence,
            valid_from=valid_from,
            valid_until=valid_until,
            actor=self._writer(),
        )

    def unrelate(self, edge: str, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Withdraw a relation.

        Args:
            edge: The edge's id.
        """
        wanted = self._id(edge, scope, or_edge=True)
        return self._engine.relating.unrelate(wanted, visible=self._sight(scope), actor=self._writer())

    def related(
        self,
        id: str,
        *,
        labels: Sequence[str] | None = None,
        depth: int = 1,
        direction: str = "both",
        as_of: Any = None,
        known_at: Any = None,
        **scope: Unpack[ReadArgs],
    ) -> Neighbourhood:
        """Records near a record, nearest first, with the relations between them.

        Args:
            id: The record to start from.
            labels: Only along these labels.
            depth: How many hops.
            direction: out, in or both.
            as_of: Along what was true at this time.
            known_at: Along what we believed at this time.
        """
        return self._engine.graph.related(
            [self._id(id, scope, further=True)],
            self._walk(scope, as_of, known_at),
            visible=self._sight(scope, further=True),
            labels=arguments.labels(labels),
            depth=depth,
            direction=direction,
        )

    def dependencies(
        self, id: str, *, as_of: Any = None, known_at: Any = None, **scope: Unpack[ReadArgs]
    ) -> Neighbourhood:
        """Everything a record depends on, directly or not, within `graph.dependency_depth` steps.

        Args:
            id: The record to start from.
            as_of: Along what was true at this time.
            known_at: Along what we believed at this time.
        """
        criteria, visible = self._walk(scope, as_of, known_at), self._sight(scope, further=True)
        depth = self._engine.config.current.graph.dependency_depth
        return self._engine.graph.dependencies(
            self._id(id, scope, further=True), criteria, visible=visible, depth=depth
        )

    def path(
        self,
        a: str,
        b: str,
        *,
        max_depth: int = 5,
        as_of: Any = None,
        known_at: Any = None,
        **scope: Unpack[ReadArgs],
    ) -> Neighbourhood:
        """The shortest chain of relations between two records; empty when there is none.

        Args:
            a: One record.
            b: The other.
            max_depth: How many hops at most.
            as_of: Along what was true at this time.
            known_at: Along what we believed at this time.
        """
        return self._engine.graph.path(
            self._id(a, scope, further=True),
            self._id(b, scope, further=True),
            self._walk(scope, as_of, known_at),
            visible=self._sight(scope, further=True),
            max_depth=max_depth,
        )

    def contradictions(
        self,
        id_or_text: str,
        *,
        as_of: Any = None,
        known_at: Any = None,
        **scope: Unpack[ReadArgs],
    ) -> Neighbourhood:
        """What contradicts a record, or the records that a text finds.

        Args:
            id_or_text: A record's id, or words to look for.
            as_of: Among what was true at this time.
            known_at: Among what we believed at this time.
        """
        from recollect.model.edge import CONTRADICTION_LABELS

        walk = self._walk(scope, as_of, known_at)
        try:
            start, visible = self._id(id_or_text, scope, further=True), self._sight(scope, further=True)
        except NotFound:
            found = self.search(id_or_text, as_of=as_of, known_at=known_at, **scope)
            against = self._engine.graph.related(
                [hit.id for hit in found], walk, visible=None, labels=CONTRADICTION_LABELS, among=True
            )
            # A text that is stored word for word finds itself, too: it is what the others contradict.
            others = (record for record in against.records if _plain(record.content) != _plain(id_or_text))
            return replace(against, records=tuple(others))
        return self._engine.graph.related([start], walk, visible=visible, labels=CONTRADICTION_LABELS)

    def relations(
        self, *, labels: Sequence[str] | None = None, limit: int = 100, **scope: Unpack[ReadArgs]
    ) -> Neighbourhood:
        """The strongest relations among records, with the records they join.

        Args:
            labels: Only these labels.
            limit: How many relations at most.
        """
        wanted, most = arguments.labels(labels), arguments.count(limit, "limit", GRAPH_RECORDS_MAX)
        criteria, now = self._walk(scope, None, None), self._engine.clock()
        with self._engine.store.read() as tx:
            edge_pks, pks = tx.marks.strongest(criteria, now=now, labels=wanted, limit=most)
            loaded = tx.records.load(pks)
            found = tx.edges.load(edge_pks, {pk: record.id for pk, record in loaded.items()})
        strongest = sorted(found, key=lambda edge: -edge.weight * edge.confidence)
        return Neighbourhood(records=tuple(loaded[pk] for pk in pks if pk in loaded), edges=tuple(strongest))

    def network(
        self,
        *,
        around: Sequence[str] | str | None = None,
        kinds: Sequence[str] | None = None,
        labels: Sequence[str] | None = None,
        entities: bool = True,
        limit: int = 1000,
        **scope: Unpack[ReadArgs],
    ) -> Network:
        """Records and entities as nodes, and the relations among them as links: what a drawing of the graph needs.

        The records that relations join most strongly come first, then the newest; what has ended is told as well, with
        until when it held.

        Args:
            around: Only these records and entities, by id, with what is joined to them.
            kinds: Only records of these kinds.
            labels: Only these relations, and the records that they join.
            entities: Whether the persons, places and things that the records name are told too.
            limit: How many nodes at most.
        """
        from recollect.insight.network import network

        most = arguments.count(limit, "limit", GRAPH_RECORDS_MAX)
        asked = arguments.words(around, lambda value: check.name(value, "each of around"), "around") or ()
        further = self._sight(scope, further=True) is None
        criteria = replace(self._criteria(scope, kinds=kinds, whole=further), ended=True)
        return network(
            self._engine.store,
            criteria,
            around=asked,
            labels=arguments.labels(labels),
            entities=arguments.truth(entities, "entities"),
            limit=most,
            now=self._engine.clock(),
        )

    def topology(self, **scope: Unpack[ReadArgs]) -> Report:
        """How many records there are by place and facet, and how they are related, in figures."""
        criteria = self._walk(scope, None, None)
        with self._engine.store.read() as tx:
            return Report(figures=tx.marks.figures(criteria, now=self._engine.clock()))


def _plain(text: str) -> str:
    return text.casefold().strip(" .!")
