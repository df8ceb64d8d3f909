"""What an answer cites: every `#id` in it held against what is stored, numbered, and told below with what it says."""

from __future__ import annotations

from recollect.model.citing import CheckedAnswer, CitedRecord
from recollect.model.fence import cited, with_citations
from recollect.model.query import Criteria
from recollect.model.record import Record, SecurityTier
from recollect.store.base import Tx


def checked(tx: Tx, answer: str, sight: Criteria, *, now: int) -> CheckedAnswer:
    """An answer with its citations, as somebody may see them; ids of what they may not see are unknown to them."""
    found: dict[str, Record] = {}
    for named in cited(answer):
        ids = tx.records.ids_beginning(named, sight, now=now, limit=2)
        loaded = tx.records.load(tx.records.pks_of(ids)).values()
        records = [each for each in loaded if each.retired_at is None]
        if len(records) == 1:
            found[named] = records[0]
    numbers: dict[str, int] = {}
    for record in found.values():
        numbers.setdefault(record.id, len(numbers) + 1)
    marks = {named: f"[{numbers[record.id]}]" for named, record in found.items()}
    return CheckedAnswer(
        text=with_citations(answer, marks),
        citations=tuple(_cited(numbers[each.id], each) for each in {one.id: one for one in found.values()}.values()),
        unknown=tuple(named for named in cited(answer) if named not in found),
    )


def _cited(number: int, record: Record) -> CitedRecord:
    shown = record.content if record.security is SecurityTier.CLEARTEXT else ""
    return CitedRecord(
        number=number,
        id=record.id,
        content=shown,
        category=record.category,
        source=record.source,
        updated_at=record.updated_at,
        flagged=record.flagged,
    )
