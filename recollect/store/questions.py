"""Open questions in the database: raised and settled by runs of upkeep, put to people, dismissed by them.

A question is open while the operation that raised it holds, no operation that holds has settled it, and nobody has
dismissed it. So undoing a run takes its questions back without touching their rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from recollect.ids import new_id
from recollect.model.ending import MAY_REPLACE
from recollect.store.base import Group
from recollect.store.dialect import ALL
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.journal import Op

_OPEN = (
    "q.dismissed_at IS NULL AND EXISTS (SELECT 1 FROM operation o WHERE o.pk = q.made_by AND o.undone_by IS NULL) "
    "AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.pk = q.answered_by AND o.undone_by IS NULL)"
)
_COLUMNS = (
    "q.pk, q.id, q.scope_pk, q.kind, q.record_pk, q.other_pk, q.entity_pk, q.field, q.priority, q.made_at, q.asked_at"
)


# The table knows three kinds. A change that is in doubt is kept as a contradiction, with this as its field.
CONTRADICTION, CHANGE = "contradiction", "change"


class Gap(NamedTuple):
    """Something to ask about: a record, two that contradict each other, an earlier and a later one that may have ended
    it (`CHANGE`), or a field of an entity."""

    scope_pk: int
    kind: str
    priority: float
    record_pk: int | None = None
    other_pk: int | None = None
    entity_pk: int | None = None
    field: str | None = None

    @property
    def about(self) -> tuple[object, ...]:
        """What makes it the same question as another."""
        return self.kind, self.record_pk, self.other_pk, self.entity_pk, self.field

    @property
    def in_words(self) -> str:
        """What sort of question it is, and about which field."""
        if self.kind == CONTRADICTION and self.field == CHANGE:
            return CHANGE
        return self.kind if self.field is None else f"{self.kind}: {self.field}"


class Asked(NamedTuple):
    """A question as it is stored."""

    pk: int
    id: str
    scope_pk: int
    kind: str
    record_pk: int | None
    other_pk: int | None
    entity_pk: int | None
    field: str | None
    priority: float
    made_at: int
    asked_at: int | None

    @property
    def is_change(self) -> bool:
        """Whether it asks if a later record ended an earlier one."""
        return self.kind == CONTRADICTION and self.field == CHANGE

    @property
    def about(self) -> tuple[object, ...]:
        return self.kind, self.record_pk, self.other_pk, self.entity_pk, self.field


_CONTRADICTIONS = (
    "SELECT a.scope_pk, SMALLER(a.pk, b.pk), LARGER(a.pk, b.pk), "
    "max(e.confidence * SMALLER(a.confidence, b.confidence)) "
    "FROM edge e JOIN member m ON m.edge_pk = e.pk JOIN member n ON n.edge_pk = e.pk AND n.record_pk > m.record_pk "
    "JOIN record a ON a.pk = m.record_pk JOIN record b ON b.pk = n.record_pk AND b.scope_pk = a.scope_pk "
    "WHERE e.label IN ({labels}) AND LIVE(e) AND HOLDS(e, ?) "
    "AND HEAD(a) AND LIVE(a) AND a.tier <> 'archive' AND HOLDS(a, ?) "
    "AND HEAD(b) AND LIVE(b) AND b.tier <> 'archive' AND HOLDS(b, ?) AND a.user_verified = b.user_verified "
    "AND {within} "
    "GROUP BY 1, 2, 3 ORDER BY 4 DESC, 2, 3 LIMIT ?"
)

_DOUBTS = (
    "SELECT a.scope_pk, a.pk, b.pk, max(e.confidence) FROM edge e "
    f"JOIN member m ON m.edge_pk = e.pk AND m.role IN {TARGET_ROLES} "
    f"JOIN member n ON n.edge_pk = e.pk AND n.role IN {SOURCE_ROLES} "
    "JOIN record a ON a.pk = m.record_pk JOIN record b ON b.pk = n.record_pk "
    f"WHERE e.label = '{MAY_REPLACE}' AND LIVE(e) "
    "AND HEAD(a) AND LIVE(a) AND a.tier <> 'archive' AND HOLDS(a, ?) AND HEAD(b) AND LIVE(b) AND b.tier <> 'archive' "
    "AND {within} AND {session} GROUP BY 1, 2, 3 ORDER BY 4 DESC, 2, 3 LIMIT ?"
)

_STALE = (
    "SELECT a.scope_pk, a.pk, a.access_count + coalesce(t.access_count, 0) AS uses FROM record a "
    "LEFT JOIN record t ON t.pk = a.turn_pk WHERE a.kind IN ('semantic', 'opinion', 'procedural') "
    "AND HEAD(a) AND LIVE(a) AND a.tier <> 'archive' AND HOLDS(a, ?) "
    "AND a.updated_at <= ? AND a.access_count + coalesce(t.access_count, 0) >= ? AND {within} ORDER BY uses "
    "DESC, a.pk LIMIT ?"
)

_OFTEN_NAMED = (
    "SELECT a.scope_pk, a.pk, a.type, a.folded, count(*) FROM entity a JOIN mention m ON m.entity_pk = a.pk "
    "WHERE LIVE(a) AND a.type IN ({types}) AND {within} GROUP BY a.pk HAVING count(*) >= ? "
    "ORDER BY 5 DESC, a.pk LIMIT ?"
)

_ABOUT = (
    "SELECT a.subject, coalesce(a.predicate, ''), coalesce(a.object, '') FROM record a WHERE a.scope_pk = ? "
    "AND NOCASE(a.subject) BETWEEN NOCASE(?) AND NOCASE(?) AND HEAD(a) AND LIVE(a) AND a.tier <> 'archive' AND "
    "HOLDS(a, ?) ORDER BY a.pk"
)


class Contradiction(NamedTuple):
    """Two current statements of one scope, and how sure it is that they contradict each other."""

    scope_pk: int
    one: int
    other: int
    sure: float


class DoubtfulChange(NamedTuple):
    """An earlier record that a later one may have ended, and how probable that is."""

    scope_pk: int
    older: int
    newer: int
    sure: float


class StaleRow(NamedTuple):
    """A statement that is used much, and was not said again or changed for long."""

    scope_pk: int
    pk: int
    uses: int


class OftenNamed(NamedTuple):
    """An entity that many records name."""

    scope_pk: int
    pk: int
    type: str
    folded: str
    mentions: int


class Questions(Group):
    """What the memory would like to ask."""

    def raise_all(self, op: Op, gaps: Iterable[Gap]) -> list[tuple[str, Gap]]:
        """Ask for what is neither asked already nor was dismissed; the new questions with their ids."""
        known = {
            tuple(row)
            for row in self.sql.all(
                f"SELECT q.kind, q.record_pk, q.other_pk, q.entity_pk, q.field FROM question q "
                f"WHERE q.dismissed_at IS NOT NULL OR ({_OPEN})"
            )
        }
        made = []
        for gap in gaps:
            if gap.about in known:
                continue
            known.add(gap.about)
            question_id = new_id()
            self.sql.run(
                "INSERT INTO question (id, scope_pk, kind, record_pk, other_pk, entity_pk, field, priority, made_at, "
                "made_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    question_id,
                    gap.scope_pk,
                    gap.kind,
                    gap.record_pk,
                    gap.other_pk,
                    gap.entity_pk,
                    gap.field,
                    gap.priority,
                    op.at,
                    op.pk,
                ),
            )
            made.append((question_id, gap))
        return made

    def settle(self, op: Op, pks: Collection[int]) -> None:
        """What these asked for is known now, or matters no more."""
        self.sql.run(
            "UPDATE question SET answered_at = ?, answered_by = ? WHERE pk IN KEYS(?)",
            (op.at, op.pk, self.sql.keys(pks)),
        )

    def settle_change(self, op: Op, *, older: int, newer: int) -> None:
        """Whether the newer record ended the older one is decided: what was asked about it is answered."""
        rows = self.sql.all(
            f"SELECT q.pk FROM question q WHERE q.record_pk = ? AND q.other_pk = ? AND q.kind = '{CONTRADICTION}' "
            f"AND q.field = '{CHANGE}' AND {_OPEN}",
            (older, newer),
        )
        self.settle(op, [row[0] for row in rows])

    def still_open(self, scope_pks: Sequence[int] | None, *, limit: int = ALL) -> list[Asked]:
        """Open questions of these scopes (None: all), the most important first."""
        within = "1 = 1" if scope_pks is None else f"q.scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
        rows = self.sql.all(
            f"SELECT {_COLUMNS} FROM question q WHERE {within} AND {_OPEN} ORDER BY q.priority DESC, q.pk LIMIT ?",
            (limit,),
        )
        return [Asked(*row) for row in rows]

    def put_in(self, session: str) -> int:
        """How many questions were put in a session."""
        return int(self.sql.value("SELECT count(*) FROM question WHERE asked_session = ?", (session,)))

    def mark_asked(self, pks: Collection[int], session: str | None, *, at: int) -> None:
        """They are put now. Bookkeeping: no operation."""
        self.sql.run(
            "UPDATE question SET asked_at = ?, asked_session = ? WHERE pk IN KEYS(?)", (at, session, self.sql.keys(pks))
        )

    def dismiss(self, question_id: str, scope_pks: Sequence[int] | None, *, at: int) -> bool:
        """Never ask that again. False: these scopes know of no such question."""
        within = "1 = 1" if scope_pks is None else f"scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
        return bool(self.sql.run(f"UPDATE question SET dismissed_at = ? WHERE id = ? AND {within}", (at, question_id)))

    def contradictions(
        self, scope_pks: Sequence[int] | None, labels: Sequence[str], *, now: int, limit: int
    ) -> list[Contradiction]:
        """Pairs of which a person confirmed both or neither, the surest first."""
        sql = _CONTRADICTIONS.format(labels=", ".join("?" * len(labels)), within=_within(scope_pks))
        return [Contradiction._make(row) for row in self.sql.all(sql, (*labels, now, now, now, limit))]

    def doubtful_changes(
        self, scope_pks: Sequence[int] | None, *, now: int, limit: int, session_pk: int | None = None
    ) -> list[DoubtfulChange]:
        """What may have ended and has not been decided, the most probable first; of a session, what it put in doubt."""
        session = "1 = 1" if session_pk is None else f"b.session_pk = {session_pk:d}"
        sql = _DOUBTS.format(within=_within(scope_pks), session=session)
        return [DoubtfulChange._make(row) for row in self.sql.all(sql, (now, limit))]

    def find(self, question_id: str, scope_pks: Sequence[int] | None) -> Asked | None:
        """An open question of these scopes by its id."""
        within = "1 = 1" if scope_pks is None else f"q.scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
        row = self.sql.one(f"SELECT {_COLUMNS} FROM question q WHERE q.id = ? AND {within} AND {_OPEN}", (question_id,))
        return None if row is None else Asked(*row)

    def stale(
        self, scope_pks: Sequence[int] | None, *, before: int, uses_min: int, now: int, limit: int
    ) -> list[StaleRow]:
        """Statements untouched since `before`, the most used first."""
        rows = self.sql.all(_STALE.format(within=_within(scope_pks)), (now, before, uses_min, limit))
        return [StaleRow._make(row) for row in rows]

    def often_named(
        self, scope_pks: Sequence[int] | None, types: Sequence[str], *, mentions_min: int, limit: int
    ) -> list[OftenNamed]:
        """Entities of these types, the most named first."""
        sql = _OFTEN_NAMED.format(types=", ".join("?" * len(types)), within=_within(scope_pks))
        return [OftenNamed._make(row) for row in self.sql.all(sql, (*types, mentions_min, limit))]

    def said_of(self, scope_pk: int, folded: str, *, now: int) -> list[tuple[str, str, str]]:
        """(subject, predicate, object) of what is said of a thing of that name, and of what belongs to it."""
        rows = self.sql.all(_ABOUT, (scope_pk, folded, f"{folded}'\uffff", now))
        return [(row[0], row[1], row[2]) for row in rows]


def _within(scope_pks: Sequence[int] | None) -> str:
    return "1 = 1" if scope_pks is None else f"a.scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
