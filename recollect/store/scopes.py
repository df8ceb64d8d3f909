"""Scopes as small integers: every read turns its scope into the few keys it may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.model.scope import DIMENSIONS, Reach, Scope
from recollect.store.base import Group

_INSERT = (
    f"INSERT INTO scope (key, {', '.join(DIMENSIONS)}) VALUES (?{', ?' * len(DIMENSIONS)}) ON CONFLICT (key) DO NOTHING"
)


class Inhabited(NamedTuple):
    """A scope in which something is stored now."""

    pk: int
    scope: Scope
    records: int


class Scopes(Group):
    """Whose memory it is: scopes and what is visible from each."""

    def ensure(self, scope: Scope) -> int:
        """The key of a scope, made if it is new."""
        pk = self.find(scope)
        if pk is None:
            self.sql.run(_INSERT, (scope.key, *(getattr(scope, name) for name in DIMENSIONS)))
            pk = self.find(scope)
            assert pk is not None
        return pk

    def find(self, scope: Scope) -> int | None:
        """The key of a scope, or None when nothing was ever written there."""
        pk = self.sql.value("SELECT pk FROM scope WHERE key = ?", (scope.key,))
        return None if pk is None else int(pk)

    def load(self, pk: int) -> Scope | None:
        """The scope that a key stands for."""
        row = self.sql.one(f"SELECT {', '.join(DIMENSIONS)} FROM scope WHERE pk = ?", (pk,))
        return None if row is None else Scope(**dict(zip(DIMENSIONS, row, strict=True)))

    def inhabited(self) -> list[Inhabited]:
        """The scopes that hold live records, those with most first.

        Counts every record: for messages, not for searches.
        """
        rows = self.sql.all(
            f"SELECT s.pk, count(*), {', '.join(f's.{name}' for name in DIMENSIONS)} FROM record r "
            "JOIN scope s ON s.pk = r.scope_pk WHERE HEAD(r) AND LIVE(r) GROUP BY s.pk "
            "ORDER BY 2 DESC, 1"
        )
        return [Inhabited(row[0], Scope(**dict(zip(DIMENSIONS, row[2:], strict=True))), row[1]) for row in rows]

    def visible(self, scope: Scope, reach: Reach = Reach.SCOPE) -> list[int] | None:
        """Keys of the scopes a read may see; None means all of them. An empty list means nothing is visible.

        A read asks many times for the same; in its snapshot they stay what they are.
        """
        if not self.tx.snapshot:
            return self._visible(scope, reach)
        known = self.__dict__.setdefault("_known", {})
        if (scope, reach) not in known:
            known[scope, reach] = self._visible(scope, reach)
        found: list[int] | None = known[scope, reach]
        return found

    def _visible(self, scope: Scope, reach: Reach) -> list[int] | None:
        if reach is Reach.ALL:
            return None
        if reach is Reach.INSIDE:
            return self._inside(scope)
        if reach is Reach.OWN:
            own = self.find(scope)
            return [] if own is None else [own]
        keys = scope.visible_keys()
        marks = ", ".join("?" * len(keys))
        pks = [int(row[0]) for row in self.sql.all(f"SELECT pk FROM scope WHERE key IN ({marks}) ORDER BY pk", keys)]
        return list(dict.fromkeys([*pks, *self._among_others(scope, reach)]))

    def _among_others(self, scope: Scope, reach: Reach) -> list[int]:
        """Scopes of others in the project or squad of a reader, save what is private to a channel or a user."""
        if getattr(scope, reach.value, None) is None:  # a reach no further than the scope, or no such dimension in it
            return []
        within = ("project",) if reach is Reach.PROJECT else ("squad", "project")
        shared = [(name, value) for name in within if (value := getattr(scope, name)) is not None]
        condition = " AND ".join(f"{name} = ?" for name, _ in shared)
        rows = self.sql.all(
            f"SELECT pk FROM scope WHERE {condition} AND channel IS NULL AND user_id IS NULL ORDER BY pk",
            [value for _, value in shared],
        )
        return [int(row[0]) for row in rows]

    def _inside(self, scope: Scope) -> list[int]:
        """Scopes at or below this one. Below the global scope lies nothing: no bulk delete sweeps up a store."""
        mine = scope.items()
        if not mine:
            pk = self.find(scope)
            return [] if pk is None else [pk]
        condition = " AND ".join(f"{name} = ?" for name, _ in mine)
        return [
            int(row[0])
            for row in self.sql.all(f"SELECT pk FROM scope WHERE {condition} ORDER BY pk", [value for _, value in mine])
        ]

    def with_records(self, among: Sequence[int] | None = None) -> list[int]:
        """Keys of the scopes, all or among these, in which something was ever stored, ascending."""
        only, params = ("1 = 1", ()) if among is None else ("s.pk IN KEYS(?)", (self.sql.keys(among),))
        rows = self.sql.all(
            "SELECT s.pk FROM scope s WHERE EXISTS (SELECT 1 FROM record r WHERE r.scope_pk = s.pk) "
            f"AND {only} ORDER BY s.pk",
            params,
        )
        return [int(row[0]) for row in rows]

    def load_all(self, pks: Iterable[int]) -> dict[int, Scope]:
        """The scopes that keys stand for."""
        rows = self.sql.all(f"SELECT pk, {', '.join(DIMENSIONS)} FROM scope WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        return {pk: Scope(**dict(zip(DIMENSIONS, values, strict=True))) for pk, *values in rows}
