"""`review`: what waits for a person's word, in its order."""

from __future__ import annotations

from insight_verbs import review
from ticking import Ticking
from upkeep.counting_steps import runner_of

from recollect.memory import Memory
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.upkeep.knowledge.gaps import GapsStep


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
