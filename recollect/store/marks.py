"""What records are found by besides their words: `name=value` marks of their place, facets and related files.

The database keeps the table in step by itself (triggers, see the migration); this module only reads. Past versions
have their marks too, so callers say which rows count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from recollect.store.base import Group

_AFTER_ALL = "\U0010ffff"  # no text goes on with a later character
_ONE_BY_ONE_MAX = 16  # marks whose newest rows are asked for separately
_NEXT = (
    "WITH RECURSIVE next (mark) AS (SELECT min(mark) FROM mark WHERE mark >= ?1 AND mark < ?2 UNION ALL "
    "SELECT (SELECT min(mark) FROM mark WHERE mark > next.mark AND mark < ?2) FROM next WHERE next.mark IS NOT NULL) "
    "SELECT mark FROM next WHERE mark IS NOT NULL LIMIT ?3"
)
_OF_ONE = "SELECT record_pk FROM mark WHERE mark = ? ORDER BY record_pk DESC LIMIT ?"
_OF_MANY = "SELECT record_pk FROM mark WHERE mark IN (SELECT value FROM EACH_ITEM(?)) LIMIT ?"


def mark(name: str, value: object) -> str:
    """One mark as the table holds it."""
    return f"{name}={value}"


class Marks(Group):
    """Where records stand: files, folders, sections, facets."""

    def values(self, name: str, prefix: str = "", *, limit: int) -> list[str]:
        """The distinct values some row has or had under a name that begin so: one seek for each, however many rows."""
        first = mark(name, prefix)
        rows = self.sql.all(_NEXT, (first, first + _AFTER_ALL, limit))
        return [row[0][len(name) + 1 :] for row in rows]

    def paths_named(self, name: str, *, limit: int) -> list[str]:
        """The files some row comes or came from that have this name, in whatever folder."""
        found = self.values("file_name", f"{name}//", limit=limit)
        return [value[len(name) + 2 :] + name for value in found]

    def newest(self, marks: Sequence[str], *, limit: int) -> list[int]:
        """Rows that have one of these marks, past versions included, newest first.

        With many marks and more rows than the limit, which of them come is not promised.
        """
        if len(marks) > _ONE_BY_ONE_MAX:
            rows = self.sql.all(_OF_MANY, (orjson.dumps(list(marks)).decode(), limit))
        else:
            rows = [row for one in marks for row in self.sql.all(_OF_ONE, (one, limit))]
        return sorted({row[0] for row in rows}, reverse=True)[:limit]

    def holding(self, marks: Sequence[str], pks: Iterable[int]) -> list[int]:
        """Which of these rows have one of these marks: a seek for each of both, so let either be few."""
        sql = f"SELECT record_pk FROM mark WHERE mark IN ({', '.join('?' * len(marks))}) AND record_pk IN KEYS(?)"
        return [row[0] for row in self.sql.all(sql, (*marks, self.sql.keys(pks)))]

    def texts(self, column: str, pks: Iterable[int]) -> list[tuple[int, str]]:
        """The place, facets or metadata of rows that have any, as JSON."""
        assert column in ("place", "facets", "metadata")
        sql = f"SELECT r.pk, r.{column} FROM record r WHERE r.pk IN KEYS(?) AND r.{column} IS NOT NULL"
        return [(row[0], row[1]) for row in self.sql.all(sql, (self.sql.keys(pks),))]
