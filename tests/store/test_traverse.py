"""Walks over the graph: how far, along what, and never through what the reader may not see."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.clock import from_us
from recollect.errors import NotFound, UsageError
from recollect.limits import GRAPH_DEPTH_MAX
from recollect.wiring import open_memory


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder=None, clock=clock) as memory:
        yield memory


def names(found: object) -> list[str]:
    return [record.content for record in found]  # type: ignore[attr-defined]


def chain(mem: Memory, *contents: str, label: str = "depends_on") -> list[str]:
    ids = list(mem.add(list(contents)).ids)
    for source, target in itertools.pairwise(ids):
        mem.relate(source, target, label)
    return ids


def test_distance_counts_hops_and_circles_end(mem: Memory) -> None:
    ids = chain(mem, "a", "b", "c", "d", label="supports")
    mem.relate(ids[3], ids[0], "supports")
    near = mem.related(ids[0], depth=4)
    assert near.depth == {ids[1]: 1, ids[3]: 1, ids[2]: 2}
    assert ids[0] not in {record.id for record in near}


@pytest.mark.parametrize(("direction", "expected"), [("out", ["c"]), ("in", ["a"]), ("both", ["c", "a"])])
def test_direction_follows_the_arrows(mem: Memory, direction: str, expected: list[str]) -> None:
    ids = chain(mem, "a", "b", "c")
    assert names(mem.related(ids[1], direction=direction)) == expected


def test_the_strongest_relations_come_first(mem: Memory) -> None:
    hub, *others = mem.add(["hub", "weak", "strong", "middling"]).ids
    for other, weight, confidence in zip(others, (1.0, 2.0, 2.0), (0.5, 1.0, 0.5), strict=True):
        mem.relate(hub, other, weight=weight, confidence=confidence)
    assert names(mem.related(hub)) == ["strong", "middling", "weak"]


def test_a_hyperedge_joins_all_its_members_at_one_hop(mem: Memory) -> None:
    a, b, c, d = mem.add(["a", "b", "c", "d"]).ids
    mem.relate(members=[(a, "participant"), (b, "participant"), (c, "participant")])
    mem.relate(c, d)
    assert mem.related(a, depth=2).depth == {b: 1, c: 1, d: 2}


def test_dependencies_are_everything_below_however_far(mem: Memory) -> None:
    ids = chain(mem, *"abcdefg")
    mem.relate(ids[3], mem.add("a side note").id, "relates_to")
    assert names(mem.dependencies(ids[2])) == ["d", "e", "f", "g"]


def test_a_walk_does_not_pass_through_what_is_hidden(mem: Memory) -> None:
    a = mem.add("a").id
    private = mem.add("private", user_id="ana").id
    b = mem.add("b").id
    mem.relate(a, private)
    mem.relate(private, b)
    ben, ana = mem.scoped(user_id="ben"), mem.scoped(user_id="ana")
    assert names(ben.related(a, depth=3)) == []
    assert not ben.path(a, b)
    assert names(ana.related(a, depth=3)) == ["private", "b"]
    assert names(ana.path(a, b)) == ["a", "private", "b"]
    assert names(mem.path(a, b)) == ["a", "private", "b"]


def test_a_hidden_member_does_not_show_in_the_edges(mem: Memory) -> None:
    a, b = mem.add(["a", "b"]).ids
    private = mem.add("private", user_id="ana").id
    mem.relate(members=[(a, "subject"), (private, "context"), (b, "object")])
    (edge,) = mem.scoped(user_id="ben").related(a).edges
    assert [member.record_id for member in edge.members] == [a, b]


@pytest.mark.parametrize("how", ["deleted", "expired", "archived"])
def test_what_no_longer_counts_is_not_walked_through(mem: Memory, clock: Ticking, how: str) -> None:
    ids = chain(mem, "a", "b", "c")
    if how == "deleted":
        mem.delete(ids[1])
    elif how == "expired":
        mem.update(ids[1], valid_until=from_us(clock()))
    else:
        mem.update(ids[1], tier="archive")
    assert not mem.related(ids[0], depth=5)
    assert not mem.path(ids[0], ids[2])


def test_relations_hold_only_while_they_are_valid(mem: Memory) -> None:
    a, b = mem.add(["a", "b"], valid_from="2026-01-01").ids
    mem.relate(a, b, valid_from="2026-02-01", valid_until="2026-03-01")
    assert not mem.related(a)
    assert names(mem.related(a, as_of="2026-02-15")) == ["b"]
    assert not mem.related(a, as_of="2026-01-15")
    assert not mem.related(a, as_of="2026-03-01")


def test_the_past_is_walked_as_it_was_known(mem: Memory, clock: Ticking) -> None:
    a, b, c = mem.add(["a", "b", "c"]).ids
    before_edge = clock.skip(1)
    edge = mem.relate(a, b)
    with_edge = clock.skip(1)
    mem.update(b, content="b changed")
    mem.unrelate(edge)
    mem.relate(a, c)
    mem.delete(b)
    assert names(mem.related(a)) == ["c"]
    assert names(mem.related(a, known_at=with_edge)) == ["b"]
    assert names(mem.path(a, b, known_at=with_edge)) == ["a", "b"]
    assert not mem.related(a, known_at=before_edge)


def test_depth_is_bounded(mem: Memory) -> None:
    record_id = mem.add("a").id
    for depth in (0, -1, GRAPH_DEPTH_MAX + 1, True, 1.5, "2"):
        with pytest.raises(UsageError, match="depth"):
            mem.related(record_id, depth=depth)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="direction"):
        mem.related(record_id, direction="up")


def test_a_walk_needs_a_record_to_start_from(mem: Memory) -> None:
    gone = mem.add("gone").id
    mem.delete(gone)
    for record_id in (gone, "nonsense"):
        with pytest.raises(NotFound):
            mem.related(record_id)


def test_the_shortest_way_is_found_through_a_dense_graph(mem: Memory) -> None:
    ids = mem.add([f"record {i}" for i in range(30)]).ids
    for i in range(29):
        mem.relate(ids[i], ids[i + 1])
    for i in range(0, 25, 5):
        mem.relate(ids[i], ids[i + 5])
    way = mem.path(ids[0], ids[27], max_depth=10)
    assert [ids.index(record.id) for record in way] == [0, 5, 10, 15, 20, 25, 26, 27]
    assert len(way.edges) == 7
    assert not mem.path(ids[0], ids[27], max_depth=6)
