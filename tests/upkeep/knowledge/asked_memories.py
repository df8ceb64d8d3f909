"""A memory that looks for what it does not know, and is asked what it would ask."""

from __future__ import annotations

from typing import Any

from ticking import Ticking
from upkeep.counting_steps import runner_of

from recollect.memory import Memory
from recollect.model.question import Question
from recollect.model.run import RunReport
from recollect.model.scope import Scope
from recollect.upkeep.knowledge.gaps import GapsStep
from recollect.upkeep.knowledge.questions import questions_for

ANA = Scope(user_id="ana")


def look(memory: Memory, clock: Ticking, **more: Any) -> RunReport:
    return runner_of(memory, clock).run("gaps", [GapsStep()], **more)


def ask(memory: Memory, clock: Ticking, session: str | None = "s1", scope: Scope = ANA, **more: Any) -> list[Question]:
    settings = memory.config.upkeep
    return memory._engine.store.write(
        lambda tx: questions_for(tx, scope, session, now=clock.now, settings=settings, **more)
    )


def contradiction(
    memory: Memory, one: str = "Ana drinks coffee", other: str = "Ana drinks tea only"
) -> tuple[str, str]:
    first, second = memory.add([one, other], user_id="ana", infer=False).ids
    memory.relate(first, second, "contradicts")
    return first, second
