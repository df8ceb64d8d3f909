"""What a score becomes by what is known of the record besides its words.

    belief       confidence, people's words and outcomes: against a plain record, which was neither doubted nor praised
    use          how often and how lately it was recalled
    importance   how much it matters
    freshness    how new it is, as far as the question prefers the new
    kind         what its kind is worth for such a question
    phase        what its category is worth in this phase of the work
    mood         whether it felt like the question does

Each is a factor on the sum behind a score. A plain record's factor is exactly 1, so in a store whose records were
neither judged nor used yet nothing moves. Without a phase the factors are small: relevance decides, and belief where
it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.clock import DAY_US
from recollect.config import Config
from recollect.config.reading import PhasesSettings
from recollect.errors import UsageError, shown
from recollect.model.trust import accuracy
from recollect.store.signals import Signals

Floats = NDArray[np.float64]

PHASES = tuple(field.name for field in fields(PhasesSettings))
NO_PREFERENCE: Mapping[str, float] = MappingProxyType({})
_PLAIN_IMPORTANCE = 0.5
_ALMOST_CERTAIN = 1.0 - 1e-9  # a score of 1 hides an infinite sum; behind this one lies a large finite one


def weigh(
    scores: Floats,
    signals: Signals,
    *,
    config: Config,
    now: int,
    phase: str | None = None,
    mood: float = 0.0,
    freshness_bias: float = 0.0,
    kinds: Mapping[str, float] = NO_PREFERENCE,
) -> tuple[Floats, dict[str, Floats]]:
    """New scores in [0, 1], in the order given, and what each factor added to or took from them.

    The old scores and the parts add up to the new ones; factors that moved nothing are left out.
    """
    weighed, parts = scores, dict[str, Floats]()
    factors = _factors(signals, config, now, freshness_bias)
    if kinds:
        factors["kind"] = _each(signals.kind, kinds, 1.0)
    if phase is not None:
        factors["phase"] = phase_factor(signals.category, phase, config)
    if mood:
        factors["mood"] = congruence(signals.valence, mood, config)
    for name, factor in factors.items():
        if np.any(factor != 1.0):
            moved = _times(weighed, factor)
            parts[name] = moved - weighed
            weighed = moved
    return weighed, parts


def phase_factor(categories: Sequence[str], phase: str | None, config: Config) -> Floats:
    """What each category is worth in a phase; 1 for those the phase says nothing about."""
    if phase is None:
        return np.ones(len(categories))
    phases = config.phases
    worth = {
        "planning": phases.planning,
        "coding": phases.coding,
        "qa_review": phases.qa_review,
        "debugging": phases.debugging,
        "insights": phases.insights,
        "spec": phases.spec,
    }[checked_phase(phase)]
    return _each(categories, worth, 1.0)


def checked_phase(phase: Any) -> str:
    """The name of a phase, or a word about which there are."""
    if phase not in PHASES:
        raise UsageError(f"there is no phase {shown(phase, 40)}; the phases are {', '.join(PHASES)}")
    return str(phase)


def congruence(valences: Floats, mood: float, config: Config) -> Floats:
    """Records that felt like the question does are raised; nothing is lowered, neutral is 1."""
    return np.asarray(1.0 + config.affect.recall_gain * np.maximum(valences * mood, 0.0))


def _factors(signals: Signals, config: Config, now: int, freshness_bias: float) -> dict[str, Floats]:
    """What the records themselves say, whatever is being done and felt."""
    chosen = config.recall
    factors = {
        "belief": 1.0 + chosen.belief_weight * (_belief(signals, config) - _plain_belief(config)),
        "use": 1.0 + chosen.use_weight * _use(signals, now, config),
        "importance": 1.0 + chosen.importance_weight * (signals.importance - _PLAIN_IMPORTANCE),
    }
    if freshness_bias:
        lost = 1.0 - _freshness(signals, now, config)
        factors["freshness"] = 1.0 - chosen.freshness_weight * freshness_bias * lost
    return factors


def _times(scores: Floats, factors: Floats) -> Floats:
    """A score bends a sum s into 1 - e^-s: what is multiplied is the sum, so that no score leaves [0, 1]."""
    scores = np.minimum(scores, _ALMOST_CERTAIN)
    return np.asarray(np.where(factors == 1.0, scores, 1.0 - (1.0 - scores) ** factors))


def _belief(signals: Signals, config: Config) -> Floats:
    gained = config.decay.reinforcement * np.log1p(signals.access_count / config.decay.reinforcement_uses)
    own: Floats = accuracy(
        config.trust,
        confidence=np.minimum(1.0, signals.confidence + gained),
        verified=signals.user_verified,
        flagged=signals.flagged,
        successes=signals.success,
        failures=signals.failure,
    )
    return np.minimum(np.maximum(own, 0.0), 1.0)


def _plain_belief(config: Config) -> float:
    """How far a record is believed that its author was sure of, before any feedback."""
    plain = accuracy(config.trust, confidence=1.0, verified=False, flagged=False, successes=0, failures=0)
    return min(max(float(plain), 0.0), 1.0)


def _use(signals: Signals, now: int, config: Config) -> Floats:
    """Recency and frequency, weighed as in the usage score; 0 for what was never recalled."""
    chosen = config.recall
    whole = chosen.use_recency_weight + chosen.use_frequency_weight
    if not whole or not signals.access_count.any():
        return np.zeros(len(signals.pks))
    recency = chosen.use_recency_weight * _recency(signals, now, config)
    return np.asarray((recency + chosen.use_frequency_weight * _frequency(signals)) / whole)


def _recency(signals: Signals, now: int, config: Config) -> Floats:
    days = np.maximum(now - signals.last_access, 0) / DAY_US
    return np.asarray(np.where(signals.last_access > 0, np.exp(-days / config.recall.use_recency_days), 0.0))


def _frequency(signals: Signals) -> Floats:
    """Against the most used of these candidates."""
    most = int(signals.access_count.max(initial=0))
    return np.asarray(np.log1p(signals.access_count) / (np.log1p(most) or 1.0))


def _freshness(signals: Signals, now: int, config: Config) -> Floats:
    usual, by_category = config.recall.freshness_half_life_days, config.decay.half_life_days
    half_lives = _each(signals.category, by_category, usual)
    half_lives = np.where(np.isnan(signals.half_life_days), half_lives, signals.half_life_days)
    return np.asarray(0.5 ** (np.maximum(now - signals.event_time, 0) / DAY_US / half_lives))


def _each(names: Sequence[str], values: Mapping[str, float], otherwise: float) -> Floats:
    """The value of each name. Of many rows few have a name of their own: each is looked up once."""
    known = {name: values.get(name, otherwise) for name in set(names)}
    return np.array([known[name] for name in names], dtype=np.float64)
