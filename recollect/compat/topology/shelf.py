"""Nodes and relations of one store, below the verbs of its memory: ids of the caller's, edges to nodes yet to come.

Everything `put` stores is one operation, so that `memory.undo` takes it back as one. Reading is by the tables; nothing
is kept here between calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from recollect.compat.topology import stored
from recollect.compat.topology.memory_node import MemoryNode
from recollect.compat.topology.storing import Told, put_edges, put_rows, relations
from recollect.compat.topology.topology import ConceptEdge, RelationType
from recollect.exchange.formats.topology import AWAITED
from recollect.ids import id_of_name
from recollect.ingest.embedding import Embedding
from recollect.model.query import Criteria
from recollect.model.record import Tier
from recollect.model.scope import GLOBAL, Reach
from recollect.recall.select import select
from recollect.store.base import Tx
from recollect.store.traverse import Walk, neighbours

if TYPE_CHECKING:
    from recollect.engine import Engine

EVERYTHING = Criteria(reach=Reach.ALL)  # but the archive, where documents and awaited nodes lie
_WALKED = replace(EVERYTHING, tiers=tuple(tier.value for tier in Tier))


class Shelf:
    """What RFC-014 asks of one open store."""

    def __init__(self, engine: Engine, dimensions: int) -> None:
        self.engine = engine
        self._dimensions = dimensions
        self._embedding = Embedding(engine.embedder, engine.store)

    # --- writing ------------------------------------------------------------------------------------------------

    def put(self, nodes: Sequence[MemoryNode]) -> None:
        """Store nodes with the edges they tell. One that is there already becomes its next version."""
        rows = {(row := stored.row_of(node, self._dimensions)).id: row for node in nodes}
        told = [edge for node in nodes for edge in node.outgoing_edges]
        values = [stored.edge_values(edge) for edge in told]
        prepared = self._embedding.prepare([row.content for row in rows.values()])

        def work(tx: Tx) -> None:
            at = self.engine.clock()
            scope_pk = tx.scopes.ensure(GLOBAL)
            op = tx.journal.begin("add", at=at, scope_pk=scope_pk)
            for row in rows.values():
                row.scope_pk, row.created_at, row.updated_at, row.recorded_at = scope_pk, at, at, at
            count = put_rows(tx, op, list(rows.values()), prepared)
            op.finish(count + put_edges(tx, op, told, values, scope_pk))

        self.engine.store.write(work)
        if prepared.missing:
            self.engine.worker.poke()

    # --- reading ------------------------------------------------------------------------------------------------

    def find(self, tx: Tx, node_id: object) -> int | None:
        """The key of a node, awaited ones included."""
        if not isinstance(node_id, str):
            return None
        return tx.records.keys_by_id([id_of_name(node_id)], live=True).get(id_of_name(node_id))

    def nodes(self, tx: Tx, pks: Sequence[int]) -> dict[int, MemoryNode]:
        """Nodes by their keys, in the order given, each with its edges; awaited ones are left out."""
        found = tx.records.load(pks)
        outgoing: dict[int, list[ConceptEdge]] = {}
        incoming: dict[int, list[ConceptEdge]] = {}
        for _, source, target, edge in self.edges(tx, pks):
            outgoing.setdefault(source, []).append(edge)
            incoming.setdefault(target, []).append(edge)
        return {
            pk: stored.node_of(found[pk], outgoing.get(pk, []), incoming.get(pk, []))
            for pk in pks
            if pk in found and found[pk].category != AWAITED
        }

    def edges(self, tx: Tx, pks: Sequence[int] | None = None) -> list[Told]:
        """The relations that some nodes are part of, or all there are, oldest first."""
        return relations(tx, now=self.engine.clock(), among=pks)

    def near(
        self, tx: Tx, pk: int, relation: RelationType | None = None, *, depth: int = 1, direction: str = "both"
    ) -> list[int]:
        """Keys of the nodes within so many steps, nearest first, the node itself left out.

        A walk leads through nodes that are only awaited, and does not end at them.
        """
        labels = stored.LABELS if relation is None else stored.labels_of(relation)
        walk = Walk(criteria=_WALKED, now=self.engine.clock(), labels=labels, direction=direction)
        return self.counting(tx, list(neighbours(lambda frontier: tx.paths.hop(walk, frontier), [pk], depth)[0]))

    def counting(self, tx: Tx, pks: Sequence[int]) -> list[int]:
        """Those of these records that are nodes, in the order given."""
        seen = set(tx.records.matching(EVERYTHING, now=self.engine.clock(), among=pks))
        return [pk for pk in pks if pk in seen]

    def in_memory(self) -> bool:
        """Whether the indexes of the core can answer. To be asked before a read: it may bring them up to date."""
        return self.engine.indexes.current()

    def newest(self, tx: Tx, limit: int, *, in_memory: bool) -> list[int]:
        """Keys of the nodes that were created last."""
        now = self.engine.clock()
        if in_memory:
            pks = select(tx, self.engine.indexes, EVERYTHING, now=now)[0].pks()
            latest = np.lexsort((-pks, -self.engine.indexes.columns.event_times(pks)))[:limit]
            return cast(list[int], pks[latest].tolist())
        return tx.records.latest(EVERYTHING, now=now, limit=limit)

    def holding(self, tx: Tx, text: str, *, among: Sequence[int] | None, limit: int) -> list[int]:
        """Keys of the nodes whose content has a text in it, in any case, newest first."""
        return tx.records.containing(text, EVERYTHING, now=self.engine.clock(), among=among, limit=limit)
