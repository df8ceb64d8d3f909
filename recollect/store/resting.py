"""Which records others rest on: turns that statements answer through, patterns with instances, sources."""

from __future__ import annotations

from collections.abc import Collection

from recollect.store.base import Group

_ANSWERING = (
    "SELECT DISTINCT turn_pk FROM record WHERE turn_pk IN KEYS(?) AND head_pk IS NULL AND retired_at IS NULL "
    "AND tier <> 'archive' AND pk NOT IN KEYS(?)"
)
_INSTANCES = (
    "SELECT DISTINCT there.record_pk FROM member there "
    "JOIN edge e ON e.pk = there.edge_pk AND e.label = 'instance_of' AND LIVE(e) "
    "JOIN member here ON here.edge_pk = e.pk AND here.role = 'subject' "
    "JOIN record r ON r.pk = here.record_pk AND LIVE(r) AND r.tier <> 'archive' AND r.pk NOT IN KEYS(?) "
    "WHERE there.role = 'object' AND there.record_pk IN KEYS(?)"
)
_SOURCES = (
    "SELECT DISTINCT there.record_pk FROM member there "
    "JOIN edge e ON e.pk = there.edge_pk AND e.label IN ('derived_from', 'inferred_from') AND LIVE(e) "
    "JOIN member here ON here.edge_pk = e.pk AND here.role = 'subject' "
    "JOIN record r ON r.pk = here.record_pk AND LIVE(r) AND r.pk NOT IN KEYS(?) "
    "WHERE there.role = 'object' AND there.record_pk IN KEYS(?)"
)


class Resting(Group):
    """Records that others rest upon."""

    def held(self, pks: Collection[int], *, besides: Collection[int] = ()) -> set[int]:
        """Those of these that something needs which is searched: a turn that a statement answers through, a pattern of
        which there are instances. What is `besides` does not count."""
        without = self.sql.keys(besides)
        through = self.sql.all(_ANSWERING, (self.sql.keys(pks), without))
        return {row[0] for row in (*through, *self.sql.all(_INSTANCES, (without, self.sql.keys(pks))))}

    def sources(self, pks: Collection[int], *, besides: Collection[int] = ()) -> set[int]:
        """Those of these records that a live one, archived or not, was drawn from or answers through."""
        without = self.sql.keys(besides)
        rests_on = self.sql.all(_SOURCES, (without, self.sql.keys(pks)))
        through = self.sql.all(
            "SELECT DISTINCT turn_pk FROM record WHERE turn_pk IN KEYS(?) AND head_pk IS NULL AND retired_at IS NULL "
            "AND pk NOT IN KEYS(?)",
            (self.sql.keys(pks), without),
        )
        return {row[0] for row in (*rests_on, *through)}
