"""What matters most now: the answer to an empty question.

The newest records, and those marked as important, by what they are worth when nothing in particular is asked. The
same text counts once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recollect.clock import DAY_US, Clock
from recollect.config import Config, LiveConfig
from recollect.index.base import Pks
from recollect.index.keys import each_once
from recollect.model.query import Criteria
from recollect.model.scope import Reach, Scope
from recollect.recall.ranking.arrange import distinct
from recollect.recall.ranking.weigh import Floats, congruence, phase_factor
from recollect.store.base import Store, Tx
from recollect.store.signals import Signals

NEWEST = 200  # rows that can matter for being new
IMPORTANT = 200  # … and for being important


class Important(NamedTuple):
    """A record that matters, and how much, from 0 to 1."""

    id: str
    content: str
    weight: float


def foremost(
    tx: Tx,
    criteria: Criteria,
    *,
    now: int,
    limit: int,
    config: Config,
    among: Pks | None = None,
    phase: str | None = None,
    mood: float = 0.0,
) -> dict[int, float]:
    """Rows by key with what they are worth from 0 to 1, best first. With `among`, only these count."""
    known = tx.signals.signals(_candidates(tx, criteria, now) if among is None else among)
    if not len(known.pks):
        return {}
    factor = phase_factor(known.category, phase, config) * congruence(known.valence, mood, config)
    worth = 1.0 - (1.0 - _worth(known, now, config)) ** factor
    order = np.lexsort((-known.pks, -worth))
    if criteria.reach is Reach.SCOPE:  # who looks further wants to see whose it is, each time
        once, _ = distinct([known.content_hash[at] or str(known.pks[at]) for at in order.tolist()])
        order = order[once]
    order = order[:limit]
    return dict(zip(known.pks[order].tolist(), worth[order].tolist(), strict=True))


def most_important(store: Store, live: LiveConfig, clock: Clock, scope: Scope, limit: int) -> list[Important]:
    """What matters most in a scope now: what an agent begins with after a long absence."""
    with store.read() as tx:
        worth = foremost(tx, Criteria(scope=scope), now=clock(), limit=limit, config=live.current)
        found = tx.records.load(list(worth))
    return [Important(found[pk].id, found[pk].content, weight) for pk, weight in worth.items() if pk in found]


def _candidates(tx: Tx, criteria: Criteria, now: int) -> Pks:
    newest = tx.candidates.newest(criteria, now=now, limit=NEWEST)
    important = tx.candidates.most_important(criteria, now=now, limit=IMPORTANT)
    return each_once(np.array([*newest, *important], dtype=np.int64))


def _worth(known: Signals, now: int, config: Config) -> Floats:
    """Trust without relevance: accuracy as far as it is known, freshness and utility, each by its weight."""
    scale = config.trust
    age_days = np.maximum(now - known.event_time, 0) / DAY_US
    freshness = 0.5 ** (age_days / config.recall.freshness_half_life_days)
    use = 1.0 - np.exp(-known.access_count / config.decay.reinforcement_uses)
    utility = (known.importance + np.maximum(use, known.importance)) / 2
    accuracy = np.clip(known.confidence + 0.3 * known.user_verified - 0.5 * known.flagged, 0.0, 1.0)
    whole = scale.accuracy_weight + scale.freshness_weight + scale.utility_weight
    worth = scale.accuracy_weight * accuracy + scale.freshness_weight * freshness + scale.utility_weight * utility
    return np.asarray(worth / whole)
