"""The measure of what vectors give away: it finds words where they can be found, and none where they cannot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from bench.oracles import auc
from bench.quality.inversion import inversions, recalls
from bench.quality.sets import Conversation, Question, Turn

WORDS = [f"{first}{second}" for first in ("bar", "kol", "min", "tuf", "wex") for second in "abcdefghijklmnopqrstuvwxyz"]


def embed(texts: Sequence[str]) -> np.ndarray:
    """Each word has a direction of its own: such vectors are easy to read."""
    drawn = np.random.default_rng(5).standard_normal((len(WORDS), 128)).astype(np.float32)
    place = {word: at for at, word in enumerate(WORDS)}
    rows = np.array([sum(drawn[place[word]] for word in text.split()) for text in texts], dtype=np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def texts(count: int, seed: int) -> list[str]:
    chance = np.random.default_rng(seed)
    return [" ".join(chance.choice(WORDS, size=5, replace=False)) for _ in range(count)]


def test_words_come_back_from_plain_vectors_and_not_from_turned_ones() -> None:
    found = {line.had: line.linear for line in inversions(texts(1_500, 1), texts(800, 2), embed)}
    assert found["plain vectors"] > 0.6
    assert found["turned vectors in 8 bits"] < 0.10
    assert found["… with the texts of 256"] > 0.5, "who knows as many texts as there are dimensions turns back"


def test_an_index_that_is_not_trusted_finds_nearly_as_much() -> None:
    said = texts(200, 3)
    turns = [
        Turn(id=str(at), session="s", speaker="Ana", date=datetime(2026, 5, 3), text=text)
        for at, text in enumerate(said)
    ]
    asked = [
        Question(
            id=str(at), text=said[at], category="c", gold=frozenset({str(at)}), newer=frozenset(), older=frozenset()
        )
        for at in range(50)
    ]
    plain, turned = recalls([Conversation(id="c", turns=turns, questions=asked)], embed)
    assert plain == 1.0
    assert turned > 0.97


def test_what_tells_two_sets_apart_is_counted() -> None:
    assert auc([2.0, 3.0], [0.0, 1.0]) == 1.0
    assert auc([1.0, 1.0], [1.0, 1.0]) == 0.5
