"""Entities and relations of a file, as they come into a store."""

from __future__ import annotations

from typing import Any

from recollect.exchange.arriving import Arriving
from recollect.exchange.arriving_records import Rows
from recollect.exchange.names import derived_id
from recollect.exchange.restore import insert_rows
from recollect.store import changes
from recollect.store.base import Tx
from recollect.store.entities import SPLIT_FROM
from recollect.store.journal import Op

# By its id; else one of that name that was here before. Two of one name in the file are two, as somebody said there.
_KNOWN = (
    "SELECT pk FROM entity WHERE id = ? UNION ALL SELECT pk FROM entity WHERE folded = ? AND scope_pk = ? AND type = ? "
    "AND retired_at IS NULL AND pk <= ? LIMIT 1"
)
_HIDDEN = (
    "SELECT 1 FROM edge e JOIN member m ON m.edge_pk = e.pk JOIN record r ON r.pk = m.record_pk "
    "WHERE e.id = ? AND r.scope_pk NOT IN KEYS(?) LIMIT 1"
)


def take_entities(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        scope_pk = state.pk("scope", row["scope_pk"])
        id_ = state.free_id(tx, "entity", row)
        found = tx.sql.value(_KNOWN, (id_, row["folded"], scope_pk, row["type"], state.entities_before))
        if found is not None:
            state.rows["entity"].add(row["pk"], found if state.came_before("entity", found) else -found)
            continue
        own = row | {"id": id_, "scope_pk": scope_pk}
        del own["pk"]
        pk = tx.sql.insert(
            f"INSERT INTO entity ({', '.join(own)}) VALUES ({', '.join('?' * len(own))})", list(own.values())
        )
        state.rows["entity"].add(row["pk"], pk)
        _move_origin(state, tx, pk)
        if not row.get("found"):  # what was recognised in texts is there as long as they are
            op.inserted("entity", pk, pk)
        tx.changes.announce("entity", pk, pk)
        state.out.entities += 1
    return 0


def _move_origin(state: Arriving, tx: Tx, pk: int) -> None:
    """An entity that was split off another remembers which one; here that one has another key."""
    path = f"$.{SPLIT_FROM}"
    came_from = tx.sql.value("SELECT attributes ->> ? FROM entity WHERE pk = ?", (path, pk))
    if came_from is not None:
        origin = state.pk("entity", came_from if isinstance(came_from, int) else None)
        tx.sql.run(
            "UPDATE entity SET attributes = CASE WHEN ? IS NULL THEN json_remove(attributes, ?) "
            "ELSE json_set(attributes, ?, ?) END WHERE pk = ?",
            (origin, path, path, origin, pk),
        )


def take_aliases(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        named_by, entity_pk = row.get("record_pk"), state.pk("entity", row["entity_pk"])
        learned = named_by is not None and state.new("record", named_by) is not None
        if learned or (named_by is None and state.new("entity", row["entity_pk"]) is not None):
            values = (entity_pk, row["folded"], state.pk("record", named_by))
            if not tx.sql.value("SELECT 1 FROM alias WHERE entity_pk = ? AND folded = ? AND record_pk IS ?", values):
                tx.sql.run("INSERT INTO alias (entity_pk, folded, record_pk) VALUES (?, ?, ?)", values)
    return 0


def take_mentions(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    new = (
        (state.new("record", row["record_pk"]), state.pk("entity", row["entity_pk"]), row.get("surface"))
        for row in rows
    )
    sql = "INSERT OR IGNORE INTO mention (record_pk, entity_pk, surface) VALUES (?, ?, ?)"
    tx.sql.many(sql, (each for each in new if each[0] is not None))
    return 0


def take_edges(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Relations that are not there yet; their members come after them."""
    first = int(tx.sql.value("SELECT seq FROM sqlite_sequence WHERE name = 'edge'") or 0) + 1
    fresh: list[dict[str, Any]] = []
    for row in rows:
        id_ = derived_id(state.inside.key, row["id"]) if _is_hidden(state, tx, row["id"]) else row["id"]
        found = tx.sql.value("SELECT pk FROM edge WHERE id = ?", (id_,))
        if found is not None:
            state.rows["edge"].add(row["pk"], found if state.came_before("edge", found) else -found)
            continue
        state.rows["edge"].add(row["pk"], first + len(fresh))
        fresh.append(row | {"pk": first + len(fresh), "id": id_})
    if fresh:
        insert_rows(tx, "edge", fresh)
        op.inserted("edge", first, first + len(fresh) - 1)
        state.out.edges += len(fresh)
    return 0


def take_edges_before(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """What was thought before of relations that are new here."""
    new = [row | {"edge_pk": state.new("edge", row["edge_pk"])} for row in rows]
    insert_rows(tx, "edge_before", [row for row in new if row["edge_pk"] is not None], again="IGNORE")
    return 0


def _is_hidden(state: Arriving, tx: Tx, edge_id: str) -> bool:
    """Whether the id is taken by a relation that is not seen from here."""
    if not state.bound:
        return False
    seen = tx.sql.keys(tx.scopes.visible(state.inside) or [])
    return bool(tx.sql.value(_HIDDEN, (edge_id, seen)))


def take_members(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    found = [
        (state.new("edge", row["edge_pk"]), state.pk("record", row["record_pk"]), row["role"], row["position"])
        for row in rows
    ]
    new = [each for each in found if each[0] is not None]
    tx.sql.many("INSERT OR IGNORE INTO member (edge_pk, record_pk, role, position) VALUES (?, ?, ?, ?)", new)
    for first, last in changes.spans(sorted({each[0] for each in new if each[0] is not None})):
        tx.changes.announce("edge", first, last)
    return 0
