"""The steps that bring a sentence to one wording."""

from __future__ import annotations

import pytest

from recollect.perceive.sameness.one_wording import compared_words, in_order, to_one_wording, without_fillers


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("It's 5,000 km!", ["it", "'s", "5000", "km"]),
        ("I don't use C++", ["i", "do", "not", "use", "c++"]),
        ("at 10:00am, ten percent", ["at", "10", "am", ",", "10", "%"]),
        ("colour API_KEY v2", ["color", "API_KEY", "v2"]),
    ],
)
def test_words_as_they_are_compared(sentence: str, words: list[str]) -> None:
    assert compared_words(sentence) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("it's late", "it is late"),
        ("On Friday, Ana met Ben", "Ana met Ben on Friday"),
        ("by the way, Ana met Ben", "Ana met Ben"),
        ("Ana left on the 5th of Dec", "Ana left on the 5 December"),
        ("Ana is using vim", "Ana uses vim"),
        ("Ana likes hiking", "Ana likes to hike"),
        ("Ana does not use vim any more", "Ana no longer uses vim"),
    ],
)
def test_two_ways_to_say_it_have_one_wording(one: str, other: str) -> None:
    assert to_one_wording(compared_words(one)) == to_one_wording(compared_words(other))


def test_fillers_and_articles_go_unless_they_mean_something() -> None:
    assert list(without_fillers("the dog really barked".split())) == ["dog", "barked"]
    assert list(without_fillers("not really a few".split())) == ["not", "really", "a", "few"]


def test_pairs_are_ordered_where_nothing_hangs_on_their_order() -> None:
    assert in_order("ana likes tea and coffee".split()) == "ana likes coffee and tea".split()
    assert in_order("red wine and beer".split()) == "red wine and beer".split()
