"""The words of a sentence: contractions written out, quotations whole, every word at its place."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.perceive.grammar.words import any_of, is_word, join_words, words_of


@pytest.mark.parametrize(
    ("sentence", "texts"),
    [
        ("I don't like tea.", ["I", "do", "not", "like", "tea", "."]),
        ("Im gonna move", ["I", "am", "going", "to", "move"]),
        ("Ana's sister can't swim", ["Ana", "'s", "sister", "can", "not", "swim"]),
        ('she said "no way" again', ["she", "said", '"no way"', "again"]),
        ("C++ and C# cost 4,500 $5", ["C++", "and", "C#", "cost", "4,500", "$5"]),
        ("the US is big", ["the", "US", "is", "big"]),
        ("he no longer smokes", ["he", "no longer", "smokes"]),
    ],
)
def test_words_are_written_out(sentence: str, texts: list[str]) -> None:
    assert [word.text for word in words_of(sentence)] == texts


def test_some_words_are_short_only_where_a_clause_begins() -> None:
    assert [word.text for word in words_of("its late")] == ["it", "is", "late"]
    assert [word.text for word in words_of("lost its tail")] == ["lost", "its", "tail"]


def test_a_stretched_word_is_compared_without_its_stretch() -> None:
    (word,) = words_of("himmm")
    assert (word.text, word.low) == ("himmm", "him")


def test_a_word_of_a_contraction_has_the_place_of_the_whole() -> None:
    said = words_of("I can't go")
    assert {(word.start, word.end) for word in said[1:3]} == {(2, 7)}


@given(st.text(max_size=80))
def test_every_word_stands_where_it_says(text: str) -> None:
    for word in words_of(text):
        assert 0 <= word.start < word.end <= len(text)


def test_words_are_joined_by_the_gaps_before_them() -> None:
    assert join_words([("Ana", True), ("'s", False), ("", True), ("dog", True)]) == "Ana's dog"


def test_marks_are_no_words() -> None:
    assert [is_word(word) for word in words_of("Hi , ok")] == [True, False, True]


def test_a_phrase_matches_up_to_the_end_of_a_word() -> None:
    pattern = re.compile(any_of("know", "do$"))
    assert pattern.match("know it")
    assert not pattern.match("knowing")
    assert pattern.match("do")
    assert not pattern.match("do it")
