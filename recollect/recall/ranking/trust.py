"""How far records can be believed, whatever was asked; and beside that, how well a hit answers.

accuracy    how likely it is right: its author's confidence, other sources, people's words, contradictions, outcomes
freshness   how new it is, by its own half-life, its category's, or the one of all
utility     how much it is worth: its importance, how often it was recalled, and whether that helped
composite   the three by their weights: the one figure that is shown as trust
relevance   how well it answers: the score of the hit, no part of the composite
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime

from recollect.clock import from_us
from recollect.config import Config
from recollect.config.keeping import DecaySettings
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.trust import Trust, accuracy
from recollect.store.base import Tx
from recollect.store.shown import NO_FACTS, Facts, ShownRecord


def trust_in(
    tx: Tx,
    found: Mapping[int, Record] | Mapping[int, ShownRecord],
    relevance: Mapping[int, float],
    *,
    now: int,
    config: Config,
    visible: Criteria | None = None,
) -> dict[int, Trust]:
    """How far each of these can be believed, by key; `relevance` is how well each answers."""
    facts = tx.shown.facts(list(found), now=now, visible=visible)
    moment = from_us(now)
    return {
        pk: judged(record, relevance[pk], facts.get(pk, NO_FACTS), now=moment, config=config)
        for pk, record in found.items()
    }


def judged(record: Record | ShownRecord, relevance: float, facts: Facts, *, now: datetime, config: Config) -> Trust:
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


def reinforcement(uses: int, decay: DecaySettings) -> float:
    """The confidence that being recalled so often adds: 0.05·log(1 + n/20).

    It is worked out when a record is read and never written: a boost added to the stored confidence at every
    recall would be added to itself, and whatever is searched for often would end up certain.
    """
    return decay.reinforcement * math.log1p(uses / decay.reinforcement_uses) if uses else 0.0


def _accuracy(record: Record | ShownRecord, facts: Facts, config: Config) -> float:
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


def _freshness(record: Record | ShownRecord, now: datetime, config: Config) -> float:
    usual = config.decay.half_life_days.get(record.category, config.recall.freshness_half_life_days)
    age_days = max(0.0, (now - (record.event_time or record.created_at)).total_seconds() / 86_400)
    return float(0.5 ** (age_days / (record.half_life_days or usual)))


def _utility(record: Record | ShownRecord, config: Config) -> float:
    """Never below its importance for want of use; only having failed lowers it."""
    use = 1.0 - math.exp(-record.access_count / config.decay.reinforcement_uses)
    judged_so_far = (
        record.success_count * config.trust.success_bonus - record.failure_count * config.trust.failure_penalty
    )
    return _within_unit((record.importance + max(use, record.importance)) / 2 + judged_so_far)


def _within_unit(value: float) -> float:
    return 0.0 if value < 0.0 else 1.0 if value > 1.0 else float(value)
