"""Turns of agents between their calls, and the register of those that are over.

Bookkeeping: no operation, no journal. The words of a turn are here only while it is open; then they are records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from recollect.store.base import Group, Row

TURNS_KEPT = 10_000  # of those that are over


class AgentTurnRow(NamedTuple):
    """A turn as it is stored. `said` are messages in their order, `shown` the ids of the window's records."""

    pk: int
    id: str
    scope_pk: int
    session: str | None
    mind: str | None
    caller: str
    name: str | None
    actor: str | None
    state: str
    prompt: str
    said: tuple[dict[str, Any], ...]
    shown: tuple[str, ...]
    begun_at: int
    touched_at: int
    over_at: int | None = None
    reason: str | None = None
    operation: str | None = None


_COLUMNS = (
    "t.pk, t.id, t.scope_pk, t.session, t.mind, t.caller, t.name, t.actor, t.state, t.words, t.shown, t.begun_at, "
    "t.touched_at, t.over_at, t.reason, t.operation"
)


class TurnRows(Group):
    """Turns that outlive a call."""

    def begin(self, row: AgentTurnRow) -> None:
        """Keep a turn that has begun. `row.pk` is not looked at. The oldest of those that are over go."""
        self.sql.run(
            "DELETE FROM agent_turn WHERE pk <= (SELECT coalesce(max(pk), 0) FROM agent_turn) - ? AND state <> 'open'",
            (TURNS_KEPT,),
        )
        self.sql.insert(
            "INSERT INTO agent_turn (id, scope_pk, session, mind, caller, name, actor, state, words, shown, begun_at, "
            "touched_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row.id,
                row.scope_pk,
                row.session,
                row.mind,
                row.caller,
                row.name,
                row.actor,
                row.state,
                _worded(row.prompt, row.said),
                orjson.dumps(row.shown).decode(),
                row.begun_at,
                row.touched_at,
            ),
        )

    def find(self, turn_id: str) -> AgentTurnRow | None:
        """The turn of that id."""
        row = self.sql.one(f"SELECT {_COLUMNS} FROM agent_turn t WHERE t.id = ?", (turn_id,))
        return None if row is None else _turn(row)

    def say(self, row: AgentTurnRow, said: Sequence[dict[str, Any]], *, at: int) -> bool:
        """More was said in an open turn; False if it is over, or somebody else said more in the meantime."""
        return bool(
            self.sql.run(
                "UPDATE agent_turn SET words = ?, touched_at = LARGER(touched_at, ?) WHERE pk = ? AND state = 'open' "
                "AND words = ?",
                (_worded(row.prompt, (*row.said, *said)), at, row.pk, _worded(row.prompt, row.said)),
            )
        )

    def close(self, pk: int, *, state: str, at: int, reason: str | None, operation: str | None) -> bool:
        """A turn is over: its words go. False if it was over before."""
        return bool(
            self.sql.run(
                "UPDATE agent_turn SET state = ?, over_at = ?, touched_at = LARGER(touched_at, ?), reason = ?, "
                "operation = ?, words = NULL, shown = NULL WHERE pk = ? AND state = 'open'",
                (state, at, at, reason, operation, pk),
            )
        )

    def listed(
        self,
        scope_pks: Sequence[int] | None,
        *,
        state: str | None = None,
        session: str | None = None,
        limit: int,
    ) -> list[AgentTurnRow]:
        """Turns of these scopes, or of all, the newest first."""
        rows = self.sql.all(
            f"SELECT {_COLUMNS} FROM agent_turn t WHERE (?1 = 1 OR t.scope_pk IN KEYS(?2)) "
            "AND (CAST(?3 AS TEXT) IS NULL OR t.state = ?3) AND (CAST(?4 AS TEXT) IS NULL OR t.session = ?4) "
            "ORDER BY t.pk DESC LIMIT ?5",
            (int(scope_pks is None), self.sql.keys(scope_pks or ()), state, session, limit),
        )
        return [_turn(row) for row in rows]

    def untouched(self, *, before: int, limit: int) -> list[AgentTurnRow]:
        """Open turns that nobody went on with since then, the oldest first."""
        rows = self.sql.all(
            f"SELECT {_COLUMNS} FROM agent_turn t WHERE t.state = 'open' AND t.touched_at < ? "
            "ORDER BY t.touched_at, t.pk LIMIT ?",
            (before, limit),
        )
        return [_turn(row) for row in rows]

    def erase(self, scope_pks: Sequence[int] | None, session: str) -> None:
        """Forget all turns of a session."""
        self.sql.run(
            "DELETE FROM agent_turn WHERE session = ?1 AND (?2 = 1 OR scope_pk IN KEYS(?3))",
            (session, int(scope_pks is None), self.sql.keys(scope_pks or ())),
        )

    def forget_words(self) -> None:
        """Forget what was said in turns that are open."""
        self.sql.run("DELETE FROM agent_turn WHERE state = 'open'")


def _worded(prompt: str, said: Sequence[dict[str, Any]]) -> str:
    return orjson.dumps({"prompt": prompt, "said": list(said)}).decode()


def _turn(row: Row) -> AgentTurnRow:
    words = orjson.loads(row[9]) if row[9] else {}
    shown = tuple(orjson.loads(row[10])) if row[10] else ()
    said: tuple[dict[str, Any], ...] = tuple(words.get("said", ()))
    return AgentTurnRow._make((*row[:9], words.get("prompt", ""), said, shown, *row[11:]))
