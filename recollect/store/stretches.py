"""Everything stored, as background jobs go through it: in portions, each row once, however often a job stops.

How far a job has come is noted beside what it found, in one transaction, so it goes on where it stopped, and two
processes never do the same portion. A record that changed comes again: its earlier version is a row with a new key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from recollect.clock import from_us
from recollect.model.columns import COLUMNS, RecordRow
from recollect.model.roles import MACHINES, is_machine
from recollect.store.base import Group
from recollect.store.documents import CATEGORY
from recollect.store.rows import COPY_COLUMNS

_ROWS = (  # of earlier versions only those that said something else
    "SELECT r.pk, coalesce(r.head_pk, r.pk) FROM record r LEFT JOIN record head ON head.pk = r.head_pk "
    "WHERE r.pk > ? AND (head.pk IS NULL OR head.content_hash <> r.content_hash) ORDER BY r.pk LIMIT ?"
)
_TEXTS = (
    "SELECT r.pk, r.id, r.scope_pk, r.version, r.kind, r.content, r.place, JSON_TEXT(r.metadata, '$.title'), "
    "JSON_TEXT(r.attributes, '$.document'), r.source FROM record r "
    f"WHERE r.pk IN KEYS(?) AND HEAD(r) AND LIVE(r) AND r.category <> '{CATEGORY}' AND r.kind IN ({{}}) ORDER BY r.pk"
)
_TURNS = (
    "SELECT r.pk, r.version, r.content, r.speaker, r.role, coalesce(r.event_time, r.created_at) FROM record r "
    "WHERE r.pk IN KEYS(?) AND HEAD(r) AND LIVE(r) AND r.kind IN ({}) ORDER BY r.pk"
)
TOLD = ("episodic", "semantic", "opinion")  # kinds that people tell; pieces of documents are no news about anyone
_TOLD = (
    "SELECT r.pk, r.scope_pk, r.version, coalesce(r.event_time, r.created_at), r.role, r.speaker, r.content "
    f"FROM record r WHERE {{}} AND HEAD(r) AND LIVE(r) AND r.kind IN {TOLD} "
    "AND r.turn_pk IS NULL ORDER BY r.pk"
)
_AFTER = (
    "SELECT count(DISTINCT h.pk) FROM record r JOIN record h ON h.pk = coalesce(r.head_pk, r.pk) WHERE r.pk > ? "
    "AND LIVE(h) AND h.kind IN ({}) AND (r.pk = h.pk OR r.content_hash <> h.content_hash) AND {}"
)


class RowStretch(NamedTuple):
    """Rows stored since `seen`, as far as `reached`: (key of the row, key of the record it is a version of)."""

    rows: Sequence[tuple[int, int]]
    seen: int
    reached: int
    last: int

    @property
    def records(self) -> dict[int, int]:
        """The records that are new or changed, each with the last of its rows, in the order of those rows."""
        last = {head: row for row, head in self.rows}
        return dict(sorted(last.items(), key=lambda item: item[1]))

    @property
    def share(self) -> float:
        """How far through the store this is."""
        return self.reached / max(1, self.last)


class TextRow(NamedTuple):
    """A live record whose text may speak of others."""

    pk: int
    id: str
    scope_pk: int
    version: int
    kind: str
    content: str
    place: str | None
    title: str | None
    document: str | None
    source: str | None


class TurnRow(NamedTuple):
    """A live turn that statements may be drawn from."""

    pk: int
    version: int
    content: str
    speaker: str | None
    role: str | None
    at: int

    @property
    def said_at(self) -> datetime:
        return from_us(self.at)

    @property
    def is_machines(self) -> bool:
        return is_machine(self.role)


@dataclass(frozen=True, slots=True)
class ToldRecord:
    """A live record that was told, not drawn from another."""

    pk: int
    scope_pk: int
    version: int
    at: int
    role: str | None
    speaker: str | None
    content: str

    @property
    def by(self) -> tuple[int, str | None, str | None]:
        """Only what one and the same says, in one and the same scope, is compared."""
        return self.scope_pk, self.role, self.speaker


_UNREAD = "perceived IS NULL AND HEAD(record) AND LIVE(record)"


class Stretches(Group):
    """What jobs have to look at next, and how far each has come."""

    def next(self, key: str, limit: int) -> RowStretch | None:
        """What a job has to look at next; None when it has seen everything. `key` names the job."""
        seen, last = self.tx.meta.number(key), self.newest_row()
        if seen >= last:
            return None
        rows = self.sql.all(_ROWS, (seen, limit))
        reached = rows[-1][0] if len(rows) == limit else last
        return RowStretch([(row[0], row[1]) for row in rows], seen, reached, last)

    def move_on(self, key: str, done: RowStretch) -> bool:
        """Note that a stretch is done; False if another process has done it, and nothing should be kept of it."""
        if self.tx.meta.number(key) != done.seen:
            return False
        self.tx.meta.note(key, done.reached)
        return True

    def newest_row(self) -> int:
        """The key of the newest row that was ever stored."""
        return self.sql.next_key("record") - 1

    def texts(self, pks: Iterable[int], kinds: Sequence[str]) -> dict[int, TextRow]:
        """Live records of these kinds by key, but for those of whole documents."""
        rows = self.sql.all(_TEXTS.format(_marks(kinds)), (self.sql.keys(pks), *kinds))
        return {row[0]: TextRow(*row) for row in rows}

    def turns(self, pks: Iterable[int], kinds: Sequence[str]) -> list[TurnRow]:
        """The live ones of these turns, in their order."""
        return [TurnRow(*row) for row in self.sql.all(_TURNS.format(_marks(kinds)), (self.sql.keys(pks), *kinds))]

    def told(self, pks: Iterable[int]) -> dict[int, ToldRecord]:
        """What of these was told and is live, by key."""
        rows = self.sql.all(_TOLD.format("r.pk IN KEYS(?)"), (self.sql.keys(pks),))
        return {row[0]: ToldRecord(*row) for row in rows}

    def told_after(self, pk: int, limit: int) -> list[ToldRecord]:
        """What was told since a row, and is live."""
        return [ToldRecord(*row) for row in self.sql.all(f"{_TOLD.format('r.pk > ?')} LIMIT ?", (pk, limit))]

    def left(self, key: str, kinds: Sequence[str], *, of_machines: bool = True, of_documents: bool = True) -> int:
        """How many records of these kinds a job has still to look at; with or without what machines said, or whole
        documents."""
        if not kinds:
            return 0
        machines = ", ".join(f"'{role}'" for role in sorted(MACHINES))
        only = ["1 = 1"]
        if not of_machines:
            only.append(f"coalesce(lower(h.role), '') NOT IN ({machines})")
        if not of_documents:
            only.append(f"h.category <> '{CATEGORY}'")
        sql = _AFTER.format(_marks(kinds), " AND ".join(only))
        return int(self.sql.value(sql, (self.tx.meta.number(key), *kinds)))

    def unread_count(self) -> int:
        return int(self.sql.value(f"SELECT count(*) FROM record WHERE {_UNREAD}"))

    def unread_after(self, pk: int, limit: int) -> list[tuple[int, RecordRow]]:
        """The next unread records by key, with all their columns."""
        rows = self.sql.all(
            f"SELECT pk, {COPY_COLUMNS} FROM record BY_INDEX(record_unread) WHERE {_UNREAD} AND pk > ? "
            "ORDER BY pk LIMIT ?",
            (pk, limit),
        )
        return [(key, RecordRow(**dict(zip(COLUMNS, values, strict=True)))) for key, *values in rows]

    def still_unread(self, pks: Iterable[int]) -> set[int]:
        """Those of these that were neither read nor deleted meanwhile."""
        rows = self.sql.all(
            "SELECT pk FROM record WHERE pk IN KEYS(?) AND perceived IS NULL AND LIVE(record)",
            (self.sql.keys(pks),),
        )
        return {row[0] for row in rows}

    def note_read(self, pk: int, values: Mapping[str, Any]) -> None:
        """Write what a text says of itself beside it, without a version: it follows from the text."""
        assert values.keys() <= set(COLUMNS)
        assignments = ", ".join(f"{name} = ?" for name in values)
        self.sql.run(f"UPDATE record SET {assignments} WHERE pk = ?", [*values.values(), pk])
        if "event_time" in values:
            self.tx.changes.announce("record", pk, pk)


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
