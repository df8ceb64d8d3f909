"""One run of upkeep: steps that do their work in portions, all of them one operation.

A portion is one short transaction, so that nobody waits long for the writer, and it is durable with how far the run has
come: a process that dies leaves a run that the next one goes on with. A dry run does the same and takes each portion
back. Between portions a run gives way to whoever uses the store, and it stops when it is told to.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from recollect.clock import Clock, from_us
from recollect.config import Config, LiveConfig
from recollect.errors import ProviderError, RecollectError, StoreBusy
from recollect.ids import new_id
from recollect.model.run import RunItem, RunReport
from recollect.model.scope import Scope
from recollect.store import long_operation, runs, scopes
from recollect.store.base import Store, Tx
from recollect.store.journal import Op
from recollect.store.runs import Held
from recollect.upkeep.activity import Activity

T = TypeVar("T")

ITEMS_MAX = 1_000  # that a report lists
LEASE_S = 60.0


class Step(Protocol):
    """One thing that upkeep does. It must not mind being run twice, and leaves a problem rather than an error."""

    name: str

    def run(self, run: Run) -> None: ...


class _TakenBack(Exception):
    """Ends the transaction of a dry run."""


@dataclass(slots=True)
class Run:
    """What a step is given. `scope_pks` are the scopes to look at, None for all of them."""

    store: Store
    live: LiveConfig
    clock: Clock
    activity: Activity
    verb: str
    scope_pks: Sequence[int] | None
    scope_pk: int | None
    held: Held
    owner: str
    dry_run: bool = False
    actor: str | None = None
    going_on: Callable[[float], bool] = lambda share: True
    step: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    items: list[RunItem] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def config(self) -> Config:
        return self.live.current

    def portion(self, work: Callable[[Tx, Op], T]) -> T:
        """Do one short piece of work in the run's operation. In a dry run it is taken back when it is done."""
        started = time.perf_counter()
        out: list[T] = []

        def transaction(tx: Tx) -> None:
            at = self.clock()
            op = long_operation.portion(tx, self.held.begun, self.verb, at=at, scope_pk=self.scope_pk, actor=self.actor)
            before = sum(self.counts.values())
            out.append(work(tx, op))
            done = sum(self.counts.values()) - before
            if self.dry_run:
                raise _TakenBack
            if not done and self.held.begun is None:
                tx.run("DELETE FROM operation WHERE pk = ?", (op.pk,))  # nothing was changed: nothing to undo
            else:
                long_operation.finish(op, done)
                self.held = self.held._replace(begun=long_operation.Begun(op.pk, op.id))
            self._advance(tx, at)

        with suppress(_TakenBack):
            self.store.write(transaction)
        self.activity.give_way(time.perf_counter() - started)
        return out[0]

    def note(self, did: str, record_id: str, reason: str = "") -> None:
        """Something was done: it counts, and a report says so."""
        self.counts[did] += 1
        if len(self.items) < ITEMS_MAX:
            self.items.append(RunItem(step=self.step, did=did, id=record_id, reason=reason))

    def problem(self, what: str) -> None:
        """Something could not be done; the rest goes on."""
        if what not in self.problems:
            self.problems.append(what)

    def progress(self, share: float) -> None:
        """Say how far the step is; stops the run where somebody wants that."""
        if not self.going_on(share):
            raise InterruptedError("stopped before the end")

    def _advance(self, tx: Tx, at: int) -> None:
        begun = self.held.begun
        held = runs.advance(
            tx, self.held.pk, owner=self.owner, now=at, lease_s=LEASE_S, progress=0.0, counts=self.counts,
            operation_pk=None if begun is None else begun.pk,
        )  # fmt: skip
        if not held:
            raise InterruptedError("another process goes on with this run")


class Runner:
    """Runs steps over one store, one run of a verb and scope at a time, whoever asks."""

    def __init__(self, store: Store, live: LiveConfig, clock: Clock, activity: Activity) -> None:
        self._store = store
        self._live = live
        self._clock = clock
        self._activity = activity
        self._owner = f"{os.getpid()}:{new_id()}"

    def run(
        self,
        verb: str,
        steps: Sequence[Step],
        *,
        scope: Scope | None = None,
        dry_run: bool = False,
        actor: str | None = None,
        going_on: Callable[[float], bool] = lambda share: True,
    ) -> RunReport:
        """Do the steps, one after the other. `scope` is whose records; None is the whole store.

        A step that fails leaves a problem and the next one goes on. Refused while another process does the same.
        """
        now = self._clock()

        def begin(tx: Tx) -> tuple[Held | None, int | None, list[int] | None]:
            scope_pk = None if scope is None else scopes.ensure(tx, scope)
            if dry_run:
                held: Held | None = Held(0, new_id(), now, None, {})
            else:
                held = runs.hold(tx, verb, scope_pk=scope_pk, owner=self._owner, now=now, lease_s=LEASE_S)
            return held, scope_pk, None if scope_pk is None else [scope_pk]

        held, scope_pk, scope_pks = self._store.write(begin)
        if held is None:
            raise StoreBusy(f"{verb} is being run by another process; wait for it, or look at maintain --status")
        run = Run(
            store=self._store, live=self._live, clock=self._clock, activity=self._activity, verb=verb,
            scope_pks=scope_pks, scope_pk=scope_pk, held=held, owner=self._owner, dry_run=dry_run, actor=actor,
            going_on=going_on, counts=Counter(held.counts),
        )  # fmt: skip
        state = self._do(run, steps)
        return self._finished(run, state)

    def _do(self, run: Run, steps: Sequence[Step]) -> str:
        for at, step in enumerate(steps):
            run.step = step.name
            try:
                run.progress(at / max(1, len(steps)))
                step.run(run)
            except InterruptedError as stopped:
                run.problem(f"{step.name}: {stopped}; the next run goes on from there")
                return "stopped"
            except ProviderError as error:
                run.problem(f"{step.name}: {error.message} ({error.code}); rules did what they could")
            except RecollectError as error:
                run.problem(f"{step.name}: {error.message} ({error.code})")
        return "done"

    def _finished(self, run: Run, state: str) -> RunReport:
        at = self._clock()
        begun = run.held.begun
        if not run.dry_run:
            self._store.write(
                lambda tx: runs.finish(
                    tx, run.held.pk, owner=run.owner, now=at, state=state, counts=run.counts, problems=run.problems,
                    operation_pk=None if begun is None else begun.pk,
                )
            )  # fmt: skip
        return RunReport(
            id=run.held.id, verb=run.verb, operation=None if begun is None else begun.id, state=state,
            started_at=from_us(run.held.started_at), finished_at=from_us(at), dry_run=run.dry_run,
            counts=dict(run.counts), items=tuple(run.items), problems=tuple(run.problems),
        )  # fmt: skip
