"""Phrases with which people say nothing, as patterns over the words of a clause."""

from __future__ import annotations

import pytest

from recollect.language import lists
from recollect.perceive.statements import idle


@pytest.mark.parametrize("said", ["i agree", "i do not know", "i am so glad", "i hope so"])
def test_idle_clauses(said: str) -> None:
    assert idle.IDLE.match(said)


@pytest.mark.parametrize("said", ["am so tired today", "had a great time", "did well"])
def test_feelings_of_the_moment(said: str) -> None:
    assert idle.PASSING.match(said)
    assert not idle.PASSING.match(said + " with ana in rome")


def test_every_opening_phrase_begins_with_a_word_by_which_it_is_looked_for() -> None:
    plain = [phrase for phrase in lists.sections("en", "idle")["openings"] if not phrase.startswith("(?:")]
    assert {phrase.split()[0].split("(")[0] for phrase in plain} <= idle.PHRASES_BEGIN
