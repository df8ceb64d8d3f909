"""What coding agents did: sessions, events, the files they touched, what can be told from that, and known errors.

Bookkeeping like the change feed: no operation and no journal. It goes with its project, its session or its user.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import orjson

from recollect.store.base import Group

EVENTS_MAX = 1 << 40
_EVENT = "pk, type, at, step, agent, tool, class, target, error, error_hash, detail"


class EventRow(NamedTuple):
    """An event as it is to be stored; `files` are (path, class, JSON)."""

    key: str
    origin: str
    type: str
    at: int
    step: int | None = None
    agent: str | None = None
    tool: str | None = None
    kind: str | None = None
    target: str | None = None
    duration_ms: int | None = None
    error: str | None = None
    error_hash: str | None = None
    error_text: str | None = None  # normalised
    detail: str | None = None
    outside: int = 0
    files: Sequence[tuple[str, str, str | None]] = ()


class TouchedFile(NamedTuple):
    """A file that an event touched."""

    path: str
    kind: str
    detail: dict[str, Any]


class StoredEvent(NamedTuple):
    """An event as it was stored, with its files in their order."""

    pk: int
    type: str
    at: int
    step: int | None
    agent: str | None
    tool: str | None
    kind: str | None
    target: str | None
    error: str | None
    error_hash: str | None
    detail: dict[str, Any]
    files: tuple[TouchedFile, ...] = ()


class SessionRow(NamedTuple):
    """A session with its figures."""

    pk: int
    scope_pk: int
    client: str
    id: str
    root: str
    started_at: int
    last_at: int
    ended_at: int | None
    outside: int
    steps: int
    files: int
    errors: int


class SignalRow(NamedTuple):
    """A signal as it is stored."""

    kind: str
    subject: str
    other: str
    times: int
    at: int
    detail: str | None


class SessionOver(NamedTuple):
    """A session that is over, and was not concluded from since its last event. `cited` are beginnings of ids."""

    pk: int
    scope_pk: int
    id: str
    root: str
    to: int
    cited: frozenset[str]


class RepeatedSignal(NamedTuple):
    """A signal with the session that showed it."""

    session: str
    kind: str
    subject: str
    other: str
    times: int
    at: int
    detail: str | None


class SeenError(NamedTuple):
    """An error that a session met, with all there is about it."""

    tool: str
    text: str
    times: int
    last_at: int
    cure: str | None
    files: tuple[str, ...]
    sessions: tuple[str, ...]
    hash: str


class KnownError(NamedTuple):
    """An error that came up before; `cure` as JSON."""

    tool: str
    hash: str
    text: str
    times: int
    last_at: int
    cure: str | None


class ObservedRows(Group):
    """What agents did."""

    # --- projects -----------------------------------------------------------------------------------------------

    def project_at(self, root: str) -> str | None:
        """The project of a folder, if work there was seen before."""
        name: str | None = self.sql.value("SELECT name FROM agent_project WHERE root = ?", (root,))
        return name

    def root_of(self, project: str) -> str | None:
        """The folder of a project."""
        root: str | None = self.sql.value(
            "SELECT root FROM agent_project WHERE name = ? ORDER BY last_at DESC LIMIT 1", (project,)
        )
        return root

    def name_project(self, root: str, name: str, *, at: int) -> None:
        """Say that work in a folder belongs to a project."""
        self.forget_project(root)
        self.sql.run(
            "INSERT INTO agent_project (root, name, first_at, last_at) VALUES (?, ?, ?, ?)", (root, name, at, at)
        )

    def forget_project(self, root: str) -> None:
        """Nothing is known of that folder any more."""
        self.sql.run("DELETE FROM agent_project WHERE root = ?", (root,))

    def projects(self, *, since: int, limit: int) -> list[tuple[str, str]]:
        """(folder, project) of those worked in since then, the last first."""
        rows = self.sql.all(
            "SELECT root, name FROM agent_project WHERE last_at >= ? ORDER BY last_at DESC LIMIT ?", (since, limit)
        )
        return [(root, name) for root, name in rows]

    # --- events -------------------------------------------------------------------------------------------------

    def session(self, scope_pk: int, client: str, session_id: str, *, root: str, at: int) -> int:
        """The key of a session, begun with its first event."""
        self.sql.run("UPDATE agent_project SET last_at = ? WHERE root = ? AND last_at < ?", (at, root, at))
        return int(
            self.sql.value(
                "INSERT INTO agent_session (scope_pk, client, id, root, started_at, last_at) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (scope_pk, client, id) DO UPDATE SET "
                "last_at = CASE WHEN excluded.last_at > agent_session.last_at THEN excluded.last_at "
                "ELSE agent_session.last_at END, "
                "started_at = CASE WHEN excluded.started_at < agent_session.started_at THEN excluded.started_at "
                "ELSE agent_session.started_at END RETURNING pk",
                (scope_pk, client, session_id, root, at, at),
            )
        )

    def add(self, scope_pk: int, session_pk: int, event: EventRow) -> bool:
        """Store an event; False if it is there already."""
        if self.sql.value("SELECT 1 FROM agent_event WHERE session_pk = ? AND key = ?", (session_pk, event.key)):
            return False
        pk = self.sql.insert(
            "INSERT INTO agent_event (scope_pk, session_pk, key, origin, type, at, step, agent, tool, class, target, "
            "duration_ms, error, error_hash, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (scope_pk, session_pk, *event[:12], event.detail),
        )
        self.sql.many(
            "INSERT INTO agent_file (event_pk, position, path, class, detail) VALUES (?, ?, ?, ?, ?)",
            [(pk, position, *file) for position, file in enumerate(event.files)],
        )
        if event.outside:
            self.sql.run("UPDATE agent_session SET outside = outside + ? WHERE pk = ?", (event.outside, session_pk))
        if event.type == "session_end":
            self.sql.run("UPDATE agent_session SET ended_at = ? WHERE pk = ?", (event.at, session_pk))
        if event.error_hash is not None:
            self._count_error(scope_pk, event)
        return True

    def _count_error(self, scope_pk: int, event: EventRow) -> None:
        self.sql.run(
            "INSERT INTO agent_error (scope_pk, tool, hash, text, count, first_at, last_at) "
            "VALUES (?, ?, ?, ?, 1, ?, ?) ON CONFLICT (scope_pk, tool, hash) DO UPDATE SET "
            "count = agent_error.count + 1, first_at = CASE WHEN excluded.first_at < agent_error.first_at "
            "THEN excluded.first_at ELSE agent_error.first_at END, "
            "last_at = CASE WHEN excluded.last_at > agent_error.last_at "
            "THEN excluded.last_at ELSE agent_error.last_at END",
            (scope_pk, event.tool or "", event.error_hash, event.error_text or "", event.at, event.at),
        )

    def has_hooks(self, session_pk: int) -> bool:
        """Whether hooks told of a session themselves; a transcript then knows no better when it began and ended."""
        sql = "SELECT 1 FROM agent_event WHERE session_pk = ? AND origin = 'hook' LIMIT 1"
        return self.sql.value(sql, (session_pk,)) is not None

    def prompted(self, session_pk: int, text: str) -> int:
        """How many prompts with this print hooks told of."""
        sql = "SELECT detail FROM agent_event WHERE session_pk = ? AND type = 'prompt' AND origin = 'hook'"
        rows = self.sql.all(sql, (session_pk,))
        return sum(1 for (detail,) in rows if detail and orjson.loads(detail).get("text") == text)

    def events(self, session_pk: int, *, last: int = EVENTS_MAX) -> list[StoredEvent]:
        """The events of a session, the last so many, as its client numbered them, else in the order of their times."""
        rows = self.sql.all(
            f"SELECT {_EVENT} FROM agent_event WHERE session_pk = ? ORDER BY at DESC, pk DESC LIMIT ?",
            (session_pk, last),
        )[::-1]
        files: dict[int, list[TouchedFile]] = {}
        for pk, path, kind, detail in self.sql.all(
            "SELECT f.event_pk, f.path, f.class, f.detail FROM agent_file f JOIN agent_event e ON e.pk = f.event_pk "
            "WHERE e.session_pk = ? AND e.at >= ? ORDER BY f.event_pk, f.position",
            (session_pk, rows[0][2] if rows else 0),
        ):
            files.setdefault(pk, []).append(TouchedFile(path, kind, orjson.loads(detail) if detail else {}))
        found = [
            StoredEvent._make((*row[:10], orjson.loads(row[10]) if row[10] else {}, tuple(files.get(row[0], ()))))
            for row in rows
        ]
        if found and all(each.step is not None for each in found if each.tool):
            steps, last = [], 0
            for each in found:
                last = each.step if each.step is not None else last
                steps.append(last)
            found = [each for _, each in sorted(zip(steps, found, strict=True), key=lambda pair: pair[0])]
        return found

    def session_at(self, scope_pk: int, client: str, session_id: str) -> int | None:
        """The key of a session, if anything of it was seen."""
        sql = "SELECT pk FROM agent_session WHERE scope_pk = ? AND client = ? AND id = ?"
        found: int | None = self.sql.value(sql, (scope_pk, client, session_id))
        return found

    def sessions(
        self, scope_pks: Sequence[int] | None, *, session_id: str | None = None, limit: int
    ) -> list[SessionRow]:
        """Sessions with their figures, those with the newest event first."""
        within, params = ("1 = 1", ()) if scope_pks is None else ("s.scope_pk IN KEYS(?)", (self.sql.keys(scope_pks),))
        only, named = ("", ()) if session_id is None else (" AND s.id = ?", (session_id,))
        rows = self.sql.all(
            "SELECT s.pk, s.scope_pk, s.client, s.id, s.root, s.started_at, s.last_at, s.ended_at, s.outside, "
            "(SELECT count(*) FROM agent_event e WHERE e.session_pk = s.pk AND e.tool IS NOT NULL), "
            "(SELECT count(DISTINCT f.path) FROM agent_file f JOIN agent_event e ON e.pk = f.event_pk "
            "WHERE e.session_pk = s.pk), "
            "(SELECT count(*) FROM agent_event e WHERE e.session_pk = s.pk AND e.type = 'tool_failed') "
            f"FROM agent_session s WHERE {within}{only} ORDER BY s.last_at DESC, s.pk DESC LIMIT ?",
            (*params, *named, limit),
        )
        return [SessionRow._make(row) for row in rows]

    # --- signals ------------------------------------------------------------------------------------------------

    def newest(self) -> int:
        """The key of the newest event; 0 where there is none."""
        return int(self.sql.value("SELECT coalesce(max(pk), 0) FROM agent_event"))

    def underived(self, *, limit: int, after: int = 0, only: int | None = None) -> list[tuple[int, int]]:
        """(session, scope) of sessions with events that their signals do not know of, oldest first. `after`: the key of
        an event up to which signals are known to be complete, so that the log is not looked through each time."""
        this, keys = ("", ()) if only is None else (" AND s.pk = ?", (only,))
        rows = self.sql.all(
            "SELECT s.pk, s.scope_pk FROM agent_session s WHERE s.pk IN "
            "(SELECT session_pk FROM agent_event WHERE pk > ?) AND s.derived_to < "
            f"(SELECT coalesce(max(e.pk), 0) FROM agent_event e WHERE e.session_pk = s.pk){this} ORDER BY s.pk LIMIT ?",
            (after, *keys, limit),
        )
        return [(pk, scope_pk) for pk, scope_pk in rows]

    def replace_signals(self, session_pk: int, scope_pk: int, signals: Iterable[SignalRow], *, to: int) -> None:
        """The signals of a session in place of those before; `to` is the last event they were derived from."""
        self.sql.run("DELETE FROM agent_signal WHERE session_pk = ?", (session_pk,))
        self.sql.many(
            "INSERT INTO agent_signal (scope_pk, session_pk, kind, subject, other, count, at, detail) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(scope_pk, session_pk, *each) for each in signals],
        )
        self.sql.run("UPDATE agent_session SET derived_to = ? WHERE pk = ?", (to, session_pk))

    def signals(self, session_pk: int) -> list[SignalRow]:
        """The signals of a session, in the order of their kinds and times."""
        rows = self.sql.all(
            "SELECT kind, subject, other, count, at, detail FROM agent_signal WHERE session_pk = ? "
            "ORDER BY kind, at, subject, other",
            (session_pk,),
        )
        return [SignalRow._make(row) for row in rows]

    def sessions_showing(self, kind: str, subjects: Sequence[str], scope_pk: int) -> dict[str, int]:
        """In how many sessions of a scope each of these was seen."""
        rows = self.sql.all(
            "SELECT subject, count(DISTINCT session_pk) FROM agent_signal WHERE kind = ? AND scope_pk = ? "
            "AND subject IN (SELECT value FROM EACH_ITEM(?)) GROUP BY subject",
            (kind, scope_pk, orjson.dumps(list(subjects)).decode()),
        )
        return dict(rows)

    # --- conclusions --------------------------------------------------------------------------------------------

    def over(self, *, idle_before: int, limit: int, only: int | None = None) -> list[SessionOver]:
        """Sessions that have ended, or rested since then, and show more than was concluded from; the oldest first."""
        this, keys = ("", ()) if only is None else (" AND pk = ?", (only,))
        rows = self.sql.all(
            "SELECT pk, scope_pk, id, root, derived_to FROM agent_session WHERE derived_to > concluded_to "
            f"AND (ended_at IS NOT NULL OR last_at < ?){this} ORDER BY last_at, pk LIMIT ?",
            (idle_before, *keys, limit),
        )
        return [SessionOver._make((*row, self._cited(row[0]))) for row in rows]

    def _cited(self, session_pk: int) -> frozenset[str]:
        return frozenset(self.named(session_pk)["cited"])

    def named(self, session_pk: int) -> dict[str, tuple[str, ...]]:
        """Beginnings of ids of records that a session cited, was shown, found and stored, in the order of time."""
        sql = "SELECT detail FROM agent_event WHERE session_pk = ? AND detail IS NOT NULL ORDER BY at, pk"
        told = [orjson.loads(detail) for (detail,) in self.sql.all(sql, (session_pk,))]
        return {
            sort: tuple(dict.fromkeys(each for detail in told for each in detail.get(sort, ())))
            for sort in ("cited", "shown", "found", "stored")
        }

    def just_compacted(self, *, limit: int) -> list[tuple[int, str, int, str]]:
        """(key, id, scope, folder) of open sessions whose last event is that their context was compacted."""
        return self.sql.all(
            "SELECT s.pk, s.id, s.scope_pk, s.root FROM agent_session s WHERE s.ended_at IS NULL AND "
            "(SELECT e.type FROM agent_event e WHERE e.session_pk = s.pk ORDER BY e.at DESC, e.pk DESC LIMIT 1) "
            "= 'compact' ORDER BY s.last_at DESC LIMIT ?",
            (limit,),
        )

    def repeated(self, session_pk: int, scope_pk: int) -> list[RepeatedSignal]:
        """The pairs, rereads and backtracks of a session, and the same of every other session of its scope."""
        same = "s.kind = m.kind AND s.scope_pk = ?"
        rows = self.sql.all(
            "SELECT a.id, s.kind, s.subject, s.other, s.count, s.at, s.detail FROM agent_signal m "
            f"JOIN agent_signal s ON {same} AND s.subject = m.subject AND s.other = m.other "
            "JOIN agent_session a ON a.pk = s.session_pk "
            "WHERE m.session_pk = ? AND m.kind IN ('co_access', 'time_anomaly', 'backtrack') UNION "
            "SELECT a.id, s.kind, s.subject, s.other, s.count, s.at, s.detail FROM agent_signal m "
            f"JOIN agent_signal s ON {same} AND s.subject = m.other AND s.other = m.subject "
            "JOIN agent_session a ON a.pk = s.session_pk WHERE m.session_pk = ? AND m.kind = 'co_access' "
            "ORDER BY 6, 1, 3, 4",
            (scope_pk, session_pk, scope_pk, session_pk),
        )
        return [RepeatedSignal._make(row) for row in rows]

    def errors_of(self, session_pk: int) -> list[SeenError]:
        """The errors that a session met."""
        rows = self.sql.all(
            "SELECT r.tool, r.text, r.count, r.last_at, r.cure, r.scope_pk, r.hash FROM agent_error r "
            "WHERE EXISTS (SELECT 1 FROM agent_event e WHERE e.session_pk = ? AND e.error_hash = r.hash "
            "AND coalesce(e.tool, '') = r.tool AND e.scope_pk = r.scope_pk) ORDER BY r.pk",
            (session_pk,),
        )
        return [SeenError._make((*row[:5], *self._where(row[5], row[6], row[0]), row[6])) for row in rows]

    def _where(self, scope_pk: int, hash_: str, tool: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The files and the sessions of an error."""
        of = "e.error_hash = ? AND e.scope_pk = ? AND coalesce(e.tool, '') = ?"
        files = self.sql.all(
            f"SELECT DISTINCT f.path FROM agent_event e JOIN agent_file f ON f.event_pk = e.pk WHERE {of} ORDER BY 1",
            (hash_, scope_pk, tool),
        )
        sessions = self.sql.all(
            f"SELECT DISTINCT s.id FROM agent_event e JOIN agent_session s ON s.pk = e.session_pk WHERE {of} "
            "ORDER BY s.id",
            (hash_, scope_pk, tool),
        )
        return tuple(row[0] for row in files), tuple(row[0] for row in sessions)

    def accesses(self, scope_pk: int, *, sessions_max: int) -> list[RepeatedSignal]:
        """The files that the last sessions of a scope touched."""
        rows = self.sql.all(
            "SELECT a.id, s.kind, s.subject, s.other, s.count, s.at, s.detail FROM agent_signal s "
            "JOIN agent_session a ON a.pk = s.session_pk WHERE s.kind = 'file_access' AND s.session_pk IN "
            "(SELECT pk FROM agent_session WHERE scope_pk = ? ORDER BY last_at DESC, pk DESC LIMIT ?) ORDER BY s.pk",
            (scope_pk, sessions_max),
        )
        return [RepeatedSignal._make(row) for row in rows]

    def edited(self, scope_pks: Sequence[int] | None, *, after: int, limit: int) -> list[str]:
        """Files that sessions of these scopes (None: all) edited after some time, the last first."""
        within, params = ("1 = 1", ()) if scope_pks is None else ("e.scope_pk IN KEYS(?)", (self.sql.keys(scope_pks),))
        rows = self.sql.all(
            "SELECT f.path FROM agent_event e JOIN agent_file f ON f.event_pk = e.pk "
            f"WHERE {within} AND e.type = 'tool' AND f.class IN ('edit', 'write') AND e.at >= ? "
            "GROUP BY f.path ORDER BY max(e.at) DESC, f.path LIMIT ?",
            (*params, after, limit),
        )
        return [row[0] for row in rows]

    def touched_with(self, root: str, path: str) -> list[tuple[int, tuple[tuple[str, int], ...]]]:
        """(seconds, files near it) of each session in a folder that touched a file; steps before it are negative."""
        found: dict[int, tuple[int, list[tuple[str, int]]]] = {}
        for pk, at, subject, other, detail in self.sql.all(
            "SELECT s.pk, s.last_at, p.subject, p.other, p.detail FROM agent_signal f "
            "JOIN agent_session s ON s.pk = f.session_pk LEFT JOIN agent_signal p ON p.session_pk = s.pk "
            "AND p.kind = 'co_access' AND (p.subject = f.subject OR p.other = f.subject) "
            "WHERE f.kind = 'file_access' AND f.subject = ? AND s.root = ? ORDER BY s.pk",
            (path, root),
        ):
            near = found.setdefault(pk, (at // 1_000_000, []))[1]
            if subject is not None:
                steps = int((orjson.loads(detail) if detail else {}).get("steps", 1))
                near.append((other, steps) if subject == path else (subject, -steps))
        return [(at_s, tuple(near)) for at_s, near in found.values()]

    # --- errors -------------------------------------------------------------------------------------------------

    def cure(self, scope_pk: int, tool: str, hash_: str, cure: str, *, at: int) -> None:
        """Note how an error went away; the newest cure counts."""
        self.sql.run(
            "UPDATE agent_error SET cure = ?, cured_at = ? WHERE scope_pk = ? AND tool = ? AND hash = ? "
            "AND (cured_at IS NULL OR cured_at <= ?)",
            (cure, at, scope_pk, tool, hash_, at),
        )

    def known_errors(self, scope_pks: Sequence[int], *, least: int, limit: int) -> list[KnownError]:
        """Errors that came up so often and have a cure, the last seen first."""
        rows = self.sql.all(
            "SELECT tool, hash, text, count, last_at, cure FROM agent_error WHERE scope_pk IN KEYS(?) AND count >= ? "
            "AND cure IS NOT NULL ORDER BY last_at DESC, pk DESC LIMIT ?",
            (self.sql.keys(scope_pks), least, limit),
        )
        return [KnownError._make(row) for row in rows]

    # --- bounds, and forgetting ---------------------------------------------------------------------------------

    def trim(self, *, rows_max: int, before: int) -> int:
        """Let go of the oldest events beyond a number and an age, and of sessions with none left."""
        gone = self.sql.run(
            "DELETE FROM agent_event WHERE at < ? OR pk <= "
            "(SELECT pk FROM agent_event ORDER BY pk DESC LIMIT 1 OFFSET ?)",
            (before, rows_max),
        )
        if gone:
            self.sql.run(
                "DELETE FROM agent_session WHERE last_at < ? AND NOT EXISTS "
                "(SELECT 1 FROM agent_event e WHERE e.session_pk = agent_session.pk)",
                (before,),
            )
            self.tx.accounts.trim()
        return gone

    def erase(self, scope_pks: Sequence[int] | None, *, session_id: str | None = None) -> int:
        """Remove what was seen in some scopes (None: all), or of one session there; the number of its events."""
        if scope_pks is None:
            every = "SELECT scope_pk FROM agent_session UNION SELECT scope_pk FROM agent_meter"
            scope_pks = [row[0] for row in self.sql.all(every)]
        keys = self.sql.keys(scope_pks)
        only, named = ("", ()) if session_id is None else (" AND id = ?", (session_id,))
        pks = [
            r[0] for r in self.sql.all(f"SELECT pk FROM agent_session WHERE scope_pk IN KEYS(?){only}", (keys, *named))
        ]
        gone = int(
            self.sql.value("SELECT count(*) FROM agent_event WHERE session_pk IN KEYS(?)", (self.sql.keys(pks),)) or 0
        )
        met = "SELECT 1 FROM agent_event e WHERE e.scope_pk = agent_error.scope_pk AND e.error_hash = agent_error.hash"
        self.sql.run(  # errors that no other session met say what went wrong in these
            f"DELETE FROM agent_error WHERE EXISTS ({met} AND e.session_pk IN KEYS(?)) "
            f"AND NOT EXISTS ({met} AND e.session_pk NOT IN KEYS(?))",
            (self.sql.keys(pks), self.sql.keys(pks)),
        )
        self.sql.run("DELETE FROM agent_session WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        self.tx.accounts.erase(scope_pks, session_id=session_id)
        if session_id is None:
            self.sql.run("DELETE FROM agent_error WHERE scope_pk IN KEYS(?)", (self.sql.keys(scope_pks),))
        self.forget_empty_projects()
        return gone

    def forget_empty_projects(self) -> None:
        """Folders of which nothing is known any more."""
        self.sql.run(
            "DELETE FROM agent_project WHERE NOT EXISTS "
            "(SELECT 1 FROM agent_session s WHERE s.root = agent_project.root)"
        )

    # --- spools -------------------------------------------------------------------------------------------------

    def was_taken(self, name: str) -> bool:
        """Whether a spool was taken in."""
        return self.sql.value("SELECT 1 FROM spool_taken WHERE name = ?", (name,)) is not None

    def note_taken(self, name: str, *, at: int, events: int, cut: int, forget_before: int) -> None:
        """Note that a spool was taken in, in the transaction that does; notes of files long gone go."""
        self.sql.run("DELETE FROM spool_taken WHERE at < ?", (forget_before,))
        self.sql.run("INSERT INTO spool_taken (name, at, events, cut) VALUES (?, ?, ?, ?)", (name, at, events, cut))

    def taken_figures(self) -> tuple[int, int, int, int | None]:
        """(spools, events, cut lines, when the last was taken in)."""
        row = self.sql.one("SELECT count(*), coalesce(sum(events), 0), coalesce(sum(cut), 0), max(at) FROM spool_taken")
        return (0, 0, 0, None) if row is None else (row[0], row[1], row[2], row[3])

    def state(self) -> str:
        """A text that changes with what is told from events: cures, and the folders that are worked in."""
        row = self.sql.one(
            "SELECT (SELECT coalesce(max(cured_at), 0) FROM agent_error), "
            "(SELECT coalesce(sum(count), 0) FROM agent_error), (SELECT count(*) FROM agent_project), "
            "(SELECT coalesce(max(first_at), 0) FROM agent_project), "
            "(SELECT coalesce(max(last_at), 0) / 86400000000 FROM agent_project), "
            "(SELECT coalesce(sum(concluded_to), 0) FROM agent_session)"
        )
        return " ".join(map(str, row or ()))
