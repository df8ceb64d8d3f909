"""The tree of summaries in the database: clusters of records, domains of clusters, and one summary of a whole scope.

Derived data: it is built beside the one in use and takes its place at once, and it is never journalled. What is erased,
deleted or changed loses its place in every text above it by triggers, in the same transaction (see the migration).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from recollect.model.knowledge import Summary, SummaryLevel
from recollect.store.base import Group, Row
from recollect.store.documents import CATEGORY
from recollect.store.vectors import Space

CLUSTER, DOMAIN, GLOBAL = (level.value for level in SummaryLevel)
_COLUMNS = "pk, level, parent_pk, stale, finer, label, text, tokens, records, mass, newest_at, entity_pk, centroid"
_OF_SUMMARY = "s.level, s.label, s.text, s.tokens, s.records"


@dataclass(slots=True, kw_only=True)
class SummaryNode:
    """One summary, stored or to be stored (`pk` 0)."""

    level: str
    pk: int = 0
    parent_pk: int | None = None
    stale: bool = False
    finer: bool = False
    label: str = ""
    text: str = ""
    tokens: int = 0
    records: int = 0
    mass: float = 0.0
    newest_at: int = 0
    entity_pk: int | None = None
    centroid: NDArray[np.float32] | None = None


class HeldSummary(NamedTuple):
    """A summary that stands for some of the records asked about."""

    summary: Summary
    pks: tuple[int, ...]


class TreeRow(NamedTuple):
    """A summary in use where it stands. `parts` counts the nodes right below it."""

    pk: int
    scope_pk: int
    parent_pk: int | None
    newest_at: int
    parts: int
    summary: Summary


class Directions(NamedTuple):
    """Nodes and where they point: one row each."""

    pks: NDArray[np.int64]
    vectors: NDArray[np.float32]


_TREE_ROW = (
    "SELECT s.pk, s.scope_pk, s.parent_pk, s.newest_at, "
    f"(SELECT count(*) FROM summary p WHERE p.parent_pk = s.pk AND p.live = 1), {_OF_SUMMARY} FROM summary s "
    "WHERE s.live = 1 AND s.records > 0"
)

_LEAF = (
    f"HEAD(r) AND LIVE(r) AND r.turn_pk IS NULL AND r.tier <> 'archive' AND r.flagged = 0 "
    f"AND r.security = 'cleartext' AND r.kind <> 'schema' AND r.category <> '{CATEGORY}' AND HOLDS(r, ?)"
)

_UNPLACED = (
    f"{_LEAF} AND NOT EXISTS (SELECT 1 FROM summary_member m JOIN summary s ON s.pk = m.summary_pk AND s.live = 1 "
    "WHERE m.record_pk = r.pk)"
)

_LEAF_COLUMNS = (
    "r.pk, r.kind, r.content, JSON_TEXT(r.perceived, '$.key_fact'), JSON_PART(r.perceived, '$.topics'), "
    "JSON_INT(r.perceived, '$.tokens[0]'), "
    "r.importance, r.strength * r.confidence, coalesce(r.event_time, r.created_at)"
)

_STATED = (
    "SELECT r.pk, r.turn_pk, r.content FROM record r WHERE r.turn_pk IN KEYS(?) AND HEAD(r) AND LIVE(r) "
    "AND r.kind <> 'schema' AND r.flagged = 0 AND r.security = 'cleartext' AND HOLDS(r, ?) "
    "ORDER BY r.confidence, r.pk DESC"
)


class LeafRow(NamedTuple):
    """A record as the tree sees it. `key_fact`, `topics` (JSON) and `tokens` are None while it is not read."""

    pk: int
    kind: str
    content: str
    key_fact: str | None
    topics: str | None
    tokens: int | None
    importance: float
    mass: float
    at: int


class StatedRow(NamedTuple):
    """A statement that speaks for a turn."""

    pk: int
    turn_pk: int
    content: str


class Summaries(Group):
    """The tree of summaries: clusters, domains, the whole."""

    def nodes_for(self, scope_pks: Sequence[int] | None, pks: Iterable[int]) -> list[HeldSummary]:
        """The summaries above these records in these scopes (None: all), clusters first, then by how many they stand
        for.

        Those whose words are being written anew are left out.
        """
        sight = "1 = 1" if scope_pks is None else "s.scope_pk IN KEYS(?)"
        rows = self.sql.all(
            f"SELECT s.pk, a.record_pk, {_OF_SUMMARY} FROM summary_above a JOIN summary s ON s.pk = a.summary_pk "
            f"WHERE a.record_pk IN KEYS(?) AND s.live = 1 AND s.text <> '' AND {sight} ORDER BY a.record_pk",
            [self.sql.keys(pks)] if scope_pks is None else [self.sql.keys(pks), self.sql.keys(scope_pks)],
        )
        found: dict[int, tuple[Summary, list[int]]] = {}
        for pk, record_pk, *values in rows:
            found.setdefault(pk, (_summary_of(values), []))[1].append(record_pk)
        order = list(SummaryLevel)
        held = [HeldSummary(summary, tuple(own)) for summary, own in found.values()]
        return sorted(held, key=lambda each: (order.index(each.summary.level), -len(each.pks), each.summary.label))

    def global_summary(self, scope_pks: Sequence[int] | None) -> list[Summary]:
        """What there is in each of these scopes (None: all), the largest first."""
        return self._of_level(scope_pks, GLOBAL)

    def _of_level(self, scope_pks: Sequence[int] | None, level: str) -> list[Summary]:
        sight = "1 = 1" if scope_pks is None else "s.scope_pk IN KEYS(?)"
        rows = self.sql.all(
            f"SELECT {_OF_SUMMARY} FROM summary s WHERE s.level = ? AND s.live = 1 AND s.text <> '' AND {sight} "
            "ORDER BY s.records DESC, s.pk",
            [level] if scope_pks is None else [level, self.sql.keys(scope_pks)],
        )
        return [_summary_of(row) for row in rows]

    def in_use(self, pk: int) -> TreeRow | None:
        """A node of a tree in use, by its key."""
        rows = self.sql.all(f"{_TREE_ROW} AND s.pk = ?", (pk,))
        return _tree_row(rows[0]) if rows else None

    def right_below(self, pk: int, *, start: int, limit: int) -> list[TreeRow]:
        """What is right below a node, the largest first."""
        order = "ORDER BY s.records DESC, s.pk LIMIT ? OFFSET ?"
        return [_tree_row(row) for row in self.sql.all(f"{_TREE_ROW} AND s.parent_pk = ? {order}", (pk, limit, start))]

    def tops(self, scope_pks: Sequence[int] | None, *, start: int, limit: int) -> list[TreeRow]:
        """What is at the top in these scopes (None: all), the largest first."""
        sight = "1 = 1" if scope_pks is None else "s.scope_pk IN KEYS(?)"
        params: list[Any] = [GLOBAL] if scope_pks is None else [GLOBAL, self.sql.keys(scope_pks)]
        order = "ORDER BY s.records DESC, s.pk LIMIT ? OFFSET ?"
        rows = self.sql.all(f"{_TREE_ROW} AND s.level = ? AND {sight} {order}", [*params, limit, start])
        return [_tree_row(row) for row in rows]

    def domains_of(self, scope_pks: Sequence[int] | None, record_ids: Sequence[str]) -> list[tuple[str, int]]:
        """(record, domain) of these records, by id, or of the turns that they speak for; in these scopes (None:
        all).
        """
        sight = "1 = 1" if scope_pks is None else "d.scope_pk IN KEYS(?2)"
        listed = orjson.dumps(list(record_ids)).decode()
        rows = self.sql.all(
            "SELECT r.id, d.pk FROM EACH_ITEM(?1) given JOIN record r ON r.id = given.value AND HEAD(r) "
            "JOIN summary_above a ON a.record_pk = coalesce(r.turn_pk, r.pk) "
            f"JOIN summary d ON d.pk = a.summary_pk AND d.level = 'domain' AND d.live = 1 WHERE {sight} "
            "ORDER BY r.pk, d.pk",
            (listed,) if scope_pks is None else (listed, self.sql.keys(scope_pks)),
        )
        return [(row[0], row[1]) for row in rows]

    def insert(self, scope_pk: int, nodes: Sequence[SummaryNode], *, space: Space | None, at: int, live: bool) -> range:
        """Store nodes; their keys are consecutive."""
        first = self.sql.next_key("summary")
        self.sql.many(
            "INSERT INTO summary (pk, scope_pk, live, space_pk, made_at, level, parent_pk, stale, finer, label, text, "
            "tokens, records, mass, newest_at, entity_pk, centroid) "
            f"VALUES (?{', ?' * 16})",
            (
                (
                    pk,
                    scope_pk,
                    int(live),
                    space.pk if space else None,
                    at,
                    node.level,
                    node.parent_pk,
                    int(node.stale),
                    int(node.finer),
                    *_values(node, space),
                )
                for pk, node in enumerate(nodes, first)
            ),
        )
        return range(first, first + len(nodes))

    def rewrite(self, node: SummaryNode, *, space: Space | None, at: int) -> None:
        """Give a node other words and figures."""
        self.sql.run(
            "UPDATE summary SET stale = 0, space_pk = ?, made_at = ?, label = ?, text = ?, tokens = ?, records = ?, "
            "mass = ?, newest_at = ?, entity_pk = ?, centroid = ? WHERE pk = ?",
            (space.pk if space else None, at, *_values(node, space), node.pk),
        )

    def put_members(self, rows: Iterable[tuple[int, int]]) -> None:
        """(record, cluster) each; a record that was erased meanwhile is in none."""
        self.sql.many(
            "INSERT INTO summary_member (record_pk, summary_pk) SELECT r.pk, ?2 FROM record r WHERE r.pk = ?1 "
            "ON CONFLICT DO NOTHING",
            rows,
        )

    def take_members(self, summary_pk: int, record_pks: Iterable[int]) -> None:
        """These records are in this cluster no longer."""
        rows = ((pk, summary_pk) for pk in record_pks)
        self.sql.many("DELETE FROM summary_member WHERE record_pk = ? AND summary_pk = ?", rows)

    def take_words(self, pks: Iterable[int]) -> None:
        """What these nodes say may not be so any more."""
        self.sql.run(
            "UPDATE summary SET label = '', text = '', tokens = 0, centroid = NULL, stale = 1 WHERE pk IN KEYS(?)",
            (self.sql.keys(pks),),
        )

    def put_in_place(self, scope_pk: int) -> None:
        """The tree that was built takes the place of the one in use."""
        self.sql.run("UPDATE summary SET live = 1 - live WHERE scope_pk = ?", (scope_pk,))

    def clear_away(self, scope_pk: int, *, limit: int) -> int:
        """Remove nodes that are not in use, clusters first; how many went."""
        rows = self.sql.all(
            "SELECT pk FROM summary WHERE scope_pk = ? AND live = 0 ORDER BY pk DESC LIMIT ?", (scope_pk, limit)
        )
        return self.remove([row[0] for row in rows])

    def any_unused(self, scope_pk: int) -> bool:
        """Whether there are nodes to be cleared away."""
        return bool(self.sql.value("SELECT 1 FROM summary WHERE scope_pk = ? AND live = 0 LIMIT 1", (scope_pk,)))

    def any_stale(self, scope_pk: int) -> bool:
        """Whether nodes in use have lost their words."""
        return bool(
            self.sql.value("SELECT 1 FROM summary WHERE scope_pk = ? AND live = 1 AND stale = 1 LIMIT 1", (scope_pk,))
        )

    def remove(self, pks: Sequence[int]) -> int:
        return self.sql.run("DELETE FROM summary WHERE pk IN KEYS(?)", (self.sql.keys(pks),))

    def load(self, pks: Iterable[int], *, space: Space | None) -> list[SummaryNode]:
        """Nodes by key, ascending."""
        rows = self.sql.all(f"SELECT {_COLUMNS} FROM summary WHERE pk IN KEYS(?) ORDER BY pk", (self.sql.keys(pks),))
        return [_node_of(row, space) for row in rows]

    def children(self, pk: int, *, space: Space | None) -> list[SummaryNode]:
        """The nodes right below one."""
        rows = self.sql.all(f"SELECT {_COLUMNS} FROM summary WHERE parent_pk = ? ORDER BY pk", (pk,))
        return [_node_of(row, space) for row in rows]

    def of_level(
        self, scope_pks: Sequence[int] | None, level: str, *, space: Space | None
    ) -> list[tuple[int, SummaryNode]]:
        """(scope, node) of all in use of a level."""
        sight = "1 = 1" if scope_pks is None else "scope_pk IN KEYS(?)"
        rows = self.sql.all(
            f"SELECT scope_pk, {_COLUMNS} FROM summary WHERE live = 1 AND level = ? AND {sight} ORDER BY pk",
            [level] if scope_pks is None else [level, self.sql.keys(scope_pks)],
        )
        return [(row[0], _node_of(row[1:], space)) for row in rows]

    def clusters_of(self, record_pks: Iterable[int]) -> dict[int, list[int]]:
        """The clusters in use that hold these records, by scope; where a record speaks for a turn, that of the turn."""
        rows = self.sql.all(
            "SELECT DISTINCT s.scope_pk, s.pk FROM record r "
            "JOIN summary_member m ON m.record_pk = coalesce(r.turn_pk, r.pk) "
            "JOIN summary s ON s.pk = m.summary_pk AND s.live = 1 AND s.level = 'cluster' "
            "WHERE r.pk IN KEYS(?) ORDER BY s.scope_pk, s.pk",
            (self.sql.keys(record_pks),),
        )
        found: dict[int, list[int]] = {}
        for scope_pk, pk in rows:
            found.setdefault(scope_pk, []).append(pk)
        return found

    def member_pks(self, summary_pks: Iterable[int]) -> dict[int, list[int]]:
        """The records in clusters, ascending, those included that are deleted for now."""
        rows = self.sql.all(
            "SELECT summary_pk, record_pk FROM summary_member WHERE summary_pk IN KEYS(?) ORDER BY 1, 2",
            (self.sql.keys(summary_pks),),
        )
        found: dict[int, list[int]] = {}
        for summary_pk, record_pk in rows:
            found.setdefault(summary_pk, []).append(record_pk)
        return found

    def stale_pks(self, scope_pk: int, level: str) -> list[int]:
        """Nodes in use whose words were taken away."""
        sql = "SELECT pk FROM summary WHERE scope_pk = ? AND live = 1 AND level = ? AND stale = 1 ORDER BY pk"
        return [row[0] for row in self.sql.all(sql, (scope_pk, level))]

    def newest_pk(self, scope_pk: int, level: str) -> int | None:
        """The node of a level with the newest record."""
        pk = self.sql.value(
            "SELECT pk FROM summary WHERE scope_pk = ? AND live = 1 AND level = ? ORDER BY newest_at DESC, pk "
            "DESC LIMIT 1",
            (scope_pk, level),
        )
        return None if pk is None else int(pk)

    def directions(self, scope_pk: int, level: str, space: Space) -> Directions:
        """Where the nodes of a level point, of those that point somewhere in this space."""
        rows = self.sql.all(
            "SELECT pk, centroid FROM summary WHERE scope_pk = ? AND live = 1 AND level = ? AND space_pk = ? "
            "AND centroid IS NOT NULL ORDER BY pk",
            (scope_pk, level, space.pk),
        )
        pks = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        return Directions(pks, space.decode([row[1] for row in rows]))

    def any_of_another(self, scope_pk: int, space: Space) -> bool:
        """Whether domains in use, with words, were built on another model's vectors."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM summary WHERE scope_pk = ? AND live = 1 AND level = ? AND stale = 0 "
                "AND coalesce(space_pk, 0) <> ? LIMIT 1",
                (scope_pk, DOMAIN, space.pk),
            )
        )

    def mark_finer(self, pk: int) -> None:
        """Note that a domain was cut up more finely."""
        self.sql.run("UPDATE summary SET finer = 1 WHERE pk = ?", (pk,))

    def of_scope(self, scope_pk: int, *, now: int, among: Sequence[int] | None = None) -> list[LeafRow]:
        """The records of a scope, all or among these, by ascending key."""
        chosen = "r.scope_pk = ?" if among is None else "r.scope_pk = ? AND r.pk IN KEYS(?)"
        params = [scope_pk] if among is None else [scope_pk, self.sql.keys(among)]
        rows = self.sql.all(
            f"SELECT {_LEAF_COLUMNS} FROM record r WHERE {chosen} AND {_LEAF} ORDER BY r.pk", [*params, now]
        )
        return [LeafRow._make(row) for row in rows]

    def stated_in(self, turn_pks: Sequence[int], *, now: int) -> list[StatedRow]:
        """What was drawn from these turns and holds, the surest last."""
        return [StatedRow._make(row) for row in self.sql.all(_STATED, (self.sql.keys(turn_pks), now))]

    def unplaced(self, scope_pk: int, *, now: int, limit: int) -> list[int]:
        """Records that are in no cluster in use yet."""
        sql = f"SELECT r.pk FROM record r WHERE {_UNPLACED} AND r.scope_pk = ? ORDER BY r.pk LIMIT ?"
        return [row[0] for row in self.sql.all(sql, (now, scope_pk, limit))]

    def unplaced_count(self, scope_pks: Sequence[int] | None, *, now: int) -> int:
        """How many records of these scopes (None: all) are in no cluster in use yet."""
        sql = f"SELECT count(*) FROM record r WHERE {_UNPLACED}"
        if scope_pks is None:
            return int(self.sql.value(sql, (now,)))
        return int(self.sql.value(f"{sql} AND r.scope_pk IN KEYS(?)", (now, self.sql.keys(scope_pks))))


