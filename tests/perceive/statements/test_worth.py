"""Whether a clause says something that is worth keeping on its own."""

from __future__ import annotations

import pytest

from recollect.perceive.grammar.clauses import read_clause
from recollect.perceive.grammar.words import words_of
from recollect.perceive.statements.worth import is_worth_keeping


def is_kept(sentence: str) -> bool:
    clause = read_clause(words_of(sentence))
    assert clause is not None
    return is_worth_keeping(clause)


@pytest.mark.parametrize(
    "sentence",
    ["I use Rust at work", "my sister lives in Rome", "Ben bought a red car", "I smoke", "we left Rome"],
)
def test_what_tells_something_is_kept(sentence: str) -> None:
    assert is_kept(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I agree",
        "I am so tired today",
        "I got a few years ago",
        "you are right",
        "she works there",
        "we learn and we grow",
        "I love the following file",
        "my trip sounds good",
    ],
)
def test_courtesies_answers_and_sayings_are_not(sentence: str) -> None:
    assert not is_kept(sentence)
