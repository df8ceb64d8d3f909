"""How far records can be believed (Engram §7), whatever was asked; and beside that, how well a hit answers.

accuracy    how likely it is right: its author's confidence, other sources, people's words, contradictions, outcomes
freshness   how new it is, by its own half-life, its category's, or the one of all
utility     how much it is worth: its importance, how often it was recalled, and whether that helped
composite   the three by their weights: the one figure that is shown as trust
relevance   how well it answers: the score of the hit, no part of the composite
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from recollect.clock import from_us
from recollect.config import Config
from recollect.config.keeping import Decay
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.trust import Trust, accuracy
from recollect.recall.answers import Answer
from recollect.recall.graph import CONTRADICTION_LABELS
from recollect.store import before
from recollect.store.base import Tx

_RESTS_ON, _SUPPORTED_BY, _CONTRADICTED_BY = "rests on", "supported by", "contradicted by"
_AGAINST = ", ".join(f"'{label}'" for label in CONTRADICTION_LABELS)
_FACTS = f"""
    WITH asked (pk, head) AS (SELECT pk, coalesce(head_pk, pk) FROM record WHERE pk IN KEYS(?))
    SELECT a.pk, CASE WHEN e.label IN ({_AGAINST}) THEN '{_CONTRADICTED_BY}'
                      WHEN e.label = 'derived_from' THEN '{_RESTS_ON}' ELSE '{_SUPPORTED_BY}' END AS what,
           count(DISTINCT r.pk)
    FROM asked a
    JOIN member here ON here.record_pk = a.head
    JOIN edge e ON e.pk = here.edge_pk AND {{edge_believed}} AND (e.valid_until IS NULL OR e.valid_until > ?)
         AND (e.label IN ({_AGAINST}) OR (e.label = 'derived_from' AND here.role = 'subject')
              OR (e.label IN ('supports', 'validates') AND here.role = 'object'))
    JOIN member there ON there.edge_pk = e.pk AND there.record_pk <> a.head
    JOIN record r ON r.pk = there.record_pk AND {{record_believed}}
    WHERE (what <> '{_CONTRADICTED_BY}' OR r.valid_until IS NULL OR r.valid_until > ?) AND {{visible}}
    GROUP BY a.pk, what
"""


class Facts(NamedTuple):
    """What other records say of one."""

    rests_on: int = 0  # records it was derived from
    supported_by: int = 0  # records that support or validate it
    contradicted: bool = False  # by one that still holds

    def sources(self, sessions: int) -> int:
        """How many speak for it, itself included; `sessions` are those that confirmed it."""
        return max(1, self.rests_on, sessions) + self.supported_by


NO_FACTS = Facts()


def facts_of(tx: Tx, pks: Sequence[int], *, now: int, visible: Criteria | None = None) -> dict[int, Facts]:
    """What is related to these records, in one statement; records without relations are left out.

    With `visible`, what the reader may not see does not count: a figure must not tell of it; and where that asks what
    was known at a time, neither does what came later.
    """
    if not tx.edges.any_edge():
        return {}
    clause, params = ("1", []) if visible is None else tx.criteria.where(visible, now=now, times=False)
    known_at = None if visible is None else visible.known_at
    sql = _FACTS.format(
        visible=clause, edge_believed=before.edge_believed(known_at), record_believed=before.record_believed(known_at)
    )
    counts: dict[int, dict[str, int]] = {}
    for pk, what, count in tx.sql.all(sql, [tx.sql.keys(pks), now, now, *params]):
        counts.setdefault(pk, {})[what] = count
    return {
        pk: Facts(found.get(_RESTS_ON, 0), found.get(_SUPPORTED_BY, 0), _CONTRADICTED_BY in found)
        for pk, found in counts.items()
    }


def trust_in(
    tx: Tx,
    found: Mapping[int, Record] | Mapping[int, Answer],
    relevance: Mapping[int, float],
    *,
    now: int,
    config: Config,
    visible: Criteria | None = None,
) -> dict[int, Trust]:
    """How far each of these can be believed, by key; `relevance` is how well each answers."""
    facts = facts_of(tx, list(found), now=now, visible=visible)
    moment = from_us(now)
    return {
        pk: judged(record, relevance[pk], facts.get(pk, NO_FACTS), now=moment, config=config)
        for pk, record in found.items()
    }


def judged(record: Record | Answer, relevance: float, facts: Facts, *, now: datetime, config: Config) -> Trust:
    """The figures of one record. The weights need not add up: of one that nothing speaks against, trust can be 1."""
    scale, accurate = config.trust, _accuracy(record, facts, config)
    freshness, utility = _freshness(record, now, config), _utility(record, config)
    whole = scale.accuracy_weight + scale.freshness_weight + scale.utility_weight
    weighed = scale.accuracy_weight * accurate + scale.freshness_weight * freshness + scale.utility_weight * utility
    return Trust(
        relevance=_within_unit(relevance),
        accuracy=accurate,
        freshness=freshness,
        utility=utility,
        composite=weighed / whole if whole else accurate,
    )


def reinforcement(uses: int, decay: Decay) -> float:
    """The confidence that being recalled so often adds: 0.05·log(1 + n/20).

    It is worked out when a record is read and never written: a boost added to the stored confidence at every
    recall would be added to itself, and whatever is searched for often would end up certain.
    """
    return decay.reinforcement * math.log1p(uses / decay.reinforcement_uses) if uses else 0.0


def _accuracy(record: Record | Answer, facts: Facts, config: Config) -> float:
    confidence = min(1.0, record.confidence + reinforcement(record.access_count, config.decay))
    return _within_unit(
        accuracy(
            config.trust,
            confidence=confidence,
            verified=record.user_verified,
            flagged=record.flagged,
            successes=record.success_count,
            failures=record.failure_count,
            sources=facts.sources(len(record.provenance_sessions)),
            contradicted=facts.contradicted,
        )
    )


def _freshness(record: Record | Answer, now: datetime, config: Config) -> float:
    usual = config.decay.half_life_days.get(record.category, config.recall.freshness_half_life_days)
    age_days = max(0.0, (now - (record.event_time or record.created_at)).total_seconds() / 86_400)
    return float(0.5 ** (age_days / (record.half_life_days or usual)))


def _utility(record: Record | Answer, config: Config) -> float:
    """Never below its importance for want of use; only having failed lowers it."""
    use = 1.0 - math.exp(-record.access_count / config.decay.reinforcement_uses)
    judged_so_far = (
        record.success_count * config.trust.success_bonus - record.failure_count * config.trust.failure_penalty
    )
    return _within_unit((record.importance + max(use, record.importance)) / 2 + judged_so_far)


def _within_unit(value: float) -> float:
    return 0.0 if value < 0.0 else 1.0 if value > 1.0 else float(value)
