"""Whether somebody else changed the same things while a long operation goes on.

Undo puts things back newest operation first. A portion that changes a row which another operation has changed since
the long one began must therefore be newer than that other: else the two could only be undone in the wrong order. So
such a portion is done as an operation of its own, and the long one goes on as that.
"""

from __future__ import annotations

from recollect.store.journal import Op

Span = tuple[int, int]


class Crossing:
    """What others changed since an operation began, read from the journal once and kept."""

    def __init__(self) -> None:
        self._operation_pk: int | None = None
        self._seen = 0
        self._others: dict[str, list[Span]] = {}

    def crossed(self, op: Op, after_pk: int) -> bool:
        """Whether others changed since `op` began what it has changed after that entry of the journal."""
        self._catch_up(op, after_pk)
        return bool(self._others) and self._meet(op, after_pk)

    def forget(self) -> None:
        """Read everything again: a transaction failed, and what was seen in it may not be there."""
        self._operation_pk = None

    def _catch_up(self, op: Op, until_pk: int) -> None:
        if self._operation_pk != op.pk:
            first = op.tx.sql.value("SELECT min(pk) FROM journal WHERE operation_pk = ?", (op.pk,))
            self._operation_pk, self._others = op.pk, {}
            self._seen = until_pk if first is None else first
        rows = op.tx.sql.all(
            "SELECT relation, first_pk, last_pk FROM journal WHERE pk > ? AND pk <= ? AND operation_pk <> ?",
            (self._seen, until_pk, op.pk),
        )
        for relation, first, last in rows:
            self._others.setdefault(relation, []).append((first, last))
        self._seen = max(self._seen, until_pk)

    def _meet(self, op: Op, after_pk: int) -> bool:
        mine: dict[str, list[Span]] = {}
        for relation, first, last in op.tx.sql.all(
            "SELECT relation, first_pk, last_pk FROM journal WHERE operation_pk = ? AND pk > ?", (op.pk, after_pk)
        ):
            mine.setdefault(relation, []).append((first, last))
        return any(
            _overlap(spans, self._others[relation]) for relation, spans in mine.items() if relation in self._others
        )


def _overlap(some: list[Span], others: list[Span]) -> bool:
    """Whether any span of one list has a row in common with one of the other: both in order, side by side."""
    some, others, at = sorted(some), sorted(others), 0
    reach = 0  # the furthest end among the others that begin before the span at hand ends
    for first, last in some:
        while at < len(others) and others[at][0] <= last:
            reach = max(reach, others[at][1])
            at += 1
        if at and reach >= first:
            return True
    return False
