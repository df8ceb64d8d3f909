"""What a statement is to the work."""

from __future__ import annotations

import pytest

from recollect.model.record import Kind
from recollect.perceive.grammar.clauses import read_clause
from recollect.perceive.grammar.manner import manner_of
from recollect.perceive.grammar.words import words_of
from recollect.perceive.statements.categories import category_of, kind_of


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("I love tea", "preference"),
        ("I am allergic to nuts", "constraint"),
        ("we decided to use Rust", "decision"),
        ("I live in Rome", "user_info"),
        ("the API must answer quickly", "requirement"),
        ("I think Rust is great", "opinion"),
        ("I will move to Porto", "plan"),
        ("I visited Rome", "experience"),
        ("Ben owns a car", "fact"),
    ],
)
def test_a_clause_has_a_category(sentence: str, category: str) -> None:
    clause = read_clause(words_of(sentence))
    assert clause is not None
    assert category_of(clause, manner_of(clause)) == category


def test_a_category_says_which_kind_of_record() -> None:
    assert kind_of("fact") is Kind.SEMANTIC
    assert kind_of("instruction") is not Kind.SEMANTIC
