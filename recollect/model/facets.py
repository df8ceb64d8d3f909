"""What sort of text a record is: Diataxis type, persona, verification, confidence level, domains, authority.

And how a sort of text is asked for, and how well facets meet that; `model.narrowing` reads what people write for it.
"""

from __future__ import annotations

from dataclasses import dataclass
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
        every = ((name, getattr(self, name)) for name in self.__slots__)
        return {k: v for k, v in every if v is not None and v is not False and v != ()}

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


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetQuery:
    """What sort of text an answer must be: everything that is set has to hold.

    Several states or sources mean one of them; several domains mean all of them.
    """

    diataxis_type: DiataxisType | None = None
    persona: PersonaType | None = None
    verification_states: tuple[VerificationState, ...] = ()
    min_confidence: ConfidenceLevel | None = None
    domain_tags: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()
    min_authority: float | None = None
    time_sensitive: bool | None = None

    @property
    def levels(self) -> tuple[ConfidenceLevel, ...]:
        """The levels that suffice."""
        if self.min_confidence is None:
            return ()
        return _SUREST_FIRST[: _SUREST_FIRST.index(self.min_confidence) + 1]


_SUREST_FIRST = tuple(ConfidenceLevel)


def facet_match(facets: Facets, query: FacetQuery, *, secondary_persona_factor: float) -> float:
    """How well facets meet a query: 0 when one of its parts fails, otherwise the mean of what each part scores."""
    met = [score for score in _scores(facets, query, secondary_persona_factor) if score is not None]
    if not met:
        return 1.0
    return 0.0 if min(met) == 0.0 else sum(met) / len(met)


def _scores(facets: Facets, query: FacetQuery, secondary: float) -> list[float | None]:
    """One figure for each part of a query, None where it asks for nothing."""

    def asked(part: object, holds: bool) -> float | None:
        return None if part is None or part == () else float(holds)

    reader: float | None = None
    if query.persona is not None:
        second = secondary if query.persona in facets.secondary_personas else 0.0
        reader = 1.0 if facets.primary_persona is query.persona else second
    authority = query.min_authority
    return [
        reader,
        asked(query.diataxis_type, facets.diataxis_type is query.diataxis_type),
        asked(query.verification_states, facets.verification_state in query.verification_states),
        asked(query.min_confidence, facets.confidence in query.levels),
        asked(query.domain_tags, set(query.domain_tags) <= set(facets.domain_tags)),
        asked(query.source_types, facets.source_type in query.source_types),
        asked(authority, authority is not None and facets.source_authority >= authority),
        asked(query.time_sensitive, facets.is_time_sensitive is query.time_sensitive),
    ]
