"""Which steps each verb of upkeep takes, in which order, and how they are made.

Steps are imported when a run needs them: a memory that is only asked never pays for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from recollect.clock import Clock, from_us
from recollect.config import LiveConfig
from recollect.index.follow import Indexes
from recollect.ingest.embedding import Embedding
from recollect.model.run import RunReport
from recollect.model.scope import Reach, Scope
from recollect.providers.base import Llm
from recollect.store.base import Store
from recollect.upkeep.runs.calendar import Calendar

if TYPE_CHECKING:
    from recollect.upkeep.runs.run import Step
    from recollect.upkeep.runs.runner import Runner

ACTOR = "upkeep"  # of what the scheduler does


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What steps are made of."""

    store: Store
    live: LiveConfig
    clock: Clock
    indexes: Indexes
    embedding: Embedding
    llm: Llm | None
    flush: Callable[[], None]  # writes down what was used until now: it fades from then on
    session_id: str | None = None  # the one session to consolidate


def _read(parts: Parts) -> Step:
    from recollect.upkeep.jobs.perceive import Perceiving
    from recollect.upkeep.runs.chores import ReadUnread

    return ReadUnread(Perceiving(parts.store, parts.embedding, parts.live, parts.clock))


def _consolidate(parts: Parts) -> Step:
    from recollect.upkeep.consolidation.consolidate import Consolidate
    from recollect.upkeep.consolidation.sessions_by_model import SessionsByModel

    by_model = None if parts.llm is None else SessionsByModel(parts.llm, parts.embedding)
    return Consolidate(by_model, session_id=parts.session_id)


def _patterns(parts: Parts) -> Step:
    from recollect.upkeep.consolidation.patterns import Patterns

    return Patterns(parts.embedding, parts.llm)


def _procedures(parts: Parts) -> Step:
    from recollect.upkeep.consolidation.procedures import Procedures

    return Procedures(parts.embedding)


def _infer(parts: Parts) -> Step:
    from recollect.upkeep.relations.infer import Infer

    return Infer(parts.embedding)


def _causes(parts: Parts) -> Step:
    from recollect.upkeep.relations.causal import Causal

    return Causal(parts.llm)


def _enrich(parts: Parts) -> Step:
    from recollect.upkeep.knowledge.enrich import Enrich

    return Enrich(parts.llm)


def _gaps(parts: Parts) -> Step:
    from recollect.upkeep.knowledge.gaps import Gaps

    return Gaps()


def _abstraction(parts: Parts) -> Step:
    from recollect.upkeep.knowledge.abstraction import Abstraction

    return Abstraction(parts.llm)


def _decay(parts: Parts) -> Step:
    from recollect.upkeep.forgetting.decay import Decay

    return Decay()


def _replay(parts: Parts) -> Step:
    from recollect.upkeep.replay.replay import Replay

    return Replay(parts.indexes, parts.embedding.embedder)


def _prune(parts: Parts) -> Step:
    from recollect.upkeep.runs.chores import PruneRelations

    return PruneRelations()


def _clear_away(parts: Parts) -> Step:
    from recollect.upkeep.runs.chores import ClearAway

    return ClearAway()


Maker = Callable[[Parts], "Step"]

# Verb → its steps. What is read is consolidated, what is consolidated is compared, and what is left of that fades.
STEPS: Mapping[str, tuple[Maker, ...]] = {
    "consolidate": (_read, _consolidate),
    "decay": (_decay,),
    "causes": (_causes,),
    "enrich": (_enrich,),
    "replay": (_replay,),
    "maintain": (
        _read,
        _consolidate,
        _patterns,
        _procedures,
        _infer,
        _causes,
        _enrich,
        _decay,
        _gaps,
        _abstraction,
        _replay,
        _prune,
        _clear_away,
    ),
}


class Keeper:
    """Runs the verbs of upkeep over one store, and says what was run and what is due."""

    def __init__(self, parts: Parts, runner: Runner, calendar: Calendar) -> None:
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
        steps = [make(parts) for make in STEPS[verb]]
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
        """A run over the whole store that nobody asked for."""
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
