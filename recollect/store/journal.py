"""Operations and what they replaced.

Every mutation happens inside an `Op`. It notes which rows were new and, for rows that changed, the old values of
exactly the columns it changed. That is all `store.undo` needs to put things back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from recollect.clock import from_us
from recollect.errors import NotFound
from recollect.ids import new_id
from recollect.limits import SPAN_MAX
from recollect.model.audit import AuditEvent
from recollect.model.result import Operation
from recollect.model.scope import Reach, Scope
from recollect.store import changes
from recollect.store.base import Group, Row, Tx


@dataclass(slots=True)
class Op:
    """An operation in progress. `at` is the one time everything in it carries."""

    tx: Tx
    pk: int
    id: str
    at: int
    count: int = 0  # as written already

    def inserted(self, relation: str, first_pk: int, last_pk: int) -> None:
        """These rows are new."""
        for low, high in _chop(first_pk, last_pk):
            self._note(relation, low, high, None, None)

    def changed(
        self, relation: str, pks: Iterable[int], before: dict[str, Any], *, other_pk: int | None = None
    ) -> None:
        """These rows (ascending) changed; all of them had these values before."""
        image = orjson.dumps(before).decode()
        for first_pk, last_pk in changes.spans(list(pks)):
            for low, high in _chop(first_pk, last_pk):
                self._note(relation, low, high, other_pk, image)

    def _note(self, relation: str, first_pk: int, last_pk: int, other_pk: int | None, before: str | None) -> None:
        self.tx.sql.run(
            "INSERT INTO journal (operation_pk, relation, first_pk, last_pk, other_pk, before) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (self.pk, relation, first_pk, last_pk, other_pk, before),
        )

    def finish(self, count: int, *, final: bool = False, detail: Mapping[str, Any] | None = None) -> None:
        """Say how many records it touched, and whether it can never be undone; leave a trace in the audit."""
        if final or count != self.count:
            self.tx.sql.run("UPDATE operation SET count = ?, final = ? WHERE pk = ?", (count, int(final), self.pk))
        _audited(self, count, detail or {}, erased=final)


def _chop(first_pk: int, last_pk: int) -> Iterator[tuple[int, int]]:
    for low in range(first_pk, last_pk + 1, SPAN_MAX):
        yield low, min(low + SPAN_MAX - 1, last_pk)


# Whether what made the record `r` was undone.
MAKING_UNDONE = (
    "EXISTS (SELECT 1 FROM journal j JOIN operation o ON o.pk = j.operation_pk WHERE j.relation = 'record' "
    f"AND j.before IS NULL AND j.first_pk BETWEEN r.pk - {SPAN_MAX} AND r.pk AND j.last_pk >= r.pk "
    "AND o.undone_by IS NOT NULL)"
)

_SELECT = (
    "SELECT o.pk, o.id, o.verb, o.at, o.count, s.project, s.squad, s.agent_id, s.channel, s.user_id, o.actor, "
    "o.reason, o.undone_by, u.id FROM operation o LEFT JOIN scope s ON s.pk = o.scope_pk "
    "LEFT JOIN operation u ON u.pk = o.undoes"
)


def _operation_of(row: Row) -> Operation:
    _, id_, verb, at, count, project, squad, agent_id, channel, user_id, actor, reason, undone_by, undoes = row
    scope = Scope(project=project, squad=squad, agent_id=agent_id, channel=channel, user_id=user_id)
    return Operation(
        id=id_,
        verb=verb,
        at=from_us(at),
        count=count,
        scope=scope,
        actor=actor,
        reason=reason,
        undone=undone_by is not None,
        undoes=undoes,
    )


class Replaced(NamedTuple):
    """What an operation replaced of one row; None where the row was new."""

    operation_pk: int
    at: int
    before: dict[str, Any] | None


class TierMove(NamedTuple):
    """Records that moved from one tier to another."""

    id: int
    at: int
    verb: str
    record_ids: tuple[str, ...]
    from_tier: str
    to_tier: str
    reason: str | None


class Begun(NamedTuple):
    """An operation whose first portion is durable."""

    pk: int
    id: str


class LaterOperation(NamedTuple):
    """What was done after some moment. `holds`: it was not undone, nor is it the undoing of another of them."""

    id: str
    verb: str
    at: int
    holds: bool


class Journal(Group):
    """Operations and what they replaced."""

    def begin(
        self,
        verb: str,
        *,
        at: int,
        scope_pk: int | None = None,
        actor: str | None = None,
        reason: str | None = None,
        undoes: int | None = None,
        count: int = 0,
    ) -> Op:
        """Open an operation; it becomes visible with the commit of the transaction."""
        op_id = new_id()
        pk = self.sql.insert(
            "INSERT INTO operation (id, verb, at, scope_pk, actor, reason, undoes, count) VALUES (?, ?, ?, ?, ?, "
            "?, ?, ?)",
            (op_id, verb, at, scope_pk, actor, reason, undoes, count),
        )
        return Op(self.tx, pk, op_id, at, count)

    def operations(self, *, scope_pks: list[int] | None, limit: int, before_pk: int | None = None) -> list[Operation]:
        """The newest operations first, those of the given scopes only."""
        where, params = ["1 = 1"], []
        if scope_pks is not None:
            where.append("o.scope_pk IN KEYS(?)")
            params.append(self.sql.keys(scope_pks))
        if before_pk is not None:
            where.append("o.pk < ?")
            params.append(before_pk)
        sql = f"{_SELECT} WHERE {' AND '.join(where)} ORDER BY o.pk DESC LIMIT ?"
        return [_operation_of(row) for row in self.sql.all(sql, [*params, limit])]

    def scope_pk(self, pk: int) -> int | None:
        """The scope that an operation was for."""
        found: int | None = self.sql.value("SELECT scope_pk FROM operation WHERE pk = ?", (pk,))
        return found

    def moves(self, record_id: str | None, *, limit: int) -> list[TierMove]:
        """Moves between tiers, of one record or of all, newest first."""
        condition, params = "1 = 1", list[Any]()
        if record_id is not None:
            condition, params = "EXISTS (SELECT 1 FROM EACH_ITEM(node_ids) n WHERE n.value = ?)", [record_id]
        rows = self.sql.all(
            "SELECT id, timestamp, operation, node_ids, from_tier, to_tier, reasoning FROM evolution_log "
            f"WHERE {condition} ORDER BY id DESC LIMIT ?",
            [*params, limit],
        )
        return [TierMove._make((*row[:3], tuple(orjson.loads(row[3]) if row[3] else ()), *row[4:])) for row in rows]

    def newest_at(self) -> int | None:
        """When something was last done; None if nothing ever was."""
        found = self.sql.value("SELECT at FROM operation ORDER BY pk DESC LIMIT 1")
        return None if found is None else int(found)

    def oldest_at(self) -> int | None:
        """When the first thing was done that the journal knows; None if nothing ever was."""
        found = self.sql.value("SELECT at FROM operation ORDER BY pk LIMIT 1")
        return None if found is None else int(found)

    def newest_erasure(self) -> int:
        """The key of the newest operation that can never be undone; 0 if there is none."""
        return int(self.sql.value("SELECT coalesce(max(pk), 0) FROM operation WHERE final = 1"))

    def later_than(self, at: int, after_id: str | None = None) -> list[LaterOperation]:
        """What was done after a moment, or after the operation of that id if there is one; the newest first."""
        known = self.sql.value("SELECT pk FROM operation WHERE id = ?", (after_id,)) if after_id else None
        where, given = ("at > ?", at) if known is None else ("pk > ?", known)
        rows = self.sql.all(
            f"SELECT pk, id, verb, at, undone_by, undoes FROM operation WHERE {where} ORDER BY pk DESC", (given,)
        )
        found = {pk for pk, *_ in rows}
        return [
            LaterOperation(id_, verb, int(moment), holds=undone is None and undoes not in found)
            for _, id_, verb, moment, undone, undoes in rows
        ]

    def newest_entry(self) -> int:
        """Where the journal ends: what is done now comes after it."""
        return int(self.sql.value("SELECT coalesce(max(pk), 0) FROM journal"))

    def ids_beginning(self, beginning: str, *, limit: int = 8) -> list[str]:
        """Ids of operations that begin so."""
        rows = self.sql.all(
            "SELECT id FROM operation WHERE id >= ? AND id < ? ORDER BY 1 LIMIT ?", (beginning, beginning + "g", limit)
        )
        return [row[0] for row in rows]

    def first_contents(self, operation_ids: Sequence[str]) -> dict[str, str]:
        """For each of these operations the text of the first record it touched, as it is now; without what is gone."""
        rows = self.sql.all(
            "SELECT o.id, (SELECT r.content FROM journal j JOIN record r ON r.pk = j.first_pk "
            "WHERE j.operation_pk = o.pk AND j.relation = 'record' ORDER BY j.pk LIMIT 1) "
            "FROM EACH_ITEM(?) given JOIN operation o ON o.id = given.value",
            (orjson.dumps(list(operation_ids)).decode(),),
        )
        return {id_: content for id_, content in rows if content is not None}

    def operation_pk(self, operation_id: str, scope: Scope | None = None) -> int:
        """The key of an operation; through a scoped handle only if all it touched is within the handle's sight or
        scope.
        """
        row = self.sql.one("SELECT pk, scope_pk FROM operation WHERE id = ?", (operation_id,))
        if row is None or (scope is not None and self._reaches_beyond(row[0], row[1], scope)):
            raise NotFound(f"no operation has the id {operation_id}; `operations()` lists them")
        return int(row[0])

    def _reaches_beyond(self, pk: int, scope_pk: int | None, scope: Scope) -> bool:
        """A sweep of a wide scope, or a relation its owner made, may have touched what the handle does not see."""
        visible = self.tx.scopes.visible(scope) or []
        if scope_pk not in visible:
            return True
        within = self.sql.keys([*visible, *(self.tx.scopes.visible(scope, Reach.INSIDE) or [])])
        return bool(
            self.sql.value(
                "SELECT 1 FROM journal j JOIN record r ON r.pk BETWEEN j.first_pk AND j.last_pk "
                "WHERE j.operation_pk = ? AND j.relation = 'record' AND r.scope_pk NOT IN KEYS(?) "
                "UNION ALL SELECT 1 FROM journal j JOIN member m ON m.edge_pk BETWEEN j.first_pk AND j.last_pk "
                "JOIN record r ON r.pk = m.record_pk "
                "WHERE j.operation_pk = ? AND j.relation = 'edge' AND r.scope_pk NOT IN KEYS(?) LIMIT 1",
                (pk, within, pk, within),
            )
        )

    def scope_of(self, pk: int) -> int | None:
        """The scope of an operation; None: of no one scope."""
        scope_pk: int | None = self.sql.value("SELECT scope_pk FROM operation WHERE pk = ?", (pk,))
        return scope_pk

    def count_of(self, pk: int) -> int:
        """How many rows an operation changed, by its own count."""
        return int(self.sql.value("SELECT count FROM operation WHERE pk = ?", (pk,)))

    def records_of(self, pk: int, *, limit: int) -> list[str]:
        """The ids of records that an operation changed."""
        rows = self.sql.all(
            "SELECT r.id FROM journal j JOIN record r ON r.pk BETWEEN j.first_pk AND j.last_pk "
            "WHERE j.operation_pk = ? AND j.relation = 'record' GROUP BY r.id ORDER BY min(j.pk), min(r.pk) LIMIT ?",
            (pk, limit),
        )
        return [row[0] for row in rows]

    def left_without_vector(self, pk: int) -> bool:
        """Whether a live record that an operation brought back lacks a vector: a model may have come meanwhile."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM journal j JOIN record r ON r.pk BETWEEN j.first_pk AND j.last_pk AND LIVE(r) "
                "WHERE j.operation_pk = ? AND j.relation = 'record' "
                "AND EXISTS (SELECT 1 FROM space s WHERE s.state <> 'retired' AND NOT EXISTS "
                "(SELECT 1 FROM vector v WHERE v.space_pk = s.pk AND v.record_pk = r.pk)) LIMIT 1",
                (pk,),
            )
        )

    def replaced_of_record(self, pk: int) -> list[Replaced]:
        """Everything that was ever replaced of a record, newest first."""
        rows = self.sql.all(
            "SELECT j.operation_pk, o.at, j.before FROM journal j JOIN operation o ON o.pk = j.operation_pk "
            "WHERE j.relation = 'record' AND j.first_pk BETWEEN ? AND ? AND j.last_pk >= ? ORDER BY j.pk DESC",
            (pk - SPAN_MAX + 1, pk, pk),
        )
        return [Replaced(operation_pk, at, orjson.loads(text) if text else None) for operation_pk, at, text in rows]

    def operations_on_record(self, pk: int) -> list[tuple[int, Operation]]:
        """(key, operation) of everything that touched a record, oldest first."""
        rows = self.sql.all(
            f"{_SELECT} WHERE o.pk IN (SELECT operation_pk FROM journal WHERE relation = 'record' "
            "AND first_pk BETWEEN ? AND ? AND last_pk >= ?) ORDER BY o.pk",
            (pk - SPAN_MAX + 1, pk, pk),
        )
        return [(int(row[0]), _operation_of(row)) for row in rows]

    def of_row(self, row_pk: int, *, now: int, verb: str) -> Op:
        """The operation that stored a row of a record: what follows from the row belongs to it, and goes when it is
        undone. A new one, of this verb, when the journal knows it no more."""
        pk = self.stored_by(row_pk)
        if not pk:
            return self.begin(verb, at=now)
        return Op(self.tx, pk, str(self.sql.value("SELECT id FROM operation WHERE pk = ?", (pk,))), now)

    def stored_by(self, row_pk: int) -> int:
        """The key of the operation that stored a row of a record; 0 when the journal knows it no more."""
        pk = self.sql.value(
            "SELECT min(operation_pk) FROM journal WHERE relation = 'record' "
            "AND first_pk BETWEEN ? AND ? AND last_pk >= ? AND before IS NULL",
            (row_pk - SPAN_MAX + 1, row_pk, row_pk),
        )
        return int(pk or 0)

    def drop(self, op: Op) -> None:
        """Take an operation back that has changed nothing: there is nothing to undo."""
        self.sql.run("DELETE FROM operation WHERE pk = ?", (op.pk,))

    def portion(self, begun: Begun | None, verb: str, *, at: int, scope_pk: int | None, actor: str | None) -> Op:
        """The operation for the next portion: the one that was begun, unless somebody has undone it meanwhile."""
        if begun is not None and self.sql.value("SELECT undone_by IS NULL FROM operation WHERE pk = ?", (begun.pk,)):
            return Op(self.tx, begun.pk, begun.id, at)
        return self.begin(verb, at=at, scope_pk=scope_pk, actor=actor)


