"""Walks over the hypergraph. Every hop applies the reader's criteria: what is not visible is not walked through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recollect.limits import GRAPH_RECORDS_MAX
from recollect.model.query import Criteria
from recollect.store import before
from recollect.store.base import Group
from recollect.store.edges import SOURCE_ROLES, SYMMETRIC, TARGET_ROLES


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """One hop: over this edge from one record to another."""

    from_pk: int
    edge_pk: int
    to_pk: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How to walk: which labels, which way, what counts, and when edges had to hold."""

    criteria: Criteria
    now: int
    labels: tuple[str, ...] | None = None
    direction: str = "both"  # both | out | in


Expand = Callable[[Sequence[int]], list[PathStep]]  # every step from these records that may be walked


class Paths(Group):
    """Steps along relations."""

    def hop(self, walk: Walk, frontier: Sequence[int]) -> list[PathStep]:
        """Every visible step from these records, strongest edges first."""
        edge_sql, edge_params = _edge_condition(walk)
        record_sql, record_params = self._record_condition(walk)
        # CROSS JOIN keeps the order: left to itself SQLite starts at the records of the scope, 9 ms where there are
        # 10,000.
        rows = self.sql.all(
            "SELECT here.record_pk, e.pk, there.record_pk FROM member here CROSS JOIN edge e ON e.pk = here.edge_pk "
            "CROSS JOIN member there ON there.edge_pk = e.pk AND there.record_pk <> here.record_pk "
            "CROSS JOIN record r ON r.pk = there.record_pk "
            f"WHERE here.record_pk IN KEYS(?) AND {edge_sql} AND {record_sql} "
            f"ORDER BY {_strength(walk)} DESC, e.pk DESC, here.record_pk, there.record_pk",
            [self.sql.keys(frontier), *edge_params, *record_params],
        )
        return [PathStep(from_pk=a, edge_pk=e, to_pk=b) for a, e, b in rows]

    def _record_condition(self, walk: Walk) -> tuple[str, list[Any]]:
        """Members are current rows, so the past is asked of their whole life, not of one version."""
        criteria = walk.criteria
        if criteria.known_at is None:
            return self.tx.criteria.where(criteria, now=walk.now)
        sql, params = self.tx.criteria.where(replace(criteria, known_at=None), now=walk.now, times=False)
        return f"{before.record_believed(criteria.known_at)} AND {sql}", params


def neighbours(expand: Expand, start: Sequence[int], depth: int) -> tuple[dict[int, int], list[int]]:
    """Records within `depth` hops with their distance, nearest first, and the edges walked. The start is left out."""
    distance = dict.fromkeys(start, 0)
    edges: dict[int, None] = {}
    frontier = list(start)
    for hops in range(1, depth + 1):
        reached: list[int] = []
        for step in expand(frontier):
            edges[step.edge_pk] = None
            if step.to_pk not in distance and len(distance) < GRAPH_RECORDS_MAX:
                distance[step.to_pk] = hops
                reached.append(step.to_pk)
        if not reached:
            break
        frontier = reached
    return {pk: hops for pk, hops in distance.items() if hops}, list(edges)


def shortest_path(expand: Expand, start: int, goal: int, max_depth: int) -> list[PathStep] | None:
    """The fewest hops from one record to another, or None within `max_depth`."""
    if start == goal:
        return []
    came_by: dict[int, PathStep] = {}
    seen = {start}
    frontier = [start]
    for _ in range(max_depth):
        reached: list[int] = []
        for step in expand(frontier):
            if step.to_pk in seen or len(seen) >= GRAPH_RECORDS_MAX:
                continue
            seen.add(step.to_pk)
            came_by[step.to_pk] = step
            if step.to_pk == goal:
                return _trace_back(came_by, start, goal)
            reached.append(step.to_pk)
        if not reached:
            return None
        frontier = reached
    return None


def _trace_back(came_by: dict[int, PathStep], start: int, goal: int) -> list[PathStep]:
    path = [came_by[goal]]
    while path[-1].from_pk != start:
        path.append(came_by[path[-1].from_pk])
    return path[::-1]


def _strength(walk: Walk) -> str:
    return " * ".join(before.edge_column(name, walk.criteria.known_at) for name in ("weight", "confidence"))


def _edge_condition(walk: Walk) -> tuple[str, list[Any]]:
    criteria, parts = walk.criteria, list[str]()
    params: list[Any] = []
    parts.append(before.edge_believed(criteria.known_at))
    at = walk.now if criteria.as_of is None else criteria.as_of
    parts.append("(e.valid_from IS NULL OR e.valid_from <= ?) AND HOLDS(e, ?)")
    params += [at, at]
    if walk.labels is not None:
        parts.append(f"e.label IN ({', '.join('?' * len(walk.labels)) or 'NULL'})")
        params += walk.labels
    if walk.direction != "both":
        here, there = (SOURCE_ROLES, TARGET_ROLES) if walk.direction == "out" else (TARGET_ROLES, SOURCE_ROLES)
        parts.append(f"(e.label IN {SYMMETRIC} OR (here.role IN {here} AND there.role IN {there}))")
    return " AND ".join(parts), params
