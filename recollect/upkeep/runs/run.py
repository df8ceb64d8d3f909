"""One run of upkeep: steps that do their work in portions, all of them one operation.

A portion is one short transaction, so that no caller waits long for the writer. How far the run has come is durable
with it: a run whose process dies is continued by the next process. A dry run does the same work and takes each
portion back. Between portions a run gives way to callers, and it stops when it is told to.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from recollect.clock import Clock
from recollect.config import Config, LiveConfig
from recollect.ids import new_id
from recollect.model.run import RunItem
from recollect.store import journal
from recollect.store.base import Store, Tx
from recollect.store.crossing import Crossing
from recollect.store.journal import Begun, Op
from recollect.store.runs import HeldRun, Lease
from recollect.upkeep.runs.activity import Activity

T = TypeVar("T")

ITEMS_MAX = 1_000  # that a report lists
RUN_LEASE_S = 60.0
RESTS_EVERY_S = 0.02  # a run that works on without a portion makes way as well
STORED_EVERY_S = 2.0  # how often a run between two portions says that it lives


class UpkeepStep(Protocol):
    """One thing that upkeep does. It must not mind being run twice, and leaves a problem rather than an error."""

    name: str

    def run(self, run: Run) -> None: ...


class _TakenBack(Exception):
    """Ends the transaction of a dry run."""


class _Crossed(Exception):
    """Others changed the same things since the run's operation began."""


class _RunNotes(NamedTuple):
    """What a run had noted at some point, to go back to when a portion fails."""

    counts: Counter[str]
    items: int
    problems: int


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
    held: HeldRun
    owner: str
    dry_run: bool = False
    actor: str | None = None
    own_config: Config | None = None  # of this run only
    going_on: Callable[[float], bool] = lambda share: True
    step: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    items: list[RunItem] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)  # keys of records that a step went over, for those after it
    operations: list[str] = field(default_factory=list)  # oldest first; more than one where others crossed
    _span: tuple[float, float] = (0.0, 1.0)  # where this step begins and ends within the run
    share: float = 0.0  # of the whole run that is done
    _writing: bool = False
    _stored_at: float = field(default_factory=time.monotonic)
    _rested_at: float = field(default_factory=time.monotonic)
    _crossing: Crossing = field(default_factory=Crossing)

    @property
    def config(self) -> Config:
        return self.own_config or self.live.current

    def begin_step(self, name: str, position: int, steps: int) -> None:
        """The next step is that one of so many."""
        self.step = name
        self._span = (position / steps, (position + 1) / steps)
        self.progress(0.0)

    def portion(self, work: Callable[[Tx, Op], T]) -> T:
        """Do one short piece of work in the run's operation. In a dry run it is taken back when it is done.

        `work` may be called more than once, as the store finds a way to write it: what it notes counts once.
        """
        self._stop_if_told()
        before = _RunNotes(self.counts.copy(), len(self.items), len(self.problems))
        self._writing = True
        try:
            try:
                done = self._write(work, before, self.held.begun)
            except _Crossed:
                done = self._write(work, before, None)
        except BaseException:
            self._go_back(before)
            self._crossing.forget()
            raise
        finally:
            self._writing = False
        self._rest()
        return done

    def in_portions(self, items: Sequence[T], size: int, work: Callable[[Tx, Op, T], None]) -> None:
        """Do the work for each of the items, so many of them in one portion."""
        for start in range(0, len(items), size):
            self.portion(partial(_each, items=items[start : start + size], work=work))

    def each_scope(self) -> Iterator[int]:
        """The scopes of the run that hold records, one after the other; says how far that is.

        What is made of the records of one scope never holds anything of another.
        """
        with self.store.read() as tx:
            scope_pks = tx.scopes.with_records(self.scope_pks)
        for place, scope_pk in enumerate(scope_pks):
            self.progress(place / len(scope_pks))
            yield scope_pk

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
        """Say how far the step is, from 0 to 1, and that the run lives; stops the run when it is told to."""
        first, last = self._span
        self.share = max(self.share, first + (last - first) * min(max(share, 0.0), 1.0))
        if self._writing:  # inside a portion, which stores it: who is told may want to write as well
            return
        self._stop_if_told()
        if time.monotonic() - self._rested_at >= RESTS_EVERY_S:
            self._rest()
        if not self.dry_run and time.monotonic() - self._stored_at >= STORED_EVERY_S:
            self.store.write(lambda tx: self._advance(tx, self.clock(), self.held.begun))

    def lease(self, now: int) -> Lease:
        return Lease(self.owner, now, RUN_LEASE_S, is_gone)

    def _rest(self) -> None:
        """Make way for others, by how long it worked since it last did."""
        self.activity.give_way(time.monotonic() - self._rested_at)
        self._rested_at = time.monotonic()

    def _stop_if_told(self) -> None:
        if not self.going_on(self.share):
            raise InterruptedError("stopped before the end")

    def _write(self, work: Callable[[Tx, Op], T], before: _RunNotes, begun: Begun | None) -> T:
        """The work in a transaction, as a part of the operation or as the beginning of one."""
        out: list[T] = []

        def transaction(tx: Tx) -> Begun | None:
            self._go_back(before)
            out[:] = []
            after = self._do(tx, work, out, before, begun)
            if self.dry_run:
                raise _TakenBack
            return after

        with suppress(_TakenBack):
            self._keep(self.store.write(transaction))
        return out[0]

    def _do(
        self, tx: Tx, work: Callable[[Tx, Op], T], out: list[T], before: _RunNotes, begun: Begun | None
    ) -> Begun | None:
        """The work within its transaction; the run's operation after it."""
        at, end = self.clock(), tx.journal.newest_entry()
        op = tx.journal.portion(begun, self.verb, at=at, scope_pk=self.scope_pk, actor=self.actor)
        out.append(work(tx, op))
        done = self.counts.total() - before.counts.total()
        if done or tx.journal.newest_entry() > end:
            if begun is not None and begun.pk == op.pk and self._crossing.crossed(op, end):
                raise _Crossed
            journal.finish(op, done)
            begun = Begun(op.pk, op.id)
        elif begun is None or begun.pk != op.pk:  # nothing was changed: nothing to undo
            tx.journal.drop(op)
            begun = None
        if not self.dry_run:
            self._advance(tx, at, begun)
        return begun

    def _keep(self, begun: Begun | None) -> None:
        self.held = self.held._replace(begun=begun)
        if begun is not None and begun.id not in self.operations:
            self.operations.append(begun.id)

    def _go_back(self, to: _RunNotes) -> None:
        self.counts = to.counts.copy()
        del self.items[to.items :]
        del self.problems[to.problems :]

    def _advance(self, tx: Tx, at: int, begun: Begun | None) -> None:
        held = tx.runs.advance(
            self.held.pk,
            lease=self.lease(at),
            progress=self.share,
            counts=self.counts,
            operation_pk=None if begun is None else begun.pk,
        )
        if not held:
            raise InterruptedError("another process goes on with this run")
        self._stored_at = time.monotonic()


