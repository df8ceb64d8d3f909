"""How a record felt. Magnitude decides how well it is kept, the sign only what it is congruent with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Affect:
    """Valence in [-1, 1]; arousal, intensity, dominance and surprise in [0, 1]."""

    valence: float = 0.0
    arousal: float = 0.0
    intensity: float = 0.0
    dominance: float = 0.0
    surprise: float = 0.0
