"""Conversations for tests of upkeep, and waiting until the background has nothing left to do with them."""

from __future__ import annotations

import random

from properties.tables import wait_until
from ticking import Ticking

from recollect.memory import Memory

PEOPLE = ("Ana", "Ben", "Mia", "Tom")
TOWNS = ("Oslo", "Rome", "Lisbon", "Kyoto")
SAYINGS = (
    "I live in {town} now",
    "I moved from {other} to {town} last week",
    "I love the {town} food",
    "{name} works at Acme in {town}",
    "I no longer work with {name}",
    "I deploy on Fridays, the tests come first",
    "The build broke because the {town} server was down",
    "My sister {name} is visiting {town} in May",
    "I am so happy about the trip to {town}!",
    "{name} prefers tea to coffee",
)


def talk(memory: Memory, clock: Ticking, *, sessions: int = 12, seed: int = 1, **scope: str) -> None:
    """Days of conversation: things repeat, change and contradict each other."""
    rng = random.Random(seed)
    for number in range(sessions):
        turns = []
        for _ in range(6):
            town, other = rng.sample(TOWNS, 2)
            said = rng.choice(SAYINGS).format(town=town, other=other, name=rng.choice(PEOPLE))
            turns.append({"role": "user", "name": "Ana", "content": said})
            turns.append({"role": "assistant", "content": f"I see, {rng.choice(PEOPLE)} will like that"})
        memory.add(turns, session_id=f"{seed}/{number}", **scope)
        clock.skip(1)
    settled(memory)


def settled(memory: Memory) -> None:
    """Nothing is left for the background to do that would change what is visible."""
    engine = memory._opened
    clock = engine.clock
    assert isinstance(clock, Ticking)
    clock.skip(0.01)
    wait_until(lambda: not engine.worker.run_pending() and not _waiting(memory), "jobs")
    wait_until(lambda: engine.indexes.warm and engine.indexes.current(), "the indexes")


def _waiting(memory: Memory) -> int:
    with memory._opened.store.read() as tx:
        return int(tx.sql.value("SELECT count(*) FROM job WHERE state IN ('ready', 'running')"))