def finish(op: Op, count: int) -> None:
    """Add a portion's records to the count, and leave a trace in the audit."""
    op.tx.sql.run("UPDATE operation SET count = count + ? WHERE pk = ?", (count, op.pk))
    _audited(op, count, {})


# What operations of some verbs are to the audit; of all others, something was written.
_EVENTS = {
    "export": AuditEvent.EXPORT_CREATED,
    "import": AuditEvent.IMPORT_ATTEMPTED,
    "erase_user": AuditEvent.PERSON_ERASED,
}


def _audited(op: Op, count: int, detail: Mapping[str, Any], *, erased: bool = False) -> None:
    """Leave a trace in the audit, in the operation's own transaction: under the name of the verb that was called, with
    what it did where that has another name (teaching a skill adds a record)."""
    row = op.tx.sql.one(
        "SELECT o.verb, o.actor, s.key FROM operation o LEFT JOIN scope s ON s.pk = o.scope_pk WHERE o.pk = ?", (op.pk,)
    )
    assert row is not None
    verb, actor, scope = row
    called = verb if op.tx.call is None else op.tx.call.verb.rstrip("_")
    op.tx.audit.append(
        _EVENTS.get(verb, AuditEvent.ERASURE_COMPLETED if erased else AuditEvent.MEMORY_WRITTEN),
        at=op.at,
        verb=called,
        actor=actor,
        scope=scope,
        count=count,
        detail={"operation": op.id, **({} if called == verb else {"did": verb}), **detail},
    )


def adopt(op: Op, operations: Sequence[str]) -> None:
    """Make what these operations did a part of this one; of them only the audit is left."""
    for operation_id in operations:
        row = op.tx.sql.one("SELECT pk, count FROM operation WHERE id = ? AND undone_by IS NULL", (operation_id,))
        if row is not None:
            pk, count = row
            op.tx.sql.run("UPDATE operation SET count = count + ? WHERE pk = ?", (count, op.pk))
            op.tx.sql.run("UPDATE journal SET operation_pk = ? WHERE operation_pk = ?", (op.pk, pk))
            op.tx.sql.run("DELETE FROM operation WHERE pk = ?", (pk,))
