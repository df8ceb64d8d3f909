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
from recollect.store.documents import CATEGORY
from recollect.store.vectors import Space

FACT_CHARS_MAX = 240
UNSTATED_WORTH = 0.5  # a turn that states nothing tells little: greetings, thanks, questions
TELLING_TOPICS = 4  # words of its own that a fact has when it tells as much as a fact does
_LEAF = (
    "LIVE(r) AND HEAD(r) AND r.turn_pk IS NULL AND r.tier <> 'archive' AND r.flagged = 0 "
    f"AND r.security = 'cleartext' AND r.kind <> 'schema' AND r.category <> '{CATEGORY}' "
    "AND (r.valid_until IS NULL OR r.valid_until > ?)"
)
_UNPLACED = (
    f"{_LEAF} AND NOT EXISTS (SELECT 1 FROM summary_member m JOIN summary s ON s.pk = m.summary_pk AND s.live = 1 "
    "WHERE m.record_pk = r.pk)"
)
_COLUMNS = (
    "r.pk, r.kind, r.content, r.perceived ->> '$.key_fact', r.perceived -> '$.topics', r.perceived ->> '$.tokens[0]', "
    "r.importance, r.strength * r.confidence, coalesce(r.event_time, r.created_at)"
)
_STATED = (
    "SELECT r.pk, r.turn_pk, r.content FROM record r WHERE r.turn_pk IN KEYS(?) "
    "AND LIVE(r) AND HEAD(r) AND r.kind <> 'schema' AND r.flagged = 0 "
    "AND r.security = 'cleartext' AND (r.valid_until IS NULL OR r.valid_until > ?) ORDER BY r.confidence, r.pk DESC"
)


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
    chosen = "r.scope_pk = ?" if among is None else "r.scope_pk = ? AND r.pk IN KEYS(?)"
    params = [scope_pk] if among is None else [scope_pk, tx.sql.keys(among)]
    rows = tx.sql.all(f"SELECT {_COLUMNS} FROM record r WHERE {chosen} AND {_LEAF} ORDER BY r.pk", [*params, now])
    pks = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    stated = tx.sql.all(_STATED, (tx.sql.keys(pks.tolist()), now))
    best = {turn_pk: content for _, turn_pk, content in stated}  # ascending: the surest comes last
    facts = [_short(best.get(row[0]) or row[3] or fidelity_of(row[2]).key_fact) for row in rows]
    each = list(zip(facts, rows, strict=True))
    return Leaves(
        pks=pks,
        facts=facts,
        topics=[orjson.loads(row[4]) if row[4] else () for row in rows],
        tokens=np.array([row[5] or estimate_tokens(row[2]) for row in rows], dtype=np.int64),
        worth=np.array(
            [_worth(fact, row[6], row[1] != "episodic" or row[0] in best) for fact, row in each],
            dtype=np.float32,
        ),
        mass=np.array([row[7] for row in rows], dtype=np.float32),
        times=np.array([row[8] for row in rows], dtype=np.int64),
        vectors=_vectors(tx, space, pks),
        drawn={pk: turn_pk for pk, turn_pk, _ in stated},
    )


def unplaced(tx: Tx, scope_pk: int, *, now: int, limit: int) -> list[int]:
    """Records that are in no cluster in use yet."""
    sql = f"SELECT r.pk FROM record r WHERE {_UNPLACED} AND r.scope_pk = ? ORDER BY r.pk LIMIT ?"
    return [row[0] for row in tx.sql.all(sql, (now, scope_pk, limit))]


def unplaced_count(tx: Tx, scope_pks: Sequence[int] | None, *, now: int) -> int:
    """How many records of these scopes (None: all) are in no cluster in use yet."""
    sql = f"SELECT count(*) FROM record r WHERE {_UNPLACED}"
    if scope_pks is None:
        return int(tx.sql.value(sql, (now,)))
    return int(tx.sql.value(f"{sql} AND r.scope_pk IN KEYS(?)", (now, tx.sql.keys(scope_pks))))


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
