"""Sessions: runs of turns inside a scope."""

from __future__ import annotations

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


def keys(tx: Tx, session_id: str, scope_pks: list[int] | None) -> list[int]:
    """Keys of the sessions of that name in the visible scopes."""
    rows = tx.all("SELECT pk, scope_pk FROM session WHERE id = ?", (session_id,))
    return [int(pk) for pk, scope_pk in rows if scope_pks is None or scope_pk in scope_pks]
