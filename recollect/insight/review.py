"""`review`: what waits for a person's word, the most pressing first."""

from __future__ import annotations

from recollect.config import Config
from recollect.model.query import Criteria
from recollect.model.review import Waiting, Why
from recollect.store.base import Store, Tx
from recollect.upkeep.knowledge.questions import open_questions

INFERRED_SOURCES = ("inferred", "observer_inferred")  # what was concluded from behaviour rather than said

_WAITING = f"""
    SELECT r.pk, CASE WHEN r.flagged THEN '{Why.FLAGGED}' WHEN r.needs_review THEN '{Why.REVIEW}'
                      ELSE '{Why.INFERRED}' END AS why
    FROM record r WHERE HEAD(r) AND r.user_verified = 0 AND {{visible}} AND (
        r.needs_review = 1 OR r.flagged = 1
        OR (r.confidence < ? AND (coalesce(r.source, '') IN {INFERRED_SOURCES} OR EXISTS (
            SELECT 1 FROM member m JOIN edge e ON e.pk = m.edge_pk AND e.label = 'inferred_from'
            AND LIVE(e) WHERE m.record_pk = r.pk AND m.role = 'subject')))
    )
    ORDER BY r.flagged DESC, r.needs_review DESC, r.confidence, r.pk LIMIT ?
"""


def review(store: Store, criteria: Criteria, *, limit: int, now: int, config: Config) -> list[Waiting]:
    """Flagged records, those that were stored for review, unsure conclusions, and open questions."""
    with store.read() as tx:
        found = _records(tx, criteria, now, limit, below=config.trust.review_below)
        if len(found) < limit:
            found += _questions(tx, criteria, now, limit - len(found))
    return found


def _records(tx: Tx, criteria: Criteria, now: int, limit: int, *, below: float) -> list[Waiting]:
    clause, params = tx.criteria.where(criteria, now=now)
    rows = tx.sql.all(_WAITING.format(visible=clause), [*params, below, limit])
    loaded = tx.records.load([row[0] for row in rows])
    reasons = {
        Why.FLAGGED: "somebody says that it is wrong",
        Why.REVIEW: "it was stored for review",
        Why.INFERRED: f"it was concluded, and its confidence is below {below:g}",
    }
    return [Waiting(why=Why(why), reason=reasons[Why(why)], record=loaded[pk]) for pk, why in rows]


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
