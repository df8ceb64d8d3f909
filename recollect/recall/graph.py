"""Questions to the graph: what is near, what leads where, what contradicts."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.clock import Clock
from recollect.errors import UsageError, shown
from recollect.index.follow import Indexes
from recollect.limits import GRAPH_DEPTH_MAX
from recollect.model.edge import Edge
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.result import Neighbourhood
from recollect.recall.select import select
from recollect.store.base import Store, Tx
from recollect.store.traverse import Expand, PathStep, Walk, neighbours, shortest_path

DEPENDENCY_LABELS = ("depends_on",)
DIRECTIONS = ("both", "out", "in")


class GraphReading:
    """Walks over one store: in memory when the indexes are current, in the tables otherwise or in the past."""

    def __init__(self, store: Store, indexes: Indexes, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._clock = clock

    def related(
        self,
        record_ids: list[str],
        criteria: Criteria,
        *,
        visible: Criteria | None,
        labels: tuple[str, ...] | None = None,
        depth: int = 1,
        direction: str = "both",
        among: bool = False,
    ) -> Neighbourhood:
        """Records within `depth` hops, nearest first; with `among`, also those of the given ones that are joined."""
        _check(depth, direction)
        now, in_memory = self._clock(), self._in_memory(criteria)
        with self._store.read(visible) as tx:
            start = [tx.records.find_pk(one, visible, now=now, live=criteria.known_at is None) for one in record_ids]
            walk = Walk(criteria=criteria, now=now, labels=labels, direction=direction)
            distance, edge_pks = neighbours(self._expand(tx, walk, in_memory), start, depth)
            loaded = _load(tx, [*start, *distance], criteria)
            ids = {pk: record.id for pk, record in loaded.items()}
            found = tuple(_edges(tx, edge_pks, ids, criteria, now))
            if among:
                joined = {member.record_id for edge in found for member in edge.members}
                distance = {pk: 1 for pk in start if ids.get(pk) in joined} | distance
            return Neighbourhood(
                records=tuple(loaded[pk] for pk in distance if pk in loaded),
                edges=found,
                depth={ids[pk]: hops for pk, hops in distance.items() if pk in ids},
            )

    def dependencies(
        self, record_id: str, criteria: Criteria, *, visible: Criteria | None, depth: int = GRAPH_DEPTH_MAX
    ) -> Neighbourhood:
        """Everything a record rests on, within so many steps."""
        return self.related(
            [record_id],
            criteria,
            visible=visible,
            labels=DEPENDENCY_LABELS,
            depth=depth,
            direction="out",
        )

    def path(
        self, source: str, target: str, criteria: Criteria, *, visible: Criteria | None, max_depth: int
    ) -> Neighbourhood:
        """The shortest way between two records, both ends included; empty when there is none."""
        _check(max_depth, "both")
        now, in_memory = self._clock(), self._in_memory(criteria)
        with self._store.read(visible) as tx:
            live = criteria.known_at is None
            ends = [tx.records.find_pk(one, visible, now=now, live=live) for one in (source, target)]
            steps = shortest_path(
                self._expand(tx, Walk(criteria=criteria, now=now), in_memory), ends[0], ends[1], max_depth
            )
            if steps is None:
                return Neighbourhood(records=(), edges=())
            return _along(tx, ends[0], steps, criteria, now)

    def _in_memory(self, criteria: Criteria) -> bool:
        """Asked before the read begins: bringing the indexes up to date reads by itself."""
        return not criteria.needs_sql and self._indexes.current()

    def _expand(self, tx: Tx, walk: Walk, in_memory: bool) -> Expand:
        """How to take a hop. Both ways give the same steps; the one in memory needs no query per hop."""
        if not in_memory:
            return lambda frontier: tx.paths.hop(walk, frontier)
        allowed, _ = select(tx, self._indexes, walk.criteria, now=walk.now)
        at = walk.now if walk.criteria.as_of is None else walk.criteria.as_of

        def expand(frontier: Sequence[int]) -> list[PathStep]:
            arcs = self._indexes.graph.hop(frontier, labels=walk.labels, direction=walk.direction, at=at)
            arcs = arcs.at(allowed.allows(arcs.end))
            return [
                PathStep(from_pk=start, edge_pk=edge, to_pk=end)
                for start, edge, end in zip(arcs.start.tolist(), arcs.edge.tolist(), arcs.end.tolist(), strict=True)
            ]

        return expand


def _along(tx: Tx, start: int, steps: list[PathStep], criteria: Criteria, now: int) -> Neighbourhood:
    pks = [start, *(step.to_pk for step in steps)]
    loaded = _load(tx, pks, criteria)
    ids = {pk: record.id for pk, record in loaded.items()}
    order = {step.edge_pk: position for position, step in enumerate(steps)}
    walked = {edge.id: edge for edge in _edges(tx, list(order), ids, criteria, now)}
    by_pk: dict[int, str] = tx.edges.ids(order)
    return Neighbourhood(
        records=tuple(loaded[pk] for pk in pks if pk in loaded),
        edges=tuple(walked[by_pk[pk]] for pk in order if by_pk[pk] in walked),
        depth={ids[pk]: hops for hops, pk in enumerate(pks) if pk in ids},
    )


def _edges(tx: Tx, edge_pks: list[int], ids: dict[int, str], criteria: Criteria, now: int) -> list[Edge]:
    return tx.edges.load(edge_pks, ids, _hidden(tx, edge_pks, ids, criteria, now), known_at=criteria.known_at)


def _hidden(tx: Tx, edge_pks: list[int], ids: dict[int, str], criteria: Criteria, now: int) -> set[int]:
    """Members of these edges that the reader may not see."""
    others = tx.edges.members_of(edge_pks) - ids.keys()
    sight = Criteria(scope=criteria.scope, reach=criteria.reach)
    return others - set(tx.records.seen(sight, now=now, among=sorted(others))) if others else set()


def _load(tx: Tx, pks: list[int], criteria: Criteria) -> dict[int, Record]:
    if criteria.known_at is None:
        return tx.records.load(pks)
    return tx.records.load_known(pks, criteria.known_at)


def _check(depth: int, direction: str) -> None:
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= GRAPH_DEPTH_MAX:
        raise UsageError(f"depth must be a whole number from 1 to {GRAPH_DEPTH_MAX}, not {shown(depth, 20)}")
    if direction not in DIRECTIONS:
        raise UsageError(f"direction must be one of {', '.join(DIRECTIONS)}, not {shown(direction, 20)}")
