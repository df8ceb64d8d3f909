"""Statements drawn from turns: which there are, and what becomes of them when their turns go."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from recollect.store.base import Group
from recollect.store.journal import Op

_OTHER_TURNS = (
    "SELECT here.record_pk, min(turn.pk) FROM member here "
    "JOIN edge e ON e.pk = here.edge_pk AND e.label = 'derived_from' AND LIVE(e) "
    "JOIN member there ON there.edge_pk = e.pk AND there.role = 'object' "
    "JOIN record turn ON turn.pk = there.record_pk AND turn.kind = 'episodic' AND LIVE(turn) "
    "WHERE here.role = 'subject' AND here.record_pk IN KEYS(?) AND turn.pk NOT IN KEYS(?) GROUP BY here.record_pk"
)


class Statements(Group):
    """Statements and the turns they were drawn from."""

    def drawn_from(self, turn_pks: Collection[int], *, past: bool = False) -> list[int]:
        """Statements that answer through these turns; with `past` also those that are believed no more."""
        live = "1" if past else "retired_at IS NULL"
        sql = f"SELECT pk FROM record WHERE turn_pk IN KEYS(?) AND head_pk IS NULL AND {live} ORDER BY pk"
        return [row[0] for row in self.sql.all(sql, (self.sql.keys(turn_pks),))]

    def lose_turns(self, op: Op, turn_pks: Sequence[int], *, erasing: bool = False) -> list[int]:
        """These turns go: the statements that go with them.

        One that another turn says too stays and answers through that one, and so does one that a person confirmed, on
        its own. When the turns are erased, no one's word keeps what only they said.
        """
        found = self.drawn_from(turn_pks, past=erasing)
        if not found:
            return []
        others: dict[int, int] = dict(self.sql.all(_OTHER_TURNS, (self.sql.keys(found), self.sql.keys(turn_pks))))
        gone = [pk for pk in found if pk not in others]
        if not erasing:
            rows = self.sql.all(
                "SELECT pk FROM record WHERE pk IN KEYS(?) AND user_verified = 1", (self.sql.keys(gone),)
            )
            confirmed = {row[0] for row in rows}
            gone = [pk for pk in gone if pk not in confirmed]
        leaving = set(gone)
        for pk in found:
            if pk not in leaving:
                self.answer_through(op, pk, others.get(pk))
        return gone

    def answer_through(self, op: Op, pk: int, turn_pk: int | None) -> None:
        """Let a statement answer through another turn, or on its own."""
        before = self.sql.value("SELECT turn_pk FROM record WHERE pk = ?", (pk,))
        op.changed("record", [pk], {"turn_pk": before})
        self.tx.records.write_columns(pk, {"turn_pk": turn_pk})
