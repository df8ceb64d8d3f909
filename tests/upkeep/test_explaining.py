"""`explain`, `weak` and `review`: why something is believed, what is about to go, what waits for a person's word."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from properties.tables import open_quick
from ticking import Ticking
from upkeep.counting_steps import runner_of

from recollect.errors import NotFound
from recollect.insight.explain import Explaining
from recollect.insight.review import Reviewing
from recollect.insight.weak import Weakening
from recollect.memory import Memory
from recollect.model.explanation import Explanation
from recollect.model.fading import FadingRecord
from recollect.model.query import Criteria
from recollect.model.review import Waiting
from recollect.model.scope import Reach, Scope
from recollect.upkeep.forgetting.decay import Decay
from recollect.upkeep.knowledge.gaps import Gaps

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
    return Explaining(engine.store, engine.config, engine.clock).explain(record_id, visible=visible)


def weak(memory: Memory, criteria: Criteria = OWNER, limit: int = 20, within_days: float = 30) -> list[FadingRecord]:
    engine = memory._engine
    return Weakening(engine.store, engine.config, engine.clock).weak(criteria, limit=limit, within_days=within_days)


def review(memory: Memory, criteria: Criteria = OWNER, limit: int = 20) -> list[Waiting]:
    engine = memory._engine
    return Reviewing(engine.store, engine.config, engine.clock).review(criteria, limit=limit)


# --- explain --------------------------------------------------------------------------------------------------------


def test_a_statement_is_traced_to_its_turns(mem: Memory) -> None:
    said = [{"role": "user", "name": "Ana", "content": "I live in Galway."}]
    first = mem.add(said, session_id="s1", user_id="ana")
    again = mem.add([{**said[0], "content": "As I said, I live in Galway."}], session_id="s2", user_id="ana")
    (statement,) = first.statements
    assert again.merged == (statement,)
    why = explain(mem, statement)
    assert {source.id for source in why.sources} == {first.id, again.id}
    assert {record.id for record in why.derived_from} == {first.id, again.id}
    assert (why.corroborations, why.corroborated_by) == (1, ("s1", "s2"))
    assert why.because[0] == "drawn from 2 records, 2 of them turns"
    assert why.because[1] == "said again once, in 2 sessions"
    assert [operation.verb for operation in why.operations] == ["add", "add"]
    assert {edge.label for edge in why.edges} == {"derived_from"}
    assert [record.id for record in explain(mem, first.id).derived_into] == [statement]


def test_a_correction_knows_what_it_stands_in_for(mem: Memory, clock: Ticking) -> None:
    old = mem.add("Ana uses vim").id
    middle = mem.correct(old, "Ana uses Helix").id
    new = mem.correct(middle, "Ana uses Zed").id
    assert [record.id for record in explain(mem, new).replaced] == [middle, old]
    assert [record.id for record in explain(mem, old).replaced_by] == [middle, new]
    assert "stands in for 2 records" in explain(mem, new).because
    assert "replaced by 2 records since" in explain(mem, old).because


def test_what_speaks_for_and_against(mem: Memory, clock: Ticking) -> None:
    claim, proof, doubt = mem.add(["the cache is on", "the log shows hits", "the cache is off"], infer=False).ids
    mem.relate(proof, claim, "validates")
    mem.relate(doubt, claim, "contradicts")
    mem.feedback(claim, helpful=True)
    clock.skip(3)
    mem.confirm(claim)
    why = explain(mem, claim)
    assert [record.id for record in why.supported_by] == [proof]
    assert [record.id for record in why.contradicted_by] == [doubt]
    assert why.confirmed_at is not None
    assert f"confirmed by a person on {why.confirmed_at:%Y-%m-%d}" in why.because
    assert {"supported by one record", "contradicted by one record", "helped once"} <= set(why.because)
    assert why.because[-1] == "does not fade"
    assert why.fades_at is None
    assert 0.0 < why.trust.accuracy <= 1.0


def test_when_it_fades(mem: Memory, clock: Ticking) -> None:
    note = mem.add("the gateway listens on port 8080", infer=False)
    why = explain(mem, note.id)
    assert why.strength == pytest.approx(1.0)
    assert why.fades_at is not None
    assert abs(why.fades_at - why.record.created_at - timedelta(days=89.87)) < timedelta(hours=1)
    clock.skip(100)
    runner_of(mem, clock).run("decay", [Decay()])
    assert explain(mem, note.id).because[-1].startswith("archived")
    mem.delete(note.id)
    assert explain(mem, note.id).because[-1].startswith("believed until")


def test_nothing_of_others_is_told(mem: Memory) -> None:
    shared = mem.add("the cache is on", project="atlas", infer=False).id
    private = mem.add("Ana saw the cache fail", project="atlas", user_id="ana", infer=False).id
    mem.relate(private, shared, "contradicts", evidence=["Ana was there"])
    mem.relate(shared, private, "derived_from")
    assert explain(mem, shared).contradicted_by
    why = explain(mem, shared, Criteria(scope=Scope(project="atlas")))
    assert (why.contradicted_by, why.derived_from, why.edges) == ((), (), ())
    assert why.trust.accuracy > explain(mem, shared).trust.accuracy
    with pytest.raises(NotFound):
        explain(mem, private, Criteria(scope=Scope(project="atlas")))


def test_an_explanation_is_plain_values(mem: Memory) -> None:
    import json

    receipt = mem.add([{"role": "user", "name": "Ana", "content": "I live in Galway."}])
    out = json.loads(json.dumps(explain(mem, receipt.statements[0]).to_dict(), default=str))
    assert out["record"]["id"] == receipt.statements[0]
    assert out["sources"][0]["id"] == receipt.id
    assert out["entities"] == [] or isinstance(out["entities"][0], str)


# --- weak -----------------------------------------------------------------------------------------------------------


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
    assert runner_of(mem, clock).run("decay", [Decay()]).counts == {}
    clock.skip(0.02)
    assert [item.id for item in runner_of(mem, clock).run("decay", [Decay()]).items] == [old]


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


# --- review ---------------------------------------------------------------------------------------------------------


def test_what_waits_in_its_order(mem: Memory, clock: Ticking) -> None:
    ids = mem.add([f"claim number {n}" for n in range(6)], infer=False).ids
    plain, flagged, waiting, inferred, one, other = ids
    mem.flag(flagged, reason="no")
    mem.update(waiting, needs_review=True)
    mem.update(inferred, confidence=0.6)
    mem.relate(inferred, plain, "inferred_from")
    mem.relate(one, other, "contradicts")
    runner_of(mem, clock).run("gaps", [Gaps()])
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
    runner_of(mem, clock).run("gaps", [Gaps()])
    assert review(mem, Criteria(scope=Scope(user_id="ben"))) == []
    assert len(review(mem, Criteria(scope=Scope(user_id="ana")))) == 2
