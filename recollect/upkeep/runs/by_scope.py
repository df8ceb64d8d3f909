"""Upkeep goes from scope to scope: what is made of records of one never holds anything of another."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.upkeep.runs.run import Run

_WITH_RECORDS = (
    "SELECT s.pk FROM scope s WHERE EXISTS (SELECT 1 FROM record r WHERE r.scope_pk = s.pk) AND {} ORDER BY s.pk"
)


def each_scope(run: Run) -> Iterator[int]:
    """The scopes of a run that hold records, one after the other; says how far it is."""
    with run.store.read() as tx:
        if run.scope_pks is None:
            rows = tx.all(_WITH_RECORDS.format("1"))
        else:
            rows = tx.all(_WITH_RECORDS.format("s.pk IN carray(?)"), (tx.pk_list(run.scope_pks),))
    for place, (scope_pk,) in enumerate(rows):
        run.progress(place / len(rows))
        yield int(scope_pk)
