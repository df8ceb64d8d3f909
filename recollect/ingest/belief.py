"""`confirm`, `flag`, `feedback`: what people and agents say about records, and what follows from it.

An id may also be a relation's. A relation that nobody stated is a guess. Confirmed, it counts as stated, is certain and
does not fade; called wrong, it is withdrawn and not found again. Whether it helped moves it up or down a little, until
it falls below what pruning keeps.

A person's word about a record makes a version of it, as any change of theirs does. Counts of what helped do not: the
record says what it said, and one that is used much would drown in versions. What was thought of it before stays known
all the same (`store.before`). All of it is journalled, with what it moved elsewhere, so that one undo takes everything
back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.deadline import TimedCalls, within
from recollect.errors import NotFound, ProviderError, UsageError
from recollect.ingest import check
from recollect.ingest.material import Anchoring, anchored_to_code
from recollect.ingest.propagate import belief, propagate
from recollect.ingest.replaced import refuse_if_ended
from recollect.ingest.requests import request_reading
from recollect.ingest.screening import released_columns
from recollect.model.anchor import ATTRIBUTE as ANCHORS
from recollect.model.columns import RecordRow
from recollect.model.query import Criteria
from recollect.model.result import Receipt
from recollect.model.scope import GLOBAL
from recollect.model.screening import waits_for_approval
from recollect.providers.base import Embedder
from recollect.providers.health import embed_in_time
from recollect.store import feedback
from recollect.store.base import Store, Tx
from recollect.store.edges import DECAYED_TO
from recollect.store.feedback import Context
from recollect.store.journal import Op
from recollect.store.rows import from_json, to_json

# Changes the record it is given with its old columns; the columns it set.
Change = Callable[[Tx, Op, int, Mapping[str, Any]], dict[str, Any]]

_FULL_STRENGTH = 1.0  # what a new record has
_FLAGGED_SHARE = 0.5  # what is left of the confidence of a stated relation that somebody calls wrong


class Judging:
    """Judgements over one store."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        config: LiveConfig,
        clock: Clock,
        anchor: Anchoring = lambda rows, scope: None,
    ) -> None:
        self._anchor = anchor
        self._edges = JudgedEdges(store, config, clock)
        self._store = store
        self._embedder = embedder
        self._calls = TimedCalls()
        self._config = config
        self._clock = clock

    def confirm(self, record_id: str, *, visible: Criteria | None, actor: str | None = None) -> Receipt:
        """A person's word that a record is right: certain, as strong as on its first day, and safe from fading."""
        if self._edges.holds(record_id):
            return self._edges.confirm(record_id, visible=visible, actor=actor)
        before, anchored = self._anchored_again(record_id, visible)

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
            if anchored != before == old["attributes"]:  # what a person calls right is right of the code as it is now
                new["attributes"] = anchored
            if released := released_columns(old):  # a person has looked at it: out of quarantine, and read like others
                new |= released
                request_reading(tx, now=op.at)
            tx.records.revise(op, pk, new)
            return new

        return self._judge("confirm", record_id, change, visible=visible, actor=actor)

    def approve(self, record_id: str, *, visible: Criteria | None, actor: str | None = None) -> Receipt:
        """Let in what waited for approval: it is read and found like any other from now on. It is not believed more."""

        self.refuse_unless_waiting(record_id, visible=visible)

        def change(tx: Tx, op: Op, pk: int, old: Mapping[str, Any]) -> dict[str, Any]:
            new = released_columns(old)
            request_reading(tx, now=op.at)
            tx.records.revise(op, pk, new)
            return new

        return self._judge("approve", record_id, change, visible=visible, actor=actor)

    def refuse_unless_waiting(self, record_id: str, *, visible: Criteria | None) -> None:
        """`UsageError` for a record that does not wait for approval."""
        with self._store.read() as tx:
            columns = tx.records.columns_of(tx.records.find_pk(record_id, visible, now=self._clock()))
        if columns is None or not waits_for_approval(from_json(columns["attributes"], {})):
            raise UsageError(f"record {record_id} does not wait for approval; `review` shows what does")

    def is_edge(self, any_id: str) -> bool:
        """Whether an id is that of a relation."""
        return self._edges.holds(any_id)

    def _anchored_again(self, record_id: str, visible: Criteria | None) -> tuple[str | None, str | None]:
        """The attributes of a record, as they are and with anchors in the code of today. Files are read for that."""
        with self._store.read() as tx:
            columns = tx.records.columns_of(tx.records.find_pk(record_id, visible, now=self._clock()))
            assert columns is not None
            row, scope = RecordRow(**columns), tx.scopes.load(columns["scope_pk"]) or GLOBAL
        if f'"{ANCHORS}"' in (row.attributes or ""):
            anchored_to_code([row], scope, self._anchor)
        return columns["attributes"], row.attributes

    def flag(self, record_id: str, *, reason: Any, visible: Criteria | None, actor: str | None = None) -> Receipt:
        """A report that a record is wrong: it waits for review, and a confirmation before it counts no longer."""
        why = check.reason(reason, self._config.current.security)
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
        helped, why = bool(check.flag(helpful, "helpful")), check.reason(reason, self._config.current.security)
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

    def outcome(
        self, record_id: str, *, helped: bool, last: str, visible: Criteria | None, actor: str | None = None
    ) -> Receipt:
        """How something that was done by a record went: counted, with the last outcome in a word."""
        counted = "success_count" if helped else "failure_count"

        def change(tx: Tx, op: Op, pk: int, old: Mapping[str, Any]) -> dict[str, Any]:
            attributes = to_json({**from_json(old["attributes"], {}), "last": last})
            new = {counted: old[counted] + 1, "attributes": attributes}
            tx.records.adjust(op, pk, old, new)
            return new

        return self._judge("outcome", record_id, change, visible=visible, actor=actor)

    def context_of(self, query: str | None) -> tuple[Context | None, tuple[str, ...]]:
        """What is kept of a question, and what could not be. Outside any transaction: a model may be slow."""
        if query is None:
            return None, ()
        if self._embedder is None:
            return feedback.context_of(query), ()
        try:
            with within(self._config.current.recall.timeout_s):
                vector = embed_in_time(self._calls, self._embedder, [query])[0]
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


