"""`review`: what waits for a person's word, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from properties.tables import open_quick
from ticking import Ticking
from upkeep.counting_steps import runner_of

from recollect.insight import explain as explaining
from recollect.insight import review as reviewing
from recollect.insight import weak as weakening
from recollect.memory import Memory
from recollect.model.explanation import Explanation
from recollect.model.fading import FadingRecord
from recollect.model.query import Criteria
from recollect.model.review import Waiting
from recollect.model.scope import Reach, Scope
from recollect.upkeep.knowledge.gaps import GapsStep

OWNER = Criteria(reach=Reach.ALL)


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with open_quick(tmp_path / "m.db", clock=clock) as memory:
        yield memory


def explain(memory: Memory, record_id: str, visible: Criteria | None = None) -> Explanation:
    engine = memory._engine
    return explaining.explain(
        engine.store, record_id, visible=visible, now=engine.clock(), config=engine.config.current
    )


def weak(memory: Memory, criteria: Criteria = OWNER, limit: int = 20, within_days: float = 30) -> list[FadingRecord]:
    engine = memory._engine
    now, config = engine.clock(), engine.config.current
    return weakening.weak(engine.store, criteria, limit=limit, within_days=within_days, now=now, config=config)


def review(memory: Memory, criteria: Criteria = OWNER, limit: int = 20) -> list[Waiting]:
    engine = memory._engine
    return reviewing.review(engine.store, criteria, limit=limit, now=engine.clock(), config=engine.config.current)


def test_what_waits_in_its_order(mem: Memory, clock: Ticking) -> None:
    ids = mem.add([f"claim number {n}" for n in range(6)], infer=False).ids
    plain, flagged, waiting, inferred, one, other = ids
    mem.flag(flagged, reason="no")
    mem.update(waiting, needs_review=True)
    mem.update(inferred, confidence=0.6)
    mem.relate(inferred, plain, "inferred_from")
    mem.relate(one, other, "contradicts")
    runner_of(mem, clock).run("gaps", [GapsStep()])
    found = review(mem)
    assert [(each.id, each.why.value) for each in found] == [
        (flagged, "flagged"),
        (waiting, "needs_review"),
        (inferred, "inferred"),
        (one, "question"),
    ]
    assert found[-1].question is not None
    assert "Which of them is right now?" in found[-1].reason
    assert [each.id for each in review(mem, limit=2)] == [flagged, waiting]
    mem.confirm(flagged)
    mem.confirm(inferred)
    assert [each.id for each in review(mem)] == [waiting, one]


def test_only_what_the_reader_may_see_waits(mem: Memory, clock: Ticking) -> None:
    one, other = mem.add(["the cache is on", "the cache is off"], user_id="ana", infer=False).ids
    mem.flag(one, reason="no")
    mem.relate(one, other, "contradicts")
    runner_of(mem, clock).run("gaps", [GapsStep()])
    assert review(mem, Criteria(scope=Scope(user_id="ben"))) == []
    assert len(review(mem, Criteria(scope=Scope(user_id="ana")))) == 2
