"""`weak`: records that are about to be forgotten, the soonest first."""

from __future__ import annotations

import numpy as np

from recollect.clock import DAY_US, from_us
from recollect.config import Config
from recollect.model.fading import FadingRecord
from recollect.model.query import Criteria
from recollect.store.base import Store
from recollect.upkeep.forgetting.strength import fading

WITHIN_DAYS = 30.0  # what goes later than that is not about to


def weak(
    store: Store, criteria: Criteria, *, limit: int, now: int, config: Config, within_days: float = WITHIN_DAYS
) -> list[FadingRecord]:
    """Records that will be archived within so many days unless they are used. Those that never fade are not among them,
    nor turns that a statement keeps."""
    with store.read() as tx:
        found = tx.imprints.fading_seen(criteria, now=now)
        left = fading(found, now, config).days_left(config.decay.gc_threshold)
        soon = np.flatnonzero(left <= within_days)
        kept = tx.statements.held(found.pks[soon].tolist(), besides=found.pks[soon].tolist())
        soon = soon[~np.isin(found.pks[soon], sorted(kept))]
        first = soon[np.lexsort((found.pks[soon], left[soon]))][:limit]
        chosen = found.at(first)
        loaded = tx.records.load(chosen.pks.tolist())
    state = fading(chosen, now, config)
    days = state.days_left(config.decay.gc_threshold)
    return [
        FadingRecord(
            record=loaded[pk],
            strength=float(state.strength[at]),
            full=float(state.full[at]),
            fades_at=from_us(now + int(max(0.0, days[at]) * DAY_US)),
            days_left=max(0.0, float(days[at])),
        )
        for at, pk in enumerate(chosen.pks.tolist())
    ]
