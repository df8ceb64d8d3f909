"""The measure of topic changes and anticipation, on a talk of our own."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bench.quality import anticipation, topics
from bench.quality.sets import Conversation, NoData, Turn
from recollect.providers.registry import make_embedder

GARDEN = (
    ("Ana", "Hey Ben! I planted tomato seedlings in the garden on the balcony."),
    ("Ben", "Nice! How do the tomato seedlings like the balcony?"),
    ("Ana", "The tomato seedlings on the balcony look pale in this cold garden."),
    ("Ben", "The garden is cold. Give the tomato seedlings more light and some feed."),
    ("Ana", "Yes, the tomato seedlings need more light on the balcony."),
    ("Ben", "Good luck with the garden, take care!"),
)
TRIP = (
    ("Ana", "Hey Ben, long time no see! We booked flights to Portugal for our summer holiday."),
    ("Ben", "Wow, which city in Portugal do the flights go to?"),
    ("Ana", "The flights go to Lisbon, and the hotel in Lisbon is near the station."),
    ("Ben", "Then take the train from Lisbon to the sea. Bye!"),
)


def conversation(name: str) -> Conversation:
    start = datetime(2026, 5, 13).astimezone()
    turns = [
        Turn(id=f"{number}:{at}", session=f"s{number}", speaker=who, text=text, date=start + timedelta(days=number))
        for number, session in enumerate((GARDEN, TRIP))
        for at, (who, text) in enumerate(session)
    ]
    return Conversation(id=name, turns=turns)


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (topics, anticipation):
        monkeypatch.setattr(module, "load", lambda name: [conversation("one"), conversation("two")])
        monkeypatch.setattr(module, "FITTED", {"locomo": 0})


@pytest.mark.usefixtures("ours")
def test_turns_are_put_to_the_mind_as_what_they_are() -> None:
    seen = topics._tallied("locomo", make_embedder("wordllama"), held_out=True)
    assert len(seen["boundary"].switched) == 4  # two conversations, either speaker
    assert len(seen["inside"].switched) == 2 * 4
    assert len(seen["splice"].switched) == 8
    assert not any(seen["inside"].switched)
    assert seen["boundary"].switched.count(True) >= 2  # Ana greets; Ben's first words answer her


@pytest.mark.usefixtures("ours")
def test_a_clock_gives_boundaries_away() -> None:
    bare = topics._tallied("locomo", None, held_out=True)["boundary"].switched
    timed = topics._tallied("locomo", None, held_out=True, clock=True)["boundary"].switched
    assert sum(timed) >= sum(bare)


@pytest.mark.usefixtures("ours")
def test_what_is_prepared_is_taken_within_and_not_over_a_boundary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anticipation, "SETS", ("locomo",))
    monkeypatch.setattr(anticipation, "load", lambda name: [conversation("one")])
    figures = {figure.name: figure.value for figure in anticipation.measure(baselines=False)}
    within, over = figures["hits within sessions, locomo"], figures["hits over boundaries, locomo"]
    assert within is not None
    assert over is not None
    assert within > over
    assert figures["of the real top 10 in the prepared 30, locomo"] is not None


def test_missing_data_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> list[Conversation]:
        raise NoData("no such file")

    monkeypatch.setattr(topics, "load", missing)
    with pytest.raises(NoData):
        topics.measure(baselines=False)
