"""The same in other words, and what only looks like it."""

from __future__ import annotations

import pytest

from recollect.perceive.sameness.rewording import StatementWording, wording_of
from recollect.perceive.statements.propositions import propositions_of
from recollect.perceive.states.values import Stated


def said(text: str) -> list[StatementWording]:
    return [
        wording_of(
            Stated(
                content=each.content,
                subject=each.subject,
                predicate=each.predicate,
                object=each.object,
                polarity=each.polarity,
                tense=each.tense,
                ended=each.ended,
            )
        )
        for each in propositions_of(text, speaker="Ana", role="user")
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I work for Acme.", "I'm employed at Acme."),
        ("I live in Porto.", "I'm based in Porto."),
        ("I like jazz.", "I'm a big fan of jazz."),
        ("I own a red bike.", "I have a red bicycle."),
        ("I run every day.", "I run daily."),
        ("I have two children.", "I have 2 kids."),
        ("I prefer tea over coffee.", "I prefer tea to coffee."),
        ("My favourite colour is green.", "Green is my favorite color."),
        ("My manager is Dina.", "Dina is my manager."),
        ("My sister is called Iris.", "My sister's name is Iris."),
        ("I prefer tabs over spaces.", "I prefer tabs over spaces now."),
        ("I run to the lake with dogs daily.", "I run with dogs to the lake daily."),
    ],
)
def test_other_words(one: str, other: str) -> None:
    assert said(one)
    assert said(one) == said(other)
    assert said(one)[0].number(7) == said(other)[0].number(7)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I work for Acme.", "I work for Northwind."),
        ("I moved to Porto.", "I moved from Porto."),
        ("I have two cats.", "I have three cats."),
        ("I like my brother's film.", "I like my sister's film."),
        ("Ben likes Carla more than Dina.", "Ben likes Dina more than Carla."),
        ("I like jazz.", "I don't like jazz."),
        ("I like all dogs.", "I like some dogs."),
        ("I have a doctor.", "I am a doctor."),
        ("I live in Porto.", "I lived in Porto."),
        ("I eat before noon.", "I eat after noon."),
        ("Ben likes jazz.", "Carla likes jazz."),
        ("I swim with Ben.", "I swim without Ben."),
        ("I prefer tabs over spaces.", "I prefer spaces over tabs now."),
        ("I prefer tea to coffee.", "I prefer coffee to tea."),
        ("I like tea more than coffee.", "I like coffee more than tea."),
        ("I moved the lamp from the kitchen to the hall.", "I moved the lamp from the hall to the kitchen."),
        ("I eat breakfast before yoga.", "I do yoga before breakfast."),
    ],
)
def test_what_differs_in_something_that_matters(one: str, other: str) -> None:
    assert said(one) != said(other)


def test_scopes_do_not_meet() -> None:
    (each,) = said("I like jazz.")
    assert each.number(1) != each.number(2)
