"""Scopes, sessions and records of a file, and what hangs on records alone, as they come into a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.exchange.arriving import CONFLICTS_SHOWN, Arriving, Mark
from recollect.exchange.derived import index_records, scope_of
from recollect.exchange.restore import insert_rows
from recollect.model.scope import Scope
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.rows import content_hash

Rows = Sequence[dict[str, Any]]
_NO_KEY = 2**62  # above any
_REFERRED = (("session_pk", "session"), ("head_pk", "record"), ("turn_pk", "record"))


def take_scopes(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        own = {} if state.bound else dict(scope_of(row).items())
        scope = Scope(**own | dict(state.inside.items()))
        known = tx.scopes.find(scope)
        pk = tx.scopes.ensure(scope)
        state.rows["scope"].add(row["pk"], pk)
        if known is None or _came_before(state, tx, "scope", pk):
            state.marks.append(Mark("scope", pk, row.get("consolidated_to", 0), 0))
    return 0


def take_sessions(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    for row in rows:
        scope_pk = state.pk("scope", row["scope_pk"])
        found = tx.sql.value("SELECT pk FROM session WHERE id = ? AND scope_pk = ?", (row["id"], scope_pk))
        if found is not None:
            state.rows["session"].add(row["pk"], -found)
            if _came_before(state, tx, "session", found):
                state.marks.append(Mark("session", found, row.get("consolidated_to", 0), row.get("asked_to", 0)))
            continue
        pk = tx.sql.insert(
            "INSERT INTO session (id, scope_pk, started_at, last_turn_at, consolidated_at, attributes) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                row["id"],
                scope_pk,
                row["started_at"],
                row["last_turn_at"],
                row.get("consolidated_at"),
                row.get("attributes"),
            ),
        )
        state.rows["session"].add(row["pk"], pk)
        state.marks.append(Mark("session", pk, row.get("consolidated_to", 0), row.get("asked_to", 0)))
        state.out.sessions += 1
    return 0


def _came_before(state: Arriving, tx: Tx, table: str, pk: int) -> bool:
    """Whether a scope or session holds nothing but what the interrupted part of this import brought."""
    if state.came is None:
        return False
    first = state.came.records[0][0] if state.came.records else _NO_KEY
    return tx.sql.value(f"SELECT 1 FROM record WHERE {table}_pk = ? AND pk < ? LIMIT 1", (pk, first)) is None


def take_records(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Records that are not there yet, and the versions of those; how many records there were."""
    first = int(tx.sql.value("SELECT seq FROM sqlite_sequence WHERE name = 'record'") or 0) + 1
    fresh: list[dict[str, Any]] = []
    for row in rows:
        found = _settled(state, tx, row)
        if found is None:
            found = first + len(fresh)
            fresh.append(_placed(state, row, found))
            state.rows["record"].add(row["pk"], found)
        else:
            state.rows["record"].add(row["pk"], found if state.came_before("record", found) else -found)
    if not fresh:
        return 0
    insert_rows(tx, "record", fresh)
    index_records(tx, [(row["pk"], row) for row in fresh])
    op.inserted("record", first, first + len(fresh) - 1)
    tx.changes.announce("record", first, first + len(fresh) - 1)
    heads = sum(row.get("head_pk") is None for row in fresh)
    state.out.records += heads
    state.out.versions += len(fresh) - heads
    return heads


def _placed(state: Arriving, row: dict[str, Any], pk: int) -> dict[str, Any]:
    """The row under its new key, with the keys here of all it refers to."""
    placed = row | {
        "pk": pk,
        "scope_pk": state.pk("scope", row["scope_pk"]),
        "content_hash": content_hash(row["content"]),
    }
    for name, table in _REFERRED:
        if row.get(name) is not None:
            placed[name] = state.pk(table, row[name])
    if row.get("turn_pk") is not None and placed["turn_pk"] is None:
        state.turns.append((pk, row["turn_pk"]))
    return placed


def _settled(state: Arriving, tx: Tx, row: dict[str, Any]) -> int | None:
    """The row of the store that stands for one of the file, which is then not stored."""
    if row.get("head_pk") is not None:
        return _settled_version(state, tx, row)
    row["id"] = state.free_id(tx, "record", row)
    found = tx.sql.one("SELECT pk, content, version FROM record WHERE id = ? AND head_pk IS NULL", (row["id"],))
    if found is None or state.came_before("record", found[0]):
        return None if found is None else int(found[0])
    if (found[1], found[2]) == (row["content"], row["version"]):
        state.out.unchanged += 1
    else:
        state.out.conflict_count += 1
        state.out.conflicts += [row["id"]] if len(state.out.conflicts) < CONFLICTS_SHOWN else []
    return int(found[0])


def _settled_version(state: Arriving, tx: Tx, row: dict[str, Any]) -> int | None:
    """Versions come with their record; of one that was here before, only those that an interruption left out."""
    head = state.pk("record", row["head_pk"])
    row["id"] = tx.sql.value("SELECT id FROM record WHERE pk = ?", (head,)) or row["id"]
    there = tx.sql.value(
        "SELECT pk FROM record WHERE head_pk = ? AND version = ? AND content = ?",
        (head, row["version"], row["content"]),
    )
    if there is not None:
        return int(there)
    return None if state.new("record", row["head_pk"]) is not None else head


def take_gaps(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    new = ((state.new("record", row["record_pk"]), row["from_at"], row["until_at"]) for row in rows)
    tx.sql.many("INSERT OR IGNORE INTO gap VALUES (?, ?, ?)", (each for each in new if each[0] is not None))
    return 0


def take_before(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """What was thought before of records that are new here."""
    new = [row | {"record_pk": state.new("record", row["record_pk"])} for row in rows]
    insert_rows(tx, "record_before", [row for row in new if row["record_pk"] is not None], again="IGNORE")
    return 0


def take_feedback(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """What people said about records that came in counts as long as this import holds."""
    there = "SELECT 1 FROM feedback WHERE record_pk = ? AND operation_pk = ? AND at = ? AND terms = ?"
    for row in rows:
        pk = state.new("record", row["record_pk"])
        if pk is not None and not tx.sql.value(there, (pk, op.pk, row["at"], row["terms"])):
            insert_rows(tx, "feedback", [row | {"record_pk": pk, "operation_pk": op.pk}])
    return 0


def take_spaces(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Vectors are taken over where this store has the same model's; never from whoever does not own the store."""
    for row in [] if state.bound else rows:
        space = tx.vectors.find_space(row["name"])
        if space is not None and (space.dimensions, space.dtype) == (row["dimensions"], row["dtype"]):
            state.rows["space"].add(row["pk"], space.pk)
    return 0


def take_vectors(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    found = ((state.pk("space", row["space_pk"]), state.new("record", row["record_pk"]), row["data"]) for row in rows)
    tx.sql.many(
        "INSERT OR IGNORE INTO vector (space_pk, record_pk, data) VALUES (?, ?, ?)",
        (each for each in found if None not in each[:2]),
    )
    return 0
