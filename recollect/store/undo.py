"""Putting back what an operation replaced. Undoing is itself an operation, so it can be undone too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from recollect.clock import Clock
from recollect.errors import CycleRefused, UndoRefused
from recollect.limits import SPAN_MAX
from recollect.model.columns import BOOKKEEPING, COLUMNS
from recollect.store import records
from recollect.store.base import Group
from recollect.store.journal import Op
from recollect.store.rows import COPY_COLUMNS

_LATER_SHOWN = 3
_GOES_OVER_SESSIONS = ("consolidate", "maintain")


@dataclass(frozen=True, slots=True)
class _JournalEntry:
    relation: str
    first_pk: int
    last_pk: int
    other_pk: int | None
    before: dict[str, Any] | None


class Undoing(Group):
    """Putting back what an operation replaced."""

    def undo(self, target_pk: int, *, clock: Clock, scope_pk: int | None, actor: str | None) -> Op:
        """Restore everything the operation changed, exactly. Refused while later operations rest on it."""
        verb, final, undone_by, undoes = self._target(target_pk)
        if final:
            raise UndoRefused(f"this {verb} erased its records for good; there is nothing left to restore")
        if undone_by is not None:
            raise UndoRefused(f"this {verb} is undone already; undo the undo to bring it back")
        entries = self._entries(target_pk)
        self._refuse_if_built_upon(target_pk, entries)
        op = self.tx.journal.begin("undo", at=clock(), scope_pk=scope_pk, actor=actor, undoes=target_pk)
        touched = 0
        for entry in reversed(entries):
            touched += _REVERT[entry.relation](self, op, entry)
        self.sql.run("UPDATE operation SET undone_by = ? WHERE pk = ?", (op.pk, target_pk))
        self._turn_around(target_pk, undoes)
        if verb in _GOES_OVER_SESSIONS:
            self.tx.sessions.wait_again(target_pk)
        op.finish(touched)
        return op

    def _turn_around(self, pk: int, undoes: int | None) -> None:
        """Undoing an undo turns the chain below it around: what it had undone holds again, and what that undid does
        not.
        """
        holds = True
        while undoes is not None:
            self.sql.run("UPDATE operation SET undone_by = ? WHERE pk = ?", (None if holds else pk, undoes))
            pk, undoes, holds = undoes, self._target(undoes)[3], not holds

    def _target(self, pk: int) -> tuple[str, int, int | None, int | None]:
        row = self.sql.one("SELECT verb, final, undone_by, undoes FROM operation WHERE pk = ?", (pk,))
        assert row is not None
        return row[0], row[1], row[2], row[3]

    def _entries(self, operation_pk: int) -> list[_JournalEntry]:
        rows = self.sql.all(
            "SELECT relation, first_pk, last_pk, other_pk, before FROM journal WHERE operation_pk = ? ORDER BY pk",
            (operation_pk,),
        )
        return [
            _JournalEntry(rel, first, last, other, orjson.loads(b) if b else None)
            for rel, first, last, other, b in rows
        ]

    def _refuse_if_built_upon(self, target_pk: int, entries: list[_JournalEntry]) -> None:
        """What was done and undone since cancels out; anything else later on the same rows stands in the way.

        That includes an undo of something earlier: it put the rows back to a state from before the target.
        """
        for entry in entries:
            later = self.sql.all(
                "SELECT o.verb, o.id FROM journal j JOIN operation o ON o.pk = j.operation_pk "
                "WHERE j.relation = ? AND j.first_pk BETWEEN ? AND ? AND j.last_pk >= ? AND o.pk > ? "
                "AND o.undone_by IS NULL AND (o.undoes IS NULL OR o.undoes < ?) AND NOT (? = 1 AND o.verb = 'prune') "
                "GROUP BY o.pk, o.verb, o.id ORDER BY o.pk DESC LIMIT ?",
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

    def _revert_record(self, op: Op, entry: _JournalEntry) -> int:
        if entry.before is None:
            return self._remove_new_records(op, entry)
        if "retired_at" in entry.before and len(entry.before) == 1:
            return self._revive(op, "record", entry)
        pk = entry.first_pk
        current = self.tx.records.columns_of(pk)
        if current is None:  # a past version that an undo had dropped
            self._reinsert_version(op, pk, entry.before)
            return 0
        values = {name: value for name, value in entry.before.items() if name not in BOOKKEEPING}
        if "version" in values:  # what we believed in between stays known
            since = max(current["recorded_at"], self._undone_at(op))  # an undo brought back a row with its old date
            self.tx.records.keep_version(op, pk, {**current, "recorded_at": since})
        else:  # … and so does what was thought of it
            changed = {name: current[name] for name, value in values.items() if current[name] != value}
            self.tx.before.note_record(op, pk, current["version"], changed)
        if "content" in values:  # vectors of the text that goes; the journal brings back those of the text that comes
            self.tx.vectors.replace(op, pk, {})
        op.changed("record", [pk], {name: current[name] for name in values})
        self.tx.records.write_columns(pk, values)
        self.tx.records.log_tier(op, current, values, "undo")
        return 1

    def _undone_at(self, op: Op) -> int:
        """When the operation that is being undone happened: since then its outcome was believed."""
        return int(
            self.sql.value("SELECT t.at FROM operation u JOIN operation t ON t.pk = u.undoes WHERE u.pk = ?", (op.pk,))
        )

    def _remove_new_records(self, op: Op, entry: _JournalEntry) -> int:
        """New records are retired; copies of past versions made on the side are dropped."""
        copies = self.sql.all(
            f"SELECT pk, {COPY_COLUMNS} FROM record WHERE pk BETWEEN ? AND ? AND head_pk IS NOT NULL",
            (entry.first_pk, entry.last_pk),
        )
        for pk, *values in copies:
            op.changed("record", [pk], dict(zip(COLUMNS, values, strict=True)))
            self.tx.text.drop([pk])
            self.sql.run("DELETE FROM record WHERE pk = ?", (pk,))
        heads = self.sql.all(
            "SELECT pk FROM record WHERE pk BETWEEN ? AND ? AND HEAD(record)", (entry.first_pk, entry.last_pk)
        )
        going = [row[0] for row in heads]
        return len(self.tx.records.retire(op, [*going, *self.tx.statements.lose_turns(op, going)]))

    def _reinsert_version(self, op: Op, pk: int, image: dict[str, Any]) -> None:
        self.sql.run(
            f"INSERT INTO record (pk, {COPY_COLUMNS}) VALUES (?{', ?' * len(COLUMNS)})",
            [pk, *(image.get(name) for name in COLUMNS)],
        )
        self.tx.text.put([(pk, records.searched_terms(image))])
        op.inserted("record", pk, pk)

    def _revert_edge(self, op: Op, entry: _JournalEntry) -> int:
        if entry.before is None:
            self.tx.edges.retire(op, range(entry.first_pk, entry.last_pk + 1))
        elif "retired_at" in entry.before and len(entry.before) == 1:
            self._revive(op, "edge", entry)
            try:
                self.tx.edges.refuse_circles(entry.first_pk, entry.last_pk)
            except CycleRefused as error:
                raise UndoRefused(
                    f"a relation that would come back runs against a later one: {error.message}"
                ) from None
        else:
            self.tx.edges.revise(op, entry.first_pk, entry.before)
        return 0

    def _revive(self, op: Op, table: str, entry: _JournalEntry) -> int:
        """Set `retired_at` of a span back to what it was; the rows may have had different times of retirement since."""
        assert entry.before is not None
        rows = self.sql.all(
            f"SELECT pk, retired_at FROM {table} WHERE pk BETWEEN ? AND ? ORDER BY retired_at, pk",
            (entry.first_pk, entry.last_pk),
        )
        by_time: dict[int | None, list[int]] = {}
        for pk, retired_at in rows:
            by_time.setdefault(retired_at, []).append(pk)
        if table == "record" and entry.before["retired_at"] is None:
            self.sql.run(
                "INSERT INTO gap (record_pk, from_at, until_at) SELECT pk, retired_at, ? FROM record "
                "WHERE pk BETWEEN ? AND ? AND retired_at IS NOT NULL ON CONFLICT DO NOTHING",
                (op.at, entry.first_pk, entry.last_pk),
            )
        if table == "edge" and entry.before["retired_at"] is None:
            self.tx.before.note_withdrawn(op, entry.first_pk, entry.last_pk)
        for retired_at, pks in by_time.items():
            op.changed(table, pks, {"retired_at": retired_at})
        back = entry.before["retired_at"]
        if back is not None:  # gone again, but believed until now; the time before is a gap
            back = op.at
        self.sql.run(
            f"UPDATE {table} SET retired_at = ? WHERE pk BETWEEN ? AND ?",
            (back, entry.first_pk, entry.last_pk),
        )
        self.tx.changes.announce(table, entry.first_pk, entry.last_pk)
        return len(rows) if table == "record" else 0

    def _revert_vector(self, op: Op, entry: _JournalEntry) -> int:
        assert entry.before is not None
        assert entry.other_pk is not None
        self.tx.vectors.restore(op, entry.other_pk, entry.first_pk, entry.before)
        return 0

    def _revert_entity(self, op: Op, entry: _JournalEntry) -> int:
        if entry.before is None:
            self.tx.entities.withdraw(op, range(entry.first_pk, entry.last_pk + 1))
        else:
            self.tx.entities.revise(op, entry.first_pk, entry.before)
        return 0

    def _revert_mention(self, op: Op, entry: _JournalEntry) -> int:
        assert entry.before is not None
        assert entry.other_pk is not None
        self.tx.mentions.restore(op, entry.first_pk, entry.other_pk, entry.before)
        return 0


_REVERT = {
    "record": Undoing._revert_record,
    "edge": Undoing._revert_edge,
    "vector": Undoing._revert_vector,
    "entity": Undoing._revert_entity,
    "mention": Undoing._revert_mention,
}
