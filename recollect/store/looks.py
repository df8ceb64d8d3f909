"""What a period held, in figures and pairs: for pages that look back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from recollect.store.base import Group

CHARS = 240
_SEEN = "HEAD(r) AND LIVE(r) AND r.flagged = 0 AND r.security = 'cleartext' AND r.tier <> 'archive'"
_AT = "coalesce(r.event_time, r.created_at)"


class FeltRow(NamedTuple):
    """A record that was felt."""

    pk: int
    valence: float
    arousal: float


class LastSession(NamedTuple):
    """A session, and when it began."""

    pk: int
    started_at: int


class Looks(Group):
    """Looks back at a time. Scopes are None for all of them."""

    def days(self, scope_pks: Sequence[int] | None, *, since: int, until: int) -> dict[str, int]:
        """How many records there are of each day (UTC) that has any."""
        within, params = self._within(scope_pks)
        rows = self.sql.all(
            f"SELECT {_AT} / 86400000000, count(*) FROM record r WHERE {_SEEN} AND r.turn_pk IS NULL "
            f"AND {_AT} >= ? AND {_AT} < ? AND {within} GROUP BY 1 ORDER BY 1",
            [since, until, *params],
        )
        return {_date(int(day)): int(count) for day, count in rows}

    def named(self, scope_pks: Sequence[int] | None, *, since: int, until: int, limit: int) -> list[tuple[str, int]]:
        """Who and what is named most, and by how many records."""
        within, params = self._within(scope_pks)
        rows = self.sql.all(
            "SELECT e.name, count(DISTINCT r.pk) FROM record r JOIN mention m ON m.record_pk = r.pk "
            f"JOIN entity e ON e.pk = m.entity_pk AND LIVE(e) AND e.scope_pk = r.scope_pk WHERE {_SEEN} "
            f"AND r.turn_pk IS NULL AND {_AT} >= ? AND {_AT} < ? AND {within} "
            "GROUP BY e.name ORDER BY 2 DESC, 1 LIMIT ?",
            [since, until, *params, limit],
        )
        return [(str(name), int(count)) for name, count in rows]

    def changes(
        self, scope_pks: Sequence[int] | None, *, since: int, until: int, limit: int
    ) -> list[tuple[str, str, str]]:
        """(id, what holds now, what it took the place of), the newest first."""
        within, params = self._within(scope_pks)
        rows = self.sql.all(
            f"SELECT r.id, substr(r.content, 1, {CHARS}), substr(o.content, 1, {CHARS}) FROM edge e "
            "JOIN member a ON a.edge_pk = e.pk AND a.role = 'subject' JOIN member b ON b.edge_pk = e.pk "
            "AND b.role = 'object' JOIN record r ON r.pk = a.record_pk JOIN record o ON o.pk = b.record_pk "
            f"AND o.scope_pk = r.scope_pk AND o.security = 'cleartext' AND o.flagged = 0 AND LIVE(o) "
            f"WHERE e.label = 'supersedes' AND LIVE(e) AND e.recorded_at >= ? AND e.recorded_at < ? AND {_SEEN} "
            f"AND {within} ORDER BY e.recorded_at DESC, e.pk DESC LIMIT ?",
            [since, until, *params, limit],
        )
        return [(str(id_), str(new), str(old)) for id_, new, old in rows]

    def felt(self, scope_pks: Sequence[int] | None, *, since: int, until: int) -> list[FeltRow]:
        """What was felt, as it was given."""
        within, params = self._within(scope_pks)
        rows = self.sql.all(
            f"SELECT r.pk, r.valence, coalesce(r.arousal, 0.0) FROM record r WHERE {_SEEN} AND r.turn_pk IS NULL "
            f"AND r.valence IS NOT NULL AND r.valence <> 0 AND {_AT} >= ? AND {_AT} < ? AND {within} ORDER BY r.pk",
            [since, until, *params],
        )
        return [FeltRow._make(row) for row in rows]

    def last_session(self, scope_pks: Sequence[int] | None, *, besides: str | None) -> LastSession | None:
        """The session that went on last, another than this one."""
        within = "1 = 1" if scope_pks is None else "n.scope_pk IN KEYS(?)"
        params: list[Any] = [] if scope_pks is None else [self.sql.keys(scope_pks)]
        row = self.sql.one(
            f"SELECT n.pk, n.started_at FROM session n WHERE n.id <> ? AND {within} "
            "ORDER BY n.last_turn_at DESC, n.pk DESC LIMIT 1",
            [besides or "", *params],
        )
        return None if row is None else LastSession._make(row)

    def _within(self, scope_pks: Sequence[int] | None) -> tuple[str, list[Any]]:
        return ("1 = 1", []) if scope_pks is None else ("r.scope_pk IN KEYS(?)", [self.sql.keys(scope_pks)])


def _date(day: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()
