"""People a text names, and what only looks like a name."""

from __future__ import annotations

import pytest

from recollect.perceive.names.people import people_in

PEOPLE = [
    ("Ana Silva told me that Ben prefers tea", ("Ana Silva", "Ben")),
    ("Ana came. Ana Silva stayed.", ("Ana Silva",)),
    ("My sister Marisol lives in Lisbon", ("Marisol",)),
    ("Dr. Okafor called", ("Okafor",)),
    ("Yesterday Thandiwe said no", ("Thandiwe",)),
    ("Ben's bike is red", ("Ben",)),
    ("On Monday we met Ben Monday morning", ("Ben",)),
    ("The Board said yes. Thanks Everyone! In May we go to Paris.", ()),
    ("we sat down with a friend", ()),
]


@pytest.mark.parametrize(("text", "expected"), PEOPLE)
def test_people(text: str, expected: tuple[str, ...]) -> None:
    assert people_in(text) == expected
