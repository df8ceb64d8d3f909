"""How far a hit can be believed: four figures and their composite."""

from __future__ import annotations

from dataclasses import asdict, dataclass

WEIGHTS = {"relevance": 0.35, "accuracy": 0.25, "freshness": 0.20, "utility": 0.20}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Each figure in [0, 1]."""

    relevance: float
    accuracy: float
    freshness: float
    utility: float

    @property
    def composite(self) -> float:
        return (
            WEIGHTS["relevance"] * self.relevance
            + WEIGHTS["accuracy"] * self.accuracy
            + WEIGHTS["freshness"] * self.freshness
            + WEIGHTS["utility"] * self.utility
        )

    def to_dict(self) -> dict[str, float]:
        return {name: round(value, 4) for name, value in (asdict(self) | {"composite": self.composite}).items()}
