"""Patterns that upkeep found, their instances, and the statements they are looked for among."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recollect.model.entity import fold
from recollect.store.base import Group
from recollect.store.rows import from_json

FOUND_BY = "found_by"  # attribute of a record that upkeep made from several others: by what it was found
_TIES = (
    "SELECT e.pk FROM member here JOIN edge e ON e.pk = here.edge_pk AND LIVE(e) "
    "AND e.label IN ('instance_of', 'derived_from') JOIN member there ON there.edge_pk = e.pk "
    "AND there.record_pk <> here.record_pk WHERE here.record_pk = ?"
)
_STATEMENTS = (
    "SELECT pk, content, subject, predicate, object, JSON_TEXT(attributes, '$.polarity'), confidence, strength, "
    "importance, security, turn_pk FROM record WHERE scope_pk = ? AND LIVE(record) AND HEAD(record) "
    "AND kind IN ('semantic', 'opinion') AND flagged = 0 AND tier <> 'archive' "
    f"AND JSON_TEXT(attributes, '$.{FOUND_BY}') IS NULL AND HOLDS(record, ?) ORDER BY pk"
)


class Instance(NamedTuple):
    """A statement that may be one of many like it."""

    pk: int
    content: str
    subject: str | None
    predicate: str | None
    object: str | None
    polarity: str | None  # None: nobody has looked
    confidence: float
    strength: float
    importance: float
    security: str
    turn_pk: int | None

    @property
    def about(self) -> tuple[str, str]:
        """Whom or what it is about, and whether it affirms or denies."""
        return fold(self.subject or ""), self.polarity or "+"


class TimedRow(NamedTuple):
    """A record, and when what it tells of happened."""

    pk: int
    content: str
    at: int


class RhythmRow(NamedTuple):
    """A rhythm as it is stored."""

    pk: int
    id: str
    content: str
    attributes: dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Pattern:
    """One that was found. `edited`: somebody changed or confirmed it. `withdrawn`: somebody deleted it."""

    pk: int
    id: str
    content: str
    live: bool
    edited: bool
    withdrawn: bool
    attributes: dict[str, Any] = field(default_factory=dict)
    instances: list[int] = field(default_factory=list)


class Patterns(Group):
    """Statements that several others are instances of."""

    def statements(self, scope_pk: int, *, now: int) -> dict[int, Instance]:
        """What is held true in a scope, by key."""
        rows = self.sql.all(_STATEMENTS, (scope_pk, now))
        return {row[0]: Instance._make(row) for row in rows}

    def of_scope(self, scope_pk: int, found_by: str) -> list[Pattern]:
        """The patterns of a scope that were found in this way, with the live records that are tied to them, oldest
        first.

        One that is gone, while its ties are not, was deleted by somebody, unless the turn it answered through went
        first.
        """
        rows = self.sql.all(
            "SELECT p.pk, p.id, p.content, LIVE(p), p.user_verified = 1 OR p.source IS DISTINCT FROM 'upkeep' "
            "OR EXISTS "
            "(SELECT 1 FROM journal j JOIN operation o ON o.pk = j.operation_pk WHERE j.relation = 'record' "
            "AND j.first_pk = p.pk AND j.last_pk = p.pk AND o.verb IN ('update', 'correct') AND o.undone_by IS NULL), "
            "p.retired_at IS NOT NULL AND (p.turn_pk IS NULL OR EXISTS "
            "(SELECT 1 FROM record t WHERE t.pk = p.turn_pk AND LIVE(t))), p.attributes "
            f"FROM record p WHERE p.scope_pk = ? AND HEAD(p) AND JSON_TEXT(p.attributes, '$.{FOUND_BY}') = ? "
            "ORDER BY p.pk",
            (scope_pk, found_by),
        )
        found = {
            pk: Pattern(
                pk=pk,
                id=id_,
                content=content,
                live=bool(live),
                edited=bool(edited),
                withdrawn=bool(withdrawn),
                attributes=from_json(attributes, {}),
            )
            for pk, id_, content, live, edited, withdrawn, attributes in rows
        }
        for pattern_pk, record_pk in self.sql.all(
            "SELECT there.record_pk, here.record_pk FROM member there JOIN edge e ON e.pk = there.edge_pk "
            "AND e.label = 'instance_of' AND LIVE(e) JOIN member here ON here.edge_pk = e.pk "
            "AND here.role = 'subject' JOIN record r ON r.pk = here.record_pk AND LIVE(r) "
            "WHERE there.record_pk IN KEYS(?) AND there.role = 'object' ORDER BY e.pk",
            (self.sql.keys(found),),
        ):
            found[pattern_pk].instances.append(record_pk)
        return [pattern for pattern in found.values() if pattern.live or (pattern.withdrawn and pattern.instances)]

    def timed(self, scope_pk: int, *, since: int, until: int, limit: int) -> list[TimedRow]:
        """What happened in a scope in a time, as it was given rather than drawn; of too many the newest."""
        rows = self.sql.all(
            "SELECT r.pk, r.content, coalesce(r.event_time, r.created_at) FROM record r WHERE r.scope_pk = ? "
            "AND HEAD(r) AND LIVE(r) AND r.turn_pk IS NULL AND r.flagged = 0 AND r.tier <> 'archive' "
            "AND r.security = 'cleartext' AND r.kind IN ('episodic', 'semantic', 'procedural') "
            "AND coalesce(r.event_time, r.created_at) BETWEEN ? AND ? ORDER BY 3 DESC, 1 DESC LIMIT ?",
            (scope_pk, since, until, limit),
        )
        return [TimedRow._make(row) for row in rows]

    def rhythms(self, scope_pks: Sequence[int] | None) -> list[RhythmRow]:
        """The rhythms of these scopes (None: all)."""
        sight = "1 = 1" if scope_pks is None else "r.scope_pk IN KEYS(?)"
        rows = self.sql.all(
            "SELECT r.pk, r.id, r.content, r.attributes FROM record r WHERE r.kind = 'schema' "
            f"AND r.category = 'rhythm' AND HEAD(r) AND LIVE(r) AND r.flagged = 0 AND {sight} ORDER BY r.pk",
            [] if scope_pks is None else [self.sql.keys(scope_pks)],
        )
        return [RhythmRow(pk, id_, content, from_json(attributes, {})) for pk, id_, content, attributes in rows]

    def unchanged(self, instances: Collection[Instance]) -> bool:
        """Whether all of these still say what they said."""
        rows = self.sql.all(
            "SELECT pk, content FROM record WHERE pk IN KEYS(?) AND LIVE(record)",
            (self.sql.keys([one.pk for one in instances]),),
        )
        return dict(rows) == {one.pk: one.content for one in instances}

    def ties(self, pk: int, others: Collection[int] | None = None) -> list[int]:
        """Edges between a pattern and its instances, all or those to these ones, ascending."""
        if others is None:
            rows = self.sql.all(f"{_TIES} ORDER BY e.pk", (pk,))
        else:
            rows = self.sql.all(f"{_TIES} AND there.record_pk IN KEYS(?) ORDER BY e.pk", (pk, self.sql.keys(others)))
        return sorted({row[0] for row in rows})

    def resting_on(self, pks: Collection[int]) -> list[int]:
        """Records that upkeep made from any of these, and from those, and so on; the deleted included.

        Their words are taken from what they were made of: whoever erases one of these has to erase them too.
        """
        seen = set(pks)
        front = list(seen)
        while front:
            rows = self.sql.all(
                "SELECT DISTINCT made.record_pk FROM member given JOIN edge e ON e.pk = given.edge_pk "
                "AND e.label IN ('derived_from', 'inferred_from') JOIN member made ON made.edge_pk = e.pk "
                "AND made.role = 'subject' JOIN record r ON r.pk = made.record_pk "
                f"AND JSON_TEXT(r.attributes, '$.{FOUND_BY}') IS NOT NULL "
                "WHERE given.role = 'object' AND given.record_pk IN KEYS(?) ORDER BY 1",
                (self.sql.keys(front),),
            )
            front = [row[0] for row in rows if row[0] not in seen]
            seen.update(front)
        return sorted(seen - set(pks))
