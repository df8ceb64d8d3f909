"""Facets asked for: everything that is asked has to hold."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.errors import InvalidQuery
from recollect.model.facets import ConfidenceLevel, DiataxisType, FacetQuery, Facets, PersonaType, facet_match
from recollect.model.narrowing import facet_query

HOWTO = Facets(
    diataxis_type=DiataxisType.HOWTO,
    primary_persona=PersonaType.PRAGMATIST,
    secondary_personas=(PersonaType.EXPERT,),
    confidence=ConfidenceLevel.MODERATE,
    domain_tags=("cli", "api"),
    source_type="docs",
    source_authority=0.9,
    is_time_sensitive=True,
)


@pytest.mark.parametrize(
    ("query", "score"),
    [
        ({"diataxis_type": "howto"}, 1.0),
        ({"diataxis_type": "tutorial"}, 0.0),
        ({"persona": "pragmatist"}, 1.0),
        ({"persona": "expert"}, 0.7),
        ({"persona": "novice"}, 0.0),
        ({"persona": "expert", "diataxis_type": "howto"}, 0.85),
        ({"persona": "expert", "diataxis_type": "tutorial"}, 0.0),
        ({"verification": "unverified"}, 1.0),
        ({"verification": ["verified", "unverified"]}, 1.0),
        ({"verification": ["verified"]}, 0.0),
        ({"confidence": "low"}, 1.0),
        ({"confidence": "moderate"}, 1.0),
        ({"confidence": "high"}, 0.0),
        ({"domain_tags": ["cli"]}, 1.0),
        ({"domain_tags": ["api", "cli"]}, 1.0),
        ({"domain_tags": ["cli", "security"]}, 0.0),
        ({"source_type": "docs"}, 1.0),
        ({"source_types": ["code"]}, 0.0),
        ({"authority": 0.9}, 1.0),
        ({"min_authority": 0.95}, 0.0),
        ({"time_sensitive": True}, 1.0),
        ({"time_sensitive": False}, 0.0),
    ],
)
def test_how_well_facets_meet_a_query(query: dict[str, Any], score: float) -> None:
    assert facet_match(HOWTO, facet_query(query), secondary_persona_factor=0.7) == pytest.approx(score)


def test_nothing_asked_is_met_by_all() -> None:
    assert facet_match(Facets(), FacetQuery(), secondary_persona_factor=0.7) == 1.0
    assert facet_query(FacetQuery()) == FacetQuery()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({}, "is empty"),
        ("howto", "an object such as"),
        ({"persna": "novice"}, "did you mean 'persona'"),
        ({"persona": "king"}, "novice, pragmatist"),
        ({"verification": ["sure"]}, "unverified"),
        ({"min_authority": 2}, "from 0 to 1"),
        ({"min_authority": True}, "from 0 to 1"),
        ({"time_sensitive": "yes"}, "true or false"),
        ({"domain_tags": []}, "domain_tags"),
        ({"domain_tags": [1]}, "domain_tags"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_word(written: Any, said: str) -> None:
    with pytest.raises(InvalidQuery, match=said):
        facet_query(written)


@pytest.mark.parametrize("facets", [Facets(), HOWTO, Facets(source_authority=0.0), Facets(last_verified="2026-05-01")])
def test_facets_survive_being_stored(facets: Facets) -> None:
    assert Facets.from_dict(facets.to_dict()) == facets
