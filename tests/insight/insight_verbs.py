"""What only looks, asked of the engine of a memory as its verbs do."""

from __future__ import annotations

from recollect.insight import explain as explaining
from recollect.insight import review as reviewing
from recollect.insight import weak as weakening
from recollect.memory import Memory
from recollect.model.explanation import Explanation
from recollect.model.fading import FadingRecord
from recollect.model.query import Criteria
from recollect.model.review import Waiting
from recollect.model.scope import Reach

OWNER = Criteria(reach=Reach.ALL)


def explain(memory: Memory, record_id: str, visible: Criteria | None = None) -> Explanation:
    engine = memory._engine
    now, config, code = engine.clock(), engine.config.current, engine.anchors.states
    return explaining.explain(engine.store, record_id, visible=visible, now=now, config=config, code=code)


def weak(memory: Memory, criteria: Criteria = OWNER, limit: int = 20, within_days: float = 30) -> list[FadingRecord]:
    engine = memory._engine
    now, config = engine.clock(), engine.config.current
    return weakening.weak(engine.store, criteria, limit=limit, within_days=within_days, now=now, config=config)


def review(memory: Memory, criteria: Criteria = OWNER, limit: int = 20) -> list[Waiting]:
    engine = memory._engine
    return reviewing.review(engine.store, criteria, limit=limit, now=engine.clock(), config=engine.config.current)
