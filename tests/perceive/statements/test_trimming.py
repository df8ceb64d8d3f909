"""What stands around a statement is taken off, and nothing of the statement."""

from __future__ import annotations

import pytest

from recollect.perceive.grammar.words import words_of
from recollect.perceive.statements.trimming import is_complete, trim, without_tail


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Yeah, I use tabs", "I use tabs"),
        ("I moved to Rome, Ben", "I moved to Rome"),
        ("I like it here lol", "I like it here"),
        ("Thanks for asking, I am fine", "I am fine"),
        ("By the way I quit", "I quit"),
        ("Ben moved, I think", "I think Ben moved"),
        ("I live in Rome thanks for asking", "I live in Rome"),
    ],
)
def test_fillers_and_names_that_are_called_are_taken_off(said: str, left: str) -> None:
    assert " ".join(word.text for word in trim(words_of(said))) == left


@pytest.mark.parametrize("said", ["I want to", "I have three", "it is (not", "I bought a"])
def test_what_breaks_off_is_not_complete(said: str) -> None:
    assert not is_complete(words_of(said))


def test_a_whole_statement_is_complete() -> None:
    assert is_complete(words_of("I am three"))
    assert is_complete(words_of("I use tabs (always)"))


def test_a_reason_at_the_end_can_be_left_out() -> None:
    head = without_tail(words_of("I left Rome because it rained"))
    assert head is not None
    assert " ".join(word.text for word in head) == "I left Rome"
    assert without_tail(words_of("I left Rome")) is None
