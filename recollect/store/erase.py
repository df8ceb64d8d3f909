"""Erasure: the one thing that cannot be undone. Rows, versions, terms, vectors, relations and journal images go."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from recollect.store import changes
from recollect.store.base import Group
from recollect.store.edges import DECAYED_TO
from recollect.store.journal import SPAN_MAX, Op
from recollect.store.sqlite.log import scrub_is_due

UNTIL_REWRITTEN = "erased bytes may stay in it until that is done, which is tried again by itself; health() tells"


class Erasure(Group):
    """Taking every trace of records out of the tables."""

    def erase(self, op: Op, head_pks: Sequence[int]) -> int:
        """Remove records and every trace of their content from the database; how many rows went.

        Pages are overwritten (`secure_delete`). The caller has the file rewritten after the commit; that this is due is
        noted here, so that it is done by somebody else if the caller cannot. The audit keeps that something was erased,
        not what.
        """
        pks = [
            row[0]
            for row in self.sql.all(
                "SELECT pk FROM record WHERE pk IN KEYS(?) OR head_pk IN KEYS(?) ORDER BY pk",
                (self.sql.keys(head_pks), self.sql.keys(head_pks)),
            )
        ]
        given = self.tx.mentions.names_given(pks)
        self._forget_images(pks)
        lonely = self.sql.all(
            "SELECT DISTINCT m.edge_pk FROM member m WHERE m.record_pk IN KEYS(?) AND "
            "(SELECT count(DISTINCT o.record_pk) FROM member o WHERE o.edge_pk = m.edge_pk "
            "AND o.record_pk NOT IN KEYS(?)) < 2",
            (self.sql.keys(pks), self.sql.keys(pks)),
        )
        edge_pks = [row[0] for row in lonely]
        self.sql.run(
            "DELETE FROM journal WHERE relation = 'edge' AND before IS NOT NULL AND first_pk = last_pk "
            "AND first_pk IN KEYS(?)",
            (self.sql.keys(edge_pks),),
        )
        self.sql.run("DELETE FROM edge WHERE pk IN KEYS(?)", (self.sql.keys(edge_pks),))
        self._quote_nothing(pks)
        self.tx.text.drop(pks)
        self.sql.run("DELETE FROM record WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        self.tx.mentions.forget(given)  # nobody else names them: their names go too
        self.tx.text.purge()
        for topic, gone in (("record", pks), ("edge", sorted(edge_pks))):
            for first, last in changes.spans(gone):
                self.tx.changes.announce(topic, first, last)
        if pks:
            scrub_is_due(self.tx, op.id)
        return len(pks)

    def _quote_nothing(self, pks: Sequence[int]) -> None:
        """A relation among several others stays, without the evidence and the attributes that may quote what goes.

        Of its attributes only how far it has faded is kept, which is a number.
        """
        rows = self.sql.all(
            "SELECT DISTINCT edge_pk FROM member WHERE record_pk IN KEYS(?) ORDER BY 1", (self.sql.keys(pks),)
        )
        edge_pks = [row[0] for row in rows]
        keys = self.sql.keys(edge_pks)
        self.sql.run(
            "UPDATE edge SET evidence = NULL, attributes = CASE WHEN json_type(attributes, ?1) = 'integer' "
            "THEN json_object(?2, attributes -> ?1) END "
            "WHERE pk IN KEYS(?3) AND (evidence IS NOT NULL OR attributes IS NOT NULL)",
            (f"$.{DECAYED_TO}", DECAYED_TO, keys),
        )
        self.sql.run(
            "UPDATE journal SET before = json_remove(before, '$.evidence', '$.attributes') WHERE relation = 'edge' "
            "AND first_pk = last_pk AND before IS NOT NULL AND first_pk IN KEYS(?)",
            (keys,),
        )
        self.sql.run(
            "DELETE FROM journal WHERE relation = 'edge' AND before = '{}' AND first_pk IN KEYS(?)",
            (keys,),
        )
        for first, last in changes.spans(edge_pks):
            self.tx.changes.announce("edge", first, last)

    def _forget_images(self, pks: Sequence[int]) -> None:
        """Journal images of these rows, and the reasons people gave for operations on them, hold content too.

        An operation on one of them may have moved others along: then it can still be undone for those, but its reason,
        which is likely to speak of the one that goes, is not kept.
        """
        operations = [
            row[0]
            for row in self.sql.all(
                "SELECT DISTINCT operation_pk FROM journal WHERE relation IN ('record', 'vector', 'mention') "
                "AND first_pk = last_pk AND first_pk IN KEYS(?)",
                (self.sql.keys(pks),),
            )
        ]
        self.sql.run(
            "DELETE FROM journal WHERE relation IN ('record', 'vector', 'mention') AND before IS NOT NULL "
            "AND first_pk = last_pk AND first_pk IN KEYS(?)",
            (self.sql.keys(pks),),
        )
        self.sql.run(  # past versions that an undo dropped live on as images under keys that no row has any more
            "DELETE FROM journal WHERE operation_pk IN KEYS(?) AND relation = 'record' "
            "AND json_extract(before, '$.head_pk') IN KEYS(?)",
            (self.sql.keys(operations), self.sql.keys(pks)),
        )
        reasoned = [*operations, *self._on_spans_with(pks)]
        self.sql.run("UPDATE operation SET reason = NULL WHERE pk IN KEYS(?)", (self.sql.keys(reasoned),))
        self.sql.run(
            "UPDATE operation SET final = 1 WHERE pk IN KEYS(?) AND NOT EXISTS "
            "(SELECT 1 FROM journal j WHERE j.operation_pk = operation.pk AND j.last_pk - j.first_pk < ? "
            " AND j.before IS NOT NULL)",
            (self.sql.keys(operations), SPAN_MAX),
        )
        ids = self.sql.all("SELECT DISTINCT id FROM record WHERE pk IN KEYS(?)", (self.sql.keys(pks),))
        self.sql.many("DELETE FROM evolution_log WHERE node_ids = ?", ((f'["{row[0]}"]',) for row in ids))

    def _on_spans_with(self, pks: Sequence[int]) -> list[int]:
        """Operations with a reason that changed one of these rows (ascending) together with its neighbours."""
        spans = self.sql.all(
            "SELECT j.operation_pk, j.first_pk, j.last_pk FROM operation o JOIN journal j ON j.operation_pk = o.pk "
            "WHERE o.reason IS NOT NULL AND j.relation = 'record' AND j.before IS NOT NULL AND j.last_pk > j.first_pk"
        )
        return [pk for pk, first, last in spans if (at := bisect_left(pks, first)) < len(pks) and pks[at] <= last]
