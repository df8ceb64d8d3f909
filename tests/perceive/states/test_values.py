"""Values by their sort, and who holds them."""

from __future__ import annotations

from recollect.perceive.states.values import holders_of, is_single, plain_noun, sort_of, value_of, without_adjunct


def test_subjects_name_an_owner_and_what_of_theirs() -> None:
    assert holders_of("Ana's new phone number") == ("ana", "phone number")
    assert holders_of("The deadline for the launch") == ("launch", "deadline")
    assert holders_of("The budget") == ("the", "budget")
    assert holders_of("The user") == ("the user", "")
    assert holders_of("Ana") == ("ana", "")


def test_values_are_compared_by_their_sort() -> None:
    assert value_of("5,000 euros").words == value_of("5000 euros a month").words
    assert value_of("June 3").sort == "date"
    assert value_of("Friday").sort == "weekday"
    assert value_of("555 0101").words != value_of("555 0199").words
    assert value_of("Helix now").words == value_of("Helix").words


def test_what_only_says_since_when_or_why_is_cut() -> None:
    assert without_adjunct("Porto since May") == "Porto"
    assert without_adjunct("vegan now") == "vegan"


def test_one_at_a_time_by_what_it_is_called() -> None:
    assert is_single("rent", value_of("900 euros"))
    assert is_single("manager", value_of("Dina"))
    assert not is_single("manager", value_of("German"))
    assert not is_single("favourite part", value_of("the end"))


def test_new_and_main_things_are_called_by_their_noun() -> None:
    assert plain_noun("new phone number") == "phone number"
    assert plain_noun("primary editor") == "main editor"


def test_things_of_one_sort_take_each_others_place() -> None:
    assert sort_of("Helix") == sort_of("vim") == "editor"
    assert sort_of("bread") == ""
