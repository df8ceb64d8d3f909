"""The lives that current truth is measured on: what changes holds in its last form, and nothing else is retired."""

from __future__ import annotations

from bench.quality.truth import DAYS, measured
from bench.quality.truth_stories import CHANGED, ENDED, story


def test_a_story_is_the_same_every_time() -> None:
    assert story(3, DAYS) == story(3, DAYS)
    assert story(3, DAYS) != story(4, DAYS)


def test_each_fact_that_changes_ends_in_what_holds() -> None:
    for otherwise in (False, True):
        told = story(1, DAYS, otherwise=otherwise)
        for fact in {each.fact for each in told if each.sort in (CHANGED, ENDED)}:
            steps = [each for each in told if each.fact == fact]
            assert [each.step for each in steps] == list(range(len(steps)))
            assert [each.holds for each in steps] == [False] * (len(steps) - 1) + [True]


def test_one_life() -> None:
    outcome = measured(1)
    assert outcome.share(CHANGED) >= 0.9
    assert outcome.share("outdated") >= 0.9
    assert outcome.share("kept") >= 0.99
    assert outcome.counts["duplicates"] == 0
