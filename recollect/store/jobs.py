"""Durable work for later: what a write could not do at once, kept until someone has done it.

A job is leased, not taken: if its worker dies, the lease runs out and another one picks it up, so every job runs
at least once and handlers must not mind running twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from recollect.clock import DAY_US, SECOND_US
from recollect.errors import ContentTooLarge
from recollect.limits import JOB_PAYLOAD_BYTES_MAX
from recollect.store.base import Group

DONE_KEPT_DAYS = 7
EMBED = "embed"  # the kind that gives vectors to records without one


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    pk: int
    kind: str
    payload: dict[str, Any]
    attempts: int


class Jobs(Group):
    """Durable work for later: enqueue, lease, finish, retry."""

    def enqueue(self, kind: str, payload: dict[str, Any], *, now: int, delay_s: float = 0.0) -> int:
        """Keep a job. It becomes visible with the commit of the write it belongs to."""
        text = orjson.dumps(payload)
        if len(text) > JOB_PAYLOAD_BYTES_MAX:
            raise ContentTooLarge(f"a job's payload is at most {JOB_PAYLOAD_BYTES_MAX} bytes, this one has {len(text)}")
        return self.sql.insert(
            "INSERT INTO job (kind, payload, run_after, created_at) VALUES (?, ?, ?, ?)",
            (kind, text.decode(), now + int(delay_s * SECOND_US), now),
        )

    def enqueue_once(self, kind: str, *, now: int, delay_s: float = 0.0) -> bool:
        """Make sure one job of a kind waits; whether it had to be queued. The kind itself says what there is to do."""
        waits = "SELECT 1 FROM job WHERE kind = ? AND state = 'ready' AND JSON_INT(payload, '$.from_pk') IS NULL HELD"
        if self.sql.value(waits, (kind,)):
            return False
        self.enqueue(kind, {}, now=now, delay_s=delay_s)
        return True

    def enqueue_from(self, kind: str, first_pk: int, *, now: int) -> bool:
        """Make sure that a job of a kind waits which looks at the rows from a key on; whether it had to be queued."""
        waits = self.sql.value(
            "SELECT 1 FROM job WHERE kind = ? AND state = 'ready' AND coalesce(JSON_INT(payload, '$.from_pk'), 0) <= ? "
            "HELD",
            (kind, first_pk),
        )
        if waits:
            return False
        self.enqueue(kind, {"from_pk": first_pk}, now=now)
        return True

    def waiting(self, kind: str) -> bool:
        """Whether a job of a kind is queued or at work."""
        return bool(self.sql.value("SELECT 1 FROM job WHERE kind = ? AND state IN ('ready', 'running')", (kind,)))

    def waiting_for(self, kind: str, scope_pk: int) -> bool:
        """Whether a job of this kind waits for a scope."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM job WHERE kind = ? AND state = 'ready' AND JSON_INT(payload, '$.scope_pk') = ? LIMIT 1",
                (kind, scope_pk),
            )
        )

    def due(self, kinds: list[str], *, now: int, ahead: int = 0) -> bool:
        """Whether there is a job to lease, now or within `ahead` microseconds."""
        marks = ", ".join("?" * len(kinds))
        return bool(
            self.sql.value(
                f"SELECT 1 FROM job WHERE kind IN ({marks}) AND ((state = 'ready' AND run_after <= ?) "
                "OR (state = 'running' AND lease_until < ?)) LIMIT 1",
                (*kinds, now + ahead, now),
            )
        )

    def lease(self, kinds: list[str], *, owner: str, now: int, lease_s: float, ahead: int = 0) -> Job | None:
        """The next job that is due, held for `lease_s`; None when there is nothing to do.

        It may be leased beside the writer (`Store.aside`): jobs that a write relies on are kept from it until that
        write is done, and those that others are just leasing are passed over.
        """
        marks = ", ".join("?" * len(kinds))
        row = self.sql.one(
            "UPDATE job SET state = 'running', attempts = attempts + 1, lease_owner = ?, lease_until = ? WHERE pk = ("
            f"SELECT pk FROM job WHERE kind IN ({marks}) AND ((state = 'ready' AND run_after <= ?) "
            "OR (state = 'running' AND lease_until < ?)) ORDER BY run_after, pk LIMIT 1 UNHELD) "
            "RETURNING pk, kind, payload, attempts",
            (owner, now + int(lease_s * SECOND_US), *kinds, now + ahead, now),
        )
        if row is None:
            return None
        return Job(pk=row[0], kind=row[1], payload=orjson.loads(row[2]), attempts=row[3])

    def extend(self, pk: int, *, owner: str, now: int, lease_s: float, progress: float) -> bool:
        """Keep holding a job and say how far it is. False: the lease was lost, stop working on it."""
        return bool(
            self.sql.run(
                "UPDATE job SET lease_until = ?, progress = ? WHERE pk = ? AND lease_owner = ? AND state = 'running'",
                (now + int(lease_s * SECOND_US), progress, pk, owner),
            )
        )

    def finish(self, pk: int, *, owner: str, now: int) -> None:
        """Set a job down as done; those done long ago are forgotten."""
        self.sql.run("DELETE FROM job WHERE state = 'done' AND finished_at < ?", (now - DONE_KEPT_DAYS * DAY_US,))
        self.sql.run(
            "UPDATE job SET state = 'done', progress = 1.0, lease_until = NULL, finished_at = ?, error = NULL "
            "WHERE pk = ? AND lease_owner = ?",
            (now, pk, owner),
        )

    def fail(self, pk: int, *, owner: str, now: int, code: str, retry_in_s: float | None) -> None:
        """Give a job back: to be tried again later, or as failed. Only the error's code is kept, no content."""
        self.sql.run(
            "UPDATE job SET state = ?, error = ?, lease_until = NULL, run_after = ?, finished_at = ? "
            "WHERE pk = ? AND lease_owner = ?",
            (
                "failed" if retry_in_s is None else "ready",
                code,
                now + int((retry_in_s or 0.0) * SECOND_US),
                now if retry_in_s is None else None,
                pk,
                owner,
            ),
        )

    def revive(self, *, kind: str | None = None) -> int:
        """Queue failed jobs again, all or those of a kind, as if they had never been tried; how many."""
        only, values = ("", ()) if kind is None else (" AND kind = ?", (kind,))
        set_back = (
            "UPDATE job SET state = 'ready', attempts = 0, run_after = 0, finished_at = NULL WHERE state = 'failed'"
        )
        return self.sql.run(set_back + only, values)

    def release(self, pk: int, *, owner: str, now: int) -> None:
        """Give a job back because its worker has to stop: due at once, and not counted as an attempt."""
        self.sql.run(
            "UPDATE job SET state = 'ready', attempts = attempts - 1, lease_until = NULL, run_after = ? "
            "WHERE pk = ? AND lease_owner = ? AND state = 'running'",
            (now, pk, owner),
        )

    def running(self) -> tuple[str, float] | None:
        """The job that somebody works on now, with how far it is; None when there is none."""
        row = self.sql.one("SELECT kind, progress FROM job WHERE state = 'running' ORDER BY pk LIMIT 1")
        return None if row is None else (row[0], row[1])

    def counts(self) -> dict[str, int]:
        """How many jobs are in which state."""
        return {row[0]: int(row[1]) for row in self.sql.all("SELECT state, count(*) FROM job GROUP BY state")}

    def failures(self) -> list[tuple[str, str, int]]:
        """(kind, code of the error, how many) of the jobs that were given up."""
        rows = self.sql.all("SELECT kind, error, count(*) FROM job WHERE state = 'failed' GROUP BY 1, 2 ORDER BY 1, 2")
        return [(row[0], row[1], row[2]) for row in rows]

    def any_failed(self, kind: str) -> bool:
        """Whether a job of a kind was given up."""
        return bool(self.sql.value("SELECT 1 FROM job WHERE kind = ? AND state = 'failed' LIMIT 1", (kind,)))

    def clear_away(self, *, before: int) -> int:
        """Forget jobs that were done or given up before a time; how many."""
        return self.sql.run("DELETE FROM job WHERE state IN ('done', 'failed') AND finished_at < ?", (before,))
