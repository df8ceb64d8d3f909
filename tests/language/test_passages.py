"""A long text falls into passages between its sentences, and nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.passages import PASSAGE_WORDS, passages_of
from recollect.language.terms import terms_of

sentences = st.lists(st.sampled_from(("tea", "rome", "helix", "parse_config", "naïve")), min_size=1, max_size=70).map(
    " ".join
)
texts = st.lists(st.tuples(sentences, st.sampled_from((". ", "! ", "? ", "\n", "\n\n", ".\n"))), max_size=12).map(
    lambda parts: "".join(sentence + end for sentence, end in parts)
)


@given(texts)
def test_no_word_is_lost_or_moved(text: str) -> None:
    parts = passages_of(text)
    assert [term for part in parts for term in terms_of(part)] == terms_of(text)


@given(texts)
def test_passages_are_short_unless_a_sentence_is_long(text: str) -> None:
    for part in passages_of(text):
        words = len(part.split())
        assert words <= PASSAGE_WORDS or not any(end in part.strip() for end in (". ", "! ", "? ")), part


@pytest.mark.parametrize("text", ["", "tea", "Tea. Rome. Helix.", " ".join(["tea"] * PASSAGE_WORDS), "line\nline"])
def test_a_short_text_is_one_passage(text: str) -> None:
    assert passages_of(text) == [text]


def test_cut_between_sentences() -> None:
    long = " ".join(["tea"] * 30)
    assert passages_of(f"{long}. {long}! {long}?\nend") == [f"{long}.", f"{long}!", f"{long}? end"]
    assert passages_of(f"{long} {long} {long}. End.") == [f"{long} {long} {long}.", "End."]


def test_other_full_stops() -> None:
    tea = " ".join(["茶"] * 30)
    assert passages_of(f"{tea}。 {tea}！ {tea}？ {tea}") == [f"{tea}。", f"{tea}！", f"{tea}？", tea]


def test_lines_are_words_apart_too() -> None:
    """A list of names, one a line, is not one endless passage."""
    parts = passages_of("\n".join(f"name{number}" for number in range(200)))
    assert [len(part.split()) for part in parts] == [PASSAGE_WORDS] * 4


def test_passages_are_filled() -> None:
    ten = "one two three four five six seven eight nine ten."
    assert [len(part.split()) for part in passages_of(" ".join([ten] * 12))] == [50, 50, 20]
