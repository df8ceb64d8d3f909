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


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="minilm") as opened:
        for turn in TURNS:
            opened.add([{"role": "user", "name": "Ana", "content": turn}], user_id="ana")
        while opened.health()["pending_embeddings"] or opened.stats()["jobs"].get("ready"):
            time.sleep(0.05)
        yield opened


def test_the_sentence_that_is_meant_is_shown_where_there_is_no_room_for_the_turn(memory: Memory) -> None:
    window = memory.context("Which animals live next door?", user_id="ana", max_tokens=225)
    assert "a new puppy called Bolota" in str(window)
    assert TURNS[-1] not in str(window)


def test_with_room_turns_are_shown_whole(memory: Memory) -> None:
    window = memory.context("Which animals live next door?", user_id="ana", max_tokens=2000)
    assert TURNS[-1] in str(window)


def test_a_turn_is_found_by_its_best_sentence(memory: Memory) -> None:
    found = memory.search("What is the profession of my sister?", user_id="ana", top_k=1)
    assert found[0].content == TURNS[0]
