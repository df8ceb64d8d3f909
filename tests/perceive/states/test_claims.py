"""What a sentence claims: of what sort, how much, about what, and whether it is new."""

from __future__ import annotations

import pytest

from recollect.perceive.states.claims import (
    ENDED,
    IS_NAMED,
    LIVES_IN,
    MOVED,
    TEXT_CHARS_MAX,
    WORKS_AT,
    Claim,
    claims_of,
)


def only(text: str) -> Claim:
    (claim,) = claims_of(text)
    return claim


VALUES = {
    "The rent is $1,200 a month.": ("money", "$1200"),
    "The tests cover 87% of the code.": ("percent", "87%"),
    "Standup is at 9:30 am.": ("clock", "9:30am"),
    "Standup is at 9:30 a.m. sharp": ("clock", "9:30am"),
    "The report is due on April 5, 2026.": ("date", "apr 5"),
    "The report is due on the 5th of April.": ("date", "apr 5"),
    "Ana answered 7/9 of them.": ("ratio", "7/9"),
    "The page loads in 120ms.": ("ms", "120"),
    "The draft has 4,700 words.": ("word", "4700"),
    "Ben owns three boats.": ("boat", "3"),
    "Probate takes 6-9 months here.": ("month", "6-9"),
}


@pytest.mark.parametrize(("text", "expected"), VALUES.items())
def test_values_are_told_apart_by_sort_and_compared_by_amount(text: str, expected: tuple[str, str]) -> None:
    claim = only(text)
    assert (claim.sort, claim.value) == expected


def test_the_words_around_a_value_say_what_it_is_about() -> None:
    claim = only("I think the budget for the summer offsite in Oslo is now $6,000")
    assert claim.about == {"budget", "summer", "offsit", "oslo"}
    assert "oslo" in claim.near
    assert "budget" not in claim.near


NEW = {
    "The deadline was moved to May 3.": True,
    "My reading goal was extended to 12 books.": True,
    "With the increased budget of $50 I buy novels.": True,
    "The list has 8 series now.": True,
    "The deadline is May 3.": False,
    "I revised the draft on May 3.": False,  # what happened on a day is no news about the day
    "I moved house, and the deadline is May 3.": False,  # another clause
    "The shoes of New Balance cost $90.": False,
}


@pytest.mark.parametrize(("text", "new"), NEW.items())
def test_a_value_is_new_where_its_own_clause_says_so(text: str, new: bool) -> None:
    assert only(text).new is new


def test_a_word_of_change_belongs_to_the_first_value_after_it() -> None:
    words, day = claims_of("The draft reached 4,700 words by May 13")
    assert (words.new, day.new) == (True, False)


def test_from_and_to_are_one_claim_that_names_the_old_value() -> None:
    claim = only("I cut the load time from 250ms to 190ms")
    assert (claim.value, claim.was) == ("190", "250")


NO_STATE = [
    "Traffic grew by 40%.",  # a step
    "I got another 3 cats.",  # more of a kind
    "It was $30 over the estimate.",  # a difference
    "We met over 6 weeks.",  # a span
]


@pytest.mark.parametrize("text", NO_STATE)
def test_steps_spans_and_more_of_a_kind_are_no_claims(text: str) -> None:
    assert claims_of(text) == ()


def test_what_is_wanted_is_not_what_is() -> None:
    assert only("The page should load in under 200ms").aim
    assert only("We have a 90% coverage target").aim
    assert not only("The page loads in 200ms").aim


def test_marks_tell_one_of_several_from_the_others() -> None:
    assert ("sprint", "2") in claims_of("As for sprint 2, it ends on May 3")[-1].marks
    assert ("order", "first") in only("The first draft has 400 words").marks
    assert ("period", "jan") in only("The January budget is $50").marks
    assert only("The key rotates every 30 days").marks == frozenset()  # the value itself marks nothing


@pytest.mark.parametrize(
    ("text", "sort", "value"),
    [
        ("I live in Lisbon.", LIVES_IN, "lisbon"),
        ("Ana moved to Berlin last month.", LIVES_IN, "berlin"),
        ("Ben works at Acme Robotics.", WORKS_AT, "acm robot"),
        ("My favourite colour is blue now.", IS_NAMED, "blue"),
        ("The talk has been rescheduled.", MOVED, ""),
        ("I no longer drink coffee.", ENDED, ""),
    ],
)
def test_some_claims_have_a_name_or_nothing_for_a_value(text: str, sort: str, value: str) -> None:
    claim = only(text)
    assert (claim.sort, claim.value) == (sort, value)


def test_code_is_not_prose_and_long_texts_are_cut() -> None:
    assert claims_of("See here:\n```\nlimit = 10 MB\n```\nThat is all.") == ()
    assert claims_of("x " * TEXT_CHARS_MAX + "The rent is $900.") == ()
