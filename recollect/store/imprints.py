"""What the strength of records is worked out from, as columns for arithmetic: what they were given, and their use.

A statement that was drawn from a turn is found through the turn, so the use of the turn is its use as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.model.query import Criteria
from recollect.store.base import Group
from recollect.store.dialect import ALL
from recollect.store.documents import CATEGORY
from recollect.store.journal import Op

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

EXPLICIT = ("user", "user_explicit", "user_taught")  # sources of what somebody told us to remember

# Of a record that replay has gone over, the last time counts; of one whose fading was undone, the undoing is a use.
_SELECT = f"""
    SELECT r.pk, r.scope_pk, coalesce(r.turn_pk, 0), r.kind = 'episodic', r.category, r.strength, r.confidence,
           r.importance, r.decay_rate, r.half_life_days, coalesce(r.arousal, 0.0),
           coalesce(abs(r.valence) * r.intensity, 0.0), r.user_verified,
           r.kind <> 'episodic' AND coalesce(r.source, '') IN {EXPLICIT},
           r.access_count + coalesce(t.access_count, 0),
           LARGER(r.access_sessions, coalesce(t.access_sessions, 0)),
           LARGER(LARGER(r.updated_at, coalesce(r.last_access, 0)),
                  LARGER(coalesce(t.last_access, 0), coalesce(u.at, 0))),
           coalesce(h.at, 0), coalesce(h.strength, 0.0), coalesce(h.times, 0),
           (SELECT count(*) FROM member m JOIN edge e ON e.pk = m.edge_pk AND e.label = 'interferes_with' AND LIVE(e)
            WHERE m.record_pk = coalesce(r.turn_pk, r.pk) AND m.role = 'subject' AND e.recorded_at >
            LARGER(LARGER(r.updated_at, coalesce(r.last_access, 0)), coalesce(t.last_access, 0)))
    FROM record r LEFT JOIN record t ON t.pk = r.turn_pk
    LEFT JOIN (
        SELECT d.record_pk, d.at, d.strength, count(*) OVER (PARTITION BY d.record_pk) AS times,
               row_number() OVER (PARTITION BY d.record_pk ORDER BY d.at DESC) AS nth FROM rehearsal d
        JOIN operation o ON o.pk = d.operation_pk AND o.undone_by IS NULL
    ) h ON h.record_pk = r.pk AND h.nth = 1
    LEFT JOIN (
        SELECT f.record_pk, max(back.at) AS at FROM faded f JOIN operation o ON o.pk = f.operation_pk
        JOIN operation back ON back.pk = o.undone_by GROUP BY f.record_pk
    ) u ON u.record_pk = r.pk
    WHERE HEAD(r) AND LIVE(r) AND """


class Imprints(NamedTuple):
    """One entry per record. Times are microseconds, 0 is never; NaN: no such value of its own."""

    pks: Ints
    scope_pks: Ints
    turn_pks: Ints  # 0: not drawn from a turn
    episodic: Flags
    category: tuple[str, ...]
    strength: Floats
    confidence: Floats
    importance: Floats
    decay_rate: Floats
    half_life_days: Floats
    arousal: Floats
    felt: Floats  # the arousal of its own text, without what replay added
    verified: Flags
    explicit: Flags
    uses: Ints
    sessions: Ints
    used_at: Ints
    rehearsed_at: Ints
    rehearsed_to: Floats
    rehearsals: Ints
    rivals: Ints  # stronger records that compete with it, found since its last use

    def at(self, which: Any) -> Imprints:
        """Those at these positions, or for which a mask is true."""
        positions = np.arange(len(self.pks))[which]
        return Imprints._make(
            tuple(column[at] for at in positions.tolist()) if isinstance(column, tuple) else column[positions]
            for column in self
        )


_DTYPES: tuple[Any, ...] = (
    np.int64,
    np.int64,
    np.int64,
    np.bool_,
    None,
    np.float64,
    np.float64,
    np.float64,
    np.float64,
    np.float64,
    np.float64,
    np.float64,
    np.bool_,
    np.bool_,
    np.int64,
    np.int64,
    np.int64,
    np.int64,
    np.float64,
    np.int64,
    np.int64,
)
# What fades: not what has ended (that is history, asked for by its time), nor documents and their pieces, nor entities.
FADES = (
    f"r.tier = 'longterm' AND r.kind <> 'entity' AND r.category <> '{CATEGORY}' "
    f"AND NOT (r.kind = 'snippet' AND JSON_TEXT(r.attributes, '$.document') IS NOT NULL) AND HOLDS(r, ?)"
)
_REMEMBERED = "r.tier = 'longterm' AND r.kind <> 'entity' AND HOLDS(r, ?)"
_FORGOTTEN = (
    "SELECT r.pk FROM faded f JOIN operation o ON o.pk = f.operation_pk AND o.undone_by IS NULL "
    "JOIN record r ON r.pk = f.record_pk AND r.tier = 'archive' AND HEAD(r) AND LIVE(r) "
    "WHERE LARGER(f.at, LARGER(r.updated_at, coalesce(r.last_access, 0))) <= ? AND {} GROUP BY r.pk ORDER BY r.pk DESC"
)


class ImprintRows(Group):
    """What the strength of records is worked out from."""

    def _imprints(self, condition: str, params: Sequence[Any] = (), *, limit: int = ALL) -> Imprints:
        """Live records `r` that meet a condition, in the order of their keys."""
        rows = self.sql.all(f"{_SELECT} {condition} ORDER BY r.pk LIMIT ?", [*params, limit])
        columns: Sequence[Any] = tuple(zip(*rows, strict=True)) or ((),) * len(_DTYPES)
        return Imprints._make(np.array(c, dtype=d) if d else c for c, d in zip(columns, _DTYPES, strict=True))

    def of(self, pks: Iterable[int]) -> Imprints:
        """Those of these records that are live."""
        return self._imprints("r.pk IN KEYS(?)", (self.sql.keys(pks),))

    def rehearse(self, op: Op, pk: int, strength: float, *, used_at: int) -> None:
        """Note that replay has gone over a record, and how strong it is now.

        What was before its last use is forgotten.
        """
        self.sql.run("DELETE FROM rehearsal WHERE record_pk = ? AND at <= ?", (pk, used_at))
        self.sql.run(
            "INSERT INTO rehearsal (record_pk, operation_pk, at, strength) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (record_pk, at) "
            "DO UPDATE SET operation_pk = excluded.operation_pk, strength = excluded.strength",
            (pk, op.pk, op.at, strength),
        )

    def note_faded(self, op: Op, pk: int) -> None:
        """Note that a record went into the archive for want of strength."""
        self.sql.run(
            "INSERT INTO faded (record_pk, operation_pk, at) VALUES (?, ?, ?) "
            "ON CONFLICT (record_pk, operation_pk) DO UPDATE SET at = excluded.at",
            (pk, op.pk, op.at),
        )

    def fading(
        self,
        *,
        now: int,
        scope_pks: Sequence[int] | None = None,
        after_pk: int = 0,
        among: Iterable[int] | None = None,
        limit: int = ALL,
    ) -> Imprints:
        """Records that fade: of these scopes (None: all), after a key, or among the given ones."""
        condition, params = f"{FADES} AND r.pk > ?", [now, after_pk]
        return self._within(condition, params, scope_pks, among, limit)

    def fading_seen(self, criteria: Criteria, *, now: int) -> Imprints:
        """Records that fade among those that the criteria let a reader see."""
        clause, params = self.tx.criteria.where(criteria, now=now)
        return self._imprints(f"{FADES} AND {clause}", [now, *params])

    def remembered(
        self,
        *,
        now: int,
        scope_pks: Sequence[int] | None = None,
        among: Iterable[int] | None = None,
        uses_min: int = 0,
    ) -> Imprints:
        """Records in long-term memory that hold now: of these scopes (None: all), used so often, or among these."""
        condition, params = f"{_REMEMBERED} AND r.access_count >= ?", [now, uses_min]
        return self._within(condition, params, scope_pks, among, ALL)

    def arousals(self, *, now: int, scope_pks: Sequence[int] | None = None) -> Floats:
        """Key and arousal of every record in long-term memory that holds now, one row each, by ascending key."""
        condition, params = _REMEMBERED, [now]
        if scope_pks is not None:
            condition, params = f"{condition} AND r.scope_pk IN KEYS(?)", [*params, self.sql.keys(scope_pks)]
        rows = self.sql.all(
            "SELECT r.pk, coalesce(r.arousal, 0.0) FROM record r "
            f"WHERE HEAD(r) AND LIVE(r) AND {condition} ORDER BY r.pk",
            params,
        )
        return np.array(rows, dtype=np.float64).reshape(-1, 2)

    def forgotten(
        self, *, before: int, scope_pks: Sequence[int] | None = None, among: Iterable[int] | None = None
    ) -> list[int]:
        """What faded into the archive and was not touched since `before`, the newest first, so that what rests on
        others comes before them."""
        condition, params = "1 = 1", [before]
        if among is not None:
            condition, params = f"{condition} AND r.pk IN KEYS(?)", [*params, self.sql.keys(among)]
        if scope_pks is not None:
            condition, params = f"{condition} AND r.scope_pk IN KEYS(?)", [*params, self.sql.keys(scope_pks)]
        return [row[0] for row in self.sql.all(_FORGOTTEN.format(condition), params)]

    def _within(
        self,
        condition: str,
        params: list[Any],
        scope_pks: Sequence[int] | None,
        among: Iterable[int] | None,
        limit: int,
    ) -> Imprints:
        if among is not None:
            condition, params = f"{condition} AND r.pk IN KEYS(?)", [*params, self.sql.keys(among)]
        if scope_pks is not None:
            condition, params = f"{condition} AND r.scope_pk IN KEYS(?)", [*params, self.sql.keys(scope_pks)]
        return self._imprints(condition, params, limit=limit)
