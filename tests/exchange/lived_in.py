"""A store that people and upkeep have worked in, made by the verbs alone."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from properties.tables import open_quick

from recollect.errors import RecollectError
from recollect.memory import Memory

SCOPES: tuple[dict[str, str], ...] = (
    {}, {"user_id": "ana"}, {"user_id": "ben"}, {"project": "atlas"}, {"project": "atlas", "user_id": "ana"},
)  # fmt: skip
TEXTS = (
    "Ana Ruiz moved from vim to Helix", "Ben plays the cello in Lisbon", "The gateway listens on port 8080",
    "Ana prefers green tea to coffee", "Acme hired Ben in March", "We decided to use SQLite for the store",
    "Ben is allergic to peanuts", "The nightly build takes nine minutes", "Ana has a cat named Miso",
)  # fmt: skip
TURNS = (
    "I work at Acme in Berlin, and I like tea.", "My sister Eva lives in Porto.", "We use Postgres for billing now.",
    "Noted.", "I never drink coffee, it keeps me awake.",
)  # fmt: skip


def live_in(mem: Memory, seed: int = 1, steps: int = 40) -> None:
    """Do so many things, chosen by chance; what is refused is part of life."""
    chance = random.Random(seed)
    ids: list[str] = []
    operations: list[str] = []
    for step in range(steps):
        try:
            receipt = _act(mem, chance, ids, step)
        except RecollectError:
            continue
        if receipt is not None and getattr(receipt, "operation", None):
            operations.append(receipt.operation)
            ids += [each for each in getattr(receipt, "ids", ()) if each not in ids]
        if operations and chance.random() < 0.15:
            _undo(mem, chance.choice(operations))
    mem.settle()


def _undo(mem: Memory, operation: str) -> None:
    try:
        mem.undo(operation)
    except RecollectError:
        return


def _act(mem: Memory, chance: random.Random, ids: list[str], step: int) -> Any:
    scope = chance.choice(SCOPES)
    text = f"{chance.choice(TEXTS)} ({chance.randint(1, 30)})"
    known = chance.choice(ids) if ids else None
    other = chance.choice(ids) if ids else None
    if known is None or other is None or chance.random() < 0.35:
        if chance.random() < 0.5:
            turns = [{"role": chance.choice(("user", "assistant")), "content": chance.choice(TURNS), "name": "Ana"}]
            return mem.add(turns, session_id=f"s{chance.randint(1, 4)}", **scope)
        return mem.add(text, tags=["a b", "é"], metadata={"n": step, "deep": {"list": [1, 2.5, None]}}, **scope)
    does: list[Any] = [
        lambda: mem.update(known, content=text), lambda: mem.update(known, importance=chance.random(), tier="archive"),
        lambda: mem.correct(known, text, reason="she said so"), lambda: mem.delete(known),
        lambda: mem.delete(known, hard=True), lambda: mem.confirm(known), lambda: mem.flag(known, reason="no"),
        lambda: mem.feedback(known, helpful=chance.random() < 0.5, query="which port is it?"),
        lambda: mem.relate(known, other, chance.choice(("supports", "causes", "relates_to")), evidence=["so it is"]),
        lambda: mem.merge_entities("Ana Ruiz", "Ben"), lambda: mem.split_entity("Ana Ruiz", ["Ana"]),
        mem.consolidate, mem.replay, lambda: mem.search(text, session_id="s1", reach="all"),
        mem.maintain,
    ]  # fmt: skip
    return chance.choice(does)()


def lived_in(path: Path, seed: int = 1, steps: int = 40, **more: Any) -> Memory:
    """A memory at that path, still open."""
    mem = open_quick(path, **more)
    live_in(mem, seed, steps)
    return mem
