"""Verb groups: the finite word, its helpers and the main verb."""

from __future__ import annotations

import pytest

from recollect.perceive.grammar.groups import group_at, is_adverb, skip_adverbs, write_out
from recollect.perceive.grammar.words import words_of


@pytest.mark.parametrize(
    ("words", "lemma", "helpers", "negated", "past"),
    [
        ("has not been working", "work", ("has", "been"), True, False),
        ("did never go", "go", ("did",), True, True),
        ("will soon move", "move", ("will",), False, False),
        ("was reading", "read", ("was",), False, True),
        ("no longer smokes", "smoke", (), True, False),
        ("lives", "live", (), False, False),
    ],
)
def test_a_group_says_what_is_done_and_how(
    words: str, lemma: str, helpers: tuple[str, ...], negated: bool, past: bool
) -> None:
    group = group_at(words_of(words), 0)
    assert group is not None
    assert (group.lemma, group.helpers, group.negated, group.past) == (lemma, helpers, negated, past)


def test_is_going_to_is_one_group() -> None:
    group = group_at(words_of("is going to move"), 0)
    assert group is not None
    assert group.going
    assert group.lemma == "move"


def test_a_word_that_is_no_verb_begins_no_group() -> None:
    assert group_at(words_of("table with legs"), 0) is None


def test_a_short_verb_is_written_out_by_what_follows() -> None:
    for sentence, full in (
        ("it's raining", "is"),
        ("it's been fun", "has"),
        ("I'd better go", "had"),
        ("I'd go", "would"),
    ):
        assert write_out(words_of(sentence), 1) == full


def test_adverbs_are_passed_over() -> None:
    assert skip_adverbs(words_of("really never works"), 0) == 2
    assert is_adverb("quickly")
    assert not is_adverb("family")