class _Edge(NamedTuple):
    pk: int
    confidence: float
    extracted: bool
    attributes: dict[str, Any]


EdgeChange = Callable[[Tx, Op, _Edge], None]


class JudgedEdges:
    """Judgements about the relations of one store."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._clock = clock

    def holds(self, any_id: str) -> bool:
        """Whether an id is that of a relation."""
        with self._store.read() as tx:
            return tx.edges.is_known(any_id)

    def confirm(self, edge_id: str, *, visible: Criteria | None, actor: str | None) -> Receipt:
        """It is right: stated from now on, and certain."""

        def change(tx: Tx, op: Op, edge: _Edge) -> None:
            attributes = {name: value for name, value in edge.attributes.items() if name != DECAYED_TO}
            tx.edges.revise(op, edge.pk, {"auto_extracted": 0, "confidence": 1.0, "attributes": to_json(attributes)})

        return self._judge("confirm", edge_id, change, visible=visible, actor=actor)

    def flag(self, edge_id: str, *, reason: str, visible: Criteria | None, actor: str | None) -> Receipt:
        """It is wrong: one that was found is withdrawn, one that somebody stated is believed half as much."""

        def change(tx: Tx, op: Op, edge: _Edge) -> None:
            if edge.extracted:
                tx.endings.reject(op, [edge.pk])
            else:
                tx.edges.revise(op, edge.pk, {"confidence": edge.confidence * _FLAGGED_SHARE})

        return self._judge("flag", edge_id, change, visible=visible, actor=actor, reason=reason)

    def feedback(
        self,
        edge_id: str,
        *,
        helpful: bool,
        reason: str | None,
        visible: Criteria | None,
        actor: str | None,
        missing: tuple[str, ...] = (),
    ) -> Receipt:
        """Whether it helped. One that was found, and helped too seldom to be kept by pruning, is withdrawn at once."""
        settings = self._config.current
        moved = settings.trust.success_bonus if helpful else -settings.trust.failure_penalty

        def change(tx: Tx, op: Op, edge: _Edge) -> None:
            confidence = min(1.0, max(0.0, edge.confidence + moved))
            if edge.extracted and confidence < settings.graph.prune_min_confidence:
                tx.endings.reject(op, [edge.pk])
            elif confidence != edge.confidence:
                tx.edges.revise(op, edge.pk, {"confidence": confidence})

        return self._judge("feedback", edge_id, change, visible=visible, actor=actor, reason=reason, missing=missing)

    def _judge(
        self,
        verb: str,
        edge_id: str,
        change: EdgeChange,
        *,
        visible: Criteria | None,
        actor: str | None,
        reason: str | None = None,
        missing: tuple[str, ...] = (),
    ) -> Receipt:
        def work(tx: Tx) -> str:
            at = self._clock()
            edge = _live(tx, edge_id)
            if visible is not None and not tx.edges.is_seen(edge.pk, visible, now=at):
                raise NotFound(f"no record or relation has the id {edge_id}")
            scope_pk = tx.edges.scope_pk(edge.pk)
            op = tx.journal.begin(verb, at=at, scope_pk=scope_pk, actor=actor, reason=reason)
            change(tx, op, edge)
            op.finish(1)
            return op.id

        operation = self._store.write(work)
        return Receipt(operation=operation, ids=(edge_id,), count=1, missing=missing, event="UPDATE")


def _live(tx: Tx, edge_id: str) -> _Edge:
    pk = tx.edges.find_pk(edge_id)
    row = tx.edges.columns_of(pk, ("confidence", "auto_extracted", "attributes"))
    return _Edge(pk, row[0], bool(row[1]), from_json(row[2], {}))
