"""What sessions of coding agents came to: what was concluded from them, what they cost, how much is known by now.

Figures outlive the events they were counted from. Bookkeeping like these: no operation and no journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import orjson

from recollect.store.base import Group


class MeterRow(NamedTuple):
    """What a session cost and was spared; whose it is, is filled in by the store."""

    steps: int
    edited: int
    searches: int
    first_reads: int
    hinted: int
    reads: int
    rereads: int
    errors: int
    recurrences: int
    looked: int
    unsized: int
    told: int
    asked: int
    injected: int
    scope_pk: int = 0
    client: str = ""
    id: str = ""
    at: int = 0


class MetError(NamedTuple):
    """An error that a session met; `cure` as JSON."""

    tool: str
    error: str
    times: int
    cure: str | None


class LogFigures(NamedTuple):
    """How much is known of agents at work."""

    sessions: int
    open: int  # not concluded since their last event
    events: int
    oldest: int | None
    errors: int
    cured: int


METERS_MAX = 20_000  # sessions whose figures are kept
_METER = ", ".join(MeterRow._fields[:14])


class AccountRows(Group):
    """What sessions came to."""

    def note_concluded(self, session_pk: int, *, to: int, outcome: Mapping[str, Iterable[str]]) -> None:
        """Nothing more is concluded from a session until something new happens in it. `outcome`: what it came to."""
        before = self.outcome(session_pk)
        both = {name: list(dict.fromkeys((*before.get(name, ()), *each))) for name, each in outcome.items()}
        self.sql.run(
            "UPDATE agent_session SET concluded_to = ?, outcome = ? WHERE pk = ?",
            (to, orjson.dumps({**before, **both}).decode(), session_pk),
        )

    def outcome(self, session_pk: int) -> dict[str, tuple[str, ...]]:
        """What a session came to: names, and what was noted under them."""
        told = self.sql.value("SELECT outcome FROM agent_session WHERE pk = ?", (session_pk,))
        return {name: tuple(each) for name, each in orjson.loads(told or "{}").items()}

    def errors_met(self, session_pk: int) -> list[MetError]:
        """Each error that a session met, how often, and how it went away if that was in this session."""
        rows = self.sql.all(
            "SELECT r.tool, max(e.error), count(*), "
            "max(CASE WHEN r.cured_at >= s.started_at AND r.cured_at <= s.last_at THEN r.cure END) "
            "FROM agent_event e JOIN agent_session s ON s.pk = e.session_pk JOIN agent_error r "
            "ON r.scope_pk = e.scope_pk AND r.hash = e.error_hash AND r.tool = coalesce(e.tool, '') "
            "WHERE e.session_pk = ? GROUP BY r.pk, r.tool ORDER BY min(e.at), r.pk",
            (session_pk,),
        )
        return [MetError._make(row) for row in rows]

    def edited_before(self, scope_pk: int, tool: str, hash_: str) -> dict[str, set[str]]:
        """The files that each session edited before it met an error for the first time, by the session's id."""
        found: dict[str, set[str]] = {}
        for session, path in self.sql.all(
            "SELECT s.id, f.path FROM (SELECT session_pk, min(at) AS at FROM agent_event WHERE error_hash = ? "
            "AND scope_pk = ? AND coalesce(tool, '') = ? GROUP BY session_pk) m JOIN agent_session s "
            "ON s.pk = m.session_pk LEFT JOIN agent_event e ON e.session_pk = m.session_pk AND e.at < m.at "
            "AND e.type = 'tool' LEFT JOIN agent_file f ON f.event_pk = e.pk AND f.class IN ('edit', 'write')",
            (hash_, scope_pk, tool),
        ):
            found.setdefault(session, set()).update([path] if path else [])
        return found

    def worked_in(self, scope_pks: Sequence[int] | None) -> list[tuple[str, int, bool]]:
        """(file, session, whether it was changed) of all sessions of some scopes (None: all)."""
        within, params = ("1 = 1", ()) if scope_pks is None else ("scope_pk IN KEYS(?)", (self.sql.keys(scope_pks),))
        rows = self.sql.all(
            f"SELECT subject, session_pk, detail FROM agent_signal WHERE kind = 'file_access' AND {within} "
            "ORDER BY subject, session_pk",
            params,
        )
        return [
            (path, pk, any(f'"{each}"' in (detail or "") for each in ("edit", "write"))) for path, pk, detail in rows
        ]

    def log_figures(self, scope_pks: Sequence[int] | None) -> LogFigures:
        """How much there is of some scopes (None: all)."""
        within, keys = ("1 = 1", ()) if scope_pks is None else ("scope_pk IN KEYS(?)", (self.sql.keys(scope_pks),))
        row = self.sql.one(
            f"SELECT (SELECT count(*) FROM agent_session WHERE {within}), "
            f"(SELECT count(*) FROM agent_session WHERE {within} AND derived_to > concluded_to), "
            f"(SELECT count(*) FROM agent_event WHERE {within}), (SELECT min(at) FROM agent_event WHERE {within}), "
            f"(SELECT count(*) FROM agent_error WHERE {within}), "
            f"(SELECT count(*) FROM agent_error WHERE {within} AND cure IS NOT NULL)",
            keys * 6,
        )
        assert row is not None
        return LogFigures._make(row)

    def errors_before(self, session_pk: int) -> list[tuple[str, str]]:
        """(tool, hash) of the errors of a session that came up before it began."""
        return self.sql.all(
            "SELECT r.tool, r.hash FROM agent_error r JOIN agent_session s ON s.scope_pk = r.scope_pk "
            "WHERE s.pk = ? AND r.first_at < s.started_at AND EXISTS (SELECT 1 FROM agent_event e "
            "WHERE e.session_pk = s.pk AND e.error_hash = r.hash) ORDER BY r.pk",
            (session_pk,),
        )

    def put_meter(self, session_pk: int, figures: MeterRow) -> None:
        """The figures of a session in place of those before."""
        names = MeterRow._fields[:14]
        new = ", ".join(f"{name} = excluded.{name}" for name in (*names, "at"))
        self.sql.run(
            f"INSERT INTO agent_meter ({_METER}, scope_pk, client, id, at) "
            f"SELECT {', '.join('?' * len(names))}, scope_pk, client, id, last_at FROM agent_session WHERE pk = ? "
            f"ON CONFLICT (scope_pk, client, id) DO UPDATE SET {new}",
            (*figures[:14], session_pk),
        )

    def meters(self, scope_pks: Sequence[int] | None) -> list[MeterRow]:
        """The figures of all sessions of these scopes (None: all), the newest first."""
        within, params = ("1 = 1", ()) if scope_pks is None else ("scope_pk IN KEYS(?)", (self.sql.keys(scope_pks),))
        rows = self.sql.all(
            f"SELECT {_METER}, scope_pk, client, id, at FROM agent_meter WHERE {within} ORDER BY at DESC, client, id",
            params,
        )
        return [MeterRow._make(row) for row in rows]

    def trim(self) -> None:
        """Let go of the figures of the oldest sessions beyond a number."""
        self.sql.run(
            "DELETE FROM agent_meter WHERE at < (SELECT at FROM agent_meter ORDER BY at DESC LIMIT 1 OFFSET ?)",
            (METERS_MAX,),
        )

    def erase(self, scope_pks: Sequence[int], *, session_id: str | None) -> None:
        """Remove the figures of some scopes, or of one session there."""
        only, named = ("", ()) if session_id is None else (" AND id = ?", (session_id,))
        keys = self.sql.keys(scope_pks)
        self.sql.run(f"DELETE FROM agent_meter WHERE scope_pk IN KEYS(?){only}", (keys, *named))
