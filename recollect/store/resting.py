"""Which records others rest on: turns that statements answer through, patterns with instances, sources."""

from __future__ import annotations

from collections.abc import Collection

from recollect.store.base import Tx

_ANSWERING = (
    "SELECT DISTINCT turn_pk FROM record WHERE turn_pk IN carray(?) AND head_pk IS NULL AND retired_at IS NULL "
    "AND tier <> 'archive' AND pk NOT IN carray(?)"
)
_INSTANCES = (
    "SELECT DISTINCT there.record_pk FROM member there "
    "JOIN edge e ON e.pk = there.edge_pk AND e.label = 'instance_of' AND e.retired_at IS NULL "
    "JOIN member here ON here.edge_pk = e.pk AND here.role = 'subject' "
    "JOIN record r ON r.pk = here.record_pk AND r.retired_at IS NULL AND r.tier <> 'archive' AND r.pk NOT IN carray(?) "
    "WHERE there.role = 'object' AND there.record_pk IN carray(?)"
)
_SOURCES = (
    "SELECT DISTINCT there.record_pk FROM member there "
    "JOIN edge e ON e.pk = there.edge_pk AND e.label IN ('derived_from', 'inferred_from') AND e.retired_at IS NULL "
    "JOIN member here ON here.edge_pk = e.pk AND here.role = 'subject' "
    "JOIN record r ON r.pk = here.record_pk AND r.retired_at IS NULL AND r.pk NOT IN carray(?) "
    "WHERE there.role = 'object' AND there.record_pk IN carray(?)"
)


def held(tx: Tx, pks: Collection[int], *, besides: Collection[int] = ()) -> set[int]:
    """Those of these that something needs which is searched: a turn that a statement answers through, a pattern of
    which there are instances. What is `besides` does not count."""
    without = tx.pk_list(besides)
    through = tx.all(_ANSWERING, (tx.pk_list(pks), without))
    return {row[0] for row in (*through, *tx.all(_INSTANCES, (without, tx.pk_list(pks))))}


def sources(tx: Tx, pks: Collection[int], *, besides: Collection[int] = ()) -> set[int]:
    """Those of these records that a live one, archived or not, was drawn from or answers through."""
    without = tx.pk_list(besides)
    rests_on = tx.all(_SOURCES, (without, tx.pk_list(pks)))
    through = tx.all(
        "SELECT DISTINCT turn_pk FROM record WHERE turn_pk IN carray(?) AND head_pk IS NULL AND retired_at IS NULL "
        "AND pk NOT IN carray(?)",
        (tx.pk_list(pks), without),
    )
    return {row[0] for row in (*rests_on, *through)}
