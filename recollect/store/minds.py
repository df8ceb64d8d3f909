"""Minds that were put aside, in the database: what was in mind and where the talk was going.

Nothing here outlives what was erased: a slot goes with its record, and a mind in whose scope something was erased goes
as a whole. Bookkeeping: no operation, no journal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.model.scope import DIMENSIONS, Scope
from recollect.store.base import Group


class SlotRow(NamedTuple):
    """A slot as it is stored. One that shows a record has the record's text, read anew: it is not stored twice."""

    id: str
    text: str
    source: str
    record_id: str | None
    activation: float
    accessed_at: int
    since: int
    uses: int
    lasting: bool


class MindRow(NamedTuple):
    """A mind as it is stored. `model` names the embedder of the two vectors, which are little-endian floats."""

    saved_at: int
    heard_at: int | None
    model: str | None
    centroid: bytes | None
    velocity: bytes | None
    certainty: float
    turns: int
    slots: tuple[SlotRow, ...] = ()


class MindStanding(NamedTuple):
    """What has become of a mind's records since it was last held against the store."""

    gone: frozenset[str]  # those of its records that are deleted, or are not what they were
    erased: bool  # whether something was erased that may have been said there
    operation: int  # the newest there is


class MindRows(Group):
    """What an agent bears in mind, kept between processes."""

    def save(self, scope: Scope, session: str, mind: MindRow, *, forget_before: int) -> None:
        """Keep a mind in place of what was kept of it before; forget those that are too old to come back."""
        scope_pk = self.tx.scopes.ensure(scope)
        self.drop(scope, session)
        self.sql.run("DELETE FROM mind WHERE saved_at < ?", (forget_before,))
        pk = self.sql.insert(
            "INSERT INTO mind (scope_pk, session, saved_at, heard_at, model, centroid, velocity, certainty, turns) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (scope_pk, session, *mind[:-1]),
        )
        self.sql.many(
            "INSERT INTO mind_slot (mind_pk, position, id, text, source, record_pk, activation, accessed_at, "
            "since, uses, "
            "lasting) SELECT ?1, ?2, ?3, CASE WHEN CAST(?6 AS TEXT) IS NULL THEN ?4 END, ?5, r.pk, ?7, ?8, ?9, "
            "?10, ?11 "
            "FROM (SELECT 1) one LEFT JOIN record r ON r.id = ?6 AND HEAD(r) WHERE ?6 IS NULL OR r.pk IS "
            "NOT NULL",
            ((pk, at, *slot[:-1], int(slot.lasting)) for at, slot in enumerate(mind.slots)),
        )

    def saved_at(self, scope: Scope, session: str) -> int | None:
        """When a mind was last saved, by whatever process; None where none is."""
        at = self.sql.value(
            "SELECT m.saved_at FROM mind m JOIN scope s ON s.pk = m.scope_pk WHERE s.key = ? AND m.session = ?",
            (scope.key, session),
        )
        return None if at is None else int(at)

    def load(self, scope: Scope, session: str) -> MindRow | None:
        """What was kept of a mind, without slots whose records were retired since."""
        scope_pk = self.tx.scopes.find(scope)
        row = (
            None
            if scope_pk is None
            else self.sql.one(
                "SELECT pk, saved_at, heard_at, model, centroid, velocity, certainty, turns FROM mind "
                "WHERE scope_pk = ? AND session = ?",
                (scope_pk, session),
            )
        )
        if row is None:
            return None
        pk, saved_at, heard_at, model, centroid, velocity, certainty, turns = row
        slots = self.sql.all(
            "SELECT m.id, coalesce(m.text, r.content), m.source, r.id, m.activation, m.accessed_at, m.since, m.uses, "
            "m.lasting FROM mind_slot m LEFT JOIN record r ON r.pk = m.record_pk "
            "WHERE m.mind_pk = ? AND (m.record_pk IS NULL OR LIVE(r)) ORDER BY m.position",
            (pk,),
        )
        kept = tuple(SlotRow(*slot) for slot in slots)
        return MindRow(saved_at, heard_at, model, centroid, velocity, certainty, turns, kept)

    def newest(self, scope_pks: Sequence[int] | None, *, limit: int) -> list[tuple[Scope, str]]:
        """Whose minds were put aside last in these scopes, or in any, each with the name of its session."""
        rows = self.sql.all(
            "SELECT scope_pk, session FROM mind WHERE ?1 = 1 OR scope_pk IN KEYS(?2) "
            "ORDER BY saved_at DESC, pk DESC LIMIT ?3",
            (int(scope_pks is None), self.sql.keys(scope_pks or ()), limit),
        )
        scopes = self.tx.scopes.load_all({row[0] for row in rows})
        return [(scopes[pk], session) for pk, session in rows]

    def drop(self, scope: Scope, session: str) -> bool:
        """Nothing is kept of a mind any more; whether something was."""
        return bool(
            self.sql.run(
                "DELETE FROM mind WHERE session = ? AND scope_pk = (SELECT pk FROM scope WHERE key = ?)",
                (session, scope.key),
            )
        )

    def standing(self, scope: Scope, records: Mapping[str, int], *, since: int) -> MindStanding:
        """What became of these records, each read at a moment, and whether anything was erased after operation
        `since`.
        """
        newest = self.newest_operation()
        if newest == since:
            return MindStanding(frozenset(), False, newest)
        dimensions = ", ".join(f"s.{name}" for name in DIMENSIONS)
        erasures = self.sql.all(
            f"SELECT {dimensions} FROM operation o LEFT JOIN scope s ON s.pk = o.scope_pk WHERE o.pk > ? AND "
            "o.final = 1",
            (since,),
        )
        return MindStanding(self._gone(records), any(_may_touch(scope, row) for row in erasures), newest)

    def newest_operation(self) -> int:
        """The key of the last thing that was done to the store; 0 before anything was."""
        return int(self.sql.value("SELECT coalesce(max(pk), 0) FROM operation"))

    def _gone(self, records: Mapping[str, int]) -> frozenset[str]:
        if not records:
            return frozenset()
        rows = self.sql.all(
            f"SELECT id, recorded_at FROM record WHERE id IN ({', '.join('?' * len(records))}) AND HEAD(record) "
            "AND LIVE(record)",
            list(records),
        )
        return frozenset(records) - {id_ for id_, recorded_at in rows if recorded_at <= records[id_]}


def _may_touch(scope: Scope, other: Sequence[str | None]) -> bool:
    """Whether what happened in another scope can concern this one: no dimension says that it cannot."""
    return all(
        mine is None or theirs is None or mine == theirs
        for mine, theirs in zip((getattr(scope, name) for name in DIMENSIONS), other, strict=True)
    )
