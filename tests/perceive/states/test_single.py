"""States with one value at a time: a home, an employer, a diet, a version, a price."""

from __future__ import annotations

import pytest

from recollect.perceive.states import single
from recollect.perceive.states.values import Stated


def stated(subject: str, predicate: str, rest: str, tense: str = "present") -> Stated:
    return Stated(
        content=f"{subject} {predicate} {rest}", subject=subject, predicate=predicate, object=rest, tense=tense
    )


@pytest.mark.parametrize(
    ("reader", "said", "respect", "value"),
    [
        (single.home, stated("Ana", "lives in", "Porto"), "home", "Porto"),
        (single.employer, stated("Ana", "works at", "Acme"), "employer", "Acme"),
        (single.state, stated("Ana", "is", "vegan"), "diet", "vegan"),
        (single.version, stated("the API", "is on", "version 2.1"), "version", "version 2.1"),
        (single.superior, stated("Ana", "reports to", "Dina"), "manager", "Dina"),
        (single.measure, stated("the ticket", "costs", "40 euros"), "costs", "40"),
        (single.preference, stated("Ana", "prefers", "tea over coffee"), "prefers: coffe / tea", "tea"),
    ],
)
def test_each_reader_finds_its_state(reader: object, said: Stated, respect: str, value: str) -> None:
    found = reader(said)  # type: ignore[operator]
    assert found is not None
    assert (found.respect, found.value.text, found.single) == (respect, value, True)


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (single.home, stated("Ana", "moves to", "Helix")),
        (single.employer, stated("Ana", "joins", "Acme")),
        (single.state, stated("Ana", "is", "tall")),
        (single.version, stated("Ana", "is on", "holiday")),
        (single.measure, stated("Ana", "has", "time")),
    ],
)
def test_what_is_no_such_state_is_not_one(reader: object, said: Stated) -> None:
    assert reader(said) is None  # type: ignore[operator]
