"""`review`: what waits for a person's word, the most pressing first."""

from __future__ import annotations

from dataclasses import replace

from recollect.config import Config
from recollect.model.anchor import AnchorState, anchors_on, print_of
from recollect.model.query import Criteria
from recollect.model.record import Tier
from recollect.model.review import Waiting, Why
from recollect.model.screening import is_quarantined, waits_for_approval
from recollect.recall.known.questions import open_questions
from recollect.store.base import Store, Tx

ORPHANS_MAX = 500  # records that are looked at
_QUARANTINED = "it gives orders to its reader; confirm it to release it, or delete it"

_WAITS = "an agent that is not trusted wrote it; approve it, or refuse it"


def review(store: Store, criteria: Criteria, *, limit: int, now: int, config: Config) -> list[Waiting]:
    """Quarantined texts, flagged records, those that were stored for review, unsure conclusions, records whose code is
    gone, and open questions."""
    with store.read() as tx:
        found = _quarantined(tx, criteria, now, limit)
        if len(found) < limit:
            found += _records(tx, criteria, now, limit - len(found), below=config.trust.review_below)
        if len(found) < limit:
            found += _orphans(tx, criteria, now, limit - len(found), {each.id for each in found})
        if len(found) < limit:
            found += _questions(tx, criteria, now, limit - len(found))
    return found


def _quarantined(tx: Tx, criteria: Criteria, now: int, limit: int) -> list[Waiting]:
    """Texts that are kept apart: they lie in the archive, and this is where a person meets them."""
    apart = replace(criteria, tiers=(Tier.ARCHIVE.value,))
    found = tx.records.to_review(apart, below=0.0, now=now, limit=limit)
    loaded = tx.records.load([each.pk for each in found if each.needs_review])
    return [
        Waiting(why=Why.APPROVAL, reason=_WAITS, record=record)
        if waits_for_approval(record.attributes)
        else Waiting(why=Why.QUARANTINED, reason=_QUARANTINED, record=record)
        for record in loaded.values()
        if is_quarantined(record.attributes)
    ]


def _records(tx: Tx, criteria: Criteria, now: int, limit: int, *, below: float) -> list[Waiting]:
    found = tx.records.to_review(criteria, below=below, now=now, limit=limit)
    loaded = tx.records.load([each.pk for each in found])
    reasons = {
        Why.FLAGGED: "it was flagged as wrong",
        Why.REVIEW: "it was stored for review",
        Why.INFERRED: f"it was concluded, and its confidence is below {below:g}",
    }
    out = []
    for each in found:
        why = Why.FLAGGED if each.flagged else Why.REVIEW if each.needs_review else Why.INFERRED
        out.append(Waiting(why=why, reason=reasons[why], record=loaded[each.pk]))
    return out


def _orphans(tx: Tx, criteria: Criteria, now: int, limit: int, known: set[str]) -> list[Waiting]:
    """Records about code that is gone, as it was last looked at; told to nobody until a person has decided."""
    loaded = tx.records.load(tx.anchors.orphans(criteria, now=now, limit=ORPHANS_MAX))
    kept = tx.anchors.kept([record.id for record in loaded.values()])
    found = []
    for record in loaded.values():
        anchors = anchors_on(record.attributes)
        rows = [row for row in kept.get(record.id, ()) if row.print == print_of(anchors)]
        if rows and all(row.state == AnchorState.ORPHANED for row in rows) and record.id not in known:
            reason = f"the code that it is about is gone: {', '.join(anchor.label for anchor in anchors)}"
            found.append(Waiting(why=Why.ORPHANED, reason=reason, record=record))
    return found[:limit]


def _questions(tx: Tx, criteria: Criteria, now: int, limit: int) -> list[Waiting]:
    asked = open_questions(tx, criteria, now=now, limit=limit)
    pks = {record_id: tx.records.find_pk(record_id, None, now=now) for each in asked for record_id in each.records[:1]}
    loaded = tx.records.load(list(pks.values()))
    return [
        Waiting(
            why=Why.QUESTION,
            reason=each.text,
            question=each,
            record=loaded[pks[each.records[0]]] if each.records else None,
        )
        for each in asked
    ]
