"""Writes down what readings of pairs come to: statements end, turns are replaced, and what is doubtful is noted.

Where statements were drawn from the older turn, these end; the turn stands by them. A turn without statements is
replaced by an edge from the newer one. Short of that, a later text that more probably than not is the current one is an
update of the older one: searches put it first, and nothing has ended.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import NamedTuple

from recollect.config.keeping import ReaderSettings
from recollect.model.ending import Decider, EndCause
from recollect.model.pair import PairReading
from recollect.perceive.reader.outcome import PairOutcome, PairVerdict, outcome_of, outcomes_of_parts
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.endings import BY
from recollect.store.journal import Op
from recollect.store.stretches import ToldRecord

VERB = "compare"
UPDATES = "updates"


class StatementOfTurn(NamedTuple):
    """A live statement that answers through a turn: what it says, and when it was said last."""

    pk: int
    version: int
    content: str
    said_at: int


class ReadPair(NamedTuple):
    """An older and a newer record of which the newer one may end the older one, as they were read."""

    older: ToldRecord
    newer: ToldRecord
    whole: PairReading
    statements: tuple[StatementOfTurn, ...]
    readings: tuple[PairReading, ...]  # of each statement against the newer record


def statements_of(tx: Tx, turn_pks: Collection[int]) -> dict[int, tuple[StatementOfTurn, ...]]:
    """The live statements that each of these turns says and that have no end, by turn."""
    said = tx.statements.turns_saying(tx.statements.drawn_from(turn_pks))
    last: dict[int, int] = {}
    for pk, _, at in said:
        last[pk] = max(at, last.get(pk, at))
    rows = {pk: row for pk, row in tx.statements.live_rows(last) if row.valid_until is None}
    found: dict[int, list[StatementOfTurn]] = {}
    for pk, turn_pk, _ in sorted(said):
        if turn_pk in turn_pks and pk in rows:
            found.setdefault(turn_pk, []).append(StatementOfTurn(pk, rows[pk].version, rows[pk].content, last[pk]))
    return {turn_pk: tuple(dict.fromkeys(each)) for turn_pk, each in found.items()}


def settle(tx: Tx, findings: Sequence[ReadPair], settings: ReaderSettings, *, now: int) -> None:
    """Write findings down as far as both texts still are what was read, one operation for each scope."""
    order = sorted(findings, key=lambda each: (each.newer.scope_pk, each.newer.at, each.newer.pk))
    for scope_pk, together in groupby(order, key=lambda each: each.newer.scope_pk):
        op = tx.journal.begin(VERB, at=now, scope_pk=scope_pk)
        changed = sum(_settle(tx, op, each, settings) for each in together if _is_as_read(tx, each))
        if changed:
            op.finish(changed)
        else:
            tx.journal.drop(op)


def settle_doubt(tx: Tx, op: Op, *, older: int, newer: int, is_over: bool, cause: EndCause) -> bool:
    """Decide a doubt by a person's answer or a language model's word; whether it is decided now.

    Either the newer record ends the older one, or the doubt is removed and not raised again while both say what they
    say. Nothing is asked about the two any more. What may not end (`Endings.end`) stays in doubt.
    """
    if is_over and not tx.endings.end(op, older=older, newer=newer, cause=cause):
        return False
    if not is_over:
        tx.endings.reject(op, tx.endings.doubted(older=older, newer=newer))
    tx.questions.settle_change(op, older=older, newer=newer)
    return True


def _is_as_read(tx: Tx, found: ReadPair) -> bool:
    records = ((found.older.pk, found.older.version), (found.newer.pk, found.newer.version))
    said = ((each.pk, each.version) for each in found.statements)
    return all(tx.records.is_at_version(pk, version) for pk, version in (*records, *said))


def _settle(tx: Tx, op: Op, found: ReadPair, settings: ReaderSettings) -> int:
    whole = outcome_of(found.whole, settings)
    comes_first = whole.probability >= settings.first_min
    if not found.statements:
        changed = _decide(tx, op, found.older.pk, found.newer.pk, whole)
        return changed + (comes_first and _put_first(tx, op, found, whole))
    parts = outcomes_of_parts(found.whole, found.readings, settings)
    told = zip(found.statements, parts, strict=True)
    said_before = [(each.pk, part) for each, part in told if each.said_at < found.newer.at]  # or else it holds by that
    if not said_before:
        return 0
    changed = sum(_decide(tx, op, pk, found.newer.pk, part) for pk, part in said_before)
    if (
        not any(part.outcome is not PairOutcome.HOLDS for _, part in said_before)
        and whole.outcome is PairOutcome.DOUBTED
    ):
        changed += _decide(tx, op, found.older.pk, found.newer.pk, whole)
    return changed + (comes_first and _put_first(tx, op, found, whole))


def _decide(tx: Tx, op: Op, older: int, newer: int, verdict: PairVerdict) -> int:
    """End it, note a doubt, or leave it; how many records that changed."""
    cause = EndCause(by=Decider.MODEL, probability=verdict.probability, reason=verdict.reason)
    if verdict.outcome is PairOutcome.HOLDS or tx.endings.successors(older, None, now=op.at):
        return 0
    decide = tx.endings.end if verdict.outcome is PairOutcome.OVER else tx.endings.doubt
    return int(decide(op, older=older, newer=newer, cause=cause))


def _put_first(tx: Tx, op: Op, found: ReadPair, whole: PairVerdict) -> int:
    """Statements answer through their turns: a search has to know which of two turns is the newer one."""
    if tx.relations.is_ordered(found.newer.pk, found.older.pk):
        return 0
    edge = edges.pair(
        found.newer.pk,
        found.older.pk,
        UPDATES,
        confidence=whole.probability,
        auto_extracted=True,
        evidence=[whole.reason],
        attributes={BY: Decider.MODEL.value},
    )
    tx.edges.insert(op, [edge])
    return 1
