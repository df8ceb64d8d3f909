"""How a clause says what it says: yes or no, when, how surely, and whether it is real."""

from __future__ import annotations

import pytest

from recollect.perceive.grammar.clauses import read_clause
from recollect.perceive.grammar.manner import Manner, manner_of
from recollect.perceive.grammar.words import words_of


def manner(sentence: str) -> Manner:
    clause = read_clause(words_of(sentence))
    assert clause is not None
    return manner_of(clause)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I like tea", Manner()),
        ("I never eat meat", Manner(polarity="-")),
        ("I moved to Porto", Manner(tense="past")),
        ("I will move to Porto", Manner(tense="future")),
        ("I am flying tomorrow", Manner(tense="future")),
        ("I no longer smoke", Manner(polarity="-", ended=True)),
        ("I stopped smoking", Manner(polarity="-", tense="past", ended=True)),
        ("I used to smoke", Manner(tense="past", ended=True)),
        ("Ben probably lives in Rome", Manner(hedged=True)),
    ],
)
def test_the_manner_of_a_clause(sentence: str, expected: Manner) -> None:
    assert manner(sentence) == expected


@pytest.mark.parametrize("sentence", ["I would go there", "I should rest", "I wish it rained"])
def test_what_is_only_imagined_is_not_real(sentence: str) -> None:
    assert manner(sentence).unreal
