"""Which text updates which: the same thing with another value, and nothing else."""

from __future__ import annotations

import pytest

from recollect.ingest.updates import Update, settled, update_between, worth_a_look
from recollect.perceive.states.claims import claims_of


def update(newer: str, older: str) -> Update | None:
    """As in a store where every word is fairly rare."""
    return update_between(claims_of(newer), claims_of(older), older, lambda terms: 0.8 * len(terms))


UPDATES = [
    ("My deadline is March 10.", "My deadline is March 3."),
    ("The deadline for the grant report is now March 10.", "My deadline for the grant report is March 3."),
    ("Standup moved to 10 am.", "Our standup is at 9:30 am."),
    ("The rent for my flat went up to $950.", "The rent for my flat is $900."),
    ("The flight to Oslo was delayed to 8:40.", "The flight to Oslo leaves at 7:15."),
    ("We raised the max upload size to 25 MB.", "The max upload size is 10 MB."),
    ("The API key now rotates every 60 days.", "The API key rotates every 30 days."),
    ("Ben is 35 years old now.", "Ben is 34 years old."),
    ("I moved to Berlin last month.", "I live in Lisbon."),
    ("Ana joined Initech.", "Ana works at Globex."),
    ("My favourite colour is blue now.", "My favourite colour is green."),
    ("I no longer drink coffee.", "I drink coffee every morning."),
    ("I switched from Emacs Lisp to Python.", "Most of my scripts are written in Emacs Lisp."),
    (
        "We got the image size of the billing service down from 350MB to 250MB.",
        "The image size of the billing service is 350MB.",
    ),
    ("The talk on tidal power in Bergen has been postponed.", "Ana gives a talk on tidal power in Bergen on May 3."),
]


@pytest.mark.parametrize(("newer", "older"), UPDATES)
def test_the_same_thing_with_another_value_is_an_update(newer: str, older: str) -> None:
    found = update(newer, older)
    assert found is not None
    assert 0.6 <= found.confidence <= 0.95


KEPT_APART = [
    ("The rent for my flat is $900.", "The rent for my flat is $900."),  # said again
    ("I have a second dog named Bo.", "I have a dog named Rex."),
    ("I got another cat.", "I have two cats."),
    ("I paid $25 for lunch on Tuesday.", "I paid $30 for lunch on Monday."),  # two lunches
    ("Sprint 2 ends on March 17.", "Sprint 1 ends on March 3."),
    ("The second draft has 900 words.", "The first draft has 700 words."),
    ("Ben moved to Berlin.", "Ana lives in Lisbon."),
    ("I stopped drinking coffee.", "I don't drink coffee."),
    ("The page loads in 240ms.", "We want the page to load in under 200ms."),  # so, and wanted
    ("The rent for my flat went up by $50.", "The rent for my flat is $900."),
    (
        "We got the image size of the billing service down from 350MB to 250MB.",
        "The image size of the billing service is 120MB.",
    ),  # another one was changed
    ("My goal is to get the load time of the page from 250ms to 190ms.", "The load time of the page is 250ms."),
]


@pytest.mark.parametrize(("newer", "older"), KEPT_APART)
def test_what_is_said_again_added_wanted_or_one_of_several_updates_nothing(newer: str, older: str) -> None:
    assert update(newer, older) is None


def test_common_words_are_no_common_subject() -> None:
    newer, older = "The new plan for the team costs $50.", "The plan for the team lunch in May was $30."
    everywhere = update_between(claims_of(newer), claims_of(older), older, lambda terms: 0.1 * len(terms))
    assert everywhere is None


def test_evidence_says_what_changed() -> None:
    found = update("The budget for the offsite was raised to $6,000.", "The budget for the offsite is $5,000.")
    assert found is not None
    assert found.evidence == "budget, offsit: $5000 → $6000"


def found_in(newer: str, older: list[str]) -> list[int]:
    """Places of the older texts that a newer one is held to update, surest first."""
    found = [(place, one) for place, text in enumerate(older) if (one := update(newer, text)) is not None]
    return [place for place, _ in settled(found, [claims_of(text) for text in older])]


def test_a_value_that_only_comes_back_updates_nothing() -> None:
    older = ["The offsite budget is $5,000.", "The offsite budget was raised to $6,000."]
    assert found_in("The offsite budget is $5,000.", older) == []
    assert found_in("The offsite budget was lowered to $5,000.", older) == [1]


def test_many_values_are_a_series_and_not_a_state() -> None:
    months = [f"My electricity fee is ${amount}." for amount in (31, 35, 29)]
    assert found_in("My electricity fee is $40.", months[:2]) != []
    assert found_in("My electricity fee is $40.", months) == []


@pytest.mark.parametrize("pair", UPDATES)
def test_the_cheap_test_lets_every_update_through(pair: tuple[str, str]) -> None:
    assert worth_a_look(pair[0])


def test_the_cheap_test_keeps_small_talk_out() -> None:
    assert not worth_a_look("Thanks, that was really helpful! Let me think about it.")
