"""Relations: what may be stated, which circles are refused, what pruning takes and gives back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect import Memory
from recollect.clock import DAY_US, from_us
from recollect.errors import CycleRefused, UndoRefused
from recollect.model.edge import LABELS, Family
from recollect.wiring import open_memory

ACYCLIC = sorted(label for label, rule in LABELS.items() if rule.acyclic)
START = 1_700_000_000_000_000


class Ticking:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        self.now += 1
        return self.now

    def skip(self, days: float) -> None:
        self.now += int(days * DAY_US)


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder=None, clock=clock) as memory:
        yield memory


def found(mem: Memory, source: str, target: str, label: str = "relates_to", *, confidence: float = 1.0) -> str:
    """A relation that the engine noticed by itself, rather than one that was stated."""
    return mem._engine.relating.relate(
        [(source, None, 0), (target, None, 1)], label, visible=None, confidence=confidence, auto_extracted=True
    )


def confidences(mem: Memory, record_id: str) -> dict[str, float]:
    return {edge.id: edge.confidence for edge in mem.related(record_id).edges}


# --- labels ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "family"),
    [
        ("causes", Family.CAUSATION),
        ("part_of", Family.COMPOSITION),
        ("follows", Family.CONTEXT),
        ("supports", Family.RELATION),
        ("a label of my own", Family.RELATION),
    ],
)
def test_a_label_brings_its_family_unless_another_is_given(mem: Memory, label: str, family: Family) -> None:
    a, b, c = mem.add(["a", "b", "c"]).ids
    mem.relate(a, b, label)
    assert mem.related(b).edges[0].family is family
    mem.relate(a, c, label, family="context")
    assert mem.related(c).edges[0].family is Family.CONTEXT


def test_roles_say_which_way_a_relation_runs_whichever_end_tells_it(mem: Memory) -> None:
    rain, flood, storm = mem.add(["rain", "flood", "storm"]).ids
    mem.relate(rain, flood, "causes")
    mem.relate(rain, storm, "caused_by")
    assert [r.content for r in mem.related(rain, direction="out")] == ["flood"]
    assert [r.content for r in mem.related(rain, direction="in")] == ["storm"]
    assert [r.content for r in mem.related(storm, direction="out", depth=2)] == ["rain", "flood"]


# --- circles --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ACYCLIC)
def test_a_directed_relation_never_leads_back_to_where_it_starts(mem: Memory, label: str) -> None:
    a, b, c = mem.add(["a", "b", "c"]).ids
    mem.relate(a, b, label)
    mem.relate(b, c, label)
    for source, target in ((b, a), (c, a), (c, b)):
        with pytest.raises(CycleRefused) as caught:
            mem.relate(source, target, label)
        assert caught.value.code == "E4006"
    mem.relate(a, c, label)  # a shortcut is no circle
    assert mem.stats()["edges"] == 3


@pytest.mark.parametrize("label", ["relates_to", "contradicts", "supports", "follows", "a label of my own"])
def test_other_labels_may_form_circles(mem: Memory, label: str) -> None:
    a, b = mem.add(["a", "b"]).ids
    mem.relate(a, b, label)
    mem.relate(b, a, label)
    assert mem.stats()["edges"] == 2


def test_causes_and_caused_by_are_one_relation_told_from_two_ends(mem: Memory) -> None:
    a, b, c = mem.add(["a", "b", "c"]).ids
    mem.relate(a, b, "causes")
    mem.relate(b, a, "caused_by")  # says the same again
    with pytest.raises(CycleRefused):
        mem.relate(a, b, "caused_by")
    mem.relate(c, b, "caused_by")  # b causes c
    with pytest.raises(CycleRefused):
        mem.relate(c, a, "causes")


def test_different_acyclic_labels_do_not_hinder_one_another(mem: Memory) -> None:
    a, b = mem.add(["a", "b"]).ids
    mem.relate(a, b, "depends_on")
    assert mem.relate(b, a, "derived_from")


def test_hyperedges_are_searched_for_circles_through_all_their_members(mem: Memory) -> None:
    a, b, c, d = mem.add(["a", "b", "c", "d"]).ids
    mem.relate(members=[(a, "subject"), (b, "object"), (c, "object"), (d, "context")], label="depends_on")
    for source in (b, c):
        with pytest.raises(CycleRefused):
            mem.relate(source, a, "depends_on")
    mem.relate(d, a, "depends_on")  # a bystander is neither end
    with pytest.raises(CycleRefused):
        mem.relate(members=[(c, "subject"), (b, "subject"), (d, "object")], label="depends_on")
    with pytest.raises(CycleRefused):
        mem.relate(members=[(a, "subject"), (a, "object"), (b, "participant")], label="part_of")


def test_a_withdrawn_relation_is_no_part_of_a_circle(mem: Memory) -> None:
    a, b = mem.add(["a", "b"]).ids
    edge = mem.relate(a, b, "depends_on")
    withdrawn = mem.unrelate(edge)
    mem.relate(b, a, "depends_on")
    assert [e.source for e in mem.related(a).edges] == [b]
    assert withdrawn.operation


def test_undo_does_not_bring_a_circle_back(mem: Memory) -> None:
    a, b = mem.add(["a", "b"]).ids
    withdrawn = mem.unrelate(mem.relate(a, b, "depends_on"))
    mem.relate(b, a, "depends_on")
    with pytest.raises(UndoRefused, match="later one"):
        mem.undo(withdrawn.operation)
    assert [edge.source for edge in mem.related(a).edges] == [b]


# --- pruning --------------------------------------------------------------------------------------------------------


def test_what_is_below_the_bar_goes_and_the_rest_stays(mem: Memory) -> None:
    a, b, c = mem.add(["a", "b", "c"]).ids
    weak, strong = mem.relate(a, b, confidence=0.29), mem.relate(a, c, confidence=0.3)
    report = mem.prune()
    assert (report["retired"], report["decayed"]) == (1, 0)
    assert list(confidences(mem, a)) == [strong]
    mem.undo(report.operation)
    assert set(confidences(mem, a)) == {weak, strong}


def test_what_was_found_automatically_fades_by_a_factor_for_every_week(mem: Memory, clock: Ticking) -> None:
    a, b, c = mem.add(["a", "b", "c"]).ids
    noticed, stated = found(mem, a, b, confidence=0.8), mem.relate(a, c, confidence=0.8)
    clock.skip(6.9)
    assert mem.prune()["decayed"] == 0
    clock.skip(15)  # three weeks and a bit
    assert mem.prune().to_dict() | {"operation": 0} == {
        "decayed": 1,
        "retired": 0,
        "dry_run": False,
        "warnings": [],
        "operation": 0,
    }
    assert confidences(mem, a) == {noticed: pytest.approx(0.8 * 0.95**3), stated: 0.8}


def test_which_fact_is_the_newer_one_does_not_fade(mem: Memory, clock: Ticking) -> None:
    a, b = mem.add(["a", "b"]).ids
    newer = found(mem, a, b, "updates", confidence=0.5)
    clock.skip(7 * 52)
    assert mem.prune()["decayed"] == 0
    assert confidences(mem, a) == {newer: 0.5}


def test_pruning_often_fades_no_faster_and_no_slower_than_pruning_once(mem: Memory, clock: Ticking) -> None:
    a, b = mem.add(["a", "b"]).ids
    noticed = found(mem, a, b)
    for _ in range(10):
        clock.skip(10)
        mem.prune()
    assert confidences(mem, a)[noticed] == pytest.approx(0.95 ** (100 // 7))


def test_what_has_faded_below_the_bar_goes(mem: Memory, clock: Ticking) -> None:
    a, b = mem.add(["a", "b"]).ids
    found(mem, a, b, confidence=0.5)
    clock.skip(7 * 9)  # 0.5 * 0.95 ** 9 = 0.315
    assert mem.prune()["retired"] == 0
    clock.skip(7 * 2)
    assert mem.prune()["retired"] == 1
    assert not mem.related(a)


def test_of_a_crowd_the_most_confident_stay(mem: Memory) -> None:
    hub, *others = mem.add([f"record {i}" for i in range(9)]).ids
    edges = [mem.relate(hub, other, "supports", confidence=0.9 - i / 100) for i, other in enumerate(others)]
    incoming = [mem.relate(other, hub, "elaborates") for other in others]
    report = mem.prune(max_edges=5)
    assert report["retired"] == 3
    assert set(confidences(mem, hub)) == {*edges[:5], *incoming}


def test_undo_of_a_pruning_restores_every_relation_exactly(mem: Memory, clock: Ticking) -> None:
    hub, *others = mem.add([f"record {i}" for i in range(6)]).ids
    for i, other in enumerate(others):
        found(mem, hub, other, "supports", confidence=0.31 + i / 10)
    before = mem.related(hub).edges
    clock.skip(30)
    report = mem.prune(max_edges=2)
    assert (report["decayed"], report["retired"]) != (0, 0)
    mem.undo(report.operation)
    assert mem.related(hub).edges == before
    clock.skip(1)
    again = mem.prune(max_edges=2)
    assert again["retired"] == report["retired"]


def test_pruning_does_not_rewrite_when_a_relation_was_learned(mem: Memory, clock: Ticking) -> None:
    a, b = mem.add(["a", "b"]).ids
    found(mem, a, b)
    learned = mem.related(a).edges[0].recorded_at
    clock.skip(20)
    assert mem.prune()["decayed"] == 1
    assert mem.related(a).edges[0].recorded_at == learned
    assert [r.id for r in mem.related(a, known_at=from_us(START + DAY_US))] == [b]


def test_a_dry_run_tells_what_would_go_and_keeps_it(mem: Memory, clock: Ticking) -> None:
    a, b, c = mem.add(["a", "b", "c"]).ids
    found(mem, a, b)
    mem.relate(a, c, confidence=0.1)
    before = mem.related(a).edges
    clock.skip(20)
    report = mem.prune(dry_run=True)
    assert (report["decayed"], report["retired"], report.operation) == (1, 1, None)
    assert mem.related(a).edges == before
    assert "prune" not in {op.verb for op in mem.operations()}
