"""A store that people and upkeep have worked in, made by the verbs alone."""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from properties.tables import open_quick

from recollect.errors import RecollectError
from recollect.memory import Memory

SCOPES: tuple[dict[str, str], ...] = (
    {},
    {"user_id": "ana"},
    {"user_id": "ben"},
    {"project": "atlas"},
    {"project": "atlas", "user_id": "ana"},
)
TEXTS = (
    "Ana Ruiz moved from vim to Helix",
    "Ben plays the cello in Lisbon",
    "The gateway listens on port 8080",
    "Ana prefers green tea to coffee",
    "Acme hired Ben in March",
    "We decided to use SQLite for the store",
    "Ben is allergic to peanuts",
    "The nightly build takes nine minutes",
    "Ana has a cat named Miso",
)
TURNS = (
    "I work at Acme in Berlin, and I like tea.",
    "My sister Eva lives in Porto.",
    "We use Postgres for billing now.",
    "Noted.",
    "I never drink coffee, it keeps me awake.",
)


def use_at_random(mem: Memory, seed: int = 1, steps: int = 40) -> None:
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
        lambda: mem.update(known, content=text),
        lambda: mem.update(known, importance=chance.random(), tier="archive"),
        lambda: mem.correct(known, text, reason="she said so"),
        lambda: mem.delete(known),
        lambda: mem.delete(known, hard=True),
        lambda: mem.confirm(known),
        lambda: mem.flag(known, reason="no"),
        lambda: mem.feedback(known, helpful=chance.random() < 0.5, query="which port is it?"),
        lambda: mem.relate(known, other, chance.choice(("supports", "causes", "relates_to")), evidence=["so it is"]),
        lambda: mem.merge_entities("Ana Ruiz", "Ben"),
        lambda: mem.split_entity("Ana Ruiz", ["Ana"]),
        mem.consolidate,
        mem.replay,
        lambda: mem.search(text, session_id="s1", reach="all"),
        mem.maintain,
    ]
    return chance.choice(does)()


NAMES = ("Zebulon Quarrick", "Mirelda Ostrovane", "Thaddeus Wimblecote")  # in no other text
_WORDS = st.sampled_from([f"I met {name} in Oslo; {name} is my doctor." for name in NAMES])
_TEXTS = st.one_of(_WORDS, st.text(min_size=1, max_size=40))
_TIMES = st.one_of(
    st.none(),
    st.datetimes(),
    st.dates(),
    st.integers(-(2**40), 2**40),
    st.floats(),
    st.sampled_from([datetime.min, datetime.max, "0001-01-01", "9999-12-31", "yesterday", "2026-05", "1" * 30]),
)
_FIGURES = st.one_of(st.floats(), st.integers(), st.sampled_from([0, 1e-300, 1e-6, 1e9, 1e18, 1e305, 10**400]))
_PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), _TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_TEXTS, inner, max_size=3)),
    max_leaves=5,
)
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "valid_from": _TIMES,
    "valid_until": _TIMES,
    "strength": _FIGURES,
    "decay_rate": _FIGURES,
    "half_life_days": _FIGURES,
    "importance": _FIGURES,
    "confidence": _FIGURES,
    "subject": _TEXTS,
    "predicate": _TEXTS,
    "object": _TEXTS,
    "category": _TEXTS,
    "source": _TEXTS,
    "speaker": _TEXTS,
    "tags": st.lists(_TEXTS, max_size=3),
    "metadata": st.dictionaries(_TEXTS, _PLAIN, max_size=3),
    "place": st.fixed_dictionaries({}, optional={"file_path": _TEXTS, "heading": _TEXTS, "page": _FIGURES}),
}
_EDGE: dict[str, st.SearchStrategy[Any]] = {
    "weight": _FIGURES,
    "confidence": _FIGURES,
    "valid_from": _TIMES,
    "valid_until": _TIMES,
    "evidence": st.lists(_TEXTS, max_size=2),
    "label": _TEXTS,
}


def hand_in_anything(mem: Memory, data: st.DataObject, steps: int = 12) -> list[str]:
    """Hand in whatever a writer may think of; what is refused is not stored. The ids of what is."""
    ids: list[str] = []
    for _ in range(data.draw(st.integers(1, steps))):
        try:
            receipt = _hand_in(mem, data, ids)
        except RecollectError:
            continue
        ids += [each for each in getattr(receipt, "ids", ()) if each not in ids and mem.get(each) is not None]
    return ids


def _hand_in(mem: Memory, data: st.DataObject, ids: list[str]) -> Any:
    def some(of: dict[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
        names = data.draw(st.lists(st.sampled_from(sorted(of)), max_size=3, unique=True))
        return {name: data.draw(of[name]) for name in names}

    verb = data.draw(st.sampled_from(["add", "say", "update", "correct", "relate", "merge", "undo", "confirm"]))
    known, other = (data.draw(st.sampled_from(ids or [""])) for _ in range(2))
    if verb == "add" or not ids:
        return mem.add({"content": data.draw(_TEXTS), "timestamp": data.draw(_TIMES), **some(_FIELDS)})
    if verb == "say":
        turn = {"role": "user", "content": data.draw(_TEXTS), "timestamp": data.draw(_TIMES), **some(_FIELDS)}
        return mem.add([turn], session_id="s1")
    if verb == "update":
        return mem.update(known, **some({**_FIELDS, "content": _TEXTS, "event_time": _TIMES}))
    if verb == "correct":
        return mem.correct(known, data.draw(_TEXTS), reason=data.draw(_TEXTS))
    if verb == "relate":
        return mem.relate(known, other, **some(_EDGE))
    if verb == "merge":
        return mem.merge_entities(data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from(NAMES)))
    if verb == "undo":
        return mem.undo(data.draw(st.sampled_from([each.id for each in mem.operations(limit=5)])))
    return mem.confirm(known)


def used_store(path: Path, seed: int = 1, steps: int = 40, **more: Any) -> Memory:
    """A memory at that path, still open."""
    mem = open_quick(path, **more)
    use_at_random(mem, seed, steps)
    return mem
