"""Going over memories: what is picked, what it strengthens and links, and that all of it can be taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from properties.tables import assert_indexes_agree, open_quick, visible_state
from ticking import Ticking
from upkeep.counting_steps import runner_of

from recollect.memory import Memory
from recollect.model.run import RunReport
from recollect.model.scope import Scope
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.upkeep.forgetting.decay import DecayStep
from recollect.upkeep.forgetting.replay import LINK_WEIGHT, ReplayStep, draw, lots_of
from recollect.upkeep.forgetting.strength import strength_now


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def mem(path: Path, clock: Ticking) -> Iterator[Memory]:
    with open_quick(path, clock=clock) as memory:
        yield memory


def go_over(memory: Memory, clock: Ticking, step: ReplayStep | None = None, **more: Any) -> RunReport:
    engine = memory._engine
    return runner_of(memory, clock).run("replay", [step or ReplayStep(engine.indexes, engine.embedder)], **more)


def keys(memory: Memory, ids: Sequence[str]) -> list[int]:
    with memory._engine.store.read() as tx:
        return [tx.records.find_pk(one, None, now=0) for one in ids]


def use(memory: Memory, *ids: str, times: int = 3) -> None:
    for _ in range(times):
        memory._engine.access.note(keys(memory, ids))
    memory._engine.access.flush()


def strength(memory: Memory, clock: Ticking, record_id: str) -> float:
    with memory._engine.store.read() as tx:
        found = tx.imprints.of(keys(memory, [record_id]))
    return float(strength_now(found, clock.now, memory.config)[0])


def labels(memory: Memory, record_id: str) -> list[str]:
    return [edge.label for edge in memory.related(record_id).edges]


# --- drawing lots ---------------------------------------------------------------------------------------------------


def test_the_same_run_draws_the_same() -> None:
    weights = np.ones(100)
    one, two = (draw(lots_of("run 1"), weights, 10).tolist() for _ in range(2))
    assert one == two
    assert one != draw(lots_of("run 2"), weights, 10).tolist()


def test_twice_the_weight_is_drawn_twice_as_often() -> None:
    weights = np.where(np.arange(60) < 20, 2.0, 1.0)
    counts = np.zeros(60)
    lots = lots_of("many")
    for _ in range(4_000):
        picked = draw(lots, weights, 20)
        assert len(picked) == len(set(picked.tolist())) == 20
        counts[picked] += 1
    heavy, light = counts[:20].mean(), counts[20:].mean()
    assert heavy / light == pytest.approx(2.0, rel=0.03)


@pytest.mark.parametrize(("many", "wanted", "got"), [(0, 5, 0), (5, 0, 0), (3, 5, 3), (5, 5, 5)])
def test_drawing_few(many: int, wanted: int, got: int) -> None:
    assert len(draw(lots_of("x"), np.ones(many), wanted)) == got


def test_felt_records_are_gone_over_twice_as_often(mem: Memory, clock: Ticking) -> None:
    ids = mem.add([f"entry {n}" for n in range(60)], infer=False).ids
    felt = keys(mem, ids[:20])
    mem._engine.store.write(
        lambda tx: tx.sql.run("UPDATE record SET arousal = 0.6 WHERE pk IN KEYS(?)", (tx.sql.keys(felt),))
    )
    mem._engine.config.change({"replay.records_max": 12})
    step = ReplayStep(mem._engine.indexes, None)
    picked: list[int] = []
    for _ in range(300):
        go_over(mem, clock, step, dry_run=True)
        picked += step.picked
    often = sum(pk in set(felt) for pk in picked) / 20
    seldom = sum(pk not in set(felt) for pk in picked) / 40
    assert often / seldom == pytest.approx(2.0, rel=0.15)


def test_no_more_than_the_budget_and_what_was_published_first(mem: Memory, clock: Ticking) -> None:
    ids = mem.add([f"entry {n}" for n in range(100)], infer=False).ids
    published = keys(mem, ids[:4])
    mem.delete(ids[1])
    mem._engine.config.change({"replay.records_max": 10})
    step = ReplayStep(mem._engine.indexes, None, lambda tx: published)
    go_over(mem, clock, step)
    assert step.picked[:3] == [published[0], *published[2:]]
    assert len(step.picked) == len(set(step.picked)) == 10


# --- strengthening --------------------------------------------------------------------------------------------------


def test_what_is_used_and_fading_is_strengthened(mem: Memory, clock: Ticking) -> None:
    used, unused = mem.add(["the gateway listens", "lunch was late"], infer=False).ids
    use(mem, used)
    clock.skip(20)
    assert go_over(mem, clock).counts.get("strengthened") is None  # not fading yet
    clock.skip(40)
    before = strength(mem, clock, used), strength(mem, clock, unused)
    report = go_over(mem, clock)
    assert [item.id for item in report.items if item.did == "strengthened"] == [used]
    assert strength(mem, clock, used) == pytest.approx(before[0] + 0.2)
    assert strength(mem, clock, unused) == pytest.approx(before[1], abs=1e-6)


def test_a_turn_takes_its_statements_along(mem: Memory, clock: Ticking) -> None:
    receipt = mem.add([{"role": "user", "name": "Ana", "content": "I live in Galway."}])
    use(mem, receipt.id)
    clock.skip(60)
    report = go_over(mem, clock)
    assert {item.id for item in report.items if item.did == "strengthened"} == {receipt.id, *receipt.statements}


def test_it_fades_on_from_there_and_use_makes_it_whole(mem: Memory, clock: Ticking) -> None:
    used = mem.add("the gateway listens", infer=False).id
    use(mem, used)
    clock.skip(60)
    go_over(mem, clock)
    strong = strength(mem, clock, used)
    clock.skip(10)
    assert strength(mem, clock, used) < strong
    use(mem, used, times=1)
    assert strength(mem, clock, used) == pytest.approx(1.0)


def test_replay_delays_forgetting_and_does_not_abolish_it(mem: Memory, clock: Ticking) -> None:
    used = mem.add("the gateway listens", infer=False).id
    use(mem, used)
    days = 0
    while (found := mem.get(used)) is not None and found.tier.value == "longterm":
        go_over(mem, clock)
        runner_of(mem, clock).run("decay", [DecayStep()])
        clock.skip(5)
        days += 5
        assert days < 1_000, "it never goes"
    with mem._engine.store.read() as tx:
        assert tx.sql.value("SELECT count(*) FROM rehearsal WHERE record_pk = ?", keys(mem, [used])) == 5
    assert days > 250  # 190 without replay


def test_undo_takes_the_strength_back(mem: Memory, clock: Ticking, path: Path) -> None:
    used = mem.add("the gateway listens", infer=False).id
    use(mem, used)
    clock.skip(60)
    state, before = visible_state(path), strength(mem, clock, used)
    report = go_over(mem, clock)
    assert strength(mem, clock, used) > before
    mem.undo(report.operation or "")
    assert strength(mem, clock, used) == pytest.approx(before, abs=1e-6)
    assert visible_state(path) == state


# --- links ----------------------------------------------------------------------------------------------------------

ALIKE = [
    "Ana deploys the atlas gateway to the cluster every friday evening",
    "every friday evening Ana deploys the atlas gateway to the cluster",
    "to the cluster Ana deploys the atlas gateway every friday evening",
    "the atlas gateway Ana deploys every friday evening to the cluster",
    "friday evening every cluster the atlas gateway Ana deploys to",
]


def test_what_is_alike_is_linked_once(mem: Memory, clock: Ticking) -> None:
    ids = mem.add([*ALIKE[:2], "Ben plays chess with Dana on rainy summer sundays"], infer=False).ids
    report = go_over(mem, clock)
    assert report.counts == {"linked": 1}
    (edge,) = mem.related(ids[0]).edges
    assert (edge.label, edge.auto_extracted, edge.weight) == ("similar_to", True, LINK_WEIGHT)
    assert edge.evidence[0].startswith("cosine ")
    assert labels(mem, ids[2]) == []
    assert go_over(mem, clock).counts == {}


def test_what_is_joined_or_was_withdrawn_is_left_alone(mem: Memory, clock: Ticking) -> None:
    cats = ["cats sleep in warm sunny quiet corners", "in warm sunny quiet corners cats sleep"]
    one, two, three, four = mem.add([*ALIKE[:2], *cats], infer=False).ids
    mem.relate(one, two, "supports")
    go_over(mem, clock)
    assert labels(mem, one) == ["supports"]
    (edge,) = mem.related(three).edges
    mem.flag(edge.id, reason="not alike at all")
    assert go_over(mem, clock).counts == {}
    assert labels(mem, four) == []


def test_scopes_do_not_mix(mem: Memory, clock: Ticking) -> None:
    mem.add(ALIKE[0], user_id="ana", infer=False)
    mem.add(ALIKE[1], user_id="ben", infer=False)
    assert go_over(mem, clock).counts == {}
    mem.add(ALIKE[2], user_id="ben", infer=False)
    assert go_over(mem, clock, scope=Scope(user_id="ana")).counts == {}
    assert go_over(mem, clock, scope=Scope(user_id="ben")).counts == {"linked": 1}


def test_short_texts_and_statements_of_turns_are_not_linked(mem: Memory, clock: Ticking) -> None:
    mem.add(["thank you very much", "thank you very much indeed"], infer=False)
    mem.add([{"role": "user", "name": "Ana", "content": "I live in Galway with three black cats and a parrot."}])
    assert go_over(mem, clock).counts == {}


def test_many_new_links_are_an_insight(mem: Memory, clock: Ticking, path: Path) -> None:
    mem.add(ALIKE, infer=False)
    before = visible_state(path)
    report = go_over(mem, clock)
    assert report.counts["linked"] == 10
    excited = [item.id for item in report.items if item.did == "insight"]
    found = mem.get(excited[0])
    assert found is not None
    assert found.affect is not None
    assert found.affect.arousal == pytest.approx(0.4)  # four new links, 0.1 each
    mem.undo(report.operation or "")
    assert visible_state(path) == before


def test_an_insight_goes_no_further_than_it_may(mem: Memory, clock: Ticking) -> None:
    mem.add(ALIKE, infer=False)
    mem._engine.store.write(lambda tx: tx.sql.run("UPDATE record SET arousal = 0.7"))
    go_over(mem, clock)
    felt = [record.affect.arousal for record in mem.get_all() if record.affect is not None]
    assert max(felt) == pytest.approx(0.8)


# --- vectors --------------------------------------------------------------------------------------------------------


class Other(FakeEmbedder):
    """The same name and size, other vectors: a model that was exchanged."""

    def embed(self, texts: Sequence[str]) -> Any:
        return super().embed([f"{text} in other words altogether" for text in texts])


def test_vectors_that_no_longer_fit_are_made_anew(mem: Memory, clock: Ticking, path: Path) -> None:
    mem.add(["the gateway listens", "lunch was late"], infer=False)
    before = visible_state(path)
    step = ReplayStep(mem._engine.indexes, Other())
    assert go_over(mem, clock, step).counts == {}  # nothing is old enough to be looked at
    clock.skip(31)
    assert go_over(mem, clock).counts == {}  # the model says the same
    report = go_over(mem, clock, step)
    assert report.counts == {"re-embedded": 2}
    assert visible_state(path) != before
    assert_indexes_agree(mem)
    mem.undo(report.operation or "")
    assert visible_state(path) == before


def test_without_vectors_or_records(clock: Ticking, path: Path) -> None:
    with open_quick(path, clock=clock, embedder=None) as memory:
        assert go_over(memory, clock).counts == {}
        memory.add(ALIKE, infer=False)
        report = go_over(memory, clock)
        assert (report.counts, report.problems) == ({}, ())
