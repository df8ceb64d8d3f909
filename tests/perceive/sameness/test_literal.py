"""Values, names, options and layout must be the same to the letter."""

from __future__ import annotations

import pytest

from recollect.perceive.sameness.literal import alike_to_the_letter


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The password is Abc", "The password is abc"),
        ("Password: hunter2!", "Password: hunter2"),
        ("Use git push -f here", "Use git push -F here"),
        ("She works for WHO", "She works for who"),
        ("The party is in May", "The party is in may"),
        ("key AbCd", "key aBcD"),
        ("def f():\n    return 1\n    pass", "def f():\n    return 1\npass"),
        ("It costs 5.0 euros", "It costs 5.1 euros"),
    ],
)
def test_another_letter_is_another_thing(one: str, other: str) -> None:
    assert not alike_to_the_letter(one, other)
    assert not alike_to_the_letter(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana uses Helix", "By the way, Ana is using Helix!"),
        ("I'm in Rome", "I am in Rome."),
        ("Tea is good. Coffee is better", "tea is good. coffee is better"),
        ("She lives in Oslo", "Yes, she lives in Oslo."),
    ],
)
def test_wording_is_not_minded(one: str, other: str) -> None:
    assert alike_to_the_letter(one, other)
    assert alike_to_the_letter(other, one)
