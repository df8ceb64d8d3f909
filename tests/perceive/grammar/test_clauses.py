"""One clause: who it is about, and which verb it turns on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.perceive.grammar.clauses import Who, is_name, may_be_clause, read_clause
from recollect.perceive.grammar.words import words_of


@pytest.mark.parametrize(
    ("sentence", "who", "verb"),
    [
        ("I use tabs", Who.SPEAKER, "use"),
        ("we moved to Porto", Who.GROUP, "move"),
        ("my sister lives in Rome", Who.OWN, "live"),
        ("Ben bought a car", Who.NAMED, "buy"),
        ("you should rest", Who.LISTENER, "rest"),
        ("she works there", Who.POINTED, "work"),
        ("the deadline moved to Friday", Who.DEFINITE, "move"),
        ("there are three dogs", Who.THERE, "be"),
        ("Last summer I was in Rome", Who.SPEAKER, "be"),
        ("Just got a dog", Who.SPEAKER, "get"),
        ("Mom called me", Who.OWN, "call"),
    ],
)
def test_a_clause_has_a_subject_and_a_verb(sentence: str, who: Who, verb: str) -> None:
    clause = read_clause(words_of(sentence))
    assert clause is not None
    assert (clause.who, clause.group.lemma) == (who, verb)


@pytest.mark.parametrize("sentence", ["what a day", "if I were you", "the big red dog", "great news"])
def test_what_is_no_clause_is_not_read(sentence: str) -> None:
    assert read_clause(words_of(sentence)) is None


@given(
    st.lists(
        st.sampled_from("I we Ana my dog is was 's got been going hoping her to the works , Rome in".split()),
        max_size=9,
    )
)
def test_what_cannot_be_a_clause_is_never_read_as_one(texts: list[str]) -> None:
    words = words_of(" ".join(texts))
    if not may_be_clause(words):
        assert not words or read_clause(words) is None


def test_a_capital_at_the_beginning_makes_no_name_of_a_known_word() -> None:
    words = words_of("Dogs like Ana")
    assert [is_name(words, at) for at in range(3)] == [False, False, True]
    assert not is_name(words_of("Maybe later"), 0)
