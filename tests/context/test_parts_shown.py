"""Of a turn that tells several things a small window shows the one that the question is about."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory

TURNS = (
    "We painted the hallway light grey over the weekend. My sister Rita is a vet in Porto these days. Dinner was soup.",
    "The train was late again this morning. I finally returned the library books. The cat knocked over the ficus.",
    "Work was dull, two meetings about budgets. The new baker opens at seven. I should call the landlord.",
    "It rained all day long. We watched an old film about a lighthouse. The neighbours have a new puppy called Bolota.",
)
BUDGETS = range(180, 260, 5)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="minilm") as opened:
        for turn in TURNS:
            opened.add([{"role": "user", "name": "Ana", "content": turn}], user_id="ana")
        while opened.health()["pending_embeddings"] or opened.stats()["jobs"].get("ready"):
            time.sleep(0.05)
        yield opened


def test_the_sentence_that_is_meant_is_shown_where_there_is_no_room_for_the_turn(memory: Memory) -> None:
    shown = [str(memory.context("Which animals live next door?", user_id="ana", max_tokens=most)) for most in BUDGETS]
    part = [
        text for text in shown if "The neighbours have a new puppy called Bolota." in text and TURNS[-1] not in text
    ]
    assert part
    assert all("… The neighbours" in text for text in part)


def test_with_room_turns_are_shown_whole(memory: Memory) -> None:
    window = memory.context("Which animals live next door?", user_id="ana", max_tokens=2000)
    assert TURNS[-1] in str(window)


def test_a_turn_is_found_by_its_best_sentence(memory: Memory) -> None:
    found = memory.search("What is the profession of my sister?", user_id="ana", top_k=1)
    assert found[0].content == TURNS[0]
