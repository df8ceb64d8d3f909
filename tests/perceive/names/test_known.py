"""Lists of known names, as the readers want them."""

from __future__ import annotations

from recollect.perceive.names import known


def test_wide_places_are_places() -> None:
    assert known.WIDE_PLACES < known.PLACES
    assert {"portugal", "lisbon", "new york"} <= known.PLACES
    assert "lisbon" not in known.WIDE_PLACES


def test_short_forms_of_names_lead_to_names() -> None:
    assert known.NICKNAMES["mel"] == {"melanie", "melissa", "melinda"}


def test_no_given_name_is_among_the_words_that_are_never_part_of_one() -> None:
    assert known.GIVEN_NAMES.isdisjoint(known.NOT_PEOPLE)


def test_animals_are_among_those_that_have_a_name() -> None:
    assert known.ANIMALS_AND_ROLES.startswith(known.ANIMALS)
