"""One operation over several transactions, so that one undo takes all of it back.

Long work is stored in portions, each durable by itself. The first one begins the operation, the others add to it. What
a crash leaves behind is an operation like any other, only shorter than it was meant to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.store.base import Group
from recollect.store.journal import Op


class Begun(NamedTuple):
    """An operation whose first portion is durable."""

    pk: int
    id: str


class LongOperations(Group):
    """One operation over several transactions."""

    def portion(self, begun: Begun | None, verb: str, *, at: int, scope_pk: int | None, actor: str | None) -> Op:
        """The operation for the next portion: the one that was begun, unless somebody has undone it meanwhile."""
        if begun is not None and self.sql.value("SELECT undone_by IS NULL FROM operation WHERE pk = ?", (begun.pk,)):
            return Op(self.tx, begun.pk, begun.id, at)
        return self.tx.journal.begin(verb, at=at, scope_pk=scope_pk, actor=actor)


def finish(op: Op, count: int) -> None:
    """Add a portion's records to the count, and leave a trace in the audit."""
    op.tx.sql.run("UPDATE operation SET count = count + ? WHERE pk = ?", (count, op.pk))
    op.tx.sql.run(
        "INSERT INTO audit (at, actor, verb, scope_pk, operation_pk, count) "
        "SELECT ?, actor, verb, scope_pk, pk, ? FROM operation WHERE pk = ?",
        (op.at, count, op.pk),
    )


def adopt(op: Op, operations: Sequence[str]) -> None:
    """Make what these operations did a part of this one; of them only the audit is left."""
    for operation_id in operations:
        row = op.tx.sql.one("SELECT pk, count FROM operation WHERE id = ? AND undone_by IS NULL", (operation_id,))
        if row is not None:
            pk, count = row
            op.tx.sql.run("UPDATE operation SET count = count + ? WHERE pk = ?", (count, op.pk))
            op.tx.sql.run("UPDATE journal SET operation_pk = ? WHERE operation_pk = ?", (op.pk, pk))
            op.tx.sql.run("UPDATE audit SET operation_pk = ? WHERE operation_pk = ?", (op.pk, pk))
            op.tx.sql.run("DELETE FROM operation WHERE pk = ?", (pk,))
