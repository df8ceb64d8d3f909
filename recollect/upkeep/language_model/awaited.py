"""What waits for the language model, in figures. The work itself is found by how far each job has come.

Nothing is copied aside: a turn waits because no model was asked about it yet, so one that is deleted, changed or undone
meanwhile stops waiting, and a store that is exported or moved has nothing to forget.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.config import Config
from recollect.ingest.requests import MODEL_RELATIONS_JOB, SOUGHT_IN, STATEMENTS_JOB, TURNS
from recollect.store.base import Tx

# Keys of meta: the newest row that a model was asked about, …
STATEMENTS_SEEN, RELATIONS_SEEN = "statements_by_model_seen", "relations_by_model_seen"
STATEMENTS_RULED = "statements_by_rules_seen"  # … the newest from which rules drew in its place, …
SUMMARIES_WAIT = "summaries_wait"  # … and, by scope, that rules worded its tree.


class Awaited(NamedTuple):
    """Pieces of work that wait for the model: turns to draw from, records to relate, sessions, summaries, doubts."""

    turns: int = 0
    relations: int = 0
    sessions: int = 0
    summaries: int = 0
    doubts: int = 0

    @property
    def total(self) -> int:
        return sum(self)

    def __str__(self) -> str:
        return "1 piece of work waits" if self.total == 1 else f"{self.total} pieces of work wait"


def awaited(tx: Tx, config: Config, *, now: int) -> Awaited:
    """What a configured model has still to do, by the settings in force."""
    perceive = config.perceive
    kinds = SOUGHT_IN[perceive.relations] if perceive.relations_by_model else ()
    turns = TURNS if perceive.statements == "model" else ()
    return Awaited(
        turns=tx.stretches.left(STATEMENTS_SEEN, turns, of_machines=perceive.assistant_statements),
        relations=tx.stretches.left(RELATIONS_SEEN, kinds, of_documents=False),
        sessions=tx.sessions.unasked(),
        summaries=tx.enriched.unwritten() + tx.meta.count(f"{SUMMARIES_WAIT}:"),
        doubts=tx.doubts.waiting_count(now=now) if config.reader.doubts_by_model else 0,
    )


def request(tx: Tx, config: Config, *, now: int) -> None:
    """Have done what waits, even if no job was queued for it: of an import, or of a store before it had a model."""
    waits = awaited(tx, config, now=now)
    for kind, count in ((STATEMENTS_JOB, waits.turns), (MODEL_RELATIONS_JOB, waits.relations)):
        if count:
            tx.jobs.enqueue_once(kind, now=now)
