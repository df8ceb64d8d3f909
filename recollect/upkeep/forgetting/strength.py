"""How strong a record is now: what it started with, less what time took since it was last used.

Both curves (`decay.curve`) are an exponential that is stretched by a power of the days, so one form serves them:

    strength(days) = full · exp(-(days / τ)^power)

engram      full = strength · (1/2 + importance) · (1 + 0.3 · ln sessions)       power = 1
            τ = 30 days · (1 + ln uses) · (1 + arousal)
assistant   full = confidence + 0.05 · ln(1 + uses / 20), at most 1              power = 0.8
            τ = rate^(-1 / power); turns do not fade

Of two that compete (`interference`), the weaker has its τ divided by 1 + `replay.interference`, until it is used.

A record's own half-life, or that of its category, takes the place of the 30 days or of the rate; its own rate is
measured against the usual one. Nothing is written down as time goes by: strength is worked out when it is asked for, so
a clock that jumps, a run that dies or one that comes twice does no harm. Feeling makes the beginning stronger and the
fading slower; it does not add to what is left, since that would keep whatever was felt at all for ever.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recollect.clock import DAY_US
from recollect.config import Config
from recollect.config.keeping import DecaySettings
from recollect.config.writing import AffectSettings
from recollect.model.record import KEPT_CATEGORIES
from recollect.store.imprints import Flags, Floats, Imprints

ENGRAM, ASSISTANT = "engram", "assistant"
RIVALS_MAX = 3  # that make a record fade faster
_LN2 = float(np.log(2.0))


class Fading(NamedTuple):
    """How records fade: `full` is their strength right after use, `days` how long ago that is. Replay winds the days
    back, so that what was gone over is never weaker for it. Those that `never` fade stay as they are."""

    full: Floats
    tau: Floats
    days: Floats
    power: float
    never: Flags

    @property
    def strength(self) -> Floats:
        """What is left now."""
        left = self.full * np.exp(-np.power(self.days / self.tau, self.power))
        return np.where(self.never, self.full, left)

    def days_left(self, threshold: float) -> Floats:
        """Until strength falls below a threshold; infinite for what never fades, negative when it has."""
        return np.where(self.never, np.inf, _days_to(threshold, self.full, self.tau, self.power) - self.days)


def fading(of: Imprints, now: int, config: Config) -> Fading:
    """How these records fade, by the curve that is set."""
    decay = config.decay
    if decay.curve == ENGRAM:
        power, (full, tau) = 1.0, _engram(of, decay, config.affect)
    else:
        power, (full, tau) = decay.exponent, _assistant(of, decay)
    tau = tau / (1.0 + config.replay.interference * np.minimum(of.rivals, RIVALS_MAX))
    rehearsed = (of.rehearsed_at > of.used_at) & np.isfinite(tau)
    since = np.where(rehearsed, of.rehearsed_at, of.used_at)
    head_start = np.where(rehearsed, np.maximum(0.0, _days_to(of.rehearsed_to, full, tau, power)), 0.0)
    passed = np.maximum(0.0, (now - since) / DAY_US)  # a clock that was set back takes nothing away
    return Fading(full=full, tau=tau, days=head_start + passed, power=power, never=never_fades(of, config))


def _days_to(level: Floats | float, full: Floats, tau: Floats, power: float) -> Floats:
    """How long after use strength is down to a level; negative where it never was as strong."""
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.log(full) - np.log(level)
        days = tau * np.copysign(np.power(np.abs(room), 1.0 / power), room)
    return np.where(room == 0.0, 0.0, days)


def strength_now(of: Imprints, now: int, config: Config) -> Floats:
    """How strong each of these records is."""
    return fading(of, now, config).strength


def never_fades(of: Imprints, config: Config) -> Flags:
    """What a person confirmed or asked to be remembered, what is wanted always, matters, or was felt strongly.

    An insight of replay makes a record fade more slowly, but does not keep it: many of those that are much alike are
    one thing said often.
    """
    wanted = np.array([name in KEPT_CATEGORIES for name in of.category], dtype=np.bool_)
    told: Flags = of.verified | of.explicit | (of.decay_rate == 0.0) | wanted
    mattered: Flags = (of.importance >= config.decay.protect_importance) | (of.felt >= config.affect.protect_arousal)
    turns: Flags = of.episodic & (config.decay.curve == ASSISTANT)
    return told | mattered | turns


def _engram(of: Imprints, decay: DecaySettings, affect: AffectSettings) -> tuple[Floats, Floats]:
    full = of.strength * (0.5 + of.importance) * (1.0 + decay.spacing_gain * np.log(np.maximum(1, of.sessions)))
    slower = np.where(of.decay_rate > 0.0, decay.rate / np.maximum(of.decay_rate, 1e-12), 1.0)
    usual = decay.base_days * (slower if decay.rate > 0.0 else 1.0)
    half_life = _half_life(of, decay)
    base = np.where(np.isnan(half_life), usual, half_life / _LN2)
    return full, base * (1.0 + np.log(np.maximum(1, of.uses))) * (1.0 + affect.decay_resistance * of.arousal)


def _assistant(of: Imprints, decay: DecaySettings) -> tuple[Floats, Floats]:
    gained = decay.reinforcement * np.log1p(of.uses / decay.reinforcement_uses)
    rate = np.where(np.isnan(of.decay_rate), decay.rate, of.decay_rate)
    half_life = _half_life(of, decay)
    with np.errstate(divide="ignore"):
        usual = np.power(rate, -1.0 / decay.exponent)  # infinite where nothing is lost
    return (
        np.minimum(1.0, of.confidence + gained),
        np.where(np.isnan(half_life), usual, half_life / _LN2 ** (1.0 / decay.exponent)),
    )


def _half_life(of: Imprints, decay: DecaySettings) -> Floats:
    """A record's own half-life, or its category's; NaN where there is neither."""
    of_category = np.array([decay.half_life_days.get(name, np.nan) for name in of.category], dtype=np.float64)
    return np.where(np.isnan(of.half_life_days), of_category, of.half_life_days)
