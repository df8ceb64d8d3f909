"""In what two sentences differ that otherwise say the same."""

from __future__ import annotations

import pytest

from recollect.perceive.relations.compared import ComparedText
from recollect.perceive.relations.differences import difference_between, numbers_in, speak_of_two_things


def difference(one: str, other: str) -> str:
    return difference_between(ComparedText.of(one).sentences[0], ComparedText.of(other).sentences[0])


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("The gate is open at night", "The gate is not open at night", "only one of the two denies it"),
        ("The gate opens after 20 minutes", "The gate opens after 30 minutes", "20 here, 30 there"),
        ("The garden gate is open", "The garden gate is closed", "open here, closed there"),
        ("The garden gate is open", "The garden gate is old", ""),
        ("The gate is open today", "The gate is not open today", ""),
    ],
)
def test_why_both_cannot_be_so(one: str, other: str, why: str) -> None:
    assert difference(one, other) == why


def test_numbers_in_words_are_numbers() -> None:
    assert numbers_in("it takes three days and costs 1,500") == {"3", "1500"}


def test_room_one_is_not_room_two() -> None:
    one, other = (ComparedText.of(text).sentences[0] for text in ("room 1 is open", "room 2 is open"))
    assert speak_of_two_things(one, other)
