"""What records are found by besides their words: `name=value` marks of their place, facets and related files.

The database keeps the table in step by itself (triggers, see the migration); this module only reads. Past versions
have their marks too, so callers say which rows count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from recollect.model.query import Criteria
from recollect.store.base import Group
from recollect.store.dialect import ALL
from recollect.store.edges import SOURCE_ROLES

_AFTER_ALL = "\U0010ffff"  # no text goes on with a later character
_ONE_BY_ONE_MAX = 16  # marks whose newest rows are asked for separately
_NEXT = (
    "WITH RECURSIVE next (mark) AS (SELECT min(mark) FROM mark WHERE mark >= ?1 AND mark < ?2 UNION ALL "
    "SELECT (SELECT min(mark) FROM mark WHERE mark > next.mark AND mark < ?2) FROM next WHERE next.mark IS NOT NULL) "
    "SELECT mark FROM next WHERE mark IS NOT NULL LIMIT ?3"
)
_OF_ONE = "SELECT record_pk FROM mark WHERE mark = ? ORDER BY record_pk DESC LIMIT ?"
_OF_MANY = "SELECT record_pk FROM mark WHERE mark IN (SELECT value FROM EACH_ITEM(?)) LIMIT ?"


def mark(name: str, value: object) -> str:
    """One mark as the table holds it."""
    return f"{name}={value}"


_COUNTED = (
    "position_type",
    "diataxis_type",
    "primary_persona",
    "verification_state",
    "confidence",
    "domain_tags",
    "source_type",
)

_VALUES_SHOWN = 50  # of a name whose values people choose

_LIVE_EDGE = "LIVE(e) AND HOLDS(e, ?)"


class Marks(Group):
    """Where records stand: files, folders, sections, facets."""

    def values(self, name: str, prefix: str = "", *, limit: int) -> list[str]:
        """The distinct values some row has or had under a name that begin so: one seek for each, however many rows."""
        first = mark(name, prefix)
        rows = self.sql.all(_NEXT, (first, first + _AFTER_ALL, limit))
        return [row[0][len(name) + 1 :] for row in rows]

    def paths_named(self, name: str, *, limit: int) -> list[str]:
        """The files some row comes or came from that have this name, in whatever folder."""
        found = self.values("file_name", f"{name}//", limit=limit)
        return [value[len(name) + 2 :] + name for value in found]

    def newest(self, marks: Sequence[str], *, limit: int) -> list[int]:
        """Rows that have one of these marks, past versions included, newest first.

        With many marks and more rows than the limit, which of them come is not promised.
        """
        if len(marks) > _ONE_BY_ONE_MAX:
            rows = self.sql.all(_OF_MANY, (orjson.dumps(list(marks)).decode(), limit))
        else:
            rows = [row for one in marks for row in self.sql.all(_OF_ONE, (one, limit))]
        return sorted({row[0] for row in rows}, reverse=True)[:limit]

    def holding(self, marks: Sequence[str], pks: Iterable[int]) -> list[int]:
        """Which of these rows have one of these marks: a seek for each of both, so let either be few."""
        named = ", ".join("?" * len(marks))
        sql = f"SELECT record_pk FROM mark WHERE mark IN ({named}) AND record_pk IN KEYS(?) ORDER BY 1"
        return [row[0] for row in self.sql.all(sql, (*marks, self.sql.keys(pks)))]

    def texts(self, column: str, pks: Iterable[int]) -> list[tuple[int, str]]:
        """The place, facets or metadata of rows that have any, as JSON."""
        assert column in ("place", "facets", "metadata")
        sql = f"SELECT r.pk, r.{column} FROM record r WHERE r.pk IN KEYS(?) AND r.{column} IS NOT NULL ORDER BY r.pk"
        return [(row[0], row[1]) for row in self.sql.all(sql, (self.sql.keys(pks),))]

    def strongest(
        self, criteria: Criteria, *, now: int, labels: Sequence[str] | None, limit: int
    ) -> tuple[list[int], list[int]]:
        """(edges, records) of the relations whose members all count, strongest first.

        Records in the order they appear.
        """
        clause, params = self.tx.criteria.where(criteria, now=now)
        member = "SELECT 1 FROM member n JOIN record r ON r.pk = n.record_pk WHERE n.edge_pk = e.pk"
        unseen = f"{member} AND ({clause}) IS NOT TRUE"
        only = "1 = 1" if labels is None else f"e.label IN ({', '.join('?' * len(labels)) or 'NULL'})"
        # Sorted first and without end, so that members are looked at only until enough relations are found.
        live = f"SELECT e.pk, e.weight * e.confidence AS strength FROM edge e WHERE {_LIVE_EDGE} AND {only}"
        rows = self.sql.all(
            f"SELECT e.pk FROM ({live} ORDER BY e.weight * e.confidence DESC, e.pk DESC LIMIT {ALL}) e "
            f"WHERE NOT EXISTS ({unseen}) IN_ORDER(e.strength DESC, e.pk DESC) LIMIT ?",
            [now, *(labels or ()), *params, limit],
        )
        edge_pks = [row[0] for row in rows]
        members: dict[int, list[int]] = {}
        for edge_pk, record_pk in self.sql.all(
            "SELECT edge_pk, record_pk FROM member WHERE edge_pk IN KEYS(?) ORDER BY position",
            (self.sql.keys(edge_pks),),
        ):
            members.setdefault(edge_pk, []).append(record_pk)
        return edge_pks, list(dict.fromkeys(pk for edge in edge_pks for pk in members.get(edge, ())))

    def figures(self, criteria: Criteria, *, now: int) -> dict[str, Any]:
        """Counts over the records that count and the relations among them."""
        nodes = self.tx.records.matching(criteria, now=now)
        counts = {name: self._values(name, nodes) for name in _COUNTED}
        return {
            "nodes": len(nodes),
            **self._relations(nodes, now),
            "files": self._distinct("file_path", nodes),
            "sections": self._distinct("section_path", nodes),
            **{f"by_{name}": found for name, found in counts.items()},
        }

    def _relations(self, nodes: Sequence[int], now: int) -> dict[str, Any]:
        """Figures of the relations of which no member is one that does not count."""
        rows = self.sql.all(
            f"SELECT e.pk, e.label, e.auto_extracted FROM edge e WHERE {_LIVE_EDGE} AND NOT EXISTS "
            "(SELECT 1 FROM member n WHERE n.edge_pk = e.pk AND n.record_pk NOT IN KEYS(?))",
            (now, self.sql.keys(nodes)),
        )
        sources, most = self.sql.one(
            "SELECT count(*), coalesce(max(degree), 0) FROM (SELECT count(*) AS degree FROM member m "
            f"WHERE m.edge_pk IN KEYS(?) AND m.role IN {SOURCE_ROLES} GROUP BY m.record_pk)",
            (self.sql.keys(row[0] for row in rows),),
        ) or (0, 0)
        return {
            "edges": len(rows),
            "auto_extracted": sum(row[2] for row in rows),
            "nodes_with_edges": sources,
            "avg_out_degree": round(len(rows) / sources, 2) if sources else 0.0,
            "max_out_degree": most,
            "by_label": dict(Counter(row[1] for row in rows).most_common()),
        }

    def _values(self, name: str, nodes: Sequence[int]) -> dict[str, int]:
        """How many of these records have each value of a mark, most first."""
        first = mark(name, "")
        rows = self.sql.all(
            "SELECT substr(mark, ?), count(*) FROM mark WHERE mark >= ? AND mark < ? AND record_pk IN KEYS(?) "
            "GROUP BY mark ORDER BY 2 DESC, 1 LIMIT ?",
            (len(first) + 1, first, first + _AFTER_ALL, self.sql.keys(nodes), _VALUES_SHOWN),
        )
        return dict(rows)

    def _distinct(self, name: str, nodes: Sequence[int]) -> int:
        """How many values of a mark these records have."""
        first = mark(name, "")
        sql = "SELECT count(DISTINCT mark) FROM mark WHERE mark >= ? AND mark < ? AND record_pk IN KEYS(?)"
        return int(self.sql.value(sql, (first, first + _AFTER_ALL, self.sql.keys(nodes))) or 0)
