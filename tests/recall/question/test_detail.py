"""Which questions are often asked in vain, by their words alone."""

from __future__ import annotations

import pytest

from recollect.recall.question.detail import answered_odds
from recollect.recall.ranking.abstain import READ_BELOW


@pytest.mark.parametrize(
    "text", ["How much did we pay for the Yaris?", "When is Dan's birthday?", "What's the name of Leo's teacher?"]
)
def test_details_that_people_leave_unsaid_are_read_for(text: str) -> None:
    assert answered_odds(text) < READ_BELOW


@pytest.mark.parametrize("text", ["Where do I work?", "why was the red lamp painted?", "which tool do we use for it?"])
def test_ordinary_questions_are_not(text: str) -> None:
    assert answered_odds(text) > READ_BELOW


def test_a_question_without_words_has_the_odds_of_any() -> None:
    assert answered_odds("?!") > READ_BELOW
