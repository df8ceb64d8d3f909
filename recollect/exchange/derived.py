"""What a store works out of rows that came in: terms, the sense of statements, and the work that is left for later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.ingest.embedding import EMBED_JOB
from recollect.ingest.requests import request_reading
from recollect.model.columns import COLUMNS, RecordRow
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store import records
from recollect.store.base import Tx


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
    if tx.arrivals.any_unread():
        request_reading(tx, now=now)


def scope_of(row: Mapping[str, Any]) -> Scope:
    """The scope that a line names."""
    return Scope(**{name: row.get(name) for name in DIMENSIONS})


def _as_row(row: Mapping[str, Any]) -> RecordRow:
    return RecordRow(**{name: value for name, value in row.items() if name in _NAMES})


_NAMES = frozenset(COLUMNS)
