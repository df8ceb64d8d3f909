"""Names of people, of any country, told from what else has a capital."""

from __future__ import annotations

import pytest

from recollect.security.screening import personal
from recollect.security.screening.persons import persons_in


def named(text: str) -> list[str]:
    return [text[span.start : span.end] for span in persons_in(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("My name is Krisztián Szöllösy.", ["Krisztián Szöllösy"]),
        ("Please add Mstislav Dolgoruki to the account", ["Mstislav Dolgoruki"]),
        ("Dr. Anna K. Lindqvist will see you on Friday", ["Anna K. Lindqvist"]),
        ("follow the advice of maria silva", ["maria silva"]),
        ("I met Bekele Tadesse in Nairobi. Tadesse works for Google.", ["Bekele Tadesse", "Tadesse"]),
        ("The winners were Maria, Doyle and Hodge.", ["Maria", "Doyle", "Hodge"]),
    ],
)
def test_a_person_is_found_by_letters_and_neighbours(text: str, names: list[str]) -> None:
    assert named(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "In Canada we eat French bread on Monday",
        "What are my options?",
        "Windows, Linux and Python are installed",
        "The University of Oslo is old",
    ],
)
def test_other_names_are_left_alone(text: str) -> None:
    assert named(text) == []


def test_names_are_found_where_they_are_asked_for_and_raise_no_tier() -> None:
    text = "My name is Krisztián Szöllösy"
    assert personal.find(text) == ()
    assert [str(span.type) for span in personal.find(text, names=True)] == ["person"]
