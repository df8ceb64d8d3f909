"""Records as the jobs read them that go through everything stored: in portions, each once, however often they stop.

How far a job has come is kept in the store beside what it found, in one transaction, so it goes on where it stopped and
two processes never do the same portion. A record that changed comes again: its earlier version is a row with a new key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from recollect.ingest.requests import STATEMENTS
from recollect.perceive.relations.compared import Compared
from recollect.store.base import Tx
from recollect.store.documents import CATEGORY
from recollect.store.journal import SPAN_MAX, Op
from recollect.store.rows import from_json

_ROWS = (  # of earlier versions only those that said something else
    "SELECT r.pk, coalesce(r.head_pk, r.pk) FROM record r LEFT JOIN record head ON head.pk = r.head_pk "
    "WHERE r.pk > ? AND (head.pk IS NULL OR head.content_hash <> r.content_hash) ORDER BY r.pk LIMIT ?"
)
_NOTES = (
    "SELECT pk, id, scope_pk, version, kind, content, place, metadata ->> '$.title', attributes ->> '$.document', "
    f"source FROM record WHERE pk IN KEYS(?) AND retired_at IS NULL AND head_pk IS NULL AND category <> '{CATEGORY}' "
    "AND kind IN ({}) ORDER BY pk"
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


@dataclass(frozen=True)
class LiveText:
    """A live record."""

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

    @cached_property
    def text(self) -> Compared:
        return Compared.of(self.content)

    @cached_property
    def file_path(self) -> str | None:
        path = from_json(self.place, {}).get("file_path")
        return path if isinstance(path, str) else None

    @property
    def is_code(self) -> bool:
        """Code refers to code in other ways than prose does."""
        return self.source == "code"

    @property
    def is_statement(self) -> bool:
        return self.kind in STATEMENTS


def stretch(tx: Tx, key: str, limit: int) -> RowStretch | None:
    """What a job has to look at next; None when it has seen everything."""
    seen = int(tx.sql.value("SELECT value FROM meta WHERE key = ?", (key,)) or 0)
    last = int(tx.sql.value("SELECT seq FROM sqlite_sequence WHERE name = 'record'") or 0)
    if seen >= last:
        return None
    rows = tx.sql.all(_ROWS, (seen, limit))
    reached = rows[-1][0] if len(rows) == limit else last
    return RowStretch([(row[0], row[1]) for row in rows], seen, reached, last)


def move_on(tx: Tx, key: str, done: RowStretch) -> bool:
    """Note that a stretch is done; False if another process has done it, and nothing should be kept of it."""
    if int(tx.sql.value("SELECT value FROM meta WHERE key = ?", (key,)) or 0) != done.seen:
        return False
    tx.sql.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, str(done.reached)))
    return True


def notes(tx: Tx, pks: Iterable[int], kinds: Sequence[str]) -> dict[int, LiveText]:
    """Live records of these kinds by key, but for those of whole documents."""
    marks = ", ".join("?" * len(kinds))
    rows = tx.sql.all(_NOTES.format(marks), (tx.sql.keys(pks), *kinds))
    return {row[0]: LiveText(*row) for row in rows}


def unchanged(tx: Tx, note: LiveText) -> bool:
    """Whether a record still is as it was read."""
    version = tx.sql.value("SELECT version FROM record WHERE pk = ? AND retired_at IS NULL", (note.pk,))
    return bool(version == note.version)


def operation_of(tx: Tx, row_pk: int, now: int, *, verb: str) -> Op:
    """The operation that stored a row: what follows from the row belongs to it, and goes when it is undone."""
    pk = stored_by(tx, row_pk)
    if not pk:
        return tx.journal.begin(verb, at=now)
    return Op(tx, pk, str(tx.sql.value("SELECT id FROM operation WHERE pk = ?", (pk,))), now)


def stored_by(tx: Tx, row_pk: int) -> int:
    """The key of the operation that stored a row; 0 when the journal knows it no more."""
    pk = tx.sql.value(
        "SELECT min(operation_pk) FROM journal WHERE relation = 'record' "
        "AND first_pk BETWEEN ? AND ? AND last_pk >= ? AND before IS NULL",
        (row_pk - SPAN_MAX + 1, row_pk, row_pk),
    )
    return int(pk or 0)
