"""What "and" joins is taken apart where each part is true on its own."""

from __future__ import annotations

import pytest

from recollect.perceive.grammar.clauses import read_clause
from recollect.perceive.grammar.coordination import clauses_in, further_verbs, object_parts, verb_parts
from recollect.perceive.grammar.words import Words, words_of


def texts(parts: list[Words]) -> list[str]:
    return [" ".join(word.text for word in part) for part in parts]


@pytest.mark.parametrize(
    ("sentence", "pieces"),
    [
        ("I like tea and my sister likes coffee", ["I like tea", "my sister likes coffee"]),
        ("I moved but I miss Rome", ["I moved", "I miss Rome"]),
        ("I like Black and Decker", ["I like Black and Decker"]),
        ("if it works and it is quick I stay", []),
    ],
)
def test_a_sentence_falls_into_clauses_with_subjects_of_their_own(sentence: str, pieces: list[str]) -> None:
    assert texts(clauses_in(words_of(sentence))) == pieces


def test_a_clause_with_two_verbs_is_two() -> None:
    clause = read_clause(words_of("I live in Rome and work at Acme"))
    assert clause is not None
    assert texts(verb_parts(clause, further_verbs(clause))) == ["I live in Rome", "I work at Acme"]


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("I use Rust and React", ["I use Rust", "I use React"]),
        ("I like salt and pepper", ["I like salt and pepper"]),
    ],
)
def test_a_list_of_objects_is_one_statement_each_unless_they_belong_together(sentence: str, parts: list[str]) -> None:
    clause = read_clause(words_of(sentence))
    assert clause is not None
    assert texts(object_parts(clause)) == parts
