"""Erasure: the one thing that cannot be undone. Rows, versions, terms, vectors, relations and journal images go."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from recollect.store import changes, mentions
from recollect.store.base import Tx
from recollect.store.edges import DECAYED_TO
from recollect.store.journal import SPAN_MAX, Op
from recollect.store.sqlite import fts
from recollect.store.sqlite.log import scrub_is_due

UNTIL_REWRITTEN = "erased bytes may stay in it until that is done, which is tried again by itself; health() tells"


def erase(tx: Tx, op: Op, head_pks: Sequence[int]) -> int:
    """Remove records and every trace of their content from the database; how many rows went.

    Pages are overwritten (`secure_delete`). The caller has the file rewritten after the commit; that this is due is
    noted here, so that it is done by somebody else if the caller cannot. The audit keeps that something was erased,
    not what.
    """
    pks = [
        row[0]
        for row in tx.all(
            "SELECT pk FROM record WHERE pk IN carray(?) OR head_pk IN carray(?) ORDER BY pk",
            (tx.pk_list(head_pks), tx.pk_list(head_pks)),
        )
    ]
    given = mentions.names_given(tx, pks)
    _forget_images(tx, pks)
    lonely = tx.all(
        "SELECT DISTINCT m.edge_pk FROM member m WHERE m.record_pk IN carray(?) AND "
        "(SELECT count(DISTINCT o.record_pk) FROM member o WHERE o.edge_pk = m.edge_pk "
        "AND o.record_pk NOT IN carray(?)) < 2",
        (tx.pk_list(pks), tx.pk_list(pks)),
    )
    edge_pks = [row[0] for row in lonely]
    tx.run(
        "DELETE FROM journal WHERE relation = 'edge' AND before IS NOT NULL AND first_pk = last_pk "
        "AND first_pk IN carray(?)",
        (tx.pk_list(edge_pks),),
    )
    tx.run("DELETE FROM edge WHERE pk IN carray(?)", (tx.pk_list(edge_pks),))
    _quote_nothing(tx, pks)
    fts.drop(tx, pks)
    tx.run("DELETE FROM record WHERE pk IN carray(?)", (tx.pk_list(pks),))
    mentions.forget(tx, given)  # nobody else names them: their names go too
    fts.purge(tx)
    for topic, gone in (("record", pks), ("edge", sorted(edge_pks))):
        for first, last in changes.spans(gone):
            changes.announce(tx, topic, first, last)
    if pks:
        scrub_is_due(tx, op.id)
    return len(pks)


def _quote_nothing(tx: Tx, pks: Sequence[int]) -> None:
    """A relation among several others stays, without the evidence and the attributes that may quote what goes.

    Of its attributes only how far it has faded is kept, which is a number.
    """
    rows = tx.all("SELECT DISTINCT edge_pk FROM member WHERE record_pk IN carray(?) ORDER BY 1", (tx.pk_list(pks),))
    edge_pks = [row[0] for row in rows]
    keys = tx.pk_list(edge_pks)
    tx.run(
        "UPDATE edge SET evidence = NULL, attributes = CASE WHEN json_type(attributes, ?1) = 'integer' "
        "THEN json_object(?2, attributes -> ?1) END "
        "WHERE pk IN carray(?3) AND (evidence IS NOT NULL OR attributes IS NOT NULL)",
        (f"$.{DECAYED_TO}", DECAYED_TO, keys),
    )
    tx.run(
        "UPDATE journal SET before = json_remove(before, '$.evidence', '$.attributes') WHERE relation = 'edge' "
        "AND first_pk = last_pk AND before IS NOT NULL AND first_pk IN carray(?)",
        (keys,),
    )
    tx.run(
        "DELETE FROM journal WHERE relation = 'edge' AND before = '{}' AND first_pk IN carray(?)",
        (keys,),
    )
    for first, last in changes.spans(edge_pks):
        changes.announce(tx, "edge", first, last)


def _forget_images(tx: Tx, pks: Sequence[int]) -> None:
    """Journal images of these rows, and the reasons people gave for operations on them, hold content too.

    An operation on one of them may have moved others along: then it can still be undone for those, but its reason,
    which is likely to speak of the one that goes, is not kept.
    """
    operations = [
        row[0]
        for row in tx.all(
            "SELECT DISTINCT operation_pk FROM journal WHERE relation IN ('record', 'vector', 'mention') "
            "AND first_pk = last_pk AND first_pk IN carray(?)",
            (tx.pk_list(pks),),
        )
    ]
    tx.run(
        "DELETE FROM journal WHERE relation IN ('record', 'vector', 'mention') AND before IS NOT NULL "
        "AND first_pk = last_pk AND first_pk IN carray(?)",
        (tx.pk_list(pks),),
    )
    tx.run(  # past versions that an undo dropped live on as images under keys that no row has any more
        "DELETE FROM journal WHERE operation_pk IN carray(?) AND relation = 'record' "
        "AND json_extract(before, '$.head_pk') IN carray(?)",
        (tx.pk_list(operations), tx.pk_list(pks)),
    )
    reasoned = [*operations, *_on_spans_with(tx, pks)]
    tx.run("UPDATE operation SET reason = NULL WHERE pk IN carray(?)", (tx.pk_list(reasoned),))
    tx.run(
        "UPDATE operation SET final = 1 WHERE pk IN carray(?) AND NOT EXISTS "
        "(SELECT 1 FROM journal j WHERE j.operation_pk = operation.pk AND j.last_pk - j.first_pk < ? "
        " AND j.before IS NOT NULL)",
        (tx.pk_list(operations), SPAN_MAX),
    )
    ids = tx.all("SELECT DISTINCT id FROM record WHERE pk IN carray(?)", (tx.pk_list(pks),))
    tx.many("DELETE FROM evolution_log WHERE node_ids = ?", ((f'["{row[0]}"]',) for row in ids))


def _on_spans_with(tx: Tx, pks: Sequence[int]) -> list[int]:
    """Operations with a reason that changed one of these rows (ascending) together with its neighbours."""
    spans = tx.all(
        "SELECT j.operation_pk, j.first_pk, j.last_pk FROM operation o JOIN journal j ON j.operation_pk = o.pk "
        "WHERE o.reason IS NOT NULL AND j.relation = 'record' AND j.before IS NOT NULL AND j.last_pk > j.first_pk"
    )
    return [pk for pk, first, last in spans if (at := bisect_left(pks, first)) < len(pks) and pks[at] <= last]
