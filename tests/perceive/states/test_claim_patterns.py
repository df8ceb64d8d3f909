"""Values as they are written, and as they are compared."""

from __future__ import annotations

import pytest

from recollect.perceive.states.claim_patterns import (
    VALUE,
    amount_of,
    day_of,
    may_hold_a_change,
    may_hold_a_value,
    unit_after,
)


@pytest.mark.parametrize(
    ("text", "sort", "amount"),
    [
        ("$4,700", "money", "$4700"),
        ("12 %", "percent", "12%"),
        ("3:30 p.m.", "clock", "3:30pm"),
        ("7/10", "ratio", "7/10"),
        ("four", "word", "4"),
    ],
)
def test_a_value_has_a_sort_and_one_spelling(text: str, sort: str, amount: str) -> None:
    found = VALUE.search(text)
    assert found is not None
    assert (found.lastgroup, amount_of(found)) == (sort, amount)


def test_a_unit_is_no_part_of_the_amount() -> None:
    found = VALUE.search("120ms")
    assert found is not None
    assert (found["unit"], amount_of(found)) == ("ms", "120")


def test_a_day_is_compared_without_its_year() -> None:
    assert day_of("April 5, 2024") == day_of("5th of April") == "apr 5"


def test_what_is_counted_is_the_word_after_the_number() -> None:
    assert unit_after(" new users") == "user"
    assert unit_after(" more now") == ""


def test_the_quick_looks() -> None:
    assert may_hold_a_value("it takes three days")
    assert not may_hold_a_value("it takes long")
    assert may_hold_a_change("she moved from rome")
    assert not may_hold_a_change("she lives in rome")
