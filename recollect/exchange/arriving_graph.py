"""Entities and relations of a file, as they come into a store."""

from __future__ import annotations

from typing import Any

from recollect.exchange.arriving import Arriving
from recollect.exchange.arriving_records import Rows
from recollect.exchange.names import derived_id
from recollect.store import changes
from recollect.store.base import Tx
from recollect.store.journal import Op


def take_entities(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        scope_pk = state.pk("scope", row["scope_pk"])
        id_ = state.free_id(tx, "entity", row)
        found = tx.arrivals.entity(row | {"id": id_}, scope_pk, up_to_pk=state.entities_before)
        if found is not None:
            state.rows["entity"].add(row["pk"], found if state.came_before("entity", found) else -found)
            continue
        own = row | {"id": id_, "scope_pk": scope_pk}
        del own["pk"]
        pk = tx.arrivals.insert_one("entity", own)
        state.rows["entity"].add(row["pk"], pk)
        _move_origin(state, tx, pk)
        if not row.get("found"):  # what was recognised in texts is there as long as they are
            op.inserted("entity", pk, pk)
        tx.changes.announce("entity", pk, pk)
        state.out.entities += 1
    return 0


def _move_origin(state: Arriving, tx: Tx, pk: int) -> None:
    """An entity that was split off another remembers which one; here that one has another key."""
    came_from = tx.arrivals.split_from(pk)
    if came_from is not None:
        origin = state.pk("entity", came_from if isinstance(came_from, int) else None)
        tx.arrivals.set_split_from(pk, origin)


def take_aliases(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        named_by, entity_pk = row.get("record_pk"), state.pk("entity", row["entity_pk"])
        learned = named_by is not None and state.new("record", named_by) is not None
        if learned or (named_by is None and state.new("entity", row["entity_pk"]) is not None):
            tx.arrivals.alias(entity_pk, row["folded"], state.pk("record", named_by))
    return 0


def take_mentions(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    new = [
        {
            "record_pk": state.new("record", row["record_pk"]),
            "entity_pk": state.pk("entity", row["entity_pk"]),
            "surface": row.get("surface"),
        }
        for row in rows
    ]
    tx.arrivals.insert("mention", [row for row in new if row["record_pk"] is not None], again=True)
    return 0


def take_edges(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Relations that are not there yet; their members come after them."""
    first = tx.arrivals.next_key("edge")
    fresh: list[dict[str, Any]] = []
    for row in rows:
        id_ = derived_id(state.inside.key, row["id"]) if _is_hidden(state, tx, row["id"]) else row["id"]
        found = tx.arrivals.edge(id_)
        if found is not None:
            state.rows["edge"].add(row["pk"], found if state.came_before("edge", found) else -found)
            continue
        state.rows["edge"].add(row["pk"], first + len(fresh))
        fresh.append(row | {"pk": first + len(fresh), "id": id_})
    if fresh:
        tx.arrivals.insert("edge", fresh)
        op.inserted("edge", first, first + len(fresh) - 1)
        state.out.edges += len(fresh)
    return 0


def take_edges_before(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """What was thought before of relations that are new here."""
    new = [row | {"edge_pk": state.new("edge", row["edge_pk"])} for row in rows]
    tx.arrivals.insert("edge_before", [row for row in new if row["edge_pk"] is not None], again=True)
    return 0


def _is_hidden(state: Arriving, tx: Tx, edge_id: str) -> bool:
    """Whether the id is taken by a relation that is not seen from here."""
    if not state.bound:
        return False
    return tx.arrivals.edge_is_hidden(edge_id, tx.scopes.visible(state.inside) or [])


def take_members(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    found = [
        row | {"edge_pk": state.new("edge", row["edge_pk"]), "record_pk": state.pk("record", row["record_pk"])}
        for row in rows
    ]
    new = [row for row in found if row["edge_pk"] is not None]
    tx.arrivals.insert("member", new, again=True)
    for first, last in changes.spans(sorted({row["edge_pk"] for row in new})):
        tx.changes.announce("edge", first, last)
    return 0
