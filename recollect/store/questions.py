"""Open questions in the database: raised and settled by runs of upkeep, put to people, dismissed by them.

A question is open while the operation that raised it holds, no operation that holds has settled it, and nobody has
dismissed it. So undoing a run takes its questions back without touching their rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from recollect.ids import new_id
from recollect.store.base import Group
from recollect.store.journal import Op

_OPEN = (
    "q.dismissed_at IS NULL AND EXISTS (SELECT 1 FROM operation o WHERE o.pk = q.made_by AND o.undone_by IS NULL) "
    "AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.pk = q.answered_by AND o.undone_by IS NULL)"
)
_COLUMNS = (
    "q.pk, q.id, q.scope_pk, q.kind, q.record_pk, q.other_pk, q.entity_pk, q.field, q.priority, q.made_at, q.asked_at"
)


class Gap(NamedTuple):
    """Something to ask about: a record, two that contradict each other, or a field of an entity."""

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
    def about(self) -> tuple[object, ...]:
        return self.kind, self.record_pk, self.other_pk, self.entity_pk, self.field


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

    def still_open(self, scope_pks: Sequence[int] | None, *, limit: int = -1) -> list[Asked]:
        """Open questions of these scopes (None: all), the most important first."""
        within = "1" if scope_pks is None else f"q.scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
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
        within = "1" if scope_pks is None else f"scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
        return bool(self.sql.run(f"UPDATE question SET dismissed_at = ? WHERE id = ? AND {within}", (at, question_id)))
