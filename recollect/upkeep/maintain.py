"""Which steps each verb of upkeep takes, in which order, and how they are made.

Steps are imported when a run needs them: a memory that is only asked never pays for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.clock import DAY_US, Clock, from_us
from recollect.config import LiveConfig
from recollect.errors import StoreBusy
from recollect.index.follow import Indexes
from recollect.ingest.embedding import Embedding
from recollect.ingest.requests import CONSOLIDATE_JOB
from recollect.model.run import RunReport
from recollect.model.scope import Reach, Scope
from recollect.providers.base import Embedder, Llm
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.upkeep.jobs.worker import Progress
from recollect.upkeep.runs.schedule import Calendar

if TYPE_CHECKING:
    from recollect.upkeep.forgetting.scenarios import Asks
    from recollect.upkeep.runs.run import UpkeepStep
    from recollect.upkeep.runs.runner import Runner


ACTOR = "upkeep"  # of what the scheduler does
BUSY_S = 30.0  # when to try again while another run is in hand


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepParts:
    """What steps are made of."""

    store: Store
    live: LiveConfig
    clock: Clock
    indexes: Indexes
    embedding: Embedding
    llm: Llm | None
    flush: Callable[[], None]  # writes down what was used until now: it fades from then on
    asks: Asks | None = None  # a search that leaves no trace: replay rehearses with it
    forget: Callable[[], None] = lambda: None  # has files beside the database let go of what is to be erased
    close_orphans: Callable[[bool], list[str]] = lambda dry_run: []  # turns that nobody goes on with; their ids
    session_id: str | None = None  # the one session to consolidate

    def published(self, tx: Tx) -> list[int]:
        """What agents were told lately: replay joins it to what they know."""
        since = self.clock() - DAY_US
        return tx.bus.arrived(since=since, limit=self.live.current.replay.records_max)

    @property
    def embedder(self) -> Embedder | None:
        return self.embedding.embedder


class MadeOf(NamedTuple):
    """Where a step is (`module:class` below `recollect.upkeep`), and the parts that it is made of, in their order."""

    where: str
    parts: tuple[str, ...] = ()


# All steps, in the order of a night: what is read is consolidated, what is consolidated is compared, and what is left
# of that fades. A new step is a module with a class, and a row here at its place in the night.
STEPS: Mapping[str, MadeOf] = {
    "turns": MadeOf("jobs.orphans:OrphansStep", ("close_orphans",)),
    "perceive": MadeOf("jobs.unread:PerceiveStep", ("embedding",)),
    "fields": MadeOf("knowledge.fields_by_model:FieldsStep", ("llm",)),
    "doubts": MadeOf("pairs.doubts_by_model:DoubtsStep", ("llm",)),
    "consolidate": MadeOf("consolidation.consolidate:ConsolidateStep", ("llm", "embedding", "session_id")),
    "patterns": MadeOf("consolidation.patterns:PatternsStep", ("embedding", "llm")),
    "procedures": MadeOf("consolidation.procedures:ProceduresStep", ("embedding",)),
    "rhythms": MadeOf("knowledge.rhythms:RhythmsStep", ("embedding",)),
    "infer": MadeOf("relations.infer:InferStep", ("embedding",)),
    "causes": MadeOf("relations.causal:CausesStep", ("llm",)),
    "enrich": MadeOf("knowledge.enrich:EnrichStep", ("llm",)),
    "decay": MadeOf("forgetting.decay:DecayStep"),
    "retain": MadeOf("forgetting.retention:RetentionStep", ("forget",)),
    "gaps": MadeOf("knowledge.gaps:GapsStep"),
    "abstraction": MadeOf("knowledge.abstraction:AbstractionStep", ("llm",)),
    "replay": MadeOf("forgetting.replay:ReplayStep", ("indexes", "embedder", "published", "asks")),
    "renew": MadeOf("knowledge.renewal:RenewalStep"),
    "tuning": MadeOf("tuning:TuningStep"),
    "prune": MadeOf("relations.prune:PruneStep"),
    "housekeeping": MadeOf("jobs.worker:HousekeepingStep"),
}

# Verb → its steps.
VERBS: Mapping[str, tuple[str, ...]] = {
    "consolidate": ("turns", "perceive", "doubts", "consolidate"),
    "decay": ("decay",),
    "causes": ("causes",),
    "enrich": ("enrich",),
    "replay": ("replay", "renew"),
    "maintain": tuple(STEPS),
}


def step_of(name: str, parts: UpkeepParts) -> UpkeepStep:
    """A step by its name, imported now and made of its parts."""
    where, wanted = STEPS[name]
    module, _, made = where.partition(":")
    make: Callable[..., UpkeepStep] = getattr(import_module(f"recollect.upkeep.{module}"), made)
    return make(*(getattr(parts, part) for part in wanted))


class Keeper:
    """Runs the verbs of upkeep over one store, and says what was run and what is due."""

    def __init__(self, parts: UpkeepParts, runner: Runner, calendar: Calendar) -> None:
        self._parts = parts
        self._runner = runner
        self._calendar = calendar

    def run(
        self,
        verb: str,
        *,
        scope: Scope | None = None,
        reach: Reach = Reach.OWN,
        session_id: str | None = None,
        dry_run: bool = False,
        actor: str | None = None,
        going_on: Callable[[float], bool] = lambda share: True,
        settings: Mapping[str, Any] | None = None,
    ) -> RunReport:
        """All steps of a verb. `scope` None is the whole store; `session_id` is the one session to consolidate.

        `settings` are laid over those of the store for this run.
        """
        self._parts.flush()
        parts = replace(self._parts, session_id=session_id)
        steps = [step_of(name, parts) for name in VERBS[verb]]
        return self._runner.run(
            verb,
            steps,
            scope=scope,
            reach=reach,
            dry_run=dry_run,
            actor=actor,
            going_on=going_on,
            config=None if settings is None else parts.live.current.with_changes(settings),
        )

    def begin(self, verb: str, going_on: Callable[[float], bool]) -> RunReport:
        """A run over the whole store that no caller asked for."""
        return self.run(verb, actor=ACTOR, going_on=going_on)

    def status(self, limit: int) -> RunReport:
        """The run under way or the last one, with those before it and what is due next."""
        found = self._runner.recent(limit)
        due = self._calendar.next()
        if found:
            return replace(found[0], history=tuple(found[1:]), due=due)
        now = from_us(self._parts.clock())
        return RunReport(
            id="",
            verb="maintain",
            operation=None,
            state="none",
            started_at=now,
            finished_at=None,
            progress=0.0,
            due=due,
        )


class ConsolidateJob:
    """The handler of `consolidate` jobs: sessions are consolidated when the next one of their scope begins."""

    def __init__(self, store: Store, keeper: Keeper, clock: Clock) -> None:
        self._store = store
        self._keeper = keeper
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """Go over the sessions of one scope that have ended."""
        with self._store.read() as tx:
            scope = tx.scopes.load(int(job.payload["scope_pk"]))
        if scope is None:
            return
        try:
            self._keeper.run("consolidate", scope=scope, actor=ACTOR, going_on=progress)
        except StoreBusy:
            now = self._clock()
            self._store.write(lambda tx: tx.jobs.enqueue(CONSOLIDATE_JOB, job.payload, now=now, delay_s=BUSY_S))
