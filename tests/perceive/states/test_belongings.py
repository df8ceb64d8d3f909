"""What a person or thing has, and what took its place."""

from __future__ import annotations

from recollect.perceive.states.belongings import attribute, loss, switch
from recollect.perceive.states.values import Stated


def stated(subject: str, predicate: str, rest: str, tense: str = "present") -> Stated:
    return Stated(
        content=f"{subject} {predicate} {rest}", subject=subject, predicate=predicate, object=rest, tense=tense
    )


def test_an_attribute_is_whose_it_is_and_what_it_is() -> None:
    found = attribute(stated("Ana's phone number", "is", "555 0101"))
    assert found is not None
    assert (found.holder, found.respect, found.single) == ("ana", "phone number", True)


def test_an_attribute_may_be_told_the_other_way_round() -> None:
    found = attribute(stated("Dina", "is", "Ana's new manager"))
    assert found is not None
    assert (found.holder, found.respect, found.value.text, found.changed) == ("ana", "manager", "Dina", True)


def test_a_change_names_both_values() -> None:
    found = attribute(stated("The deadline", "moves from", "May 3 to May 9", "past"))
    assert found is not None
    assert found.was is not None
    assert (found.was.text, found.value.text) == ("May 3", "May 9")


def test_a_switch_names_what_it_replaced() -> None:
    found = switch(stated("Ana", "switches from", "vim to Helix"))
    assert found is not None
    assert found.was is not None
    assert (found.was.text, found.value.text, found.changed) == ("vim", "Helix", True)


def test_what_is_sold_is_had_no_longer() -> None:
    found = loss(stated("Ana", "sells", "the Volvo"))
    assert found is not None
    assert found.denied
    assert loss(stated("Ana", "buys", "the Volvo")) is None
