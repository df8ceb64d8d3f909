"""Scopes, sessions and records of a file, and what hangs on records alone, as they come into a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.exchange.arriving import CONFLICTS_SHOWN, Arriving, Mark
from recollect.exchange.derived import index_records, scope_of
from recollect.model.scope import Scope
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.rows import content_hash

Rows = Sequence[dict[str, Any]]
_NO_KEY = 2**62  # above any
_SESSION_COLUMNS = ("id", "started_at", "last_turn_at", "consolidated_at", "attributes")
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
        found = tx.arrivals.session(row["id"], scope_pk)
        if found is not None:
            state.rows["session"].add(row["pk"], -found)
            if _came_before(state, tx, "session", found):
                state.marks.append(Mark("session", found, row.get("consolidated_to", 0), row.get("asked_to", 0)))
            continue
        own = {name: row[name] for name in _SESSION_COLUMNS if name in row}
        pk = tx.arrivals.insert_one("session", own | {"scope_pk": scope_pk})
        state.rows["session"].add(row["pk"], pk)
        state.marks.append(Mark("session", pk, row.get("consolidated_to", 0), row.get("asked_to", 0)))
        state.out.sessions += 1
    return 0


def _came_before(state: Arriving, tx: Tx, table: str, pk: int) -> bool:
    """Whether a scope or session holds nothing but what the interrupted part of this import brought."""
    if state.came is None:
        return False
    first = state.came.records[0][0] if state.came.records else _NO_KEY
    return not tx.arrivals.any_record_before(table, pk, first)


def take_records(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Records that are not there yet, and the versions of those; how many records there were."""
    first = tx.arrivals.next_key("record")
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
    tx.arrivals.insert("record", fresh)
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
    found = tx.arrivals.held_record(row["id"])
    if found is None or state.came_before("record", found.pk):
        return None if found is None else found.pk
    if (found.content, found.version) == (row["content"], row["version"]):
        state.out.unchanged += 1
    else:
        state.out.conflict_count += 1
        state.out.conflicts += [row["id"]] if len(state.out.conflicts) < CONFLICTS_SHOWN else []
    return found.pk


def _settled_version(state: Arriving, tx: Tx, row: dict[str, Any]) -> int | None:
    """Versions come with their record; of one that was here before, only those that an interruption left out."""
    head = state.pk("record", row["head_pk"])
    row["id"] = tx.arrivals.record_id(head) or row["id"]
    there = tx.arrivals.held_version(head, row["version"], row["content"])
    if there is not None:
        return there
    return None if state.new("record", row["head_pk"]) is not None else head


def take_gaps(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    new = [row | {"record_pk": state.new("record", row["record_pk"])} for row in rows]
    tx.arrivals.insert("gap", [row for row in new if row["record_pk"] is not None], again=True)
    return 0


def take_before(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """What was thought before of records that are new here."""
    new = [row | {"record_pk": state.new("record", row["record_pk"])} for row in rows]
    tx.arrivals.insert("record_before", [row for row in new if row["record_pk"] is not None], again=True)
    return 0


def take_feedback(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """What people said about records that came in counts as long as this import holds."""
    for row in rows:
        pk = state.new("record", row["record_pk"])
        if pk is not None and not tx.arrivals.judged(pk, op, row["at"], row["terms"]):
            tx.arrivals.insert("feedback", [row | {"record_pk": pk, "operation_pk": op.pk}])
    return 0


def take_spaces(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    """Vectors are taken over where this store has the same model's; never from whoever does not own the store."""
    for row in [] if state.bound else rows:
        space = tx.vectors.find_space(row["name"])
        if space is not None and (space.dimensions, space.dtype) == (row["dimensions"], row["dtype"]):
            state.rows["space"].add(row["pk"], space.pk)
    return 0


def take_vectors(state: Arriving, tx: Tx, op: Op, rows: Rows) -> int:
    found = [
        row | {"space_pk": state.pk("space", row["space_pk"]), "record_pk": state.new("record", row["record_pk"])}
        for row in rows
    ]
    here = [row for row in found if row["space_pk"] is not None and row["record_pk"] is not None]
    tx.arrivals.insert("vector", here, again=True)
    return 0
