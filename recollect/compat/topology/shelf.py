"""Nodes and relations of one store, below the verbs of its memory: ids of the caller's, edges to nodes yet to come.

Everything `put` stores is one operation, so that `memory.undo` takes it back as one. Reading is by the tables; nothing
is kept here between calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from recollect.compat.topology import stored
from recollect.compat.topology.memory_node import MemoryNode
from recollect.compat.topology.topology import ConceptEdge, RelationType
from recollect.errors import CycleRefused
from recollect.exchange.formats.topology import AWAITED
from recollect.ids import id_of_name
from recollect.ingest.embedding import Embedding, Prepared
from recollect.language.terms import terms_of
from recollect.model.columns import RecordRow
from recollect.model.edge import CIRCULAR, rule_of
from recollect.model.query import Criteria
from recollect.model.record import Tier
from recollect.model.scope import GLOBAL, Reach
from recollect.model.screening import is_quarantined
from recollect.recall.select import select
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.edges import ToldEdge
from recollect.store.journal import Op
from recollect.store.rows import from_json, to_json
from recollect.store.traverse import Walk, neighbours

if TYPE_CHECKING:
    from recollect.engine import Engine

EVERYTHING = Criteria(reach=Reach.ALL)  # but the archive, where documents and awaited nodes lie
_WALKED = replace(EVERYTHING, tiers=tuple(tier.value for tier in Tier))
Told = tuple[int, int, int, ConceptEdge]  # edge, source, target
_Pair = tuple[int, int]
_There = dict[tuple[_Pair, str], tuple[int, bool]]  # ends and relation -> edge, whether nobody confirmed it

_TOLD = ("confidence", "evidence", "auto_extracted", "attributes", "recorded_at", "id")
_ALWAYS = ("content", "content_hash", "place", "facets", "event_time")


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
        privacy = self.engine.gate.privacy(self.engine.config.current.security, GLOBAL).unsealed
        for row in rows.values():
            privacy.admit_row(row)
        self.engine.gate.admit(rows.values())
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
        if not prepared.complete:
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


def relations(tx: Tx, *, now: int, among: Sequence[int] | None = None) -> list[Told]:
    """The relations that some nodes are part of, or all there are, oldest first."""
    return [_told(edge) for edge in tx.edges.told(tuple(stored.LABELS), now=now, among=among)]


def _told(edge: ToldEdge) -> Told:
    values = {name: getattr(edge, name) for name in _TOLD}
    return edge.pk, edge.source_pk, edge.target_pk, stored.edge_of(edge.source, edge.target, edge.label, values)


# --- nodes ----------------------------------------------------------------------------------------------------------


def put_rows(tx: Tx, op: Op, rows: Sequence[RecordRow], prepared: Prepared) -> int:
    """Store rows, with the vectors prepared for them in their order; how many were new or other than before."""
    known = tx.records.keys_by_id([row.id for row in rows])
    fresh = [at for at, row in enumerate(rows) if row.id not in known]
    if fresh:
        pks = tx.records.insert(op, [rows[at] for at in fresh], [terms_of(rows[at].content) for at in fresh])
        prepared.part(fresh).store(tx, pks, now=op.at)
    again = [at for at, row in enumerate(rows) if row.id in known]
    return len(fresh) + sum(_revise(tx, op, known[rows[at].id], rows[at], prepared.part([at])) for at in again)


def _revise(tx: Tx, op: Op, pk: int, row: RecordRow, prepared: Prepared) -> bool:
    """Make a record what the row says; whether it was something else. One that was deleted comes back."""
    old = tx.records.columns_of(pk)
    assert old is not None
    apart = ("tier", "needs_review", "perceived") if is_quarantined(from_json(row.attributes, {})) else ()
    new = {name: getattr(row, name) for name in (*_ALWAYS, *_also(old), *apart)}
    new |= {"attributes": stored.merged_attributes(row.attributes, old["attributes"]), "retired_at": None}
    changed = {name: value for name, value in new.items() if old[name] != value}
    if not changed:
        return False
    if old["category"] == AWAITED and old["retired_at"] is None:
        _fulfil(tx, op, pk, old, changed, prepared)
        return True
    if old["retired_at"] is not None:
        tx.records.note_gap(pk, retired_at=old["retired_at"], until=op.at)
    if "content" in changed:
        prepared.replace(tx, op, pk)
    tx.records.revise(op, pk, changed)
    return True


def _fulfil(tx: Tx, op: Op, pk: int, old: dict[str, Any], changed: dict[str, Any], prepared: Prepared) -> None:
    """An awaited node has come. Nobody believed anything of it before, so there is no version to keep."""
    stamped = {**changed, "created_at": op.at, "updated_at": op.at, "recorded_at": op.at}
    prepared.replace(tx, op, pk)
    op.changed("record", [pk], {name: old[name] for name in stamped})
    tx.records.write_columns(pk, stamped)


def _also(old: dict[str, Any]) -> tuple[str, ...]:
    """What else becomes as the row says: the sort of what this profile made itself, the tier of what was put away."""
    if old["category"] == AWAITED:
        return "kind", "category", "tier", "decay_rate"
    sort = ("kind", "category") if old["category"] in stored.CATEGORIES else ()
    return (*sort, "tier") if old["tier"] == Tier.ARCHIVE.value else sort


# --- relations ------------------------------------------------------------------------------------------------------


def put_edges(tx: Tx, op: Op, told: Sequence[ConceptEdge], values: Sequence[dict[str, Any]], scope_pk: int) -> int:
    """Store relations; how many nodes are awaited since. One that is there already takes over what is told now."""
    names = list(dict.fromkeys(name for edge in told for name in (edge.source_id, edge.target_id)))
    ids = {name: id_of_name(name) for name in names}
    known = tx.records.keys_by_id(ids.values())
    awaited = [stored.awaited_row(name) for name in names if ids[name] not in known]
    for row in awaited:
        row.scope_pk, row.created_at, row.updated_at, row.recorded_at = scope_pk, op.at, op.at, op.at
    if awaited:
        pks = tx.records.insert(op, awaited, [() for _ in awaited])
        known |= {row.id: pk for row, pk in zip(awaited, pks, strict=True)}
    ends = [(known[ids[edge.source_id]], known[ids[edge.target_id]]) for edge in told]
    there = _there(tx, {pk for pair in ends for pk in pair})
    for edge, pair, kept in zip(told, ends, values, strict=True):
        there |= _put_edge(tx, op, pair, RelationType(edge.relation).value, kept, there)
    return len(awaited)


def _there(tx: Tx, pks: Iterable[int]) -> _There:
    found: _There = {}
    for pk, source, target, edge in relations(tx, now=0, among=list(pks)):
        found |= _entry((source, target), edge.relation.value, pk, edge.auto_extracted)
    return found


def _entry(pair: _Pair, relation: str, pk: int, unconfirmed: bool) -> _There:
    entry: _There = {(pair, relation): (pk, unconfirmed)}
    if rule_of(relation).symmetric:
        entry[pair[::-1], relation] = (pk, unconfirmed)
    return entry


def _put_edge(tx: Tx, op: Op, pair: _Pair, relation: str, values: dict[str, Any], there: _There) -> _There:
    """Store one relation; what to know about it from now on. What somebody confirmed is not made a guess again."""
    pk, unconfirmed = there.get((pair, relation), (None, True))
    if pk is None:
        return _entry(pair, relation, _insert(tx, op, pair, relation, values), values["auto_extracted"])
    if values["auto_extracted"] and not unconfirmed:
        return {}
    columns = {
        "confidence": values["confidence"],
        "evidence": to_json(values["evidence"]),
        "auto_extracted": int(values["auto_extracted"]),
        "attributes": to_json(values["attributes"]),
    }
    if tx.edges.columns_of(pk, tuple(columns)) != tuple(columns.values()):
        tx.edges.revise(op, pk, columns)
    return _entry(pair, relation, pk, values["auto_extracted"])


def _insert(tx: Tx, op: Op, pair: _Pair, relation: str, values: dict[str, Any]) -> int:
    """A new edge; its key. One that closes a circle, which RFC-014 allows and the core does not, gets another label."""
    try:
        ids = tx.edges.insert(op, [edges.pair(*pair, relation, **values)])
    except CycleRefused:
        ids = tx.edges.insert(op, [edges.pair(*pair, CIRCULAR + relation, **values)])
    return tx.edges.find_pk(ids[0])
