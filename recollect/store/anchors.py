"""How the code that records are about stands now: where each anchor is, and in which state it was found.

Made of records and of files, so nothing of it is journalled, exported or undone. What an anchor was when its record was
written is in the record's attributes; a row whose print is of other attributes counts no more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import orjson

from recollect.model.query import Criteria
from recollect.store.base import Group
from recollect.store.marks import mark

_FILES = ("related_file=", "related_file=\U0010ffff")
_COLUMNS = "position, project_pk, print, path, line, end_line, state, size, mtime_ns"


class AnchorRow(NamedTuple):
    """One anchor of a record as it was last found."""

    position: int
    project_pk: int
    print: int
    path: str
    line: int
    end_line: int
    state: str
    size: int
    mtime_ns: int


class AnchoredRecord(NamedTuple):
    """A record that is about code: its key and id, its attributes as JSON, and the project of its scope."""

    pk: int
    id: str
    attributes: str
    project: str | None


class SaidRow(NamedTuple):
    """A record that says something about code."""

    pk: int
    id: str
    category: str
    content: str
    confidence: float
    source: str | None
    needs_review: int
    flagged: int
    user_verified: int
    updated_at: int
    attributes: str


class AnchorRows(Group):
    """Records about code and where that code is."""

    def kept(self, ids: Iterable[str]) -> dict[str, list[AnchorRow]]:
        """What was last found of these records' anchors, by id; records of which nothing was found yet are left out."""
        found: dict[str, list[AnchorRow]] = {}
        for row in self.sql.all(
            f"SELECT r.id, {', '.join(f'a.{name}' for name in _COLUMNS.split(', '))} FROM record r "
            "JOIN code_anchor a ON a.record_pk = r.pk WHERE HEAD(r) AND r.id IN (SELECT value FROM EACH_ITEM(?)) "
            "ORDER BY a.record_pk, a.position",
            (orjson.dumps(list(ids)).decode(),),
        ):
            found.setdefault(row[0], []).append(AnchorRow(*row[1:]))
        return found

    def anchored(self, *, limit: int, ids: Collection[str] | None = None) -> list[AnchoredRecord]:
        """Live records with anchors, the newest first: all of them, or of these."""
        some = (
            "r.pk IN (SELECT record_pk FROM mark WHERE mark >= ? AND mark < ?)"
            if ids is None
            else "r.id IN (SELECT value FROM EACH_ITEM(?))"
        )
        given = _FILES if ids is None else (orjson.dumps(list(ids)).decode(),)
        rows = self.sql.all(
            "SELECT r.pk, r.id, r.attributes, s.project FROM record r JOIN scope s ON s.pk = r.scope_pk "
            f"WHERE {some} AND HEAD(r) AND LIVE(r) AND JSON_PART(r.attributes, '$.anchors') IS NOT NULL "
            "ORDER BY r.pk DESC LIMIT ?",
            (*given, limit),
        )
        return [AnchoredRecord(*row) for row in rows]

    def said(self, criteria: Criteria, *, categories: Sequence[str], now: int, limit: int) -> list[SaidRow]:
        """Records of some categories that are about code, of what the criteria let a reader see, the newest first."""
        clause, params = self.tx.criteria.where(replace(criteria, categories=tuple(categories)), now=now)
        columns = ", ".join(f"r.{name}" for name in SaidRow._fields)
        rows = self.sql.all(
            f"SELECT {columns} FROM record r WHERE r.pk IN (SELECT record_pk FROM mark WHERE mark >= ? AND mark < ?) "
            f"AND HEAD(r) AND JSON_PART(r.attributes, '$.anchors') IS NOT NULL AND {clause} ORDER BY r.pk DESC LIMIT ?",
            [*_FILES, *params, limit],
        )
        return [SaidRow(*row) for row in rows]

    def about_files(
        self, paths: Iterable[str], criteria: Criteria, *, categories: Sequence[str], now: int, limit: int
    ) -> list[int]:
        """Records that come from these files or concern them, of what the criteria let a reader see, newest first."""
        clause, params = self.tx.criteria.where(replace(criteria, categories=tuple(categories)), now=now)
        marks = [mark(name, path) for path in paths for name in ("related_file", "file_path")]
        rows = self.sql.all(
            "SELECT r.pk FROM record r WHERE r.pk IN (SELECT record_pk FROM mark WHERE mark IN "
            f"(SELECT value FROM EACH_ITEM(?))) AND HEAD(r) AND {clause} ORDER BY r.pk DESC LIMIT ?",
            [orjson.dumps(marks).decode(), *params, limit],
        )
        return [row[0] for row in rows]

    def save(self, record_pk: int, rows: Sequence[AnchorRow]) -> None:
        """Put what was found in the place of what was known of a record's anchors."""
        self.sql.run("DELETE FROM code_anchor WHERE record_pk = ?", (record_pk,))
        self.sql.many(
            f"INSERT INTO code_anchor (record_pk, {_COLUMNS}) VALUES ({', '.join('?' * 10)})",
            ((record_pk, *row) for row in rows),
        )

    def orphans(self, criteria: Criteria, *, now: int, limit: int) -> list[int]:
        """Records of which an anchor is orphaned, of what the criteria let a reader see, the newest first."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        rows = self.sql.all(
            "SELECT r.pk FROM record r WHERE r.pk IN (SELECT record_pk FROM code_anchor WHERE state = 'orphaned') "
            f"AND {clause} ORDER BY r.pk DESC LIMIT ?",
            [*params, limit],
        )
        return [row[0] for row in rows]
