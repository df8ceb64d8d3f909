"""An export brought into a store that has a past of its own, or into one scope of it.

What is there already stays as it is: a record with the same id is left alone, and told of if it says something else.
What is new comes with its id, all its versions and both its times. All of it is one operation, stored in portions;
run again after an interruption, it goes on with what is missing. What was done in the other store is not taken over:
it was not done here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from recollect.exchange.checked import Line, rows_of
from recollect.exchange.derived import drop_circles, index_records, request_work, scope_of
from recollect.exchange.names import derived_id
from recollect.exchange.restore import insert_rows, portions
from recollect.exchange.source import Source
from recollect.model.scope import Scope
from recollect.store import changes, long_operation, scopes, vectors
from recollect.store.base import Store, Tx
from recollect.store.journal import Op
from recollect.store.long_operation import Begun
from recollect.store.rows import content_hash

CONFLICTS_SHOWN = 20


@dataclass(slots=True)
class Known:
    """Rows of one table of the file by their keys, and where they are in the store. Negative: it was there before."""

    keys: array[int] = field(default_factory=lambda: array("q"))
    pks: array[int] = field(default_factory=lambda: array("q"))

    def add(self, key: int, pk: int) -> None:
        self.keys.append(key)
        self.pks.append(pk)

    def pk(self, key: int | None) -> int | None:
        """The row, whether it is new or not."""
        found = self._at(key)
        return None if found is None else abs(found)

    def new(self, key: int | None) -> int | None:
        """The row, if it came in with this import."""
        found = self._at(key)
        return found if found is not None and found > 0 else None

    def up_to(self, key: int) -> int:
        """The last row that came in with a key up to this one; 0 for none."""
        at = bisect_right(self.keys, key)
        return next((pk for pk in reversed(self.pks[:at]) if pk > 0), 0)

    def _at(self, key: int | None) -> int | None:
        if key is None:
            return None
        at = bisect_right(self.keys, key) - 1
        return self.pks[at] if at >= 0 and self.keys[at] == key else None


@dataclass(slots=True, kw_only=True)
class Merged:
    """What an import did."""

    operation: str | None = None
    records: int = 0
    versions: int = 0
    unchanged: int = 0
    edges: int = 0
    entities: int = 0
    sessions: int = 0
    conflicts: list[str] = field(default_factory=list)
    conflict_count: int = 0
    circles: int = 0


class Merge:
    """One import. Everything lands inside the scope `inside`, whatever the file says; `bound`, exactly in it."""

    def __init__(
        self, store: Store, clock: Callable[[], int], *, inside: Scope, bound: bool, actor: str | None
    ) -> None:
        self._store = store
        self._clock = clock
        self._inside = inside
        self._bound = bound  # to what its scope sees
        self._actor = actor
        self._begun: Begun | None = None
        self._rows = {name: Known() for name in ("scope", "session", "record", "entity", "edge", "space")}
        self._marks: list[tuple[str, int, int, int]] = []  # (table, pk, consolidated_to, asked_to) as the file has them
        self._turns: list[tuple[int, int]] = []  # statements whose turn comes later in the file: (pk, key of the turn)
        self._edges_before = 0
        self.out = Merged()

    def run(self, source: Source, watch: Callable[[int], None]) -> Merged:
        """Store what is new of a file that was looked through before."""
        with self._store.read() as tx:
            self._edges_before = int(tx.value("SELECT max(pk) FROM edge") or 0)
        steps = {
            "scope": self._scopes, "session": self._sessions, "record": self._records, "gap": self._gaps,
            "entity": self._entities, "alias": self._aliases, "mention": self._mentions, "edge": self._edges,
            "member": self._members, "feedback": self._feedback, "space": self._spaces, "vector": self._vectors,
        }  # fmt: skip
        for table, lines in groupby(rows_of(source), key=lambda line: line.table.name):
            for portion in portions(lines):
                if table in steps:
                    self._write(steps[table], portion)
                watch(portion[-1].done)
        self._write(self._finish, [])
        if self._stored_nothing():
            self._store.write(self._withdraw)
        else:
            self.out.operation = self._begun.id if self._begun else None
        return self.out

    def _stored_nothing(self) -> bool:
        out = self.out
        return not (out.records or out.versions or out.edges or out.entities or out.sessions)

    def _withdraw(self, tx: Tx) -> None:
        """An import that found everything there already was no operation."""
        assert self._begun is not None
        tx.run("UPDATE audit SET operation_pk = NULL WHERE operation_pk = ?", (self._begun.pk,))
        tx.run("DELETE FROM operation WHERE pk = ?", (self._begun.pk,))

    def _write(self, step: Callable[[Tx, Op, Sequence[dict[str, Any]]], int], portion: Iterable[Line]) -> None:
        rows = [line.values for line in portion]

        def work(tx: Tx) -> Begun:
            scope_pk = scopes.ensure(tx, self._inside) if self._bound or self._inside.items() else None
            op = long_operation.portion(
                tx, self._begun, "import", at=self._clock(), scope_pk=scope_pk, actor=self._actor
            )
            touched = step(tx, op, rows)
            if touched or self._begun is None:
                long_operation.finish(op, touched)
            return Begun(op.pk, op.id)

        self._begun = self._store.write(work)

    def _scopes(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        for row in rows:
            own = {} if self._bound else dict(scope_of(row).items())
            scope = Scope(**own | dict(self._inside.items()))
            known = scopes.find(tx, scope)
            pk = scopes.ensure(tx, scope)
            self._rows["scope"].add(row["pk"], pk)
            if known is None:
                self._marks.append(("scope", pk, row.get("consolidated_to", 0), 0))
        return 0

    def _sessions(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        for row in rows:
            scope_pk = self._rows["scope"].pk(row["scope_pk"])
            found = tx.value("SELECT pk FROM session WHERE id = ? AND scope_pk = ?", (row["id"], scope_pk))
            if found is not None:
                self._rows["session"].add(row["pk"], -found)
                continue
            pk = tx.insert(
                "INSERT INTO session (id, scope_pk, started_at, last_turn_at, consolidated_at, attributes) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (row["id"], scope_pk, row["started_at"], row["last_turn_at"], row.get("consolidated_at"),
                 row.get("attributes")),
            )  # fmt: skip
            self._rows["session"].add(row["pk"], pk)
            self._marks.append(("session", pk, row.get("consolidated_to", 0), row.get("asked_to", 0)))
            self.out.sessions += 1
        return 0

    def _records(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        """Heads that are not there yet, and versions of those that came in."""
        first = int(tx.value("SELECT seq FROM sqlite_sequence WHERE name = 'record'") or 0) + 1
        fresh: list[dict[str, Any]] = []
        records = self._rows["record"]
        for row in rows:
            found = self._settled(tx, row)
            if found is not None:
                records.add(row["pk"], -found)
                continue
            key, pk = row["pk"], first + len(fresh)
            if row.get("turn_pk") is not None and records.pk(row["turn_pk"]) is None:
                self._turns.append((pk, row.pop("turn_pk")))
            row |= {
                "pk": pk, "scope_pk": self._rows["scope"].pk(row["scope_pk"]),
                "content_hash": content_hash(row["content"]),
                **{name: known.pk(row[name]) for name, known in self._referred(row)},
            }  # fmt: skip
            records.add(key, pk)
            fresh.append(row)
        if not fresh:
            return 0
        insert_rows(tx, "record", fresh)
        index_records(tx, [(row["pk"], row) for row in fresh])
        op.inserted("record", first, first + len(fresh) - 1)
        changes.announce(tx, "record", first, first + len(fresh) - 1)
        heads = sum(row.get("head_pk") is None for row in fresh)
        self.out.records += heads
        self.out.versions += len(fresh) - heads
        return heads

    def _referred(self, row: Mapping[str, Any]) -> list[tuple[str, Known]]:
        tables = (("session_pk", "session"), ("head_pk", "record"), ("turn_pk", "record"))
        return [(name, self._rows[table]) for name, table in tables if row.get(name) is not None]

    def _settled(self, tx: Tx, row: dict[str, Any]) -> int | None:
        """The row of the store that stands for one of the file, which is then not stored."""
        if row.get("head_pk") is not None:
            head = self._rows["record"].pk(row["head_pk"])
            row["id"] = tx.value("SELECT id FROM record WHERE pk = ?", (head,)) or row["id"]
            sql = "SELECT pk FROM record WHERE head_pk = ? AND version = ?"
            there = tx.value(sql, (head, row["version"]))
            is_new = self._rows["record"].new(row["head_pk"]) is not None
            return int(there) if there is not None else None if is_new else head
        row["id"] = self._free_id(tx, "record", row["id"], "AND head_pk IS NULL")
        found = tx.one("SELECT pk, content, version FROM record WHERE id = ? AND head_pk IS NULL", (row["id"],))
        if found is None:
            return None
        if (found[1], found[2]) == (row["content"], row["version"]):
            self.out.unchanged += 1
        else:
            self.out.conflict_count += 1
            self.out.conflicts += [row["id"]] if len(self.out.conflicts) < CONFLICTS_SHOWN else []
        return int(found[0])

    def _free_id(self, tx: Tx, table: str, given: str, condition: str = "") -> str:
        """The id, or one made of it, if it is taken by something that is not seen from here: that must not show."""
        if not self._bound:
            return given
        scope_pk = tx.value(f"SELECT scope_pk FROM {table} WHERE id = ? {condition}", (given,))
        if scope_pk is None or scope_pk in (scopes.visible(tx, self._inside) or []):
            return given
        return derived_id(self._inside.key, given)

    def _gaps(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        new = ((self._rows["record"].new(row["record_pk"]), row["from_at"], row["until_at"]) for row in rows)
        tx.many("INSERT OR IGNORE INTO gap VALUES (?, ?, ?)", (each for each in new if each[0] is not None))
        return 0

    def _entities(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        for row in rows:
            scope_pk = self._rows["scope"].pk(row["scope_pk"])
            row["id"] = self._free_id(tx, "entity", row["id"])
            found = tx.value(
                "SELECT pk FROM entity WHERE id = ? UNION ALL SELECT pk FROM entity WHERE folded = ? AND scope_pk = ? "
                "AND type = ? AND retired_at IS NULL LIMIT 1",
                (row["id"], row["folded"], scope_pk, row["type"]),
            )
            if found is not None:
                self._rows["entity"].add(row["pk"], -found)
                continue
            key = row.pop("pk")
            names = [*row]
            values = [scope_pk if name == "scope_pk" else row[name] for name in names]
            sql = f"INSERT INTO entity ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
            pk = tx.insert(sql, values)
            self._rows["entity"].add(key, pk)
            self._move_origin(tx, pk)
            if not row.get("found"):
                op.inserted("entity", pk, pk)
            changes.announce(tx, "entity", pk, pk)
            self.out.entities += 1
        return 0

    def _move_origin(self, tx: Tx, pk: int) -> None:
        """An entity that was split off another remembers which one; here that one has another key."""
        came_from = tx.value("SELECT attributes ->> '$.split_from' FROM entity WHERE pk = ?", (pk,))
        if came_from is not None:
            origin = self._rows["entity"].pk(came_from if isinstance(came_from, int) else None)
            tx.run(
                "UPDATE entity SET attributes = CASE WHEN ? IS NULL THEN json_remove(attributes, '$.split_from') "
                "ELSE json_set(attributes, '$.split_from', ?) END WHERE pk = ?", (origin, origin, pk),
            )  # fmt: skip

    def _aliases(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        records, entities = self._rows["record"], self._rows["entity"]
        for row in rows:
            named_by, entity_pk = row.get("record_pk"), entities.pk(row["entity_pk"])
            learned = named_by is not None and records.new(named_by) is not None
            if learned or (named_by is None and entities.new(row["entity_pk"]) is not None):
                values = (entity_pk, row["folded"], records.pk(named_by))
                tx.run("INSERT INTO alias (entity_pk, folded, record_pk) VALUES (?, ?, ?)", values)
        return 0

    def _mentions(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        records, entities = self._rows["record"], self._rows["entity"]
        new = ((records.new(row["record_pk"]), entities.pk(row["entity_pk"]), row.get("surface")) for row in rows)
        sql = "INSERT OR IGNORE INTO mention (record_pk, entity_pk, surface) VALUES (?, ?, ?)"
        tx.many(sql, (each for each in new if each[0] is not None))
        return 0

    def _edges(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        """Relations that are not there yet; one that an interruption left without members gets them now."""
        first = int(tx.value("SELECT seq FROM sqlite_sequence WHERE name = 'edge'") or 0) + 1
        fresh: list[dict[str, Any]] = []
        for row in rows:
            if self._bound:
                row["id"] = (
                    derived_id(self._inside.key, row["id"]) if self._edge_is_hidden(tx, row["id"]) else row["id"]
                )
            found = tx.one("SELECT pk, (SELECT count(*) FROM member WHERE edge_pk = edge.pk) FROM edge WHERE id = ?",
                           (row["id"],))  # fmt: skip
            if found is not None:
                self._rows["edge"].add(row["pk"], -found[0] if found[1] else found[0])
                continue
            self._rows["edge"].add(row["pk"], first + len(fresh))
            fresh.append(row | {"pk": first + len(fresh)})
        if fresh:
            insert_rows(tx, "edge", fresh)
            op.inserted("edge", first, first + len(fresh) - 1)
            self.out.edges += len(fresh)
        return 0

    def _edge_is_hidden(self, tx: Tx, edge_id: str) -> bool:
        seen = tx.pk_list(scopes.visible(tx, self._inside) or [])
        sql = (
            "SELECT 1 FROM edge e JOIN member m ON m.edge_pk = e.pk JOIN record r ON r.pk = m.record_pk "
            "WHERE e.id = ? AND r.scope_pk NOT IN carray(?) LIMIT 1"
        )
        return bool(tx.value(sql, (edge_id, seen)))

    def _members(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        edges, records = self._rows["edge"], self._rows["record"]
        new = [
            (edges.new(row["edge_pk"]), records.pk(row["record_pk"]), row["role"], row["position"]) for row in rows
        ]  # fmt: skip
        new = [each for each in new if each[0] is not None]
        tx.many("INSERT OR IGNORE INTO member (edge_pk, record_pk, role, position) VALUES (?, ?, ?, ?)", new)
        for first, last in changes.spans(sorted({each[0] for each in new if each[0] is not None})):
            changes.announce(tx, "edge", first, last)
        return 0

    def _feedback(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        """What people said about records that came in counts as long as this import holds."""
        for row in rows:
            pk = self._rows["record"].new(row["record_pk"])
            if pk is not None:
                insert_rows(tx, "feedback", [row | {"record_pk": pk, "operation_pk": op.pk}])
        return 0

    def _spaces(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        """Vectors are taken over where this store has the same model's."""
        for row in rows:
            space = vectors.find_space(tx, row["name"])
            same = space is not None and (space.dimensions, space.dtype) == (row["dimensions"], row["dtype"])
            if space is not None and same:
                self._rows["space"].add(row["pk"], space.pk)
        return 0

    def _vectors(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        found = (
            (self._rows["space"].pk(row["space_pk"]), self._rows["record"].new(row["record_pk"]), row["data"])
            for row in rows
        )
        tx.many("INSERT OR IGNORE INTO vector (space_pk, record_pk, data) VALUES (?, ?, ?)",
                (each for each in found if None not in each[:2]))  # fmt: skip
        return 0

    def _finish(self, tx: Tx, op: Op, rows: Sequence[dict[str, Any]]) -> int:
        """How far sessions and scopes were gone over, circles, and what is left for later."""
        records = self._rows["record"]
        tx.many("UPDATE record SET turn_pk = ? WHERE pk = ?", ((records.pk(key), pk) for pk, key in self._turns))
        for table, pk, consolidated, asked in self._marks:
            tx.run(f"UPDATE {table} SET consolidated_to = ? WHERE pk = ?", (records.up_to(consolidated), pk))
            if table == "session":
                tx.run("UPDATE session SET asked_to = ? WHERE pk = ?", (records.up_to(asked), pk))
        self.out.circles = drop_circles(tx, self._edges_before, every=self._edges_before > 0)
        request_work(tx, now=self._clock())
        return 0
