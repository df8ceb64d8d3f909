"""Runs of upkeep in the database: begun, continued, finished, listed. A run is leased, as a job is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from recollect.clock import DAY_US, SECOND_US, from_us, maybe_from_us
from recollect.ids import new_id
from recollect.model.run import RunReport
from recollect.store.base import Group, Row
from recollect.store.journal import Begun

RUNS_KEPT = 1_000
RESUMED_WITHIN_US = DAY_US  # a run that was left alone for longer is set down as stopped, and begun anew
INTERRUPTED = "interrupted"  # how a run is reported whose process is no more

_COLUMNS = (
    "r.id, r.verb, o.id, r.started_at, r.finished_at, r.state, r.counts, r.problems, r.progress, r.lease_until, "
    "r.lease_owner FROM run r LEFT JOIN operation o ON o.pk = r.operation_pk"
)

# Whether the process of that name is certainly no more.
IsGone = Callable[[str | None], bool]


class HeldRun(NamedTuple):
    """A run that this process may go on with. `begun` is its operation, once it has changed something."""

    pk: int
    id: str
    started_at: int
    begun: Begun | None
    counts: dict[str, int]
    resumed: bool = False


class Lease(NamedTuple):
    """How long a run belongs to whom, by whose clock, and how to tell that the holder died."""

    owner: str
    now: int
    lease_s: float
    is_gone: IsGone = lambda owner: False

    @property
    def until(self) -> int:
        return self.now + int(self.lease_s * SECOND_US)

    def is_free(self, until: int | None, owner: str | None) -> bool:
        """Whether a run that is held like this may be taken. No lease ends later than one made now: if it seems to, the
        clock was set back."""
        return until is None or not self.now <= until <= self.until or self.is_gone(owner)


class Runs(Group):
    """Runs of upkeep: held by one process at a time, reported, resumed."""

    def busy_with(self, lease: Lease) -> str | None:
        """The verb of the run that somebody has in hand; one heavy thing is done at a time."""
        rows = self.sql.all("SELECT verb, lease_until, lease_owner FROM run WHERE state = 'running' ORDER BY pk DESC")
        return next((verb for verb, until, owner in rows if not lease.is_free(until, owner)), None)

    def hold(self, verb: str, *, scope_pk: int | None, lease: Lease) -> HeldRun:
        """Begin a run, or go on with one of the same verb and scope whose process died. Nobody may be `busy_with` one.

        A run that was undone is not gone on with, nor one that was left alone for long.
        """
        row = self.sql.one(
            "SELECT r.pk, r.id, r.started_at, r.operation_pk, o.id, r.counts, r.lease_until, o.undone_by FROM run r "
            "LEFT JOIN operation o ON o.pk = r.operation_pk WHERE r.verb = ? "
            "AND r.scope_pk IS NOT DISTINCT FROM ? AND r.state = 'running' ORDER BY r.pk DESC LIMIT 1",
            (verb, scope_pk),
        )
        self._set_down(lease.now, but=None if row is None else row[0])
        if row is None:
            return self._begin(verb, scope_pk, lease)
        pk, run_id, started_at, operation_pk, operation_id, counts, lease_until, undone_by = row
        if undone_by is not None or abs(lease.now - (lease_until or 0)) > RESUMED_WITHIN_US:
            self._stop([pk], lease.now)
            return self._begin(verb, scope_pk, lease)
        self.sql.run("UPDATE run SET lease_until = ?, lease_owner = ? WHERE pk = ?", (lease.until, lease.owner, pk))
        begun = None if operation_pk is None else Begun(operation_pk, operation_id)
        return HeldRun(pk, run_id, started_at, begun, orjson.loads(counts), resumed=True)

    def _begin(self, verb: str, scope_pk: int | None, lease: Lease) -> HeldRun:
        self.sql.run("DELETE FROM run WHERE pk <= (SELECT max(pk) FROM run) - ? AND state <> 'running'", (RUNS_KEPT,))
        run_id = new_id()
        pk = self.sql.insert(
            "INSERT INTO run (id, verb, scope_pk, started_at, lease_until, lease_owner) VALUES (?, ?, ?, ?, ?, ?)",
            (run_id, verb, scope_pk, lease.now, lease.until, lease.owner),
        )
        return HeldRun(pk, run_id, lease.now, None, {})

    def _set_down(self, now: int, *, but: int | None) -> None:
        """Runs that nobody went on with in time have stopped."""
        rows = self.sql.all("SELECT pk, lease_until FROM run WHERE state = 'running' AND pk IS DISTINCT FROM ?", (but,))
        self._stop([pk for pk, until in rows if abs(now - (until or 0)) > RESUMED_WITHIN_US], now)

    def _stop(self, pks: Sequence[int], now: int) -> None:
        for pk in pks:
            self.sql.run(
                "UPDATE run SET state = 'stopped', finished_at = ?, lease_until = NULL WHERE pk = ?", (now, pk)
            )

    def advance(
        self, pk: int, *, lease: Lease, progress: float, counts: Mapping[str, int], operation_pk: int | None
    ) -> bool:
        """Note how far a run is and keep it. False: another process has taken it over."""
        return bool(
            self.sql.run(
                "UPDATE run SET lease_until = ?, progress = ?, counts = ?, operation_pk = ? "
                "WHERE pk = ? AND lease_owner = ? AND state = 'running'",
                (lease.until, progress, orjson.dumps(counts).decode(), operation_pk, pk, lease.owner),
            )
        )

    def finish(
        self,
        pk: int,
        *,
        owner: str,
        now: int,
        state: str,
        counts: Mapping[str, int],
        problems: Sequence[str],
        operation_pk: int | None,
    ) -> None:
        """Set a run down as done, stopped before its end, or failed; unless another process has it by now."""
        self.sql.run(
            "UPDATE run SET state = ?, finished_at = ?, counts = ?, problems = ?, operation_pk = ?, lease_until "
            "= NULL, "
            "progress = CASE ? WHEN 'done' THEN 1.0 ELSE progress END WHERE pk = ? AND lease_owner = ?",
            (
                state,
                now,
                orjson.dumps(counts).decode(),
                orjson.dumps(list(problems)).decode(),
                operation_pk,
                state,
                pk,
                owner,
            ),
        )

    def recent(self, *, limit: int, lease: Lease | None = None, verb: str | None = None) -> list[RunReport]:
        """The newest runs first. With a lease to judge by, those whose process is no more are reported so."""
        rows = self.sql.all(
            f"SELECT {_COLUMNS} WHERE (CAST(? AS TEXT) IS NULL OR r.verb = ?) ORDER BY r.pk DESC LIMIT ?",
            (verb, verb, limit),
        )
        return [_report(row, lease) for row in rows]

    def last_finished(self, verb: str, *, until: int | None = None) -> int | None:
        """When a run of this verb over the whole store last came to its end, not later than `until`."""
        at: Any = self.sql.value(
            "SELECT max(finished_at) FROM run WHERE verb = ? AND scope_pk IS NULL AND state = 'done' "
            "AND (CAST(? AS BIGINT) IS NULL OR finished_at <= ?)",
            (verb, until, until),
        )
        return None if at is None else int(at)


def _report(row: Row, lease: Lease | None) -> RunReport:
    id_, verb, operation, started_at, finished_at, state, counts, problems, progress, until, owner = row
    if state == "running" and lease is not None and lease.is_free(until, owner):
        state = INTERRUPTED
    return RunReport(
        id=id_,
        verb=verb,
        operation=operation,
        started_at=from_us(started_at),
        finished_at=maybe_from_us(finished_at),
        state=state,
        counts=orjson.loads(counts),
        problems=tuple(orjson.loads(problems)),
        progress=progress,
    )
