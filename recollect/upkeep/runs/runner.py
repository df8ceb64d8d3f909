"""Runs steps over one store: one run at a time in all processes, and a report of each."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from recollect.clock import Clock, from_us
from recollect.config import Config, LiveConfig
from recollect.errors import ProviderError, RecollectError, StoreBusy, StoreClosed
from recollect.ids import new_id
from recollect.model.run import RunReport
from recollect.model.scope import Reach, Scope
from recollect.store.base import Store, Tx
from recollect.store.runs import HeldRun, Lease
from recollect.upkeep.runs.activity import Activity
from recollect.upkeep.runs.run import RUN_LEASE_S, Run, UpkeepStep, is_gone, own_name

_log = logging.getLogger(__name__)
TURN_WAIT_S = 60.0  # for a run of this very process


class Runner:
    """Runs steps over one store. A run that died is gone on with; while one lives no other begins."""

    def __init__(self, store: Store, live: LiveConfig, clock: Clock, activity: Activity) -> None:
        self._store = store
        self._live = live
        self._clock = clock
        self._activity = activity
        self._turn = threading.Lock()
        self._owner = own_name()

    def run(
        self,
        verb: str,
        steps: Sequence[UpkeepStep],
        *,
        scope: Scope | None = None,
        reach: Reach = Reach.OWN,
        dry_run: bool = False,
        actor: str | None = None,
        going_on: Callable[[float], bool] = lambda share: True,
        config: Config | None = None,
    ) -> RunReport:
        """Do the steps, one after the other. `scope` is whose records, `INSIDE` or its `OWN`; None is the whole store.
        `config` takes the place of the store's settings.

        A step that fails leaves a problem and the next one goes on. Refused while another run is in hand.
        """
        now = self._clock()
        if scope is None:
            scope_pk, scope_pks = None, None
        else:
            with self._store.read() as tx:
                scope_pk, scope_pks = tx.scopes.find(scope), tx.scopes.visible(scope, reach)
            if not scope_pks:  # nothing was ever stored there
                return _nothing(verb, now, dry_run=dry_run)
        with self._in_turn(verb):
            if dry_run:
                held = HeldRun(0, new_id(), now, None, {})
            else:
                scope_pk, held = self._store.write(lambda tx: self._hold(tx, verb, scope))
            run = Run(
                store=self._store,
                live=self._live,
                clock=self._clock,
                activity=self._activity,
                verb=verb,
                scope_pks=scope_pks,
                scope_pk=scope_pk,
                held=held,
                owner=self._owner,
                dry_run=dry_run,
                actor=actor,
                going_on=going_on,
                counts=Counter(held.counts),
                own_config=config,
            )
            return self._whole(run, steps)

    @contextmanager
    def _in_turn(self, verb: str) -> Iterator[None]:
        """After what this process runs already: work in the background is no reason to refuse what is asked for."""
        if not self._turn.acquire(timeout=TURN_WAIT_S):
            raise StoreBusy(
                f"another run has been under way for {TURN_WAIT_S:g} s; ask for {verb} again when it is done"
            )
        try:
            yield
        finally:
            self._turn.release()

    def recent(self, limit: int) -> list[RunReport]:
        """The newest runs first, of all processes."""
        with self._store.read() as tx:
            return tx.runs.recent(limit=limit, lease=self._lease())

    def _hold(self, tx: Tx, verb: str, scope: Scope | None) -> tuple[int | None, HeldRun]:
        lease = self._lease()
        busy = tx.runs.busy_with(lease)
        if busy is not None:
            raise StoreBusy(f"{busy} is under way in another thread or process; wait for it, or see maintain --status")
        scope_pk = None if scope is None else tx.scopes.ensure(scope)
        return scope_pk, tx.runs.hold(verb, scope_pk=scope_pk, lease=lease)

    def _lease(self) -> Lease:
        return Lease(self._owner, self._clock(), RUN_LEASE_S, is_gone)

    def _whole(self, run: Run, steps: Sequence[UpkeepStep]) -> RunReport:
        if run.held.resumed:
            begun = f"{from_us(run.held.started_at):%Y-%m-%d %H:%M}"
            run.problem(f"begun {begun} by a process that ended; went on from there, its items are counted, not listed")
            if run.held.begun is not None:
                run.operations.append(run.held.begun.id)
        try:
            state = self._do(run, steps)
        except StoreClosed:  # nothing can be written down any more: the next process goes on
            raise
        except BaseException:
            self._set_down(run, "stopped")
            raise
        return self._set_down(run, state)

    def _do(self, run: Run, steps: Sequence[UpkeepStep]) -> str:
        for position, step in enumerate(steps):
            try:
                run.begin_step(step.name, position, len(steps))
                step.run(run)
            except InterruptedError as stopped:
                run.problem(f"{step.name}: {stopped}; the next run goes on from there")
                return "stopped"
            except StoreClosed:
                raise
            except ProviderError as error:
                run.problem(f"{step.name}: {error.message} ({error.code}); rules did what they could")
            except RecollectError as error:
                run.problem(f"{step.name}: {error.message} ({error.code})")
            except Exception as error:  # one step's mistake is not the others'
                _log.warning("step %s of %s failed: %s", step.name, run.verb, type(error).__name__)
                run.problem(f"{step.name}: failed ({type(error).__name__}); what it had done stands")
        return "done"

    def _set_down(self, run: Run, state: str) -> RunReport:
        at = self._clock()
        begun = run.held.begun
        for earlier in run.operations[:-1]:
            run.problem(f"others changed the same things meanwhile: what was done before that is operation {earlier}")
        if not run.dry_run:
            self._store.write(
                lambda tx: tx.runs.finish(
                    run.held.pk,
                    owner=run.owner,
                    now=at,
                    state=state,
                    counts=run.counts,
                    problems=run.problems,
                    operation_pk=None if begun is None else begun.pk,
                )
            )
        return RunReport(
            id=run.held.id,
            verb=run.verb,
            operation=None if begun is None else begun.id,
            state=state,
            started_at=from_us(run.held.started_at),
            finished_at=from_us(at),
            dry_run=run.dry_run,
            counts=dict(run.counts),
            items=tuple(run.items),
            problems=tuple(run.problems),
            progress=1.0 if state == "done" else run.share,
        )


def _nothing(verb: str, now: int, *, dry_run: bool) -> RunReport:
    at = from_us(now)
    return RunReport(
        id=new_id(), verb=verb, operation=None, state="done", started_at=at, finished_at=at, dry_run=dry_run
    )
