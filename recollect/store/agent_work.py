"""What agents work at: their plans, what they said last of these, what was put before them, on which days they worked.

Like everything of `store.observed` it is told from events, has no operation, and goes with its session.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import orjson

from recollect.clock import DAY_US
from recollect.store.base import Group


class PlanEvent(NamedTuple):
    """What an event says of a plan: its steps by their state, or one step's number and state."""

    tool: str
    figures: dict[str, int]
    task: tuple[str, str] | None


class AgentWorkRows(Group):
    """Plans, words and days."""

    def words(self, session_pk: int) -> tuple[list[list[str]], str]:
        """What an agent planned, and the end of what it said last, as far as no record says it yet."""
        row = self.sql.one("SELECT plan, tail FROM agent_words WHERE session_pk = ?", (session_pk,))
        return ([], "") if row is None else (orjson.loads(row[0]), row[1])

    def note_words(self, session_pk: int, plan: Sequence[Sequence[str]], tail: str) -> None:
        """Keep an agent's words until a record says where its work stands."""
        self.sql.run(
            "INSERT INTO agent_words (session_pk, plan, tail) VALUES (?, ?, ?) "
            "ON CONFLICT (session_pk) DO UPDATE SET plan = excluded.plan, tail = excluded.tail",
            (session_pk, orjson.dumps(plan).decode(), tail),
        )

    def forget_words(self, session_pk: int) -> None:
        """A record says it now."""
        self.sql.run("DELETE FROM agent_words WHERE session_pk = ?", (session_pk,))

    def scopes(self, *, limit: int) -> list[int]:
        """Scopes in which agents worked in a folder, the last first."""
        rows = self.sql.all(
            "SELECT scope_pk FROM agent_session WHERE root != '' GROUP BY scope_pk ORDER BY max(last_at) DESC LIMIT ?",
            (limit,),
        )
        return [row[0] for row in rows]

    def often_touched(self, scope_pk: int, *, sessions_min: int, limit: int) -> list[str]:
        """Files that so many sessions of a scope touched, those of most sessions first."""
        rows = self.sql.all(
            "SELECT subject FROM agent_signal WHERE kind = 'file_access' AND scope_pk = ? GROUP BY subject "
            "HAVING count(DISTINCT session_pk) >= ? ORDER BY count(DISTINCT session_pk) DESC, subject LIMIT ?",
            (scope_pk, sessions_min, limit),
        )
        return [row[0] for row in rows]

    def sessions_with(self, scope_pk: int, path: str, other: str) -> tuple[str, ...]:
        """The sessions of a scope that touched two files close together, in the order of time."""
        rows = self.sql.all(
            "SELECT s.id FROM agent_signal g JOIN agent_session s ON s.pk = g.session_pk WHERE g.kind = 'co_access' "
            "AND g.scope_pk = ? AND ((g.subject = ? AND g.other = ?) OR (g.subject = ? AND g.other = ?)) "
            "ORDER BY g.at, g.pk",
            (scope_pk, path, other, other, path),
        )
        return tuple(dict.fromkeys(row[0] for row in rows))

    def paths(self, root: str) -> set[str]:
        """The files that sessions in a folder touched."""
        rows = self.sql.all(
            "SELECT DISTINCT f.path FROM agent_file f JOIN agent_event e ON e.pk = f.event_pk "
            "JOIN agent_session s ON s.pk = e.session_pk WHERE s.root = ?",
            (root,),
        )
        return {row[0] for row in rows}

    def rename(self, root: str, path: str, new: str) -> None:
        """A file that sessions in a folder touched has another name now, in their events and in what these show."""
        here = "SELECT s.pk FROM agent_session s WHERE s.root = ?"
        self.sql.run(
            "UPDATE agent_file SET path = ? WHERE path = ? AND event_pk IN "
            f"(SELECT e.pk FROM agent_event e WHERE e.session_pk IN ({here}))",
            (new, path, root),
        )
        same = (
            "SELECT 1 FROM agent_signal o WHERE o.session_pk = agent_signal.session_pk AND o.kind = agent_signal.kind"
        )
        of_files = "kind IN ('file_access', 'co_access', 'backtrack', 'time_anomaly')"
        self.sql.run(
            f"UPDATE agent_signal SET subject = ? WHERE subject = ? AND {of_files} AND session_pk IN ({here}) "
            f"AND NOT EXISTS ({same} AND o.subject = ? AND o.other = agent_signal.other)",
            (new, path, root, new),
        )
        self.sql.run(
            f"UPDATE agent_signal SET other = ? WHERE other = ? AND kind = 'co_access' AND session_pk IN ({here}) "
            f"AND NOT EXISTS ({same} AND o.other = ? AND o.subject = agent_signal.subject)",
            (new, path, root, new),
        )

    def plans(self, scope_pk: int, *, sessions_max: int) -> dict[str, list[PlanEvent]]:
        """What the last sessions of a scope said of their plans, by session, in the order of time."""
        found: dict[str, list[PlanEvent]] = {}
        for session, tool, detail in self.sql.all(
            "SELECT s.id, e.tool, e.detail FROM agent_event e JOIN agent_session s ON s.pk = e.session_pk "
            "WHERE e.type = 'plan' AND e.detail IS NOT NULL AND s.derived_to <= s.concluded_to AND s.pk IN "
            "(SELECT pk FROM agent_session WHERE scope_pk = ? ORDER BY last_at DESC, pk DESC LIMIT ?) "
            "ORDER BY e.at, e.pk",
            (scope_pk, sessions_max),
        ):
            told = orjson.loads(detail)
            figures = told.get("figures")
            sound = isinstance(figures, dict) and all(isinstance(count, int) for count in figures.values())
            task = told.get("task")
            one = (str(task[0]), str(task[1])) if isinstance(task, list) and len(task) == 2 else None
            found.setdefault(session, []).append(PlanEvent(tool or "", figures if sound else {}, one))
        return found

    def days_worked(self, scope_pks: Sequence[int] | None, *, after: int) -> int:
        """On how many days anything was seen in these scopes (None: all), from the day after this moment on."""
        within, params = ("1 = 1", ()) if scope_pks is None else ("scope_pk IN KEYS(?)", (self.sql.keys(scope_pks),))
        sql = f"SELECT count(DISTINCT at / {DAY_US}) FROM agent_event WHERE {within} AND at >= ?"
        return int(self.sql.value(sql, (*params, (after // DAY_US + 1) * DAY_US)))

    def shown(self, scope_pks: Sequence[int] | None, *, since: int) -> dict[str, set[str]]:
        """Beginnings of ids of records that were put before agents since then, each with the sessions that saw it."""
        within, params = ("1 = 1", ()) if scope_pks is None else ("e.scope_pk IN KEYS(?)", (self.sql.keys(scope_pks),))
        found: dict[str, set[str]] = {}
        for session, detail in self.sql.all(
            "SELECT s.id, e.detail FROM agent_event e JOIN agent_session s ON s.pk = e.session_pk "
            f"WHERE {within} AND e.type = 'shown' AND e.at >= ? AND e.detail IS NOT NULL",
            (*params, since),
        ):
            for short in orjson.loads(detail).get("shown", ()):
                found.setdefault(short, set()).add(session)
        return found
