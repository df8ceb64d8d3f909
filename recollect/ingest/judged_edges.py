"""`confirm`, `flag` and `feedback` about a relation: a word that promotes one that was found, or takes it away.

What nobody stated is a guess. Confirmed, it counts as stated, is certain and does not fade; called wrong, it is
withdrawn and not found again. Whether it helped moves it up or down a little, until it falls below what pruning keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.errors import NotFound
from recollect.model.query import Criteria
from recollect.model.result import Receipt
from recollect.store.base import Store, Tx
from recollect.store.edges import DECAYED_TO
from recollect.store.journal import Op
from recollect.store.rows import from_json, to_json

_FLAGGED_SHARE = 0.5  # what is left of the confidence of a stated relation that somebody calls wrong


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
                tx.edges.retire(op, [edge.pk])
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
                tx.edges.retire(op, [edge.pk])
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
