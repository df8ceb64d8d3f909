"""What is usually known of a thing of some sort, and how to ask for it."""

from __future__ import annotations

import pytest

from recollect.recall.known.templates import TEMPLATES, age_in_words, missing_field


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


@pytest.mark.parametrize(("days", "words"), [(12, "12 days ago"), (95, "3 months ago"), (800, "2 years ago")])
def test_ages(days: float, words: str) -> None:
    assert age_in_words(days) == words
