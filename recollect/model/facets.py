"""What sort of text a record is: Diataxis type, persona, verification, confidence level, domains, authority."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class DiataxisType(StrEnum):
    TUTORIAL = "tutorial"
    HOWTO = "howto"
    REFERENCE = "reference"
    EXPLANATION = "explanation"


class PersonaType(StrEnum):
    NOVICE = "novice"
    PRAGMATIST = "pragmatist"
    SKEPTIC = "skeptic"
    EXPERT = "expert"


class VerificationState(StrEnum):
    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    DISPUTED = "disputed"
    OUTDATED = "outdated"


class ConfidenceLevel(StrEnum):
    HIGH = "high"
    MODERATE = "moderate"
    LOW = "low"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Independent labels; a query over several of them means all of them."""

    diataxis_type: DiataxisType | None = None
    primary_persona: PersonaType | None = None
    secondary_personas: tuple[PersonaType, ...] = ()
    verification_state: VerificationState = VerificationState.UNVERIFIED
    confidence: ConfidenceLevel = ConfidenceLevel.MODERATE
    domain_tags: tuple[str, ...] = ()
    is_time_sensitive: bool = False
    last_verified: str | None = None
    source_type: str | None = None
    source_authority: float = 1.0

    def to_dict(self) -> dict[str, Any]:
        return {k: v for k, v in asdict(self).items() if v not in (None, (), False)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Facets:
        values = dict(data)
        for name, kind in _ENUMS.items():
            if values.get(name) is not None:
                values[name] = kind(values[name])
        if "secondary_personas" in values:
            values["secondary_personas"] = tuple(PersonaType(p) for p in values["secondary_personas"])
        if "domain_tags" in values:
            values["domain_tags"] = tuple(values["domain_tags"])
        return cls(**values)


_ENUMS: dict[str, type[StrEnum]] = {
    "diataxis_type": DiataxisType,
    "primary_persona": PersonaType,
    "verification_state": VerificationState,
    "confidence": ConfidenceLevel,
}
