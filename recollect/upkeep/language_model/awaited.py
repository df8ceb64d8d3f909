"""What waits for the language model, in figures. The work itself is found by how far each job has come.

Nothing is copied aside: a turn waits because no model was asked about it yet, so one that is deleted, changed or undone
meanwhile stops waiting, and a store that is exported or moved has nothing to forget.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.config import Config
from recollect.ingest.requests import MODEL_RELATIONS_JOB, SOUGHT_IN, STATEMENTS_JOB, TURNS
from recollect.model.roles import MACHINES
from recollect.store.base import Tx
from recollect.store.documents import CATEGORY

# Keys of meta: the newest row that a model was asked about, …
STATEMENTS_SEEN, RELATIONS_SEEN = "statements_by_model_seen", "relations_by_model_seen"
STATEMENTS_RULED = "statements_by_rules_seen"  # … the newest from which rules drew in its place, …
SUMMARIES_WAIT = "summaries_wait"  # … and, by scope, that rules worded its tree.

_TURNS_AFTER = (
    "SELECT count(DISTINCT h.pk) FROM record r JOIN record h ON h.pk = coalesce(r.head_pk, r.pk) WHERE r.pk > ? "
    "AND LIVE(h) AND h.kind IN ({}) AND (r.pk = h.pk OR r.content_hash <> h.content_hash) AND {}"
)
_SESSIONS = (  # gone over by rules, and the model was not asked about some turn in them
    "SELECT count(*) FROM session n WHERE n.consolidated_at IS NULL AND EXISTS (SELECT 1 FROM record r "
    "WHERE r.session_pk = n.pk AND r.pk > n.asked_to AND r.pk <= n.consolidated_to AND r.kind = 'episodic' "
    "AND HEAD(r) AND LIVE(r))"
)


class Awaited(NamedTuple):
    """Pieces of work that wait for the model: turns to draw from, records to relate, sessions, summaries."""

    turns: int = 0
    relations: int = 0
    sessions: int = 0
    summaries: int = 0

    @property
    def total(self) -> int:
        return sum(self)

    def __str__(self) -> str:
        return "1 piece of work waits" if self.total == 1 else f"{self.total} pieces of work wait"


def awaited(tx: Tx, config: Config) -> Awaited:
    """What a configured model has still to do, by the settings in force."""
    perceive = config.perceive
    kinds = SOUGHT_IN[perceive.relations] if perceive.relations_by_model else ()
    machines = ", ".join(f"'{role}'" for role in sorted(MACHINES))
    people = "1" if perceive.assistant_statements else f"coalesce(lower(h.role), '') NOT IN ({machines})"
    return Awaited(
        turns=_after(tx, STATEMENTS_SEEN, TURNS if perceive.statements == "model" else (), people),
        relations=_after(tx, RELATIONS_SEEN, kinds, f"h.category <> '{CATEGORY}'"),
        sessions=int(tx.sql.value(_SESSIONS)),
        summaries=int(tx.sql.value("SELECT count(*) FROM enriched WHERE mentions = 0"))
        + int(tx.sql.value("SELECT count(*) FROM meta WHERE key LIKE ?", (f"{SUMMARIES_WAIT}:%",))),
    )


def request(tx: Tx, config: Config, *, now: int) -> None:
    """Have done what waits, even if no job was queued for it: of an import, or of a store before it had a model."""
    waits = awaited(tx, config)
    for kind, count in ((STATEMENTS_JOB, waits.turns), (MODEL_RELATIONS_JOB, waits.relations)):
        if count:
            tx.jobs.enqueue_once(kind, now=now)


def _after(tx: Tx, key: str, kinds: Sequence[str], only: str) -> int:
    if not kinds:
        return 0
    seen = int(tx.sql.value("SELECT value FROM meta WHERE key = ?", (key,)) or 0)
    return int(tx.sql.value(_TURNS_AFTER.format(", ".join("?" * len(kinds)), only), (seen, *kinds)))
