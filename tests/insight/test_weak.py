"""`weak`: what is about to be forgotten, the soonest first."""

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
from recollect.upkeep.forgetting.decay import DecayStep

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


def test_the_soonest_first_and_on_that_day_it_goes(mem: Memory, clock: Ticking) -> None:
    old = mem.add("the gateway listens on port 8080", infer=False).id
    clock.skip(20)
    younger = mem.add("the cache lives in memory", infer=False).id
    mem.confirm(mem.add("the database is called atlas", infer=False).id)
    assert weak(mem) == []
    clock.skip(50)
    assert [(each.id, round(each.days_left)) for each in weak(mem)] == [(old, 20)]
    assert [each.id for each in weak(mem, within_days=60)] == [old, younger]
    assert [each.id for each in weak(mem, within_days=60, limit=1)] == [old]
    (soon,) = weak(mem)
    assert soon.strength < 0.11
    clock.skip(soon.days_left - 0.01)
    assert runner_of(mem, clock).run("decay", [DecayStep()]).counts == {}
    clock.skip(0.02)
    assert [item.id for item in runner_of(mem, clock).run("decay", [DecayStep()]).items] == [old]


def test_a_turn_that_a_statement_keeps_is_not_about_to_go(mem: Memory, clock: Ticking) -> None:
    receipt = mem.add([{"role": "user", "name": "Ana", "content": "I live in Galway."}])
    clock.skip(80)
    assert {each.id for each in weak(mem)} == {receipt.id, *receipt.statements}
    mem.confirm(receipt.statements[0])
    assert weak(mem) == []


def test_only_what_the_reader_may_see_is_weak(mem: Memory, clock: Ticking) -> None:
    mem.add("the gateway listens", user_id="ana", infer=False)
    clock.skip(80)
    assert len(weak(mem, Criteria(scope=Scope(user_id="ana")))) == 1
    assert weak(mem, Criteria(scope=Scope(user_id="ben"))) == []
