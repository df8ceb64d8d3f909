"""`confirm`, `flag`, `feedback`: what people and agents say about records, and what follows from it.

An id may also be a relation's (`ingest.judged_edges`).

A person's word about a record makes a version of it, as any change of theirs does. Counts of what helped do not: the
record says what it said, and one that is used much would drown in versions. What was thought of it before stays known
all the same (`store.before`). All of it is journalled, with what it moved elsewhere, so that one undo takes everything
back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.errors import ProviderError, UsageError
from recollect.ingest import check
from recollect.ingest.judged_edges import JudgedEdges
from recollect.ingest.propagate import belief, propagate
from recollect.ingest.replaced import refuse_if_ended
from recollect.model.query import Criteria
from recollect.model.result import Receipt
from recollect.providers.base import Embedder
from recollect.store import feedback
from recollect.store.base import Store, Tx
from recollect.store.feedback import Context
from recollect.store.journal import Op

# Changes the record it is given with its old columns; the columns it set.
Change = Callable[[Tx, Op, int, Mapping[str, Any]], dict[str, Any]]

_FULL_STRENGTH = 1.0  # what a new record has


class Judging:
    """Judgements over one store."""

    def __init__(self, store: Store, embedder: Embedder | None, config: LiveConfig, clock: Clock) -> None:
        self._edges = JudgedEdges(store, config, clock)
        self._store = store
        self._embedder = embedder
        self._config = config
        self._clock = clock

    def confirm(self, record_id: str, *, visible: Criteria | None, actor: str | None = None) -> Receipt:
        """A person's word that a record is right: certain, as strong as on its first day, and safe from fading."""
        if self._edges.holds(record_id):
            return self._edges.confirm(record_id, visible=visible, actor=actor)

        def change(tx: Tx, op: Op, pk: int, old: Mapping[str, Any]) -> dict[str, Any]:
            refuse_if_ended(tx, pk, old, at=op.at, visible=visible)
            new = {
                "user_verified": 1,
                "flagged": 0,
                "needs_review": 0,
                "confidence": 1.0,
                "decay_rate": 0.0,
                "strength": max(_FULL_STRENGTH, old["strength"]),
            }
            tx.records.revise(op, pk, new)
            return new

        return self._judge("confirm", record_id, change, visible=visible, actor=actor)

    def flag(self, record_id: str, *, reason: Any, visible: Criteria | None, actor: str | None = None) -> Receipt:
        """A report that a record is wrong: it waits for review, and a confirmation before it counts no longer."""
        why = check.reason(reason)
        if why is None:
            raise UsageError("flag needs a reason: what is wrong with the record")
        if self._edges.holds(record_id):
            return self._edges.flag(record_id, reason=why, visible=visible, actor=actor)

        def change(tx: Tx, op: Op, pk: int, old: Mapping[str, Any]) -> dict[str, Any]:
            new: dict[str, Any] = {"flagged": 1, "needs_review": 1, "user_verified": 0}
            if old["user_verified"]:  # its protection came with the confirmation, and goes with it
                new["decay_rate"] = None
            tx.records.revise(op, pk, new)
            return new

        return self._judge("flag", record_id, change, visible=visible, reason=why, actor=actor)

    def feedback(
        self,
        record_id: str,
        *,
        helpful: Any,
        query: str | None,
        reason: Any,
        visible: Criteria | None,
        actor: str | None = None,
    ) -> Receipt:
        """Whether a record helped. With the question it was recalled for, that is remembered for questions like it."""
        helped, why = bool(check.flag(helpful, "helpful")), check.reason(reason)
        if self._edges.holds(record_id):
            unused = () if query is None else ("a question is remembered with records only, not with relations",)
            return self._edges.feedback(
                record_id, helpful=helped, reason=why, visible=visible, actor=actor, missing=unused
            )
        counted = "success_count" if helped else "failure_count"
        context, missing = self.context_of(query)

        def change(tx: Tx, op: Op, pk: int, old: Mapping[str, Any]) -> dict[str, Any]:
            new = {counted: old[counted] + 1}
            tx.records.adjust(op, pk, old, new)
            if context is not None:
                tx.feedback.put(op, pk, context, helpful=helped)
            return new

        return self._judge("feedback", record_id, change, visible=visible, reason=why, actor=actor, missing=missing)

    def context_of(self, query: str | None) -> tuple[Context | None, tuple[str, ...]]:
        """What is kept of a question, and what could not be. Outside any transaction: a model may be slow."""
        if query is None:
            return None, ()
        if self._embedder is None:
            return feedback.context_of(query), ()
        try:
            vector = self._embedder.embed([query])[0]
        except ProviderError as error:
            return feedback.context_of(query), (
                f"the question could not be embedded ({error.code}): it is recognised by its words only",
            )
        return feedback.context_of(query, self._embedder.name, vector), ()

    def _judge(
        self,
        verb: str,
        record_id: str,
        change: Change,
        *,
        visible: Criteria | None,
        reason: str | None = None,
        actor: str | None = None,
        missing: tuple[str, ...] = (),
    ) -> Receipt:
        """One operation: the record changes, and what hangs on it follows."""
        scale = self._config.current.trust

        def work(tx: Tx) -> tuple[str, int, int]:
            at = self._clock()
            pk = tx.records.find_pk(record_id, visible, now=at)
            old = tx.records.columns_of(pk)
            assert old is not None
            op = tx.journal.begin(verb, at=at, scope_pk=old["scope_pk"], actor=actor, reason=reason)
            new = change(tx, op, pk, old)
            moved = belief({**old, **new}, scale) - belief(old, scale)
            count = 1 + propagate(tx, op, {pk: moved}, visible=visible, scale=scale)
            op.finish(count)
            return op.id, pk, count

        operation, pk, count = self._store.write(work)
        with self._store.read() as tx:
            found = tx.records.load([pk])
        return Receipt(
            operation=operation,
            ids=(record_id,),
            records=tuple(found.values()),
            count=count,
            missing=missing,
            event="UPDATE",
        )
