"""Putting back what an operation replaced. Undoing is itself an operation, so it can be undone too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from recollect.clock import Clock
from recollect.errors import CycleRefused, UndoRefused
from recollect.store import before, changes, edges, entities, journal, mentions, records, sessions, statements, vectors
from recollect.store.base import Tx
from recollect.store.journal import SPAN_MAX, Op
from recollect.store.rows import COLUMNS, COPY_COLUMNS
from recollect.store.sqlite import fts

_LATER_SHOWN = 3
_GOES_OVER_SESSIONS = ("consolidate", "maintain")


@dataclass(frozen=True, slots=True)
class _Entry:
    relation: str
    first_pk: int
    last_pk: int
    other_pk: int | None
    before: dict[str, Any] | None


def undo(tx: Tx, target_pk: int, *, clock: Clock, scope_pk: int | None, actor: str | None) -> Op:
    """Restore everything the operation changed, exactly. Refused while later operations rest on it."""
    verb, final, undone_by, undoes = _target(tx, target_pk)
    if final:
        raise UndoRefused(f"this {verb} erased its records for good; there is nothing left to restore")
    if undone_by is not None:
        raise UndoRefused(f"this {verb} is undone already; undo the undo to bring it back")
    entries = _entries(tx, target_pk)
    _refuse_if_built_upon(tx, target_pk, entries)
    op = journal.begin(tx, "undo", at=clock(), scope_pk=scope_pk, actor=actor, undoes=target_pk)
    touched = 0
    for entry in reversed(entries):
        touched += _REVERT[entry.relation](tx, op, entry)
    tx.run("UPDATE operation SET undone_by = ? WHERE pk = ?", (op.pk, target_pk))
    _turn_around(tx, target_pk, undoes)
    if verb in _GOES_OVER_SESSIONS:
        sessions.wait_again(tx, target_pk)
    op.finish(touched)
    return op


def _turn_around(tx: Tx, pk: int, undoes: int | None) -> None:
    """Undoing an undo turns the chain below it around: what it had undone holds again, and what that undid does not."""
    holds = True
    while undoes is not None:
        tx.run("UPDATE operation SET undone_by = ? WHERE pk = ?", (None if holds else pk, undoes))
        pk, undoes, holds = undoes, _target(tx, undoes)[3], not holds


def _target(tx: Tx, pk: int) -> tuple[str, int, int | None, int | None]:
    row = tx.one("SELECT verb, final, undone_by, undoes FROM operation WHERE pk = ?", (pk,))
    assert row is not None
    return row[0], row[1], row[2], row[3]


def _entries(tx: Tx, operation_pk: int) -> list[_Entry]:
    rows = tx.all(
        "SELECT relation, first_pk, last_pk, other_pk, before FROM journal WHERE operation_pk = ? ORDER BY pk",
        (operation_pk,),
    )
    return [_Entry(rel, first, last, other, orjson.loads(b) if b else None) for rel, first, last, other, b in rows]


def _refuse_if_built_upon(tx: Tx, target_pk: int, entries: list[_Entry]) -> None:
    """What was done and undone since cancels out; anything else later on the same rows stands in the way.

    That includes an undo of something earlier: it put the rows back to a state from before the target.
    """
    for entry in entries:
        later = tx.all(
            "SELECT DISTINCT o.verb, o.id FROM journal j JOIN operation o ON o.pk = j.operation_pk "
            "WHERE j.relation = ? AND j.first_pk BETWEEN ? AND ? AND j.last_pk >= ? AND o.pk > ? "
            "AND o.undone_by IS NULL AND (o.undoes IS NULL OR o.undoes < ?) AND NOT (? AND o.verb = 'prune') "
            "ORDER BY o.pk DESC LIMIT ?",
            (
                entry.relation,
                entry.first_pk - SPAN_MAX + 1,
                entry.last_pk,
                entry.first_pk,
                target_pk,
                target_pk,
                entry.relation == "edge" and entry.before is None,  # what was pruned since goes all the same
                _LATER_SHOWN,
            ),
        )
        if later:
            names = ", ".join(f"{verb} {id_}" for verb, id_ in later)
            raise UndoRefused(f"later operations changed the same things; undo them first, newest first: {names}")


def _revert_record(tx: Tx, op: Op, entry: _Entry) -> int:
    if entry.before is None:
        return _remove_new_records(tx, op, entry)
    if "retired_at" in entry.before and len(entry.before) == 1:
        return _revive(tx, op, "record", entry)
    pk = entry.first_pk
    current = records.columns_of(tx, pk)
    if current is None:  # a past version that an undo had dropped
        _reinsert_version(tx, op, pk, entry.before)
        return 0
    values = {name: value for name, value in entry.before.items() if name not in records.BOOKKEEPING}
    if "version" in values:  # what we believed in between stays known
        since = max(current["recorded_at"], _undone_at(tx, op))  # an undo brought back a row with its old date
        records.keep_version(tx, op, pk, {**current, "recorded_at": since})
    else:  # … and so does what was thought of it
        changed = {name: current[name] for name, value in values.items() if current[name] != value}
        before.note_record(tx, op, pk, current["version"], changed)
    if "content" in values:  # vectors of the text that goes; the journal brings back those of the text that comes
        vectors.replace(tx, op, pk, {})
    op.changed("record", [pk], {name: current[name] for name in values})
    records.write_columns(tx, pk, values)
    records.log_tier(tx, op, current, values, "undo")
    return 1


def _undone_at(tx: Tx, op: Op) -> int:
    """When the operation that is being undone happened: since then its outcome was believed."""
    return int(tx.value("SELECT t.at FROM operation u JOIN operation t ON t.pk = u.undoes WHERE u.pk = ?", (op.pk,)))


def _remove_new_records(tx: Tx, op: Op, entry: _Entry) -> int:
    """New records are retired; copies of past versions made on the side are dropped."""
    copies = tx.all(
        f"SELECT pk, {COPY_COLUMNS} FROM record WHERE pk BETWEEN ? AND ? AND head_pk IS NOT NULL",
        (entry.first_pk, entry.last_pk),
    )
    for pk, *values in copies:
        op.changed("record", [pk], dict(zip(COLUMNS, values, strict=True)))
        fts.drop(tx, [pk])
        tx.run("DELETE FROM record WHERE pk = ?", (pk,))
    heads = tx.all(
        "SELECT pk FROM record WHERE pk BETWEEN ? AND ? AND head_pk IS NULL", (entry.first_pk, entry.last_pk)
    )
    going = [row[0] for row in heads]
    return len(records.retire(tx, op, [*going, *statements.lose_turns(tx, op, going)]))


def _reinsert_version(tx: Tx, op: Op, pk: int, image: dict[str, Any]) -> None:
    tx.run(
        f"INSERT INTO record (pk, {COPY_COLUMNS}) VALUES (?{', ?' * len(COLUMNS)})",
        [pk, *(image[name] for name in COLUMNS)],
    )
    fts.put(tx, [(pk, records.searched_terms(image))])
    op.inserted("record", pk, pk)


def _revert_edge(tx: Tx, op: Op, entry: _Entry) -> int:
    if entry.before is None:
        edges.retire(tx, op, range(entry.first_pk, entry.last_pk + 1))
    elif "retired_at" in entry.before and len(entry.before) == 1:
        _revive(tx, op, "edge", entry)
        try:
            edges.refuse_circles(tx, entry.first_pk, entry.last_pk)
        except CycleRefused as error:
            raise UndoRefused(f"a relation that would come back runs against a later one: {error.message}") from None
    else:
        edges.revise(tx, op, entry.first_pk, entry.before)
    return 0


def _revive(tx: Tx, op: Op, table: str, entry: _Entry) -> int:
    """Set `retired_at` of a span back to what it was; the rows may have had different times of retirement since."""
    assert entry.before is not None
    rows = tx.all(
        f"SELECT pk, retired_at FROM {table} WHERE pk BETWEEN ? AND ? ORDER BY retired_at, pk",
        (entry.first_pk, entry.last_pk),
    )
    by_time: dict[int | None, list[int]] = {}
    for pk, retired_at in rows:
        by_time.setdefault(retired_at, []).append(pk)
    if table == "record" and entry.before["retired_at"] is None:
        tx.run(
            "INSERT OR IGNORE INTO gap (record_pk, from_at, until_at) SELECT pk, retired_at, ? FROM record "
            "WHERE pk BETWEEN ? AND ? AND retired_at IS NOT NULL",
            (op.at, entry.first_pk, entry.last_pk),
        )
    if table == "edge" and entry.before["retired_at"] is None:
        before.note_withdrawn(tx, op, entry.first_pk, entry.last_pk)
    for retired_at, pks in by_time.items():
        op.changed(table, pks, {"retired_at": retired_at})
    back = entry.before["retired_at"]
    if back is not None:  # gone again, but believed until now; the time before is a gap
        back = op.at
    tx.run(
        f"UPDATE {table} SET retired_at = ? WHERE pk BETWEEN ? AND ?",
        (back, entry.first_pk, entry.last_pk),
    )
    changes.announce(tx, table, entry.first_pk, entry.last_pk)
    return len(rows) if table == "record" else 0


def _revert_vector(tx: Tx, op: Op, entry: _Entry) -> int:
    assert entry.before is not None
    assert entry.other_pk is not None
    current = tx.value("SELECT data FROM vector WHERE space_pk = ? AND record_pk = ?", (entry.other_pk, entry.first_pk))
    before = {"data": current.hex() if current is not None else None}
    op.changed("vector", [entry.first_pk], before, other_pk=entry.other_pk)
    old = entry.before["data"]
    vectors.write(tx, entry.other_pk, entry.first_pk, bytes.fromhex(old) if old is not None else None)
    return 0


def _revert_entity(tx: Tx, op: Op, entry: _Entry) -> int:
    if entry.before is None:
        entities.withdraw(tx, op, range(entry.first_pk, entry.last_pk + 1))
    else:
        entities.revise(tx, op, entry.first_pk, entry.before)
    return 0


def _revert_mention(tx: Tx, op: Op, entry: _Entry) -> int:
    assert entry.before is not None
    assert entry.other_pk is not None
    mentions.restore(tx, op, entry.first_pk, entry.other_pk, entry.before)
    return 0


_REVERT = {
    "record": _revert_record,
    "edge": _revert_edge,
    "vector": _revert_vector,
    "entity": _revert_entity,
    "mention": _revert_mention,
}
