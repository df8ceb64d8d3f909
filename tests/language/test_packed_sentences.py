"""How a text is divided for a model that reads sentence by sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.language.packed import SENTENCES_MAX, WORDS_MAX, WORDS_MIN, packed_sentences


def test_each_sentence_of_a_turn_is_a_part() -> None:
    assert packed_sentences(
        "I moved the boxes today. The shelves come on Thursday, I think. Paint is still missing."
    ) == [
        "I moved the boxes today.",
        "The shelves come on Thursday, I think.",
        "Paint is still missing.",
    ]


def test_one_sentence_has_no_parts() -> None:
    assert packed_sentences("I moved the boxes today.") == []
    assert packed_sentences("") == []


def test_what_is_too_short_goes_with_what_follows_and_a_short_end_with_what_it_follows() -> None:
    assert packed_sentences("Oh no! My bike was stolen yesterday. The police came by in the evening. So sad.") == [
        "Oh no! My bike was stolen yesterday.",
        "The police came by in the evening. So sad.",
    ]


def test_a_sentence_without_end_is_cut() -> None:
    parts = packed_sentences("word " * 120)
    assert [len(part.split()) for part in parts] == [40, 40, 40]


@given(st.lists(st.integers(1, 90), max_size=60))
def test_parts_are_few_and_hold_every_word(lengths: list[int]) -> None:
    text = " ".join(" ".join(["Word", *["word"] * (count - 1)]) + "." for count in lengths)
    parts = packed_sentences(text)
    assert len(parts) <= SENTENCES_MAX
    assert not parts or " ".join(parts).split() == text.split()
    assert all(len(part.split()) >= WORDS_MIN for part in parts)
    if len(text.split()) <= SENTENCES_MAX * WORDS_MIN:
        assert all(len(part.split()) < WORDS_MAX + WORDS_MIN + WORDS_MIN for part in parts)
