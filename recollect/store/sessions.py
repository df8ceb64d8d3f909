"""Sessions: runs of turns inside a scope."""

from __future__ import annotations

from recollect.clock import from_us, maybe_from_us
from recollect.model.scope import Scope
from recollect.model.session import Session
from recollect.store.base import Tx


def ensure(tx: Tx, session_id: str, scope_pk: int, *, at: int) -> int:
    """The key of a session, registered at its first turn; later turns move its end."""
    return int(
        tx.value(
            "INSERT INTO session (id, scope_pk, started_at, last_turn_at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (id, scope_pk) DO UPDATE SET last_turn_at = max(last_turn_at, excluded.last_turn_at) "
            "RETURNING pk",
            (session_id, scope_pk, at, at),
        )
    )


def last_turn(tx: Tx, session_pk: int) -> int | None:
    """The newest live turn of a session, for the next one to follow."""
    pk = tx.value(
        "SELECT pk FROM record WHERE session_pk = ? AND kind = 'episodic' AND retired_at IS NULL "
        "ORDER BY pk DESC LIMIT 1",
        (session_pk,),
    )
    return None if pk is None else int(pk)


def load(tx: Tx, session_pk: int) -> Session | None:
    """A session with the number of its live turns."""
    row = tx.one(
        "SELECT n.id, n.started_at, n.last_turn_at, n.consolidated_at, s.project, s.squad, s.agent_id, s.channel, "
        "s.user_id, (SELECT count(*) FROM record r WHERE r.session_pk = n.pk AND r.kind = 'episodic' "
        "AND r.retired_at IS NULL) "
        "FROM session n JOIN scope s ON s.pk = n.scope_pk WHERE n.pk = ?",
        (session_pk,),
    )
    if row is None:
        return None
    id_, started_at, last_turn_at, consolidated_at, project, squad, agent_id, channel, user_id, turns = row
    return Session(
        id=id_, started_at=from_us(started_at), last_turn_at=from_us(last_turn_at), turns=turns,
        consolidated_at=maybe_from_us(consolidated_at),
        scope=Scope(project=project, squad=squad, agent_id=agent_id, channel=channel, user_id=user_id),
    )  # fmt: skip


def keys(tx: Tx, session_id: str, scope_pks: list[int] | None) -> list[int]:
    """Keys of the sessions of that name in the visible scopes."""
    rows = tx.all("SELECT pk, scope_pk FROM session WHERE id = ?", (session_id,))
    return [int(pk) for pk, scope_pk in rows if scope_pks is None or scope_pk in scope_pks]


def recent(tx: Tx, scope_pks: list[int] | None, count: int) -> list[int]:
    """Keys of the sessions with the newest turns, newest first."""
    return _keys(tx, scope_pks, "1 ORDER BY n.last_turn_at DESC, n.pk DESC", count)


def around(tx: Tx, scope_pks: list[int] | None, at: int, each_side: int) -> list[int]:
    """Keys of the session under way or last begun at that moment, and of so many before and after it, oldest first."""
    before = _keys(tx, scope_pks, "n.started_at <= ? ORDER BY n.started_at DESC, n.pk DESC", each_side + 1, at)
    after = _keys(tx, scope_pks, "n.started_at > ? ORDER BY n.started_at, n.pk", each_side, at)
    return [*before[::-1], *after]


def _keys(tx: Tx, scope_pks: list[int] | None, condition: str, count: int, *values: int) -> list[int]:
    within = "1" if scope_pks is None else f"n.scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
    rows = tx.all(f"SELECT n.pk FROM session n WHERE {within} AND {condition} LIMIT ?", (*values, count))
    return [int(pk) for (pk,) in rows]