def _values(node: SummaryNode, space: Space | None) -> tuple[Any, ...]:
    centroid = None if space is None or node.centroid is None else space.encode(node.centroid)
    return (
        node.label,
        node.text,
        node.tokens,
        node.records,
        node.mass,
        node.newest_at,
        node.entity_pk,
        centroid,
    )


def _node_of(row: Row, space: Space | None) -> SummaryNode:
    pk, level, parent_pk, stale, finer, label, text, tokens, records, mass, newest_at, entity_pk, blob = row
    return SummaryNode(
        pk=pk,
        level=level,
        parent_pk=parent_pk,
        stale=bool(stale),
        finer=bool(finer),
        label=label,
        text=text,
        tokens=tokens,
        records=records,
        mass=mass,
        newest_at=newest_at,
        entity_pk=entity_pk,
        centroid=None if space is None or blob is None else space.decode([blob])[0],
    )


def _tree_row(row: Row) -> TreeRow:
    pk, scope_pk, parent_pk, newest_at, parts, *summary = row
    return TreeRow(pk, scope_pk, parent_pk, newest_at, parts, _summary_of(summary))


def _summary_of(row: Sequence[Any]) -> Summary:
    level, label, text, tokens, records = row
    return Summary(level=SummaryLevel(level), label=label, text=text, tokens=tokens, records=records)
