"""What comes into a store from outside: rows of an export, under keys of this store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import orjson

from recollect.errors import CycleRefused
from recollect.model.edge import rule_of
from recollect.store.base import Group
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.entities import SPLIT_FROM
from recollect.store.exports import SEQUENCES
from recollect.store.journal import Op

Span = tuple[int, int]
_FILLED = ("scope", "record", "entity", "edge", "operation", "session")
# By its id; else one of that name that was here before. Two of one name in the file are two, as somebody said there.
_KNOWN_ENTITY = (
    "SELECT pk FROM entity WHERE id = ? UNION ALL SELECT e.pk FROM entity e WHERE e.folded = ? AND e.scope_pk = ? "
    "AND e.type = ? AND LIVE(e) AND e.pk <= ? LIMIT 1"
)
_HIDDEN_EDGE = (
    "SELECT 1 FROM edge e JOIN member m ON m.edge_pk = e.pk JOIN record r ON r.pk = m.record_pk "
    "WHERE e.id = ? AND r.scope_pk NOT IN KEYS(?) LIMIT 1"
)


class HeldRecord(NamedTuple):
    """The current version of a record that is here already."""

    pk: int
    content: str
    version: int
    scope_pk: int


class InterruptedImport(NamedTuple):
    """An import that was not finished: its operation, and the rows it had brought."""

    pk: int
    id: str
    records: list[Span]
    edges: list[Span]


class Arrivals(Group):
    """Rows as they come into the store."""

    def is_empty(self) -> bool:
        """Whether nothing was ever stored here."""
        return not any(self.sql.value(f"SELECT EXISTS (SELECT 1 FROM {table})") for table in _FILLED)

    def copy_exactly(self) -> None:
        """Rows of this transaction may refer to later ones; at its end all must be there."""
        self.sql.defer_references()

    def insert(self, table: str, rows: Sequence[Mapping[str, Any]], *, again: bool = False) -> None:
        """Insert rows that have different columns: what a row does not say is as the database has it.

        With `again` a row that is there already is left as it is; without, it is refused.
        """
        twice = " ON CONFLICT DO NOTHING" if again else ""
        for names, alike in groupby(rows, key=tuple):
            into = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}){twice}"
            self.sql.many(into, (tuple(row.values()) for row in alike))

    def insert_one(self, table: str, row: Mapping[str, Any]) -> int:
        """Insert a row; its key."""
        names = ", ".join(row)
        return self.sql.insert(
            f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values())
        )

    def next_key(self, table: str) -> int:
        """The key that the next row of a table gets."""
        return self.sql.next_key(table)

    def newest_key(self, table: str) -> int:
        """The greatest key in a table, 0 if it is empty."""
        return int(self.sql.value(f"SELECT max(pk) FROM {table}") or 0)

    def go_on_after(self, keys: Mapping[str, Any]) -> None:
        """Keys of rows that were erased or dropped elsewhere are not given to others: the journal may speak of them."""
        for name in SEQUENCES:
            most = keys.get(name)
            if type(most) is int and 0 < most < 2**53:
                self.sql.skip_keys(name, most)

    def scope_of_id(self, table: str, id_: str) -> int | None:
        """The scope of the record or entity that has this id."""
        head = "AND HEAD(record)" if table == "record" else ""
        found: int | None = self.sql.value(f"SELECT scope_pk FROM {table} WHERE id = ? {head}", (id_,))
        return found

    def held_record(self, record_id: str) -> HeldRecord | None:
        """The current version of the record with this id."""
        row = self.sql.one(
            "SELECT r.pk, r.content, r.version, r.scope_pk FROM record r WHERE r.id = ? AND HEAD(r)", (record_id,)
        )
        return None if row is None else HeldRecord(*row)

    def held_version(self, head_pk: int | None, version: int, content: str) -> int | None:
        """The row of a past version of a record."""
        found: int | None = self.sql.value(
            "SELECT pk FROM record WHERE head_pk = ? AND version = ? AND content = ?", (head_pk, version, content)
        )
        return found

    def record_id(self, pk: int | None) -> str | None:
        """The id of a record by its key."""
        found: str | None = self.sql.value("SELECT id FROM record WHERE pk = ?", (pk,))
        return found

    def any_record_before(self, table: str, pk: int, before_pk: int) -> bool:
        """Whether a scope or session (`table`) holds a record whose key is below this one."""
        found = self.sql.value(f"SELECT 1 FROM record WHERE {table}_pk = ? AND pk < ? LIMIT 1", (pk, before_pk))
        return found is not None

    def session(self, session_id: str, scope_pk: int | None) -> int | None:
        """The key of a session of a scope."""
        found: int | None = self.sql.value(
            "SELECT pk FROM session WHERE id = ? AND scope_pk = ?", (session_id, scope_pk)
        )
        return found

    def entity(self, row: Mapping[str, Any], scope_pk: int | None, *, up_to_pk: int) -> int | None:
        """The entity that a row of a file stands for: the one of its id, or an older one of its name and type."""
        found: int | None = self.sql.value(_KNOWN_ENTITY, (row["id"], row["folded"], scope_pk, row["type"], up_to_pk))
        return found

    def split_from(self, entity_pk: int) -> Any:
        """What an entity says it was split off from: a key of the store it comes from."""
        return self.sql.value("SELECT JSON_INT(attributes, ?) FROM entity WHERE pk = ?", (f"$.{SPLIT_FROM}", entity_pk))

    def set_split_from(self, entity_pk: int, origin: int | None) -> None:
        """Have an entity remember which one of this store it was split off from; None: none that is here."""
        path = f"$.{SPLIT_FROM}"
        if origin is None:
            self.sql.run("UPDATE entity SET attributes = JSON_DROP(attributes, ?) WHERE pk = ?", (path, entity_pk))
        else:
            self.sql.run(
                "UPDATE entity SET attributes = JSON_PUT(attributes, ?, ?) WHERE pk = ?", (path, origin, entity_pk)
            )

    def alias(self, entity_pk: int | None, folded: str, record_pk: int | None) -> None:
        """A further name of an entity, unless it is known."""
        values = (entity_pk, folded, record_pk)
        if not self.sql.value(
            "SELECT 1 FROM alias WHERE entity_pk = ? AND folded = ? AND record_pk IS NOT DISTINCT FROM ?", values
        ):
            self.sql.run("INSERT INTO alias (entity_pk, folded, record_pk) VALUES (?, ?, ?)", values)

    def edge(self, edge_id: str) -> int | None:
        """The key of a relation, a withdrawn one too."""
        found: int | None = self.sql.value("SELECT pk FROM edge WHERE id = ?", (edge_id,))
        return found

    def edge_is_hidden(self, edge_id: str, visible: Sequence[int]) -> bool:
        """Whether the id is taken by a relation that joins a record outside these scopes."""
        return bool(self.sql.value(_HIDDEN_EDGE, (edge_id, self.sql.keys(visible))))

    def judged(self, record_pk: int, op: Op, at: int, terms: bytes) -> bool:
        """Whether this word about a record has come in with this operation already."""
        there = "SELECT 1 FROM feedback WHERE record_pk = ? AND operation_pk = ? AND at = ? AND terms = ?"
        return bool(self.sql.value(there, (record_pk, op.pk, at, terms)))

    def set_turns(self, pairs: Iterable[tuple[int | None, int]]) -> None:
        """(turn, statement): which turns statements were drawn from, where the turns came later."""
        self.sql.many("UPDATE record SET turn_pk = ? WHERE pk = ?", pairs)

    def gone_over(self, table: str, pk: int, *, consolidated_to: int, asked_to: int) -> None:
        """How far a new scope or session (`table`) was gone over where it comes from, in keys of this store."""
        self.sql.run(f"UPDATE {table} SET consolidated_to = ? WHERE pk = ?", (consolidated_to, pk))
        if table == "session":
            self.sql.run("UPDATE session SET asked_to = ? WHERE pk = ?", (asked_to, pk))

    def any_unread(self) -> bool:
        """Whether a live record was never perceived."""
        return bool(self.sql.value("SELECT 1 FROM record r WHERE r.perceived IS NULL AND HEAD(r) AND LIVE(r) LIMIT 1"))

    def taken_over(self, attribute: str, scope_pk: int, source: str) -> set[str]:
        """What the live records of a scope that came from a source are known by: the values of this attribute."""
        rows = self.sql.all(
            f"SELECT JSON_TEXT(r.attributes, '$.{attribute}') FROM record r WHERE r.scope_pk = ? AND r.source = ? "
            "AND HEAD(r) AND LIVE(r)",
            (scope_pk, source),
        )
        return {row[0] for row in rows}

    def says(self, content_hash: str, scope_pk: int) -> bool:
        """Whether a live record of a scope says the very same."""
        found = self.sql.value(
            "SELECT 1 FROM record r WHERE r.content_hash = ? AND r.scope_pk = ? AND HEAD(r) AND LIVE(r) LIMIT 1",
            (content_hash, scope_pk),
        )
        return found is not None

    def drop_bereft(self, edge_pks: Sequence[int]) -> int:
        """Take out those of these relations that join fewer than two records; how many were taken out."""
        lonely = self.sql.all(
            "SELECT e.pk FROM edge e WHERE e.pk IN KEYS(?) AND (SELECT count(DISTINCT m.record_pk) FROM member m "
            "WHERE m.edge_pk = e.pk) < 2",
            (self.sql.keys(edge_pks),),
        )
        for (pk,) in lonely:
            self.sql.run("DELETE FROM edge WHERE pk = ?", (pk,))
            self.tx.changes.announce("edge", pk, pk)
        return len(lonely)

    def drop_circles(self, after_pk: int, *, every: bool) -> int:
        """Take out relations after this key that lead back to where they start, where their label forbids it.

        A circle needs a relation from an older record to a newer one. Among rows that came in together, only those are
        looked at; where there were relations before, `every` new one. How many were taken out.
        """
        labels = [row[0] for row in self.sql.all("SELECT DISTINCT label FROM edge WHERE pk > ?", (after_pk,))]
        acyclic = [label for label in labels if rule_of(label).acyclic]
        suspects = self.sql.all(
            "SELECT DISTINCT e.pk FROM EACH_ITEM(?) wanted JOIN edge e ON e.label = wanted.value AND e.pk > ? "
            f"AND LIVE(e) JOIN member s ON s.edge_pk = e.pk AND s.role IN {SOURCE_ROLES} "
            f"JOIN member t ON t.edge_pk = e.pk AND t.role IN {TARGET_ROLES} WHERE ? = 1 OR s.record_pk <= t.record_pk",
            (orjson.dumps(acyclic).decode(), after_pk, every),
        )
        dropped = 0
        for (pk,) in suspects:
            try:
                self.tx.edges.refuse_circles(pk, pk)
            except CycleRefused:
                dropped += self.sql.run("DELETE FROM edge WHERE pk = ?", (pk,))
                self.tx.changes.announce("edge", pk, pk)
        return dropped

    def interrupted(self, reason: str, scope_pk: int | None) -> InterruptedImport | None:
        """The newest import into a scope that gives this reason and still holds."""
        row = self.sql.one(
            "SELECT pk, id FROM operation WHERE verb = 'import' AND reason = ? AND scope_pk IS NOT DISTINCT FROM ? "
            "AND undone_by IS NULL ORDER BY pk DESC LIMIT 1",
            (reason, scope_pk),
        )
        if row is None:
            return None
        spans = "SELECT first_pk, last_pk FROM journal WHERE operation_pk = ? AND relation = ? ORDER BY first_pk"
        records, edges = ([(low, high) for low, high in self.sql.all(spans, (row[0], name))] for name in _BROUGHT)
        return InterruptedImport(row[0], row[1], records, edges)

    def give_reason(self, op: Op, reason: str | None) -> None:
        """Why an operation is done, for as long as it is under way."""
        self.sql.run("UPDATE operation SET reason = ? WHERE pk = ?", (reason, op.pk))

    def withdraw(self, operation_pk: int) -> None:
        """An import that found everything there already was no operation."""
        self.sql.run("DELETE FROM journal WHERE operation_pk = ?", (operation_pk,))  # relations that were dropped again
        self.sql.run("DELETE FROM operation WHERE pk = ?", (operation_pk,))


_BROUGHT = ("record", "edge")
