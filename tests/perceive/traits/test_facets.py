"""What sort of text it is, by its words, its headings and where it comes from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.writing import PerceiveSettings, StructureSettings
from recollect.model.facets import ConfidenceLevel, DiataxisType, Facets, PersonaType, VerificationState
from recollect.model.place import Place, PositionType
from recollect.perceive.traits.facets import facets_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In this tutorial you will learn to bake, step by step", DiataxisType.TUTORIAL),
        ("How to solve a merge conflict", DiataxisType.HOWTO),
        ("The endpoint takes two parameters; the default format is JSON", DiataxisType.REFERENCE),
        ("Why the architecture has two layers, and the concept behind it", DiataxisType.EXPLANATION),
        ("Ana likes tea", None),
    ],
)
def test_the_type_of_a_document(text: str, expected: DiataxisType | None) -> None:
    assert facets_of(text, source_type="docs").diataxis_type is expected


def test_the_nearest_heading_decides_before_the_words() -> None:
    text = "Why the design has options"
    under = Place(section_path=("Architecture", "API reference"))
    assert facets_of(text, place=under).diataxis_type is DiataxisType.REFERENCE
    assert facets_of(text, place=Place(section_path=("Architecture",))).diataxis_type is DiataxisType.EXPLANATION


def test_one_word_does_not_make_a_turn_documentation() -> None:
    assert facets_of("I learn Spanish with Ben").diataxis_type is None
    assert facets_of("I learn Spanish with Ben", source_type="docs").diataxis_type is DiataxisType.TUTORIAL


def test_personas() -> None:
    novice = facets_of("A simple introduction for beginners, with benchmarks", source_type="docs")
    assert (novice.primary_persona, novice.secondary_personas) == (PersonaType.NOVICE, (PersonaType.SKEPTIC,))
    assert facets_of("Advanced tuning under the hood", source_type="docs").primary_persona is PersonaType.EXPERT
    assert facets_of("Run it", source_type="docs").primary_persona is PersonaType.PRAGMATIST


def test_confidence_follows_the_words_of_certainty() -> None:
    assert facets_of("It must always be set and is never empty").confidence is ConfidenceLevel.HIGH
    assert facets_of("Maybe it might possibly work").confidence is ConfidenceLevel.LOW
    doubts = "Maybe perhaps it might possibly, probably, usually work, I guess"
    assert facets_of(doubts).confidence is ConfidenceLevel.UNCERTAIN
    assert facets_of("It must be set, maybe").confidence is ConfidenceLevel.MODERATE
    assert facets_of("Maybe", perceive=PerceiveSettings(certainty_markers=0)).confidence is not ConfidenceLevel.MODERATE


def test_a_text_can_lower_its_verification_but_not_raise_it() -> None:
    assert facets_of("This page is outdated.").verification_state is VerificationState.OUTDATED
    assert facets_of("The figure of 3 ms is disputed").verification_state is VerificationState.DISPUTED
    assert facets_of("**Outdated:** see v2").verification_state is VerificationState.OUTDATED
    assert facets_of("This was verified and confirmed").verification_state is VerificationState.UNVERIFIED
    assert facets_of("x " * 400 + "outdated").verification_state is VerificationState.UNVERIFIED


def test_domains_come_with_the_best_known_first() -> None:
    assert facets_of("The api endpoint checks a token of each request").domain_tags == ("api", "security")
    assert facets_of("My dog and my cats met the vet").domain_tags == ("pets",)


def test_time_sensitivity() -> None:
    assert facets_of("The office is closed this week").is_time_sensitive
    assert not facets_of("Water boils at 100 degrees").is_time_sensitive


def test_authority_is_that_of_the_source() -> None:
    code = facets_of("def f(): ...", place=Place(position_type=PositionType.CODE))
    assert (code.source_type, code.source_authority) == ("code", 1.0)
    assert facets_of("text", source_type="docs").source_authority == 0.9
    assert (facets_of("text").source_type, facets_of("text").source_authority) == ("conversation", 0.7)
    trusted = StructureSettings(source_authority={"wiki": 0.4})
    assert facets_of("text", source_type="wiki", structure=trusted).source_authority == 0.4


@given(st.text(max_size=300))
def test_facets_survive_storage(text: str) -> None:
    found = facets_of(text)
    assert Facets.from_dict(found.to_dict()) == found


@pytest.mark.parametrize(
    "text",
    [
        "How to detect outdated caches",
        "Do not use disputed charges",
        "If the cache is outdated, delete it",
        "We list incorrect passwords in the log",
        "Is this page outdated?",
    ],
)
def test_a_text_that_only_uses_the_word_is_neither_outdated_nor_disputed(text: str) -> None:
    assert facets_of(text).verification_state is VerificationState.UNVERIFIED
