"""What one `add` stores, in one transaction: its scope and session, its material, and the work that goes on from there.

Research and compaction add as well, with a verb of their own and their own idea of what is known already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from recollect.config.keeping import NO_READER
from recollect.ingest.material import Material
from recollect.ingest.recognition import Recognition
from recollect.ingest.requests import (
    request_consolidation,
    request_pairs,
    request_reading,
    request_relations,
    request_statements,
)
from recollect.ingest.updates import UPDATES_DELAY_S, UPDATES_JOB, worth_a_look
from recollect.ingest.writer import MaterialWriter
from recollect.model.columns import RecordRow
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.rows import stored_value
from recollect.store.stretches import TOLD

RECORDS_IN_RECEIPT_MAX = 1_000  # a receipt of a bulk load lists ids, not a second copy of everything


class Added(NamedTuple):
    """What became durable. `ids` are those of what was given, each in its place; `records` begin with the same."""

    operation: str
    ids: list[str]
    statements: list[str]
    records: list[Record]
    merged: list[str]
    new: int
    changed: int  # records that were there and have another category now
    kinds: set[str]  # of the new records
    queued: bool

    @property
    def event(self) -> str:
        """What happened to what was given, in one word."""
        return "ADD" if self.new else "UPDATE" if self.changed else "NONE"


def add(
    tx: Tx,
    material: Material,
    *,
    at: int,
    scope: Scope,
    session: str | None,
    actor: str | None,
    verb: str = "add",
    recognition: Recognition | None = None,
    also: Callable[[Tx, Op, list[int]], None] | None = None,
) -> Added:
    """Store all of it. `also` is done with the keys of what was given, before the operation is finished."""
    known = Recognition(material) if recognition is None else recognition
    rows, turns = material.rows, material.drafts.turns
    scope_pk = tx.scopes.ensure(scope)
    op = tx.journal.begin(verb, at=at, scope_pk=scope_pk, actor=actor, count=len(rows))
    begins = session is not None and not tx.sessions.is_known(session, scope_pk)
    session_pk = None if session is None else tx.sessions.ensure(session, scope_pk, at=at)
    material.stamp(scope_pk, session_pk, at=at)
    last = tx.sessions.last_turn(session_pk) if session_pk is not None and turns else None
    found = known.repeats(tx, op)
    writer = MaterialWriter(tx, op, material, known)
    pks = writer.store_rows(found)
    if also is not None:
        also(tx, op, pks)
    said = [pks[position] for position in turns if position not in found.stored]
    tx.edges.insert_chain(op, "follows", said if last is None else [last, *said])
    writer.store_statements(pks, known=found.stored)
    queued = _ask_for_more(tx, material, writer.fresh, at)
    if begins and session_pk is not None and material.config.upkeep.after_session:
        queued = request_consolidation(tx, scope_pk, session_pk, now=at) or queued
    own = {row.id for row in writer.fresh}
    merged = [each for each in dict.fromkeys(writer.merged) if each not in own]  # said twice in one breath
    op.finish(len(own) + len(merged))
    ids, shown = _shown(tx, rows, pks, own, scope, session)
    stated = [row for row in writer.fresh if row.turn_pk is not None]
    room = max(0, RECORDS_IN_RECEIPT_MAX - len(rows))
    return Added(
        operation=op.id,
        ids=ids,
        statements=[row.id for row in stated],
        records=[*shown, *(stored_value(row, scope, session) for row in stated[:room])],
        merged=merged,
        new=len(own),
        changed=writer.changed,
        kinds={row.kind for row in writer.fresh},
        queued=queued,
    )


def _ask_for_more(tx: Tx, material: Material, fresh: list[RecordRow], at: int) -> bool:
    """Jobs that go on from here; whether there is one that was not there before."""
    kinds = {row.kind for row in fresh}
    told = any(row.turn_pk is None and row.kind in TOLD for row in fresh)
    look = any(row.turn_pk is None and worth_a_look(row.content) for row in fresh)
    return any(
        [
            look and tx.jobs.enqueue_once(UPDATES_JOB, now=at, delay_s=UPDATES_DELAY_S),
            told and material.config.reader.model != NO_READER and request_pairs(tx, now=at),
            material.read.later and request_reading(tx, now=at),
            material.read.now and request_relations(tx, kinds, now=at),
            material.read.now and request_statements(tx, kinds, material.config.perceive, now=at),
        ]
    )


def _shown(
    tx: Tx, rows: list[RecordRow], pks: list[int], fresh: set[str], scope: Scope, session: str | None
) -> tuple[list[str], list[Record]]:
    """(ids, records) of what was given, each in its place: the record that was there where one was."""
    stored = dict(zip((row.id for row in rows), pks, strict=True))
    known = tx.records.load([pk for id_, pk in stored.items() if id_ not in fresh][:RECORDS_IN_RECEIPT_MAX])
    ids = tx.records.ids(pks) if known else [row.id for row in rows]
    shown = [
        stored_value(row, scope, session) if row.id in fresh else known[pk]
        for row, pk in zip(rows[:RECORDS_IN_RECEIPT_MAX], pks, strict=False)
    ]
    return ids, shown