def _each(tx: Tx, op: Op, items: Sequence[T], work: Callable[[Tx, Op, T], None]) -> None:
    for item in items:
        work(tx, op, item)


# --- who holds a run -------------------------------------------------------------------------------------------------

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_STARTED = 19  # the field of /proc/*/stat, counted after the name in brackets, that says when a process began


def own_name() -> str:
    """A name for a holder in this process, which tells on the same machine whether the process still lives.

    A lease alone would do: it runs out. The name spares the next process the wait when the one before it was killed.
    It is never trusted to say that a process lives, only that it does not.
    """
    return f"{_machine()}/{os.getpid()}/{_started(os.getpid())}/{new_id()}"


def is_gone(owner: str | None) -> bool:
    """Whether the process of that name certainly lives no more; False where nothing can be told."""
    machine, _, rest = (owner or "").partition("/")
    pid, _, rest = rest.partition("/")
    started = rest.partition("/")[0]
    if not machine or machine != _machine() or not pid.isdecimal() or not started:
        return False
    return _started(int(pid)) != started


@cache
def _machine() -> str:
    """This machine since it was switched on, as far as its processes see each other; empty where that is not told."""
    try:
        return f"{_BOOT.read_text(encoding='ascii').strip()}:{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return ""


def _started(pid: int) -> str:
    """When a process began, in the system's own count; empty for one that is not there, or is dead and not buried."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[_STARTED]
