"""Statements drawn from turns: which there are, and what becomes of them when their turns go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from recollect.model.columns import COLUMNS, RecordRow
from recollect.store.base import Group
from recollect.store.journal import Op
from recollect.store.rows import COPY_COLUMNS

_OTHER_TURNS = (
    "SELECT here.record_pk, min(turn.pk) FROM member here "
    "JOIN edge e ON e.pk = here.edge_pk AND e.label = 'derived_from' AND LIVE(e) "
    "JOIN member there ON there.edge_pk = e.pk AND there.role = 'object' "
    "JOIN record turn ON turn.pk = there.record_pk AND turn.kind = 'episodic' AND LIVE(turn) "
    "WHERE here.role = 'subject' AND here.record_pk IN KEYS(?) AND turn.pk NOT IN KEYS(?) GROUP BY here.record_pk"
)
KINDS = ("semantic", "opinion", "procedural")  # of records that are statements
_TURNS_SAYING = (
    "SELECT here.record_pk, turn.pk, coalesce(turn.event_time, turn.created_at) FROM member here "
    "JOIN edge e ON e.pk = here.edge_pk AND e.label = 'derived_from' AND LIVE(e) "
    "JOIN member there ON there.edge_pk = e.pk AND there.role = 'object' "
    "JOIN record turn ON turn.pk = there.record_pk AND turn.kind = 'episodic' AND LIVE(turn) "
    "WHERE here.role = 'subject' AND here.record_pk IN KEYS(?) ORDER BY turn.pk, here.record_pk"
)
_SAID_IN = (
    "SELECT DISTINCT here.record_pk FROM member there "
    "JOIN edge e ON e.pk = there.edge_pk AND e.label = 'derived_from' AND LIVE(e) "
    "JOIN member here ON here.edge_pk = e.pk AND here.role = 'subject' "
    "WHERE there.role = 'object' AND there.record_pk IN KEYS(?)"
)


_ANSWERING = (
    "SELECT DISTINCT turn_pk FROM record WHERE turn_pk IN KEYS(?) AND HEAD(record) AND LIVE(record) "
    "AND tier <> 'archive' AND pk NOT IN KEYS(?)"
)

_INSTANCES = (
    "SELECT DISTINCT there.record_pk FROM member there "
    "JOIN edge e ON e.pk = there.edge_pk AND e.label = 'instance_of' AND LIVE(e) "
    "JOIN member here ON here.edge_pk = e.pk AND here.role = 'subject' "
    "JOIN record r ON r.pk = here.record_pk AND LIVE(r) AND r.tier <> 'archive' AND r.pk NOT IN KEYS(?) "
    "WHERE there.role = 'object' AND there.record_pk IN KEYS(?)"
)

_SOURCES = (
    "SELECT DISTINCT there.record_pk FROM member there "
    "JOIN edge e ON e.pk = there.edge_pk AND e.label IN ('derived_from', 'inferred_from') AND LIVE(e) "
    "JOIN member here ON here.edge_pk = e.pk AND here.role = 'subject' "
    "JOIN record r ON r.pk = here.record_pk AND LIVE(r) AND r.pk NOT IN KEYS(?) "
    "WHERE there.role = 'object' AND there.record_pk IN KEYS(?)"
)


class Statements(Group):
    """Statements and the turns they were drawn from."""

    def drawn_from(self, turn_pks: Collection[int], *, past: bool = False) -> list[int]:
        """Statements that answer through these turns; with `past` also those that are believed no more."""
        live = "1 = 1" if past else "LIVE(record)"
        sql = f"SELECT pk FROM record WHERE turn_pk IN KEYS(?) AND HEAD(record) AND {live} ORDER BY pk"
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

    def live_rows(self, pks: Collection[int]) -> list[tuple[int, RecordRow]]:
        """Those of these that are statements, live and not archived, with all their columns, by ascending key."""
        rows = self.sql.all(
            f"SELECT pk, {COPY_COLUMNS} FROM record WHERE pk IN KEYS(?) AND HEAD(record) AND LIVE(record) "
            f"AND tier <> 'archive' AND kind IN {KINDS} ORDER BY pk",
            (self.sql.keys(pks),),
        )
        return [(pk, RecordRow(**dict(zip(COLUMNS, values, strict=True)))) for pk, *values in rows]

    def turns_saying(self, pks: Collection[int]) -> list[tuple[int, int, int]]:
        """(statement, turn, when it was said) of the live turns that these statements were drawn from."""
        rows = self.sql.all(_TURNS_SAYING, (self.sql.keys(pks),))
        return [(row[0], row[1], row[2]) for row in rows]

    def said_in(self, turn_pks: Collection[int]) -> set[int]:
        """Statements that these turns say, wherever they were said first."""
        return {row[0] for row in self.sql.all(_SAID_IN, (self.sql.keys(turn_pks),))}

    def found_by(self, senses: Collection[int]) -> list[tuple[int, int]]:
        """(sense, statement) of the statements that these senses find, the newest first."""
        rows = self.sql.all(
            "SELECT sense, record_pk FROM sense WHERE sense IN KEYS(?) ORDER BY record_pk DESC, sense DESC",
            (self.sql.keys(senses),),
        )
        return [(row[0], row[1]) for row in rows]

    def note_senses(self, found: Iterable[tuple[int, int]]) -> None:
        """Let statements be found: (sense, statement) each."""
        self.sql.many("INSERT INTO sense (sense, record_pk) VALUES (?, ?) ON CONFLICT DO NOTHING", found)

    def held(self, pks: Collection[int], *, besides: Collection[int] = ()) -> set[int]:
        """Those of these that something needs which is searched: a turn that a statement answers through, a pattern of
        which there are instances. What is `besides` does not count."""
        without = self.sql.keys(besides)
        through = self.sql.all(_ANSWERING, (self.sql.keys(pks), without))
        return {row[0] for row in (*through, *self.sql.all(_INSTANCES, (without, self.sql.keys(pks))))}

    def sources(self, pks: Collection[int], *, besides: Collection[int] = ()) -> set[int]:
        """Those of these records that a live one, archived or not, was drawn from or answers through, or that ended
        one: it would hold again without them."""
        without = self.sql.keys(besides)
        rests_on = self.sql.all(_SOURCES, (without, self.sql.keys(pks)))
        through = self.sql.all(
            "SELECT DISTINCT turn_pk FROM record WHERE turn_pk IN KEYS(?) AND HEAD(record) AND LIVE(record) "
            "AND pk NOT IN KEYS(?)",
            (self.sql.keys(pks), without),
        )
        return {row[0] for row in (*rests_on, *through)} | self.tx.endings.holding_an_end(pks, besides=besides)
