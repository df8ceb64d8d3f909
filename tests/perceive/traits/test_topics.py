"""What a text is about: its most telling words."""

from __future__ import annotations

from recollect.perceive.traits.topics import term_and_worth, topics_of


def test_topics_are_the_telling_words_best_first() -> None:
    text = "Ben said that the harbour museum opens. The museum is big, and museums are great."
    assert topics_of(text, 2) == ("museum", "harbour")
    assert topics_of("I think that it was really good, thanks!") == ()


def test_a_word_that_stands_in_texts_about_anything_is_worth_nothing() -> None:
    assert term_and_worth("really") == ("", 0.0)
    term, worth = term_and_worth("museums")
    assert term == "museum"
    assert worth > 0


def test_an_identifier_is_worth_more_than_a_word_of_its_length() -> None:
    assert term_and_worth("fooBarQux")[1] > term_and_worth("harbourss")[1]
