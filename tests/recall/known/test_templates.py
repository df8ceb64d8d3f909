"""What is usually known of a thing of some sort, and how to ask for it."""

from __future__ import annotations

import pytest

from recollect.model.usual import usual_of
from recollect.recall.known.templates import TEMPLATES, age_in_words, field_of, missing_field


@pytest.mark.parametrize("kind", TEMPLATES)
def test_templates(kind: str) -> None:
    fields = TEMPLATES[kind]
    assert len(fields) > 1
    assert len({field.name for field in fields}) == len(fields)
    assert all(field.question.format(name="Atlas").endswith("?") for field in fields)
    assert missing_field(kind, []) is None


def test_missing_fields() -> None:
    assert missing_field("project", ["is written in Rust", "is led by Ana"]).name == "deadline"  # type: ignore[union-attr]
    assert missing_field("person", ["works at Acme", "lives in Rome"]) is None
    assert missing_field("planet", ["orbits a star"]) is None


def test_fields_of_ones_own_come_first() -> None:
    own = usual_of("project: budget, licence = licensed under | open source; place: opening hours")
    known = ["is written in Rust", "is led by Ana", "is licensed under MIT"]
    assert missing_field("project", known, own["project"]).name == "budget"  # type: ignore[union-attr]
    told = [*known, "has a budget of 5,000 euros"]
    assert missing_field("project", told, own["project"]).name == "deadline"  # type: ignore[union-attr]
    assert missing_field("project", ["is green"], own["project"]) is None  # nobody speaks of it as of a project
    hours = missing_field("place", ["is by the river"], own["place"])
    assert hours is not None
    assert hours.question.format(name="Gino's") == "May I ask for the opening hours of Gino's?"
    assert field_of("place", "opening hours") == hours


def test_what_stands_in_a_field_is_no_pattern() -> None:
    (version,) = usual_of("project: stack = C++ | a.b")["project"]
    assert version.is_in("has a.b inside")
    assert not version.is_in("has axb inside")


@pytest.mark.parametrize(
    "text", ["budget", "planet: moons", "project: {x}", "project: a = " + "b" * 61, "project: = b"]
)
def test_a_field_that_cannot_be_is_told(text: str) -> None:
    with pytest.raises(ValueError, match=r"names one of|a field is"):
        usual_of(text)


@pytest.mark.parametrize(("days", "words"), [(12, "12 days ago"), (95, "3 months ago"), (800, "2 years ago")])
def test_ages(days: float, words: str) -> None:
    assert age_in_words(days) == words
