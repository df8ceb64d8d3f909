"""What the tree of summaries stands on: the records of a scope that a search shows, each by what it says in short.

A turn speaks by the best statement drawn from it, which stands on its own; anything else by its key fact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import orjson
from numpy.typing import NDArray

from recollect.model.tokens import estimate_tokens
from recollect.perceive.traits.fidelity import fidelity_of
from recollect.perceive.traits.topics import topics_of
from recollect.store.base import Tx
from recollect.store.vectors import Space

FACT_CHARS_MAX = 240
UNSTATED_WORTH = 0.5  # a turn that states nothing tells little: greetings, thanks, questions
TELLING_TOPICS = 4  # words of its own that a fact has when it tells as much as a fact does


@dataclass(slots=True)
class Leaves:
    """Records as columns, one row each, by ascending key."""

    pks: NDArray[np.int64]
    facts: list[str]
    topics: list[Sequence[str]]
    tokens: NDArray[np.int64]
    worth: NDArray[np.float32]
    mass: NDArray[np.float32]
    times: NDArray[np.int64]
    vectors: NDArray[np.float32]  # zero where there is none
    drawn: dict[int, int] = field(default_factory=dict)  # statement → the turn it speaks for

    def __len__(self) -> int:
        return len(self.pks)


def leaves(tx: Tx, scope_pk: int, *, space: Space | None, now: int, among: Sequence[int] | None = None) -> Leaves:
    """The records of a scope, all or among these, with their vectors."""
    rows = tx.summaries.of_scope(scope_pk, now=now, among=among)
    pks = np.fromiter((row.pk for row in rows), dtype=np.int64, count=len(rows))
    stated = tx.summaries.stated_in(pks.tolist(), now=now)
    best = {each.turn_pk: each.content for each in stated}  # ascending: the surest comes last
    facts = [_short(best.get(row.pk) or row.key_fact or fidelity_of(row.content).key_fact) for row in rows]
    each = list(zip(facts, rows, strict=True))
    return Leaves(
        pks=pks,
        facts=facts,
        topics=[orjson.loads(row.topics) if row.topics else () for row in rows],
        tokens=np.array([row.tokens or estimate_tokens(row.content) for row in rows], dtype=np.int64),
        worth=np.array(
            [_worth(fact, row.importance, row.kind != "episodic" or row.pk in best) for fact, row in each],
            dtype=np.float32,
        ),
        mass=np.array([row.mass for row in rows], dtype=np.float32),
        times=np.array([row.at for row in rows], dtype=np.int64),
        vectors=_vectors(tx, space, pks),
        drawn={each.pk: each.turn_pk for each in stated},
    )


def _vectors(tx: Tx, space: Space | None, pks: NDArray[np.int64]) -> NDArray[np.float32]:
    if space is None:
        return np.zeros((len(pks), 1), dtype=np.float32)
    out = np.zeros((len(pks), space.dimensions), dtype=np.float32)
    known, found = tx.vectors.load(space, pks.tolist())
    out[np.searchsorted(pks, known)] = found
    return out


def _worth(fact: str, importance: float, stated: bool) -> float:
    """How much a fact is worth telling: by its importance, and by how much it says at all."""
    says = min(1.0, len(topics_of(fact, TELLING_TOPICS)) / TELLING_TOPICS)
    return float(importance) * (1.0 if stated else UNSTATED_WORTH) * says


def _short(fact: str) -> str:
    flat = " ".join(fact.split())
    return flat if len(flat) <= FACT_CHARS_MAX else flat[: FACT_CHARS_MAX - 1].rsplit(" ", 1)[0] + "…"
