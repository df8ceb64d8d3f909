"""Work for later that a write asks for in its own transaction: relations, statements, sessions that have ended.

What is stored in a row is looked at together, and not while it is being stored; hence the delay.
"""

from __future__ import annotations

from collections.abc import Collection

from recollect.config.writing import PerceiveSettings
from recollect.store.base import Tx

RELATIONS_JOB = "relations"  # finds relations by rules …
MODEL_RELATIONS_JOB = "relations_by_model"  # … and by asking a language model
STATEMENTS_JOB = "statements_by_model"  # draws statements from turns by asking one
READING_JOB = "perceive"  # reads what was stored without being read
PAIRS_JOB = "pairs"  # reads new texts against earlier ones
CONSOLIDATE_JOB = "consolidate"  # goes over the sessions of a scope that have ended
REWORDING_JOB = "rewording"  # words what rules concluded from agents at work by asking one
DELAY_S = 1.0
READING_DELAY_S = 0.2
PAIRS_DELAY_S = 1.5  # after the vectors, by which earlier texts are found

DOCUMENTS: tuple[str, ...] = ("snippet",)
STATEMENTS: tuple[str, ...] = ("semantic", "procedural", "opinion")
TURNS: tuple[str, ...] = ("episodic",)
# `perceive.relations` → the kinds of records in which relations are looked for.
SOUGHT_IN: dict[str, tuple[str, ...]] = {"off": (), "documents": DOCUMENTS, "all": (*DOCUMENTS, *STATEMENTS)}

_RELATED = frozenset(SOUGHT_IN["all"])


def request_relations(tx: Tx, kinds: Collection[str], *, now: int) -> bool:
    """Have relations looked for in new or changed records of these kinds; whether a job had to be queued.

    Whether that is wanted is looked at when it is done: what was stored meanwhile is not forgotten.
    """
    return bool(_RELATED.intersection(kinds)) and tx.jobs.enqueue_once(RELATIONS_JOB, now=now, delay_s=DELAY_S)


def request_reading(tx: Tx, *, now: int) -> bool:
    """Have read what was stored unread; whether a job had to be queued."""
    return tx.jobs.enqueue_once(READING_JOB, now=now, delay_s=READING_DELAY_S)


def request_pairs(tx: Tx, *, now: int, delay_s: float = PAIRS_DELAY_S) -> bool:
    """Have new texts read against earlier ones; whether a job had to be queued."""
    return tx.jobs.enqueue_once(PAIRS_JOB, now=now, delay_s=delay_s)


def request_statements(tx: Tx, kinds: Collection[str], settings: PerceiveSettings, *, now: int) -> bool:
    """Have a model draw statements from turns, if that is wanted; whether a job had to be queued."""
    if settings.statements != "model" or not set(TURNS).intersection(kinds):
        return False
    return tx.jobs.enqueue_once(STATEMENTS_JOB, now=now, delay_s=DELAY_S)


def request_consolidation(tx: Tx, scope_pk: int, session_pk: int, *, now: int) -> bool:
    """A session begins: have those before it in its scope consolidated; whether a job had to be queued."""
    if not tx.sessions.others_wait(scope_pk, session_pk) or tx.jobs.waiting_for(CONSOLIDATE_JOB, scope_pk):
        return False
    tx.jobs.enqueue(CONSOLIDATE_JOB, {"scope_pk": scope_pk}, now=now, delay_s=DELAY_S)
    return True
