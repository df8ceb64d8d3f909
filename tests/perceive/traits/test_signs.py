"""Signs: words and phrases that say one thing, counted in a text."""

from __future__ import annotations

from recollect.perceive.traits.signs import sign_of, words_in, words_of


def test_words_and_phrases_are_counted() -> None:
    sign = sign_of(["urgent", "asap", "right now", "not now"])
    lowered = "urgent: do it right now"
    assert sign.count(words_in(lowered), lowered) == 2
    assert sign.count(frozenset(), "") == 0


def test_the_words_that_signs_ask_for_are_all_that_counting_needs() -> None:
    sign = sign_of(["urgent", "right now"])
    lowered = "it is urgent right now, my friend"
    asked_for = words_in(lowered) & words_of(sign)
    assert asked_for == {"urgent", "now"}
    assert sign.count(asked_for, lowered) == sign.count(words_in(lowered), lowered)
