"""How sure a statement is: what lasts may be short, what happens must say more, what points elsewhere is left out."""

from __future__ import annotations

import pytest

from recollect.perceive.grammar.clauses import Clause, read_clause
from recollect.perceive.grammar.manner import manner_of
from recollect.perceive.grammar.words import words_of
from recollect.perceive.statements.categories import category_of
from recollect.perceive.statements.surety import WEIGHTS, is_sure, signs_of


def clause_of(sentence: str) -> Clause:
    clause = read_clause(words_of(sentence))
    assert clause is not None
    return clause


def sure(sentence: str) -> bool:
    clause = clause_of(sentence)
    manner = manner_of(clause)
    return is_sure(clause, manner, category_of(clause, manner), is_state=lambda: False)


@pytest.mark.parametrize("sentence", ["I love tea", "I bought a red bike in Rome", "I drink coffee every morning"])
def test_what_lasts_or_says_enough_is_sure(sentence: str) -> None:
    assert sure(sentence)


@pytest.mark.parametrize("sentence", ["I saw the other one", "we went again", "I put it there"])
def test_what_points_elsewhere_is_not(sentence: str) -> None:
    assert not sure(sentence)


def test_every_sign_has_a_weight() -> None:
    clause = clause_of("I love tea")
    manner = manner_of(clause)
    assert signs_of(clause, manner, "preference", is_state=lambda: False).keys() == WEIGHTS.keys()


def test_whether_it_is_a_state_is_asked_only_where_nothing_else_says_that_it_lasts() -> None:
    def asked() -> bool:
        raise AssertionError

    clause = clause_of("I love tea")
    assert is_sure(clause, manner_of(clause), "preference", is_state=asked)
