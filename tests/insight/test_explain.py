"""`explain`: why a record is there and why it is believed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from insight_verbs import explain
from ticking import Ticking
from upkeep.counting_steps import runner_of

from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.upkeep.forgetting.decay import DecayStep

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
    runner_of(mem, clock).run("decay", [DecayStep()])
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
