"""Where the rows of a file are in the store that they are merged into, and what came of it so far."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recollect.exchange.names import derived_id
from recollect.model.scope import Scope
from recollect.store.base import Tx

CONFLICTS_SHOWN = 20
_KEYED = ("scope", "session", "record", "entity", "edge", "space")


@dataclass(slots=True)
class ArrivedRows:
    """Rows of one table of the file by their keys, and where they are in the store. Negative: it was there before."""

    keys: array[int] = field(default_factory=lambda: array("q"))
    pks: array[int] = field(default_factory=lambda: array("q"))

    def add(self, key: int, pk: int) -> None:
        self.keys.append(key)
        self.pks.append(pk)

    def pk(self, key: int | None) -> int | None:
        """The row, whether it is new or not."""
        found = self._at(key)
        return None if found is None else abs(found)

    def new(self, key: int | None) -> int | None:
        """The row, if it came in with this import."""
        found = self._at(key)
        return found if found is not None and found > 0 else None

    def up_to(self, key: int) -> int:
        """The last row that came in with a key up to this one; 0 for none."""
        at = bisect_right(self.keys, key) - 1
        while at >= 0 and self.pks[at] < 0:
            at -= 1
        return self.pks[at] if at >= 0 else 0

    def cut(self, count: int) -> None:
        del self.keys[count:], self.pks[count:]

    def _at(self, key: int | None) -> int | None:
        if key is None:
            return None
        at = bisect_right(self.keys, key) - 1
        return self.pks[at] if at >= 0 and self.keys[at] == key else None


@dataclass(slots=True, kw_only=True)
class Merged:
    """What an import did."""

    operation: str | None = None
    records: int = 0
    versions: int = 0
    unchanged: int = 0
    edges: int = 0
    entities: int = 0
    sessions: int = 0
    conflicts: list[str] = field(default_factory=list)
    conflict_count: int = 0
    circles: int = 0

    @property
    def nothing(self) -> bool:
        return not (self.records or self.versions or self.edges or self.entities or self.sessions)


class Mark(NamedTuple):
    """How far a new session or scope was gone over, in keys of the file."""

    table: str
    pk: int
    consolidated_to: int
    asked_to: int


@dataclass(slots=True, kw_only=True)
class Came:
    """Rows that an interrupted import of the same file has stored: they are to be completed, not left alone."""

    records: list[tuple[int, int]] = field(default_factory=list)  # spans of keys, ascending
    edges: list[tuple[int, int]] = field(default_factory=list)

    def has(self, spans: list[tuple[int, int]], pk: int) -> bool:
        at = bisect_right(spans, (pk, 2**63)) - 1
        return at >= 0 and pk <= spans[at][1]


@dataclass(slots=True, kw_only=True)
class Arriving:
    """One import under way. Everything lands inside the scope `inside`; `bound`, exactly in it."""

    inside: Scope
    bound: bool
    came: Came | None = None
    rows: dict[str, ArrivedRows] = field(default_factory=lambda: {name: ArrivedRows() for name in _KEYED})
    marks: list[Mark] = field(default_factory=list)
    turns: list[tuple[int, int]] = field(default_factory=list)  # statements before their turns: (pk, key of the turn)
    edges_before: int = 0  # the newest keys of the store when it began
    entities_before: int = 0
    out: Merged = field(default_factory=Merged)

    def put_by(self) -> Callable[[], None]:
        """What brings back the state of now: a transaction may be tried again, and must not find itself half done."""
        counts = {name: len(known.keys) for name, known in self.rows.items()}
        marks, turns, out = len(self.marks), len(self.turns), deepcopy(self.out)

        def back() -> None:
            for name, known in self.rows.items():
                known.cut(counts[name])
            del self.marks[marks:], self.turns[turns:]
            self.out = deepcopy(out)

        return back

    def pk(self, table: str, key: int | None) -> int | None:
        return self.rows[table].pk(key)

    def new(self, table: str, key: int | None) -> int | None:
        return self.rows[table].new(key)

    def came_before(self, table: str, pk: int) -> bool:
        """Whether a row that is here came with the part of this import that was stored before."""
        if self.came is None:
            return False
        return table == "entity" or self.came.has(self.came.records if table == "record" else self.came.edges, pk)

    def free_id(self, tx: Tx, table: str, row: dict[str, Any]) -> str:
        """The id of a row, or one made of it, if that is taken by something not seen from here: nobody learns of it."""
        given: str = row["id"]
        if not self.bound:
            return given
        scope_pk = tx.arrivals.scope_of_id(table, given)
        if scope_pk is None or scope_pk in (tx.scopes.visible(self.inside) or []):
            return given
        return derived_id(self.inside.key, given)
