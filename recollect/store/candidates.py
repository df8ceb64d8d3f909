"""Rows that a search considers: what it reads of them where no index in memory is at hand, and which matter most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import orjson

from recollect.model.query import Criteria
from recollect.store.base import Group

IMPORTANT_FROM = 0.8  # the partial index `record_important` holds these

_NEIGHBOUR = (
    "(SELECT n.pk FROM record n WHERE n.session_pk = r.session_pk AND n.pk {0} r.pk AND n.kind = 'episodic' "
    "AND LIVE(n) ORDER BY n.pk {1} LIMIT 1)"
)
_NEIGHBOURS = (
    f"SELECT {_NEIGHBOUR.format('<', 'DESC')}, {_NEIGHBOUR.format('>', 'ASC')} FROM record r "
    "WHERE r.pk IN KEYS(?) AND r.session_pk IS NOT NULL AND r.kind = 'episodic'"
)
_ROWS = (
    "SELECT pk, content, coalesce(speaker, role), CASE kind WHEN 'episodic' THEN session_pk END, "
    "coalesce(event_time, created_at), category, tags, metadata FROM record WHERE pk IN KEYS(?) ORDER BY pk"
)


_TIME = "coalesce(r.event_time, r.created_at)"
_TIME_MAX = 1 << 61  # differences of two such times are numbers of 64 bits


def _within(time_us: int) -> int:
    return max(-_TIME_MAX, min(_TIME_MAX, time_us))


class CandidateRow(NamedTuple):
    """What ranking reads of one row; `session_pk` is that of a turn, `tags` and `metadata` are JSON."""

    pk: int
    content: str
    speaker: str | None
    session_pk: int | None
    event_time: int
    category: str
    tags: str | None
    metadata: str | None


class FilesOfRow(NamedTuple):
    """What one row says about files: where it comes from and what it concerns, as JSON."""

    pk: int
    confidence: float
    place: str | None
    metadata: str | None


class Holdings(NamedTuple):
    """What a store holds any of, or ever did: what it never held need not be looked for."""

    names: int  # entities, or records with a subject
    mentions: int
    edges: int
    feedback: int


class Candidates(Group):
    """Rows that a search considers."""

    def holdings(self) -> Holdings:
        """What is there at all, in one statement."""
        sql = (
            "SELECT EXISTS (SELECT 1 FROM entity) OR EXISTS (SELECT 1 FROM record WHERE subject IS NOT NULL), "
            "EXISTS (SELECT 1 FROM mention), EXISTS (SELECT 1 FROM edge), EXISTS (SELECT 1 FROM feedback)"
        )
        return Holdings(*self.sql.all(sql)[0])

    def last_pk(self) -> int:
        """The newest key that was given out; 0 in an empty store."""
        return int(self.sql.value("SELECT max(pk) FROM record") or 0)

    def with_neighbours(self, pks: Sequence[int]) -> list[CandidateRow]:
        """These rows and the turns right before and after them, ascending."""
        every = sorted({*self.beside(pks), *pks})
        return [CandidateRow(*row) for row in self.sql.all(_ROWS, (self.sql.keys(every),))]

    def event_times(self, pks: Sequence[int]) -> dict[int, int]:
        """When rows happened, or else were stored, by key."""
        sql = "SELECT pk, coalesce(event_time, created_at) FROM record WHERE pk IN KEYS(?)"
        return dict(self.sql.all(sql, (self.sql.keys(pks),)))

    def stored_at(self, pk: int) -> int:
        """When a row was stored."""
        return int(self.sql.value("SELECT created_at FROM record WHERE pk = ?", (pk,)))

    def ids(self, pks: Iterable[int]) -> dict[int, str]:
        """The public ids of rows, by key; keys without a row are left out."""
        return dict(self.sql.all("SELECT pk, id FROM record WHERE pk IN KEYS(?)", (self.sql.keys(pks),)))

    def heads(self, pks: Sequence[int]) -> dict[int, int]:
        """The current row of each: relations are kept there, and a search of the past finds earlier versions."""
        sql = "SELECT pk, coalesce(head_pk, pk) FROM record WHERE pk IN KEYS(?)"
        return dict(self.sql.all(sql, (self.sql.keys(pks),)))

    def of_ids(self, record_ids: Sequence[str]) -> dict[int, str]:
        """Ids by the key of the current version, of forgotten records too."""
        sql = "SELECT r.pk, r.id FROM EACH_ITEM(?) given JOIN record r ON r.id = given.value AND HEAD(r)"
        return dict(self.sql.all(sql, (orjson.dumps(list(record_ids)).decode(),)))

    def newest(self, criteria: Criteria, *, now: int, limit: int) -> list[int]:
        """The newest rows that meet the criteria."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        sql = f"SELECT r.pk FROM record r WHERE {clause} ORDER BY r.pk DESC LIMIT ?"
        return [row[0] for row in self.sql.all(sql, [*params, limit])]

    def newest_told(self, criteria: Criteria, *, now: int, limit: int) -> list[int]:
        """The rows that meet the criteria and happened last, the last first."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        sql = f"SELECT r.pk FROM record r WHERE {clause} ORDER BY {_TIME} DESC, r.pk LIMIT ?"
        return [row[0] for row in self.sql.all(sql, [*params, limit])]

    def in_window(
        self,
        criteria: Criteria,
        *,
        now: int,
        edges: tuple[int, int],
        reach: int,
        middle: int | None,
        limit: int,
    ) -> dict[int, int]:
        """When rows happened, by key: those in a window or within `reach` of it, the nearest first.

        Of several inside the nearest to the middle comes first; without one, the newest.
        """
        start, end = edges
        clause, params = self.tx.criteria.where(criteria, now=now)
        second = f"-{_TIME}" if middle is None else f"abs({_TIME} - CAST(? AS BIGINT))"
        sql = (
            f"SELECT r.pk, {_TIME} FROM record r WHERE {_TIME} >= ? AND {_TIME} < ? AND {clause} "
            f"ORDER BY LARGER(LARGER(CAST(? AS BIGINT) - {_TIME}, {_TIME} - CAST(? AS BIGINT)), CAST(0 AS BIGINT)), "
            f"{second}, r.pk DESC LIMIT ?"
        )
        around = [] if middle is None else [middle]
        bounds = [_within(start - reach), _within(end + reach)]
        return dict(self.sql.all(sql, [*bounds, *params, _within(start), _within(end) - 1, *around, limit]))

    def beside(self, pks: Sequence[int]) -> list[int]:
        """The turns right before and after these rows, ascending."""
        pairs = self.sql.all(_NEIGHBOURS, (self.sql.keys(pks),))
        return sorted({pk for pair in pairs for pk in pair if pk is not None})

    def most_important(self, criteria: Criteria, *, now: int, limit: int) -> list[int]:
        """The most important rows that meet the criteria, of those that were marked as important."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        sql = (
            f"SELECT r.pk FROM record r WHERE r.importance >= {IMPORTANT_FROM} AND {clause} "
            "ORDER BY r.importance DESC, r.pk DESC LIMIT ?"
        )
        return [row[0] for row in self.sql.all(sql, [*params, limit])]

    def of_categories(self, pks: Iterable[int], categories: Sequence[str]) -> list[int]:
        """Those of these rows that are of one of the categories."""
        marks = ", ".join("?" * len(categories))
        sql = f"SELECT pk FROM record WHERE pk IN KEYS(?) AND category IN ({marks}) ORDER BY pk"
        return [row[0] for row in self.sql.all(sql, (self.sql.keys(pks), *categories))]

    def files(self, pks: Iterable[int]) -> list[FilesOfRow]:
        """What rows say about files."""
        sql = "SELECT pk, confidence, place, metadata FROM record WHERE pk IN KEYS(?) ORDER BY pk"
        return [FilesOfRow(*row) for row in self.sql.all(sql, (self.sql.keys(pks),))]
