"""Which records are in doubt: contradicted, waiting for a person's word, or asked about; counted by domain."""

from __future__ import annotations

from recollect.store.base import Group

# A statement counts as the turn that it speaks for: that is what stands in the tree of summaries.
_DOUBTED = (
    "SELECT coalesce(r.turn_pk, r.pk) FROM edge e JOIN member m ON m.edge_pk = e.pk "
    "JOIN record r ON r.pk = m.record_pk AND LIVE(r) "
    "WHERE e.label IN ('contradicts', 'conflicts_with') AND LIVE(e) "
    "UNION SELECT coalesce(r.turn_pk, r.pk) FROM record r WHERE r.needs_review = 1 AND LIVE(r) "
    "AND HEAD(r) "
    "UNION SELECT coalesce(r.turn_pk, r.pk) FROM question q JOIN record r ON r.pk IN (q.record_pk, q.other_pk) "
    "AND LIVE(r) WHERE q.dismissed_at IS NULL "
    "AND EXISTS (SELECT 1 FROM operation o WHERE o.pk = q.made_by AND o.undone_by IS NULL) "
    "AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.pk = q.answered_by AND o.undone_by IS NULL)"
)


class Doubts(Group):
    """What is doubted, by domain."""

    def by_domain(self) -> dict[int, int]:
        """How many records of each domain of the tree of summaries are in doubt."""
        rows = self.sql.all(
            "SELECT c.parent_pk, count(DISTINCT m.record_pk) FROM summary_member m JOIN summary c ON c.pk = "
            "m.summary_pk "
            f"AND c.live = 1 AND c.parent_pk IS NOT NULL WHERE m.record_pk IN ({_DOUBTED}) GROUP BY c.parent_pk"
        )
        return {int(pk): int(count) for pk, count in rows}
