"""How far a hit can be believed."""

from __future__ import annotations

import math
from datetime import datetime

from recollect.model.record import Record
from recollect.model.trust import Trust

_UTILITY_ACCESSES = 20.0  # accesses at which use alone has earned about two thirds of its weight


def trust_of(record: Record, relevance: float, *, now: datetime, half_life_days: float) -> Trust:
    """Four figures from what the record itself knows."""
    age_days = max(0.0, (now - (record.event_time or record.created_at)).total_seconds() / 86_400)
    freshness = 0.5 ** (age_days / (record.half_life_days or half_life_days))
    judged = record.success_count + record.failure_count
    accuracy = 1.0 if record.user_verified else record.confidence
    if record.flagged:
        accuracy *= 0.5
    if judged:
        accuracy = (accuracy + record.success_count / judged) / 2
    use = 1.0 - math.exp(-record.access_count / _UTILITY_ACCESSES)
    utility = min(1.0, 0.5 * record.importance + 0.5 * max(use, record.importance))
    return Trust(relevance=min(1.0, relevance), accuracy=accuracy, freshness=freshness, utility=utility)
