"""`weak`: what is about to be forgotten, the soonest first."""

from __future__ import annotations

from insight_verbs import weak
from ticking import Ticking
from upkeep.counting_steps import runner_of

from recollect.memory import Memory
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.upkeep.forgetting.decay import DecayStep


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
