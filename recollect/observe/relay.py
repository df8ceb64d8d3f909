"""What one stage of work stored is handed to the next: tagged when the stage ends, told once where the next begins.

A stage is a session that plans or writes a spec, or whose phase somebody named. The next one is another session on the
same task, or without a name for it on the same branch, that is not in the same phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from recollect.clock import DAY_US, SECOND_US
from recollect.config.observing import ObserveSettings
from recollect.hook.phases import PHASES
from recollect.ids import ID_CHARS
from recollect.model.anchor import StatesOfCode
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.observe.phase import phase_of
from recollect.observe.trusted import best_of, told_unasked
from recollect.observe.work_state import Task
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.observed import SessionOver, StoredEvent
from recollect.store.rows import from_json, to_json

TAG = "planner_relay"
SPEC_TAG = "spec_"
ATTRIBUTE = "relay"  # under which a record's attributes hold which stage left it
HANDED = ("planning", "spec")  # phases whose records are handed on although nobody named the phase
STAGES_MAX = 5  # that wait for a next one
DAYS_MAX = 14.0  # after which nobody waits for what a stage left
_STORED_MAX = 200
_OWN = "observer"


class Handover(NamedTuple):
    """What a stage left, the best first."""

    session: str
    phase: str
    spec: str
    branch: str
    records: tuple[Record, ...]


def left_by(
    tx: Tx, scope: Scope, session: SessionOver, events: Sequence[StoredEvent], settings: ObserveSettings, *, now: int
) -> list[Record]:
    """What a stage that ended leaves to the next one, the best first."""
    phase = phase_of(events)
    named = any(event.detail.get("phase") in PHASES for event in events)
    if not settings.relay or phase is None or not (named or phase in HANDED):
        return []
    stored = [each for each in _stored(tx, scope, session, now) if TAG not in each.tags]
    return best_of(stored)[: settings.relay_stored]


def hand_over(tx: Tx, op: Op, pk: int, session: str, phase: str, task: Task) -> None:
    """Note in a record that a stage left it."""
    old = tx.records.columns_of(pk)
    if old is None:
        return
    tags = [TAG, *([f"{SPEC_TAG}{task.spec or task.branch}"] if task.spec or task.branch else [])]
    left = {"session": session, "phase": phase, "spec": task.spec, "branch": task.branch, "at_s": op.at // SECOND_US}
    new = {
        "attributes": to_json({**from_json(old["attributes"], {}), ATTRIBUTE: left}),
        "tags": to_json(list(dict.fromkeys((*from_json(old["tags"], ()), *tags)))),
        "updated_at": op.at,
    }
    tx.records.adjust(op, pk, old, new)


def handed_over(tx: Tx, scope: Scope, code: StatesOfCode, settings: ObserveSettings, *, now: int) -> list[Handover]:
    """What waits for a next stage, the newest first. What another session was shown waits no longer."""
    if not settings.relay:
        return []
    since = now - int(DAYS_MAX * DAY_US)
    stages: dict[str, list[Record]] = {}
    for record in told_unasked(tx, Criteria(scope=scope, tags=(TAG,)), code, now=now):
        left = _left(record)
        if left and left["at_s"] * SECOND_US >= since:
            stages.setdefault(left["session"], []).append(record)
    seen = tx.agent_work.shown(tx.scopes.visible(scope), since=since) if stages else {}
    out: list[Handover] = []
    for session, records in stages.items():
        if any(seen.get(record.id[:ID_CHARS], set()) - {session} for record in records):
            continue
        left = _left(records[0])
        best = tuple(best_of(records)[: settings.relay_told])
        out.append(Handover(session, left["phase"], left["spec"], left["branch"], best))
    return sorted(out, key=lambda stage: -_left(stage.records[0])["at_s"])[:STAGES_MAX]


def _left(record: Record) -> dict[str, Any]:
    kept = record.attributes.get(ATTRIBUTE)
    if not isinstance(kept, dict) or not isinstance(kept.get("at_s"), int):
        return {}
    if not all(isinstance(kept.get(name), str) for name in ("session", "phase", "spec", "branch")):
        return {}
    return dict(kept)


def _stored(tx: Tx, scope: Scope, session: SessionOver, now: int) -> list[Record]:
    """What a session stored, by its own name or as its tools answered."""
    criteria = Criteria(scope=scope, session_id=session.id)
    ids = [
        found
        for short in tx.observed.named(session.pk)["stored"]
        for found in tx.records.ids_beginning(short, Criteria(scope=scope), now=now)
    ]
    pks = dict.fromkeys((*tx.records.pks_of(ids), *tx.records.latest(criteria, now=now, limit=_STORED_MAX)))
    records = tx.records.load(list(pks)).values()
    return [each for each in records if not (each.source or "").startswith(_OWN)]
