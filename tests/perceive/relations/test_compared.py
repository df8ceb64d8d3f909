"""A text as it is compared: sentences of prose with their telling words."""

from __future__ import annotations

from recollect.perceive.relations.compared import TEXT_CHARS_MAX, ComparedText, telling_words


def test_code_and_tables_are_left_out_and_titles_are_marked() -> None:
    text = "# Brewing tea\n\nThe pot boils.\n\n| a | b |\n\n```\nx = 1\n```\n"
    sentences = ComparedText.of(text).sentences
    assert [(each.text, each.title) for each in sentences] == [("Brewing tea", True), ("The pot boils.", False)]


def test_lines_that_an_editor_broke_are_one_sentence() -> None:
    text = "The gateway signs every token before it goes out to\nthe clients in the other room."
    assert len(ComparedText.of(text).sentences) == 1


def test_telling_words_are_stems_without_function_words() -> None:
    assert telling_words("the gates of the gardens") == {"gate", "garden"}


def test_names_and_numbered_things_identify() -> None:
    (said,) = ComparedText.of("We met Ana in room 3").sentences
    assert said.identifiers == {"ana", "3"}


def test_only_the_beginning_of_a_long_text_is_compared() -> None:
    assert len(ComparedText.of("a" * 2 * TEXT_CHARS_MAX).text) == TEXT_CHARS_MAX
