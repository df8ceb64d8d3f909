"""Sessions are consolidated when the next one of their scope begins: the handler of that job."""

from __future__ import annotations

from recollect.clock import Clock
from recollect.errors import StoreBusy
from recollect.ingest.requests import CONSOLIDATE_JOB
from recollect.store import jobs, scopes
from recollect.store.base import Store
from recollect.store.jobs import Job
from recollect.upkeep.jobs.worker import Progress
from recollect.upkeep.maintain import ACTOR, Keeper

BUSY_S = 30.0  # when to try again while another run is in hand


class ConsolidateJob:
    """The handler of `consolidate` jobs."""

    def __init__(self, store: Store, keeper: Keeper, clock: Clock) -> None:
        self._store = store
        self._keeper = keeper
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """Go over the sessions of one scope that have ended."""
        with self._store.read() as tx:
            scope = scopes.load(tx, int(job.payload["scope_pk"]))
        if scope is None:
            return
        try:
            self._keeper.run("consolidate", scope=scope, actor=ACTOR, going_on=progress)
        except StoreBusy:
            now = self._clock()
            self._store.write(lambda tx: jobs.enqueue(tx, CONSOLIDATE_JOB, job.payload, now=now, delay_s=BUSY_S))
