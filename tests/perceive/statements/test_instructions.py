"""Orders that are meant to last, and those that are not."""

from __future__ import annotations

import pytest

from recollect.perceive.grammar.words import words_of
from recollect.perceive.statements.instructions import instruction_at, instruction_in, says_it_lasts, wish_in


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("always use tabs", "always use tabs"),
        ("please never call me Maggie", "never call me Maggie"),
        ("from now on use metric units", "from now on use metric units"),
        ("I want you to always answer in French", "always answer in French"),
        ("answer in English from now on", "answer in English from now on"),
        ("do not suggest meat dishes", "do not suggest meat dishes"),
    ],
)
def test_a_lasting_order_is_an_instruction(said: str, order: str) -> None:
    found = instruction_in(words_of(said))
    assert found is not None
    assert " ".join(word.text for word in found) == order


@pytest.mark.parametrize(
    "said", ["write a poem", "never give up", "never read that book", "do not order today", "use this one", ""]
)
def test_a_task_or_an_encouragement_is_none(said: str) -> None:
    assert instruction_in(words_of(said)) is None


@pytest.mark.parametrize("joined", [", please", ", so please", " and please"])
def test_an_instruction_may_follow_something_else(joined: str) -> None:
    words = words_of(f"I am vegan{joined} always suggest vegan food")
    at = instruction_at(words)
    assert at is not None
    assert words[at].low == "please"


def test_only_some_say_themselves_that_they_last() -> None:
    assert says_it_lasts(words_of("always use tabs"))
    assert not says_it_lasts(words_of("do not use tabs"))


def test_a_name_to_be_called_by_is_a_wish_of_the_speaker() -> None:
    found = wish_in(words_of("call me Annie"))
    assert found is not None
    assert " ".join(word.text for word in found) == "I want to be called Annie"
    assert wish_in(words_of("call me later")) is None
