"""How far hits can be believed: what speaks for them, what against, and what does not count."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from interfaces.rest_server import client
from ticking import Ticking

from recollect import Memory
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.model.trust import Trust
from recollect.recall.ranking.trust import reinforcement, trust_in
from recollect.store.shown import Facts
from recollect.verbs.toolsets.run import run as tool
from recollect.wiring import open_memory


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=clock) as memory:
        yield memory


def pk_of(memory: Memory, record_id: str) -> int:
    with memory._engine.store.read() as tx:
        return tx.records.find_pk(record_id, now=memory._engine.clock())


def trust(memory: Memory, record_id: str, *, relevance: float = 0.5, visible: Criteria | None = None) -> Trust:
    engine = memory._engine
    with engine.store.read() as tx:
        loaded = tx.records.load([pk_of(memory, record_id)])
        (found,) = trust_in(
            tx, loaded, dict.fromkeys(loaded, relevance), now=engine.clock(), config=memory.config, visible=visible
        ).values()
    return found


def facts(memory: Memory, record_id: str, visible: Criteria | None = None) -> Facts:
    engine, pk = memory._engine, pk_of(memory, record_id)
    with engine.store.read() as tx:
        return tx.shown.facts([pk], now=engine.clock(), visible=visible).get(pk, Facts())


# --- accuracy -------------------------------------------------------------------------------------------------------


def test_a_sure_record_nobody_judged_is_more_likely_right_than_not(mem: Memory) -> None:
    assert trust(mem, mem.add("Ana uses vim").id).accuracy == pytest.approx(0.75)


@pytest.mark.parametrize(("confidence", "expected"), [(0.0, 0.25), (0.5, 0.5), (1.0, 0.75)])
def test_accuracy_starts_between_the_neutral_base_and_its_own_confidence(
    mem: Memory, confidence: float, expected: float
) -> None:
    assert trust(mem, mem.add("Ana uses vim", confidence=confidence).id).accuracy == pytest.approx(expected)


def test_everything_that_speaks_for_or_against_a_record_counts(mem: Memory) -> None:
    said = mem.add("Ana uses vim", confidence=0.5).id

    def moved_by(act: Any) -> float:
        before = trust(mem, said).accuracy
        operation = act()
        after = trust(mem, said).accuracy
        mem.undo(operation)
        return round(after - before, 6)

    assert moved_by(lambda: mem.feedback(said, helpful=True).operation) == 0.05
    assert moved_by(lambda: mem.feedback(said, helpful=False).operation) == -0.1
    assert moved_by(lambda: mem.flag(said, reason="no").operation) == -0.3
    assert moved_by(lambda: mem.confirm(said).operation) == 0.5  # certain, and a person's word: held at 1


@pytest.mark.parametrize(
    ("label", "moved"),
    [("supports", 0.1), ("validates", 0.1), ("contradicts", -0.2), ("conflicts_with", -0.2), ("relates_to", 0.0)],
)
def test_what_other_records_say_counts(mem: Memory, label: str, moved: float) -> None:
    said, other = mem.add("Ana uses vim", confidence=0.5).id, mem.add("vim it is").id
    mem.relate(other, said, label)
    assert trust(mem, said).accuracy == pytest.approx(0.5 + moved)


def test_the_first_source_is_the_record_itself_and_each_further_one_counts(mem: Memory) -> None:
    said = mem.add("Ana uses vim", confidence=0.5).id
    for number in range(3):
        mem.relate(said, mem.add(f"turn {number}", kind="episodic").id, "derived_from")
        assert facts(mem, said).rests_on == number + 1
        assert trust(mem, said).accuracy == pytest.approx(0.5 + number * 0.1)


def test_only_the_side_a_relation_speaks_for_gains(mem: Memory) -> None:
    evidence, said = mem.add("seen it", confidence=0.5).id, mem.add("Ana uses vim").id
    mem.relate(evidence, said, "supports")
    mem.relate(said, evidence, "derived_from")
    assert facts(mem, evidence) == Facts()


def test_a_contradiction_by_what_ended_or_was_forgotten_is_none(mem: Memory) -> None:
    said, ended, gone = (mem.add(text).id for text in ("Ana uses vim", "Ana uses Helix", "Ana uses Zed"))
    for other in (ended, gone):
        mem.relate(said, other, "contradicts")
    assert facts(mem, said).contradicted
    mem.delete(gone)
    mem.correct(ended, "Ana tried Helix once")
    assert not facts(mem, said).contradicted


def test_what_the_reader_may_not_see_moves_nothing(mem: Memory) -> None:
    said = mem.add("the launch is in May").id
    mem.relate(mem.add("it is in June", user_id="ben").id, said, "contradicts")
    assert facts(mem, said).contradicted
    assert not facts(mem, said, Criteria(scope=Scope(user_id="ana"))).contradicted
    assert facts(mem, said, Criteria(scope=Scope(user_id="ben"))).contradicted


def test_accuracy_stays_a_share(mem: Memory) -> None:
    good, bad = mem.add("right").id, mem.add("wrong", confidence=0.1).id
    for _ in range(20):
        mem.feedback(good, helpful=True)
        mem.feedback(bad, helpful=False)
    assert (trust(mem, good).accuracy, trust(mem, bad).accuracy) == (1.0, 0.0)


# --- being recalled -------------------------------------------------------------------------------------------------


def test_being_recalled_makes_an_unsure_record_surer_without_touching_what_is_stored(mem: Memory) -> None:
    said = mem.add("Ana uses vim", confidence=0.5).id
    access, pk = mem._engine.access, pk_of(mem, said)
    for _ in range(
        3
    ):  # the boost is a function of the count: however often it is worked out, it does not grow on itself
        access.note([pk] * 20)
        access.flush()
    record = mem.get(said)
    assert record is not None
    assert (record.confidence, record.access_count) == (0.5, 60)
    assert trust(mem, said).accuracy == pytest.approx((0.5 + 0.5 + reinforcement(60, mem.config.decay)) / 2)
    assert reinforcement(60, mem.config.decay) == pytest.approx(0.0693, abs=1e-4)


def test_nobody_gets_surer_than_sure(mem: Memory) -> None:
    said = mem.add("Ana uses vim").id
    mem._engine.access.note([pk_of(mem, said)] * 10_000)
    mem._engine.access.flush()
    assert trust(mem, said).accuracy == pytest.approx(0.75)


# --- freshness and utility ------------------------------------------------------------------------------------------


def test_freshness_halves_by_the_records_own_half_life_its_categorys_or_the_usual_one(
    mem: Memory, clock: Ticking
) -> None:
    plain = mem.add("a fact").id
    state = mem.add("half-way through the parser", category="work_state").id
    own = mem.add("a slow fact").id
    mem.update(own, half_life_days=60)
    clock.skip(30)
    assert [round(trust(mem, one).freshness, 3) for one in (plain, state, own)] == [
        0.5,
        round(0.5 ** (30 / 7), 3),
        round(0.5**0.5, 3),
    ]


def test_freshness_is_of_the_event_not_of_its_storing(mem: Memory) -> None:
    assert trust(mem, mem.add("long ago", timestamp="2020-01-01").id).freshness < 0.01


def test_utility_starts_at_importance_and_moves_with_use_and_outcomes(mem: Memory) -> None:
    dull, vital = mem.add("dull", importance=0.1).id, mem.add("vital", importance=0.9).id
    assert (trust(mem, dull).utility, trust(mem, vital).utility) == (pytest.approx(0.1), pytest.approx(0.9))
    mem._engine.access.note([pk_of(mem, dull)] * 200)
    mem._engine.access.flush()
    assert trust(mem, dull).utility == pytest.approx(0.55, abs=0.01)
    mem.feedback(vital, helpful=False)
    assert trust(mem, vital).utility == pytest.approx(0.8)


# --- the composite --------------------------------------------------------------------------------------------------


def test_the_composite_weighs_accuracy_freshness_and_utility_as_the_settings_say() -> None:
    weights = {f"trust.{name}_weight": 0.0 for name in ("accuracy", "freshness", "utility")}
    with open_memory(":memory:", embedder=None, config=weights | {"trust.accuracy_weight": 1.0}) as memory:
        found = trust(memory, memory.add("Ana uses vim").id)
        assert found.composite == pytest.approx(found.accuracy)
    with open_memory(":memory:", embedder=None) as memory:
        found = trust(memory, memory.add("Ana uses vim").id, relevance=0.8)
        expected = 0.6 * found.accuracy + 0.2 * found.freshness + 0.2 * found.utility
        assert found.composite == pytest.approx(expected)
        assert found.to_dict().keys() == {"relevance", "accuracy", "freshness", "utility", "composite"}


def test_how_far_to_believe_a_record_does_not_depend_on_what_is_asked(mem: Memory) -> None:
    said = mem.add("I live in Lisbon.", user_id="ana").id
    mem.add("Bees fly in May", user_id="ana")
    asked = [mem.search(query, user_id="ana") for query in ("Where do I live?", "bees in Lisbon", "wine")]
    figures = [next(hit for hit in found if hit.id == said) for found in asked]
    assert len({round(hit.trust.composite, 6) for hit in figures}) == 1
    assert len({hit.trust.relevance for hit in figures}) == 3
    assert [hit.trust.relevance for hit in figures] == [hit.score for hit in figures]
    assert figures[0].trust.composite >= 0.7  # said plainly, just now


def test_one_record_has_one_trust_wherever_it_is_shown(tmp_path: Path, run: Run) -> None:
    path = Path(os.environ["RECOLLECT_DB"])
    who = Scope(user_id="ana")
    with open_memory(path, embedder="fake") as memory:
        said = memory.add("Marta lives in Porto since March 2024", user_id="ana", confidence=0.8).id
        memory.add("Marta left Lisbon", user_id="ana")
        memory.settle()
        asked = "Where does Marta live?"
        found = next(hit for hit in memory.search(asked, user_id="ana") if hit.id == said)
        expected = round(found.trust.composite, 2)
        told = [
            round(memory.explain(said).trust.composite, 2),
            round(memory.scoped(user_id="ana").explain(said).trust.composite, 2),
            tool("search_memories", {"query": "Lisbon or Porto"}, who, memory=memory)["results"],
            tool("entity_info", {"name": "Marta"}, who, memory=memory)["memories"],
            tool("memory_list", {}, who, memory=memory)["results"],
        ]
        line = next(line for line in memory.context(asked, user_id="ana").text.splitlines() if "since March" in line)
        told.append(float(line.split()[1]))
    with client(path) as rest:
        answer = rest.post("/v1/memories/search", json={"query": "Marta and Lisbon", "user_id": "ana"}).json()
        told.append(next(round(hit["trust"]["composite"], 2) for hit in answer["results"] if hit["id"] == said))
    shown = [
        next(each["trust"] for each in one if each["id"] == said[:8]) if isinstance(one, list) else one for one in told
    ]
    assert shown == [pytest.approx(expected, abs=0.011)] * len(told)
    assert f"trust {expected:.2f}" in run("search", "Lisbon", "-u", "ana").out
