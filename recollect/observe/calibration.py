"""How plans compared with what was done: steps that were planned against steps there were in the end, by module.

A session's plan is counted when it is first told, before any step of it is done, and again as it stood at last: what
came up on the way has been added by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.config.observing import ObserveSettings
from recollect.hook.plans import DONE, state_of
from recollect.model.scope import Scope
from recollect.observe.modules import EVERYWHERE, Module, ModuleReads
from recollect.store.agent_work import PlanEvent
from recollect.store.base import Tx

SESSIONS_MAX = 60  # of a project whose plans are looked at
MODULES_TOLD = 3


class PlanFigures(NamedTuple):
    """Steps that a session planned, and those its plan had in the end."""

    planned: int
    actual: int


class Calibration(NamedTuple):
    """How the plans of a module came out, on average."""

    module: Module
    sessions: int
    planned: float
    actual: float

    @property
    def ratio(self) -> float:
        return self.actual / self.planned


def plan_figures(events: Iterable[PlanEvent]) -> PlanFigures | None:
    """The plan of a session as it was and as it became; None if there was none, or nothing of it was done."""
    agreed = planned = actual = done = 0
    begun = False
    for event in events:
        if "planned" in event.figures:
            agreed = event.figures["planned"]
        elif event.figures:
            actual = sum(event.figures.values())
            done = sum(count for state, count in event.figures.items() if state_of(state) == DONE)
            begun = begun or done > 0
        elif event.task:
            state = event.task[1]
            actual += event.tool.lower() == "taskcreate"
            done += state == DONE
            begun = begun or state == DONE
        if not begun:
            planned = actual
    planned = agreed or planned
    return PlanFigures(planned, actual) if planned and actual and done else None


def calibrations(
    tx: Tx, scope: Scope, reads: ModuleReads, settings: ObserveSettings, near: str | None = None
) -> list[Calibration]:
    """How plans came out where the last session worked, or at `near`, and in the whole project."""
    scope_pk = tx.scopes.find(scope)
    if not settings.calibrate or scope_pk is None:
        return []
    figures = {
        session: plan
        for session, events in tx.agent_work.plans(scope_pk, sessions_max=SESSIONS_MAX).items()
        if (plan := plan_figures(events)) is not None
    }
    least = settings.calibration_sessions
    if len(figures) < least:
        return []
    modules: Sequence[Module] = reads.expected(near, least=least)
    found = (_of(module, [figures[each] for each in reads.sessions(module) if each in figures]) for module in modules)
    return [each for each in found if each is not None and each.sessions >= least][:MODULES_TOLD]


def _of(module: Module, plans: Sequence[PlanFigures]) -> Calibration | None:
    if not plans:
        return None
    count = len(plans)
    planned, actual = sum(each.planned for each in plans), sum(each.actual for each in plans)
    return Calibration(module, count, planned / count, actual / count)


def in_words(each: Calibration) -> str:
    """What a planner is told."""
    where = "the whole project" if each.module is EVERYWHERE else each.module or "the top folder"
    return (
        f"{where}: {each.sessions} plans had {each.planned:.1f} steps at first and {each.actual:.1f} in the end, "
        f"{each.ratio:.1f} times as many."
    )
