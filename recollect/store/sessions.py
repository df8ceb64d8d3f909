"""Sessions: runs of turns inside a scope, and how far each was consolidated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from recollect.clock import from_us, maybe_from_us
from recollect.model.columns import COLUMNS, RecordRow
from recollect.model.scope import Scope
from recollect.model.session import Session
from recollect.store.base import Group
from recollect.store.rows import COPY_COLUMNS


class WaitingSession(NamedTuple):
    """What is to be consolidated: a session, or what was said in a scope outside any; and how far that is done."""

    scope_pk: int
    session_pk: int | None
    done_to: int  # key of the last row that was gone over
    asked_to: int = 0  # … and of the last turn that a model was asked about


_WAITING = "SELECT n.scope_pk, n.pk, n.consolidated_to, n.asked_to FROM session n WHERE "
_APART = (
    "SELECT s.pk, s.consolidated_to FROM scope s WHERE {} AND EXISTS (SELECT 1 FROM record r WHERE r.scope_pk = s.pk "
    "AND r.pk > s.consolidated_to AND r.session_pk IS NULL AND r.kind IN ('episodic', 'semantic', 'opinion', "
    "'procedural') AND HEAD(r) AND LIVE(r)) ORDER BY s.pk"
)
_UNASKED = (
    "SELECT count(*) FROM session n WHERE n.consolidated_at IS NULL AND EXISTS (SELECT 1 FROM record r "
    "WHERE r.session_pk = n.pk AND r.pk > n.asked_to AND r.pk <= n.consolidated_to AND r.kind = 'episodic' "
    "AND HEAD(r) AND LIVE(r))"
)
_OPEN_TURN = (
    "session_pk IS NOT NULL AND HEAD(record) AND LIVE(record) AND kind = 'episodic' AND security = 'cleartext' "
    "AND tier <> 'archive'"
)
_OPEN_TURNS = (
    "SELECT session_pk, pk, role, speaker, content, metadata, attributes FROM record WHERE scope_pk = ? "
    f"AND {_OPEN_TURN} ORDER BY session_pk, pk"
)
_TURNS_AFTER = (
    f"SELECT pk, id, session_pk, content FROM record WHERE scope_pk = ? AND {_OPEN_TURN} AND pk > ? ORDER BY pk LIMIT ?"
)


class OpenTurn(NamedTuple):
    """A turn of a session with what was said about it; `metadata` and `attributes` as JSON."""

    session_pk: int
    pk: int
    role: str | None
    speaker: str | None
    content: str
    metadata: str | None
    attributes: str | None


class SessionTurn(NamedTuple):
    """A turn of a session."""

    pk: int
    id: str
    session_pk: int
    content: str


class Sessions(Group):
    """Conversations and how far each was gone over."""

    def ensure(self, session_id: str, scope_pk: int, *, at: int) -> int:
        """The key of a session, registered at its first turn; later turns move its end, and are to be consolidated."""
        return int(
            self.sql.value(
                "INSERT INTO session (id, scope_pk, started_at, last_turn_at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id, scope_pk) DO UPDATE SET last_turn_at = LARGER(session.last_turn_at, "
                "excluded.last_turn_at), "
                "consolidated_at = NULL "
                "RETURNING pk",
                (session_id, scope_pk, at, at),
            )
        )

    def last_turn(self, session_pk: int) -> int | None:
        """The newest live turn of a session, for the next one to follow."""
        pk = self.sql.value(
            "SELECT pk FROM record WHERE session_pk = ? AND kind = 'episodic' AND LIVE(record) "
            "ORDER BY pk DESC LIMIT 1",
            (session_pk,),
        )
        return None if pk is None else int(pk)

    def load(self, session_pk: int) -> Session | None:
        """A session with the number of its live turns."""
        row = self.sql.one(
            "SELECT n.id, n.started_at, n.last_turn_at, n.consolidated_at, s.project, s.squad, s.agent_id, s.channel, "
            "s.user_id, (SELECT count(*) FROM record r WHERE r.session_pk = n.pk AND r.kind = 'episodic' "
            "AND LIVE(r)) "
            "FROM session n JOIN scope s ON s.pk = n.scope_pk WHERE n.pk = ?",
            (session_pk,),
        )
        if row is None:
            return None
        id_, started_at, last_turn_at, consolidated_at, project, squad, agent_id, channel, user_id, turns = row
        return Session(
            id=id_,
            started_at=from_us(started_at),
            last_turn_at=from_us(last_turn_at),
            turns=turns,
            consolidated_at=maybe_from_us(consolidated_at),
            scope=Scope(project=project, squad=squad, agent_id=agent_id, channel=channel, user_id=user_id),
        )

    def keys(self, session_id: str, scope_pks: list[int] | None) -> list[int]:
        """Keys of the sessions of that name in the visible scopes."""
        rows = self.sql.all("SELECT pk, scope_pk FROM session WHERE id = ? ORDER BY pk", (session_id,))
        return [int(pk) for pk, scope_pk in rows if scope_pks is None or scope_pk in scope_pks]

    def recent(self, scope_pks: list[int] | None, count: int) -> list[int]:
        """Keys of the sessions with the newest turns, newest first."""
        return self._keys(scope_pks, "1 = 1 ORDER BY n.last_turn_at DESC, n.pk DESC", count)

    def around(self, scope_pks: list[int] | None, at: int, each_side: int) -> list[int]:
        """Keys of the session under way or last begun at that moment, and of so many before and after it, oldest
        first.
        """
        before = self._keys(scope_pks, "n.started_at <= ? ORDER BY n.started_at DESC, n.pk DESC", each_side + 1, at)
        after = self._keys(scope_pks, "n.started_at > ? ORDER BY n.started_at, n.pk", each_side, at)
        return [*before[::-1], *after]

    def _keys(self, scope_pks: list[int] | None, condition: str, count: int, *values: int) -> list[int]:
        within = "1 = 1" if scope_pks is None else f"n.scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
        rows = self.sql.all(f"SELECT n.pk FROM session n WHERE {within} AND {condition} LIMIT ?", (*values, count))
        return [int(pk) for (pk,) in rows]

    def names(self, pks: Iterable[int]) -> dict[int, str]:
        """The ids of sessions by their keys."""
        return dict(self.sql.all("SELECT pk, id FROM session WHERE pk IN KEYS(?)", (self.sql.keys(pks),)))

    def unconsolidated(self, scope_pks: Sequence[int] | None) -> list[str]:
        """The ids of sessions that were never gone over, oldest first."""
        where, params = self._within(scope_pks)
        rows = self.sql.all(f"SELECT id FROM session WHERE consolidated_at IS NULL AND {where} ORDER BY pk", params)
        return [row[0] for row in rows]

    def consolidated(self, session_id: str, scope_pks: Sequence[int] | None) -> bool:
        """Whether a session is known and was gone over since its last turn."""
        where, params = self._within(scope_pks)
        rows = self.sql.all(f"SELECT consolidated_at FROM session WHERE {where} AND id = ?", [*params, session_id])
        return bool(rows) and all(at is not None for (at,) in rows)

    def newest_record(self, session_pk: int | None) -> int:
        """The key of the newest record of a session, 0 if it has none."""
        return int(
            self.sql.value(
                "SELECT coalesce(max(r.pk), 0) FROM record r WHERE r.session_pk = ? AND HEAD(r)", (session_pk,)
            )
        )

    def _within(self, scope_pks: Sequence[int] | None) -> tuple[str, list[Any]]:
        return ("1 = 1", []) if scope_pks is None else ("scope_pk IN KEYS(?)", [self.sql.keys(scope_pks)])

    def is_known(self, session_id: str, scope_pk: int) -> bool:
        """Whether a session was begun in a scope."""
        return self.sql.value("SELECT 1 FROM session WHERE id = ? AND scope_pk = ?", (session_id, scope_pk)) is not None

    def others_wait(self, scope_pk: int, session_pk: int) -> bool:
        """Whether another session of a scope was not consolidated yet."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM session WHERE consolidated_at IS NULL AND scope_pk = ? AND pk <> ? LIMIT 1",
                (scope_pk, session_pk),
            )
        )

    def ended(self, scope_pks: Sequence[int] | None, now: int, quiet_us: int) -> list[WaitingSession]:
        """Sessions to be consolidated that have been quiet so long, or after which another one of their scope went on.

        Oldest first. A last turn in the future is the work of a clock that was set back: it does not keep them waiting.
        """
        within, keys = ("1 = 1", ()) if scope_pks is None else ("n.scope_pk IN KEYS(?)", (self.sql.keys(scope_pks),))
        rows = self.sql.all(
            f"{_WAITING} n.consolidated_at IS NULL AND {within} AND (n.last_turn_at NOT BETWEEN ? AND ? OR EXISTS "
            "(SELECT 1 FROM session m WHERE m.scope_pk = n.scope_pk AND m.last_turn_at > n.last_turn_at)) "
            "ORDER BY n.last_turn_at, n.pk",
            (*keys, now - quiet_us + 1, now),
        )
        return [WaitingSession(*row) for row in rows]

    def backlog(self) -> int:
        """Turns that were not consolidated yet."""
        return int(
            self.sql.value(
                "SELECT count(*) FROM session n JOIN record r ON r.session_pk = n.pk WHERE n.consolidated_at IS NULL "
                "AND r.pk > n.consolidated_to AND r.kind = 'episodic' AND HEAD(r) AND LIVE(r)"
            )
        )

    def felt(self, pks: Iterable[int]) -> dict[int, float]:
        """The strongest feeling (arousal) in each of these sessions in which there is any."""
        rows = self.sql.all(
            "SELECT r.session_pk, max(r.arousal) FROM record r WHERE r.session_pk IN KEYS(?) AND HEAD(r) AND LIVE(r) "
            "AND r.arousal > 0 GROUP BY r.session_pk",
            (self.sql.keys(pks),),
        )
        return dict(rows)

    def named(self, session_id: str, scope_pks: Sequence[int] | None) -> list[WaitingSession]:
        """The sessions of that name, whether they have ended or not."""
        rows = self.sql.all(f"{_WAITING} n.id = ? ORDER BY n.pk", (session_id,))
        return [WaitingSession(*row) for row in rows if scope_pks is None or row[0] in scope_pks]

    def apart(self, scope_pks: Sequence[int] | None) -> list[WaitingSession]:
        """Scopes in which something was said outside any session since they were last gone over."""
        if scope_pks is None:
            rows = self.sql.all(_APART.format("1 = 1"))
        else:
            rows = self.sql.all(_APART.format("s.pk IN KEYS(?)"), (self.sql.keys(scope_pks),))
        return [WaitingSession(scope_pk, None, done_to) for scope_pk, done_to in rows]

    def move_on(self, waiting: WaitingSession, *, to: int, at: int | None) -> bool:
        """Note how far consolidation is, and with `at` that it is done, unless more was said meanwhile.

        False if somebody else has moved it.
        """
        if waiting.session_pk is None:
            sql = "UPDATE scope SET consolidated_to = ? WHERE pk = ? AND consolidated_to = ?"
            return bool(self.sql.run(sql, (to, waiting.scope_pk, waiting.done_to)))
        return bool(
            self.sql.run(
                "UPDATE session SET consolidated_to = ?, consolidated_at = CASE WHEN EXISTS (SELECT 1 FROM record r "
                "WHERE r.session_pk = session.pk AND r.pk > ? AND HEAD(r) AND LIVE(r)) "
                "THEN consolidated_at ELSE coalesce(?, consolidated_at) END WHERE pk = ? AND consolidated_to = ?",
                (to, to, at, waiting.session_pk, waiting.done_to),
            )
        )

    def wait_again(self, operation_pk: int) -> None:
        """A consolidation was undone: what it decided and noted is open again, so the next run goes over it."""
        decided = self.sql.all(
            "SELECT r.session_pk, r.scope_pk, min(r.pk) FROM journal j "
            "JOIN edge e ON e.pk BETWEEN j.first_pk AND j.last_pk AND e.auto_extracted = 1 "
            "AND e.label IN ('supersedes', 'updates', 'contradicts', 'may_replace') "
            "JOIN member m ON m.edge_pk = e.pk JOIN record r ON r.pk = m.record_pk "
            "WHERE j.operation_pk = ? AND j.relation = 'edge' AND j.before IS NULL GROUP BY r.session_pk, r.scope_pk",
            (operation_pk,),
        )
        noted = self.sql.all(
            "SELECT r.session_pk, min(r.turn_pk) FROM journal j JOIN record r ON r.pk BETWEEN j.first_pk AND j.last_pk "
            "WHERE j.operation_pk = ? AND j.relation = 'record' AND j.before IS NULL AND HEAD(r) "
            "AND r.session_pk IS NOT NULL AND r.turn_pk IS NOT NULL GROUP BY r.session_pk",
            (operation_pk,),
        )
        back_to = "consolidated_to = SMALLER(consolidated_to, ?)"
        in_session = f"UPDATE session SET consolidated_at = NULL, {back_to} WHERE pk = ?"
        self.sql.many(in_session, [(pk - 1, session_pk) for session_pk, _, pk in decided if session_pk is not None])
        apart_from_any = [(pk - 1, scope_pk) for session_pk, scope_pk, pk in decided if session_pk is None]
        self.sql.many(f"UPDATE scope SET {back_to} WHERE pk = ?", apart_from_any)
        to_ask = "UPDATE session SET consolidated_at = NULL, asked_to = SMALLER(asked_to, ?) WHERE pk = ?"
        self.sql.many(to_ask, [(turn_pk - 1, session_pk) for session_pk, turn_pk in noted])

    def asked(self, waiting: WaitingSession, *, to: int) -> bool:
        """Note up to which turn a model was asked about a session; False if somebody else has asked."""
        sql = "UPDATE session SET asked_to = ? WHERE pk = ? AND asked_to = ?"
        return bool(self.sql.run(sql, (to, waiting.session_pk, waiting.asked_to)))

    def rows_after(self, waiting: WaitingSession, kinds: Sequence[str], limit: int) -> list[tuple[int, str, bool]]:
        """(key, kind, whether it is unread) of the next live rows of a session, or of what was said outside any."""
        where, key = "r.session_pk = ?", waiting.session_pk
        if waiting.session_pk is None:
            where, key = "r.scope_pk = ? AND r.session_pk IS NULL", waiting.scope_pk
        rows = self.sql.all(
            f"SELECT r.pk, r.kind, r.perceived IS NULL FROM record r WHERE {where} AND r.pk > ? "
            f"AND HEAD(r) AND LIVE(r) AND r.tier <> 'archive' AND r.kind IN ({', '.join('?' * len(kinds))}) "
            "ORDER BY r.pk LIMIT ?",
            (key, waiting.done_to, *kinds, limit),
        )
        return [(pk, kind, bool(unread)) for pk, kind, unread in rows]

    def unasked_turns(self, waiting: WaitingSession, limit: int) -> list[tuple[int, RecordRow]]:
        """The next live turns of a session that no model was asked about, with all their columns."""
        rows = self.sql.all(
            f"SELECT pk, {COPY_COLUMNS} FROM record WHERE session_pk = ? AND pk > ? AND kind = 'episodic' "
            f"AND HEAD(record) AND LIVE(record) AND tier <> 'archive' ORDER BY pk LIMIT ?",
            (waiting.session_pk, waiting.asked_to, limit),
        )
        return [(pk, RecordRow(**dict(zip(COLUMNS, values, strict=True)))) for pk, *values in rows]

    def unasked(self) -> int:
        """How many sessions rules have gone over, and no model was asked about some turn in them."""
        return int(self.sql.value(_UNASKED))

    def open_turns(self, scope_pk: int) -> Iterator[OpenTurn]:
        """All live turns of the sessions of a scope that are no secret, session by session, in their order."""
        yield from (OpenTurn._make(row) for row in self.sql.each(_OPEN_TURNS, (scope_pk,)))

    def turns_after(self, scope_pk: int, pk: int, limit: int) -> list[SessionTurn]:
        """Live turns of the sessions of a scope that are no secret, stored after a row, in their order."""
        return [SessionTurn._make(row) for row in self.sql.all(_TURNS_AFTER, (scope_pk, pk, limit))]

    def turn_before(self, scope_pk: int, pk: int, count: int) -> int:
        """The key of the turn of a scope that stands so many before a row; 0 where there are fewer."""
        sql = (
            "SELECT pk FROM record WHERE scope_pk = ? AND pk <= ? AND kind = 'episodic' "
            "ORDER BY pk DESC LIMIT 1 OFFSET ?"
        )
        return int(self.sql.value(sql, (scope_pk, pk, count)) or 0)
