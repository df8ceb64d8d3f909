"""Runs of upkeep in the database: begun, continued, finished, listed. A run is leased, as a job is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from recollect.clock import SECOND_US, from_us, maybe_from_us
from recollect.ids import new_id
from recollect.model.run import RunReport
from recollect.store.base import Row, Tx
from recollect.store.long_operation import Begun

_COLUMNS = (
    "r.id, r.verb, o.id, r.started_at, r.finished_at, r.state, r.counts, r.problems, r.progress FROM run r "
    "LEFT JOIN operation o ON o.pk = r.operation_pk"
)


class Held(NamedTuple):
    """A run that this process may go on with. `begun` is its operation, once it has changed something."""

    pk: int
    id: str
    started_at: int
    begun: Begun | None
    counts: dict[str, int]


def hold(tx: Tx, verb: str, *, scope_pk: int | None, owner: str, now: int, lease_s: float) -> Held | None:
    """Begin a run, or go on with one of the same verb and scope whose process died; None: another process has it."""
    row = tx.one(
        "SELECT r.pk, r.id, r.started_at, r.operation_pk, o.id, r.counts, r.lease_until, o.undone_by FROM run r "
        "LEFT JOIN operation o ON o.pk = r.operation_pk WHERE r.verb = ? AND r.scope_pk IS ? AND r.state = 'running' "
        "ORDER BY r.pk DESC LIMIT 1",
        (verb, scope_pk),
    )
    until = now + int(lease_s * SECOND_US)
    if row is None:
        run_id = new_id()
        pk = tx.insert(
            "INSERT INTO run (id, verb, scope_pk, started_at, lease_until, lease_owner) VALUES (?, ?, ?, ?, ?, ?)",
            (run_id, verb, scope_pk, now, until, owner),
        )
        return Held(pk, run_id, now, None, {})
    pk, run_id, started_at, operation_pk, operation_id, counts, lease_until, undone_by = row
    if lease_until is not None and lease_until >= now:
        return None
    tx.run("UPDATE run SET lease_until = ?, lease_owner = ? WHERE pk = ?", (until, owner, pk))
    begun = None if operation_pk is None or undone_by is not None else Begun(operation_pk, operation_id)
    return Held(pk, run_id, started_at, begun, orjson.loads(counts))


def advance(
    tx: Tx, pk: int, *, owner: str, now: int, lease_s: float, progress: float, counts: Mapping[str, int],
    operation_pk: int | None,
) -> bool:  # fmt: skip
    """Note how far a run is and keep it. False: another process has taken it over."""
    return bool(
        tx.run(
            "UPDATE run SET lease_until = ?, progress = ?, counts = ?, operation_pk = ? "
            "WHERE pk = ? AND lease_owner = ? AND state = 'running'",
            (now + int(lease_s * SECOND_US), progress, orjson.dumps(counts).decode(), operation_pk, pk, owner),
        )
    )


def finish(
    tx: Tx, pk: int, *, owner: str, now: int, state: str, counts: Mapping[str, int], problems: Sequence[str],
    operation_pk: int | None,
) -> None:  # fmt: skip
    """Set a run down as done, stopped before its end, or failed."""
    tx.run(
        "UPDATE run SET state = ?, finished_at = ?, counts = ?, problems = ?, operation_pk = ?, lease_until = NULL, "
        "progress = CASE ? WHEN 'done' THEN 1.0 ELSE progress END WHERE pk = ? AND lease_owner = ?",
        (state, now, orjson.dumps(counts).decode(), orjson.dumps(list(problems)).decode(), operation_pk, state, pk,
         owner),
    )  # fmt: skip


def recent(tx: Tx, *, limit: int, verb: str | None = None) -> list[RunReport]:
    """The newest runs first."""
    rows = tx.all(f"SELECT {_COLUMNS} WHERE (? IS NULL OR r.verb = ?) ORDER BY r.pk DESC LIMIT ?", (verb, verb, limit))
    return [_report(row) for row in rows]


def last_finished(tx: Tx, verb: str) -> int | None:
    """When a run of this verb last came to its end."""
    at: Any = tx.value("SELECT max(finished_at) FROM run WHERE verb = ? AND state = 'done'", (verb,))
    return None if at is None else int(at)


def _report(row: Row) -> RunReport:
    id_, verb, operation, started_at, finished_at, state, counts, problems, progress = row
    return RunReport(
        id=id_, verb=verb, operation=operation, started_at=from_us(started_at), finished_at=maybe_from_us(finished_at),
        state=state, counts=orjson.loads(counts), problems=tuple(orjson.loads(problems)), progress=progress,
    )  # fmt: skip
