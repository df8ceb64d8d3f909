"""What a store works out of rows that came in: terms, the sense of statements, and the work that is left for later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from recollect.errors import CycleRefused
from recollect.ingest.embedding import EMBED_JOB
from recollect.ingest.requests import request_reading
from recollect.model.columns import COLUMNS, RecordRow
from recollect.model.edge import rule_of
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store import records
from recollect.store.base import Tx
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES

_UNREAD = "SELECT 1 FROM record WHERE perceived IS NULL AND head_pk IS NULL AND retired_at IS NULL LIMIT 1"


def index_records(tx: Tx, rows: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
    """Make records that were just inserted findable by their words, and known by what they say."""
    from recollect.ingest.dedupe import note_text  # reads tables of words

    tx.text.put(((pk, records.searched_terms(row)) for pk, row in rows))
    for pk, row in rows:
        if row.get("head_pk") is None and row.get("retired_at") is None:
            note_text(tx, pk, _as_row(row))


def request_work(tx: Tx, *, now: int) -> None:
    """Have vectors made, and what was never read read."""
    tx.jobs.enqueue_once(EMBED_JOB, now=now)
    if tx.sql.value(_UNREAD):
        request_reading(tx, now=now)


def scope_of(row: Mapping[str, Any]) -> Scope:
    """The scope that a line names."""
    return Scope(**{name: row.get(name) for name in DIMENSIONS})


def drop_circles(tx: Tx, after_pk: int, *, every: bool) -> int:
    """Take out relations after this key that lead back to where they start, where their label forbids it; how many.

    A circle needs a relation from an older record to a newer one. Among rows that came in together, only those are
    looked at; where there were relations before, `every` new one.
    """
    labels = [row[0] for row in tx.sql.all("SELECT DISTINCT label FROM edge WHERE pk > ?", (after_pk,))]
    acyclic = [label for label in labels if rule_of(label).acyclic]
    suspects = tx.sql.all(
        "SELECT DISTINCT e.pk FROM EACH_ITEM(?) wanted JOIN edge e ON e.label = wanted.value AND e.pk > ? "
        f"AND LIVE(e) JOIN member s ON s.edge_pk = e.pk AND s.role IN {SOURCE_ROLES} "
        f"JOIN member t ON t.edge_pk = e.pk AND t.role IN {TARGET_ROLES} WHERE ? OR s.record_pk <= t.record_pk",
        (orjson.dumps(acyclic).decode(), after_pk, every),
    )
    dropped = 0
    for (pk,) in suspects:
        try:
            tx.edges.refuse_circles(pk, pk)
        except CycleRefused:
            dropped += tx.sql.run("DELETE FROM edge WHERE pk = ?", (pk,))
            tx.changes.announce("edge", pk, pk)
    return dropped


def _as_row(row: Mapping[str, Any]) -> RecordRow:
    return RecordRow(**{name: value for name, value in row.items() if name in _NAMES})


_NAMES = frozenset(COLUMNS)
