"""The store seen as a whole: its strongest relations, and how many records have which place, facets and relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from recollect.model.query import Criteria
from recollect.store.base import Group
from recollect.store.edges import SOURCE_ROLES
from recollect.store.marks import mark

_AFTER_ALL = "\U0010ffff"
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


class Topology(Group):
    """Figures and strongest relations among placed records."""

    def strongest(
        self, criteria: Criteria, *, now: int, labels: Sequence[str] | None, limit: int
    ) -> tuple[list[int], list[int]]:
        """(edges, records) of the relations whose members all count, strongest first.

        Records in the order they appear.
        """
        clause, params = self.tx.criteria.where(criteria, now=now)
        member = "SELECT 1 FROM member n JOIN record r ON r.pk = n.record_pk WHERE n.edge_pk = e.pk"
        unseen = f"{member} AND ({clause}) IS NOT TRUE"
        only = "1" if labels is None else f"e.label IN ({', '.join('?' * len(labels)) or 'NULL'})"
        # Sorted first and without end, so that members are looked at only until enough relations are found.
        live = f"SELECT e.pk FROM edge e WHERE {_LIVE_EDGE} AND {only}"
        rows = self.sql.all(
            f"SELECT e.pk FROM ({live} ORDER BY e.weight * e.confidence DESC, e.pk DESC LIMIT -1) e "
            f"WHERE NOT EXISTS ({unseen}) LIMIT ?",
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
