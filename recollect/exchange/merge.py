"""An export brought into a store that has a past of its own, or into one scope of it.

What is there already stays as it is: a record with the same id is left alone, and told of if it says something
else. What is new comes with its id, all its versions and both its times. All of it is one operation, stored in
portions; run again after an interruption, it goes on with what is missing. What was done in the other store is not
taken over: it was not done here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from recollect.clock import Clock
from recollect.exchange import arriving as graph
from recollect.exchange import arriving as records
from recollect.exchange.admitting import Admitting
from recollect.exchange.arriving import Arriving, Came, Merged, Rows, request_work
from recollect.exchange.checked import ExportLine, rows_of
from recollect.exchange.restore import portions
from recollect.exchange.source import ImportSource
from recollect.model.scope import Scope
from recollect.store import journal
from recollect.store.base import Store, Tx
from recollect.store.journal import Begun, Op

_DIGEST_CHARS = 16
Step = Callable[[Arriving, Tx, Op, Rows], int]  # how many records it touched

_STEPS: dict[str, Step] = {
    "scope": records.take_scopes,
    "session": records.take_sessions,
    "record": records.take_records,
    "gap": records.take_gaps,
    "record_before": records.take_before,
    "entity": graph.take_entities,
    "alias": graph.take_aliases,
    "mention": graph.take_mentions,
    "edge": graph.take_edges,
    "edge_before": graph.take_edges_before,
    "member": graph.take_members,
    "feedback": records.take_feedback,
    "space": records.take_spaces,
    "vector": records.take_vectors,
    "sentence_vectors": records.take_sentence_vectors,
}


class Merge:
    """One import. Everything lands inside the scope `inside`, whatever the file says; `bound`, exactly in it."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        admitting: Admitting,
        *,
        inside: Scope,
        bound: bool,
        actor: str | None,
        digest: str,
    ) -> None:
        self._admitting = admitting
        self._store = store
        self._clock = clock
        self._actor = actor
        self._state = Arriving(
            inside=inside, bound=bound, sealed=admitting.sealed, differing=None if admitting.believed else set()
        )
        self._begun: Begun | None = None
        self._unfinished = f"unfinished import of {digest[:_DIGEST_CHARS]}"

    def run(self, source: ImportSource, watch: Callable[[int], None]) -> Merged:
        """Store what is new of a file that was looked through before."""
        with self._store.read() as tx:
            self._state.edges_before = tx.arrivals.newest_key("edge")
            self._state.entities_before = tx.arrivals.newest_key("entity")
            self._resume(tx)
        # Screened here, outside the transaction, which waits for nothing.
        for table, lines in groupby(self._admitting.of(rows_of(source)), key=lambda line: line.table.name):
            for portion in portions(lines):
                if table in _STEPS:
                    self._write(_STEPS[table], portion)
                watch(portion[-1].done)
        self._write(self._finish, ())
        out = self._state.out
        if out.nothing and self._state.came is None:
            self._store.write(self._withdraw)
        else:
            out.operation = self._begun.id if self._begun else None
        return out

    def _resume(self, tx: Tx) -> None:
        """Go on with the operation of an import of the same file into the same place that was interrupted."""
        scope_pk = tx.scopes.find(self._state.inside) if self._has_scope else None
        before = tx.arrivals.interrupted(self._unfinished, scope_pk)
        if before is not None:
            self._begun = Begun(before.pk, before.id)
            self._state.came = Came(records=before.records, edges=before.edges)
            self._state.edges_before = min([self._state.edges_before, *(first - 1 for first, _ in before.edges)])

    @property
    def _has_scope(self) -> bool:
        return self._state.bound or bool(self._state.inside.items())

    def _write(self, step: Step, portion: Iterable[ExportLine]) -> None:
        lines = list(portion)
        state = self._state
        back = state.put_by()

        def work(tx: Tx) -> Begun:
            back()
            scope_pk = tx.scopes.ensure(state.inside) if self._has_scope else None
            op = tx.journal.portion(self._begun, "import", at=self._clock(), scope_pk=scope_pk, actor=self._actor)
            if self._begun is None or op.pk != self._begun.pk:
                tx.arrivals.give_reason(op, self._unfinished)
            touched = step(state, tx, op, [dict(line.values) for line in lines])
            if touched or self._begun is None:
                journal.finish(op, touched)
            return Begun(op.pk, op.id)

        self._begun = self._store.write(work)

    def _finish(self, state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
        """How far sessions and scopes were gone over, circles, and what is left for later."""
        known = state.rows["record"]
        tx.arrivals.set_turns((known.pk(key), pk) for pk, key in state.turns)
        for mark in state.marks:
            tx.arrivals.gone_over(
                mark.table,
                mark.pk,
                consolidated_to=known.up_to(mark.consolidated_to),
                asked_to=known.up_to(mark.asked_to),
            )
        state.out.edges -= tx.arrivals.drop_bereft(self._bereft())
        state.out.circles = tx.arrivals.drop_circles(state.edges_before, every=state.edges_before > 0)
        request_work(tx, now=self._clock())
        tx.arrivals.give_reason(op, None)
        return 0

    def _bereft(self) -> list[int]:
        """New relations that did not get all of their members."""
        known = self._state.rows["edge"]
        found = (known.new(key) for key in sorted(self._state.bereft | self._admitting.bereft))
        return [pk for pk in found if pk is not None]

    def _withdraw(self, tx: Tx) -> None:
        """An import that found everything there already was no operation."""
        assert self._begun is not None
        tx.arrivals.withdraw(self._begun.pk)
