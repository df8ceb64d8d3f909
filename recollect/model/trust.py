"""How far a record can be believed, beside how well it answers; and the scale on which accuracy is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Each figure in [0, 1]. The composite is how far to believe the record, the same whatever was asked: accuracy,
    freshness and utility, weighed as the settings say. `relevance` is how well it answers, and no part of that."""

    relevance: float
    accuracy: float
    freshness: float
    utility: float
    composite: float

    def to_dict(self) -> dict[str, float]:
        return {name: round(getattr(self, name), 4) for name in self.__slots__}


class Scale(Protocol):
    """What each thing that speaks for or against a record is worth; the settings of trust are one."""

    @property
    def accuracy_base(self) -> float: ...
    @property
    def corroboration_bonus(self) -> float: ...
    @property
    def explicit_bonus(self) -> float: ...
    @property
    def contradiction_penalty(self) -> float: ...
    @property
    def success_bonus(self) -> float: ...
    @property
    def failure_penalty(self) -> float: ...


def accuracy(
    scale: Scale,
    *,
    confidence: Any,
    verified: Any,
    flagged: Any,
    successes: Any,
    failures: Any,
    sources: Any = 1,
    contradicted: Any = False,
) -> Any:
    """How likely a record is right, of one record or of arrays of them. **Not yet clamped** to [0, 1].

    It starts half-way between the neutral base and the record's own confidence. The base alone would make a
    statement its author was sure of look like a coin toss; the confidence alone would leave no room above it
    for what a second source or a person's word adds. A person's word weighs the same either way: a flag takes
    away what a confirmation gives.
    """
    return (
        (scale.accuracy_base + confidence) / 2
        + (sources - 1) * scale.corroboration_bonus
        + (verified * 1 - flagged * 1) * scale.explicit_bonus
        - contradicted * scale.contradiction_penalty
        + successes * scale.success_bonus
        - failures * scale.failure_penalty
    )
