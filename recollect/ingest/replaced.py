"""What took a statement's place: named to whoever speaks of the old one, and gone with its end when it is deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from recollect.clock import from_us
from recollect.errors import StatementEnded
from recollect.model.query import Criteria
from recollect.store.base import Tx
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.journal import SPAN_MAX, Op

_NAMED_MAX = 3  # successors that a message names
_LIFTED = ("valid_from", "valid_until")
_REPLACES = (  # (old one, new one) of everything live that took another's place
    "FROM member old JOIN edge e ON e.pk = old.edge_pk AND e.label = 'supersedes' AND LIVE(e) "
    f"JOIN member new ON new.edge_pk = e.pk AND new.role IN {SOURCE_ROLES} "
    f"JOIN record r ON r.pk = new.record_pk AND LIVE(r) WHERE old.role IN {TARGET_ROLES}"
)
_ENDED_BY = (  # the last operation that holds and said when a record is true, and what it said before
    "SELECT j.operation_pk, j.before FROM journal j JOIN operation o ON o.pk = j.operation_pk "
    "WHERE j.relation = 'record' AND j.first_pk BETWEEN ? AND ? AND j.last_pk >= ? AND o.undone_by IS NULL "
    "AND o.undoes IS NULL AND json_type(j.before, '$.valid_until') IS NOT NULL ORDER BY j.pk DESC LIMIT 1"
)


def refuse_if_ended(tx: Tx, pk: int, row: Mapping[str, Any], *, at: int, visible: Criteria | None) -> None:
    """A statement that has ended, or whose place another one took, can be neither confirmed nor corrected.

    Whoever does so has an old answer before them: a second successor would stand beside the first, and what nobody is
    told any more would be certain. The error names what is said instead, as far as the caller may see it.
    """
    until = row["valid_until"]
    over = until is not None and (until <= at or until == row["valid_from"])
    now_said = _successors(tx, pk, at=at, visible=visible)
    ended = f" ended on {from_us(until).date()}" if over else ""
    if now_said:
        named = ", ".join(now_said[:_NAMED_MAX]) + (", …" if len(now_said) > _NAMED_MAX else "")
        raise StatementEnded(
            f"this statement{ended}{' and' if over else ''} was replaced by {named}; speak of that one",
            replaced_by=tuple(now_said),
        )
    if over:
        raise StatementEnded(
            f"this statement{ended}; update it with clear=['valid_until'] if it holds again, "
            "or with another content to change what is told of the past"
        )


def lift_ends(tx: Tx, op: Op, going: Sequence[int]) -> int:
    """These records are deleted: what only they had ended holds again, as it did before; how many that are.

    An end that somebody has set since stays, and so does one that another live record stands for.
    """
    gone = tx.sql.keys(going)
    ended = tx.sql.all(
        f"SELECT DISTINCT old.record_pk, e.pk {_REPLACES} AND new.record_pk IN KEYS(?) "
        "AND old.record_pk NOT IN KEYS(?) AND NOT EXISTS (SELECT 1 FROM member held JOIN edge f "
        "ON f.pk = held.edge_pk AND f.label = 'supersedes' AND LIVE(f) "
        f"JOIN member by ON by.edge_pk = f.pk AND by.role IN {SOURCE_ROLES} AND by.record_pk NOT IN KEYS(?) "
        "JOIN record other ON other.pk = by.record_pk AND LIVE(other) "
        f"WHERE held.record_pk = old.record_pk AND held.role IN {TARGET_ROLES}) ORDER BY 1",
        (gone, gone, gone),
    )
    lifted = {pk: before for pk, edge_pk in ended if (before := _before_its_end(tx, pk, edge_pk)) is not None}
    for pk, before in lifted.items():
        tx.records.revise(op, pk, before)
    return len(lifted)


def _successors(tx: Tx, pk: int, *, at: int, visible: Criteria | None) -> list[str]:
    """The ids of what is said instead, at the end of the chain, as far as a reader may see it; oldest first."""
    clause, params = ("1", []) if visible is None else tx.criteria.where(visible, now=at, times=False)
    found = tx.sql.all(
        f"WITH RECURSIVE replaced (old, new, id) AS (SELECT old.record_pk, new.record_pk, r.id {_REPLACES} "
        f"AND old.record_pk = ? AND {clause} UNION SELECT old.record_pk, new.record_pk, r.id FROM replaced p "
        f"CROSS JOIN {_REPLACES.removeprefix('FROM ')} AND old.record_pk = p.new AND {clause}) "
        "SELECT DISTINCT id FROM replaced WHERE new NOT IN (SELECT old FROM replaced) ORDER BY new",
        [pk, *params, *params],
    )
    return [row[0] for row in found]


def _before_its_end(tx: Tx, pk: int, edge_pk: int) -> dict[str, Any] | None:
    """When a record was true by what was known before the operation that stored this edge ended it, if that did."""
    last = tx.sql.one(_ENDED_BY, (pk - SPAN_MAX + 1, pk, pk))
    by = tx.sql.value(
        "SELECT operation_pk FROM journal WHERE relation = 'edge' AND before IS NULL AND first_pk BETWEEN ? AND ? "
        "AND last_pk >= ?",
        (edge_pk - SPAN_MAX + 1, edge_pk, edge_pk),
    )
    if last is None or last[0] != by:
        return None
    return {name: value for name, value in orjson.loads(last[1]).items() if name in _LIFTED}
