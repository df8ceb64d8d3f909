"""What the tree of summaries stands on: the records of a scope that a search shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.store.base import Group
from recollect.store.documents import CATEGORY

_LEAF = (
    f"HEAD(r) AND LIVE(r) AND r.turn_pk IS NULL AND r.tier <> 'archive' AND r.flagged = 0 "
    f"AND r.security = 'cleartext' AND r.kind <> 'schema' AND r.category <> '{CATEGORY}' AND HOLDS(r, ?)"
)
_UNPLACED = (
    f"{_LEAF} AND NOT EXISTS (SELECT 1 FROM summary_member m JOIN summary s ON s.pk = m.summary_pk AND s.live = 1 "
    "WHERE m.record_pk = r.pk)"
)
_COLUMNS = (
    "r.pk, r.kind, r.content, r.perceived ->> '$.key_fact', r.perceived -> '$.topics', r.perceived ->> '$.tokens[0]', "
    "r.importance, r.strength * r.confidence, coalesce(r.event_time, r.created_at)"
)
_STATED = (
    "SELECT r.pk, r.turn_pk, r.content FROM record r WHERE r.turn_pk IN KEYS(?) AND HEAD(r) AND LIVE(r) "
    "AND r.kind <> 'schema' AND r.flagged = 0 AND r.security = 'cleartext' AND HOLDS(r, ?) "
    "ORDER BY r.confidence, r.pk DESC"
)


class LeafRow(NamedTuple):
    """A record as the tree sees it. `key_fact`, `topics` (JSON) and `tokens` are None while it is not read."""

    pk: int
    kind: str
    content: str
    key_fact: str | None
    topics: str | None
    tokens: int | None
    importance: float
    mass: float
    at: int


class StatedRow(NamedTuple):
    """A statement that speaks for a turn."""

    pk: int
    turn_pk: int
    content: str


class LeafRows(Group):
    """Records that stand, or should stand, in the tree of summaries."""

    def of_scope(self, scope_pk: int, *, now: int, among: Sequence[int] | None = None) -> list[LeafRow]:
        """The records of a scope, all or among these, by ascending key."""
        chosen = "r.scope_pk = ?" if among is None else "r.scope_pk = ? AND r.pk IN KEYS(?)"
        params = [scope_pk] if among is None else [scope_pk, self.sql.keys(among)]
        rows = self.sql.all(f"SELECT {_COLUMNS} FROM record r WHERE {chosen} AND {_LEAF} ORDER BY r.pk", [*params, now])
        return [LeafRow._make(row) for row in rows]

    def stated_in(self, turn_pks: Sequence[int], *, now: int) -> list[StatedRow]:
        """What was drawn from these turns and holds, the surest last."""
        return [StatedRow._make(row) for row in self.sql.all(_STATED, (self.sql.keys(turn_pks), now))]

    def unplaced(self, scope_pk: int, *, now: int, limit: int) -> list[int]:
        """Records that are in no cluster in use yet."""
        sql = f"SELECT r.pk FROM record r WHERE {_UNPLACED} AND r.scope_pk = ? ORDER BY r.pk LIMIT ?"
        return [row[0] for row in self.sql.all(sql, (now, scope_pk, limit))]

    def unplaced_count(self, scope_pks: Sequence[int] | None, *, now: int) -> int:
        """How many records of these scopes (None: all) are in no cluster in use yet."""
        sql = f"SELECT count(*) FROM record r WHERE {_UNPLACED}"
        if scope_pks is None:
            return int(self.sql.value(sql, (now,)))
        return int(self.sql.value(f"{sql} AND r.scope_pk IN KEYS(?)", (now, self.sql.keys(scope_pks))))
