"""The graph in memory against the obvious: all edges, looked through one by one."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.index import graph as graph_module
from recollect.index.graph import EdgeRow, GraphIndex

LABELS = ("depends_on", "relates_to", "caused_by")
MOMENTS = st.integers(0, 10)
Arc = tuple[int, int, int]

members = st.lists(
    st.tuples(st.integers(1, 6), st.booleans(), st.booleans()), min_size=1, max_size=4, unique_by=lambda m: m[0]
)
edges = st.builds(
    EdgeRow,
    pk=st.integers(1, 15),
    label=st.sampled_from(LABELS),
    strength=st.sampled_from((0.25, 0.5, 1.0)),
    symmetric=st.booleans(),
    valid_from=st.none() | MOMENTS,
    valid_until=st.none() | MOMENTS,
    members=members,
)
batches = st.tuples(st.lists(edges, max_size=6), st.lists(st.integers(1, 15), max_size=4))
questions = st.tuples(
    st.lists(st.integers(0, 7), max_size=5),
    st.none() | st.lists(st.sampled_from((*LABELS, "unheard_of")), max_size=2),
    st.sampled_from(("both", "out", "in")),
    MOMENTS,
)


def expected(
    live: dict[int, EdgeRow], pks: Sequence[int], labels: Sequence[str] | None, direction: str, at: int
) -> list[tuple[float, int, Arc]]:
    """(strength, edge, arc) of what one hop must find."""
    found = []
    for edge in live.values():
        holds = (edge.valid_from is None or edge.valid_from <= at) and (
            edge.valid_until is None or edge.valid_until > at
        )
        if not holds or (labels is not None and edge.label not in labels):
            continue
        for here, starts, ends in edge.members:
            for there, starts_there, ends_there in edge.members:
                out = edge.symmetric or (starts and ends_there)
                into = edge.symmetric or (ends and starts_there)
                wanted = {"both": True, "out": out, "in": into}[direction]
                if here != there and here in pks and wanted:
                    found.append((edge.strength, edge.pk, (here, edge.pk, there)))
    return found


def check(graph: GraphIndex, live: dict[int, EdgeRow], question: tuple[list[int], list[str] | None, str, int]) -> None:
    pks, labels, direction, at = question
    arcs = graph.hop(pks, labels=labels, direction=direction, at=at)
    wanted = expected(live, pks, labels, direction, at)
    found = list(zip(arcs.start.tolist(), arcs.edge.tolist(), arcs.end.tolist(), strict=True))
    assert sorted(found) == sorted(arc for *_, arc in wanted)
    order = list(zip(arcs.strength.tolist(), arcs.edge.tolist(), strict=True))
    assert order == sorted(order, reverse=True), "strongest first, then newest"


@pytest.mark.parametrize("merge_min", [0, 8, 4_096])
@settings(max_examples=60)
@given(steps=st.lists(st.tuples(batches, questions), max_size=8))
def test_any_sequence_of_changes(
    merge_min: int, steps: list[tuple[tuple[list[EdgeRow], list[int]], tuple[list[int], list[str] | None, str, int]]]
) -> None:
    """With edges merged at every step, now and then, and never."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_module, "_MERGE_MIN", merge_min)
        graph, live = GraphIndex(), dict[int, EdgeRow]()
        for (puts, deletes), question in steps:
            graph.apply(puts, deletes)
            for pk in deletes:
                live.pop(pk, None)
            live |= {edge.pk: edge for edge in puts}
            assert graph.count() == len(live)
            check(graph, live, question)
            for direction in ("both", "out", "in"):
                check(graph, live, (list(range(8)), None, direction, 5))


def edge(pk: int, *members: tuple[int, bool, bool], label: str = "depends_on", strength: float = 1.0) -> EdgeRow:
    return EdgeRow(pk, label, strength, False, None, None, members)


def ends(graph: GraphIndex, pk: int, direction: str = "both") -> list[int]:
    return graph.hop([pk], direction=direction, at=0).end.tolist()


def test_directions_of_an_edge_with_many_members() -> None:
    """Causes 1 and 2, effect 3, and 4 who is just there."""
    graph = GraphIndex()
    graph.apply([edge(1, (1, True, False), (2, True, False), (3, False, True), (4, False, False))], [])
    assert ends(graph, 1, "out") == [3]
    assert sorted(ends(graph, 3, "in")) == [1, 2]
    assert ends(graph, 3, "out") == []
    assert ends(graph, 4, "out") == ends(graph, 4, "in") == []
    assert sorted(ends(graph, 4)) == [1, 2, 3]


def test_an_edge_that_changed_while_merged_away_is_found_once() -> None:
    """It lies in the large set, is struck out there, and lives on in the small one; then both become one again."""
    graph = GraphIndex()
    graph.apply([edge(pk, (1, True, False), (pk + 10, False, True)) for pk in range(1, 5_001)], [])
    assert len(graph._state.large.start) == 10_000
    graph.apply([edge(7, (1, True, False), (99_999, False, True), strength=2.0)], [8])
    assert graph._state.struck.tolist() == [7, 8]
    assert ends(graph, 1)[0] == 99_999
    assert not {17, 18} & set(ends(graph, 1))
    assert graph.count() == len(ends(graph, 1)) == 4_999
    graph.apply([edge(8, (1, True, False), (18, False, True))], [7])
    assert graph.count() == len(ends(graph, 1)) == 4_999
    graph.apply([edge(pk, (2, True, False), (pk, False, True)) for pk in range(6_000, 12_000)], [])
    assert not len(graph._state.struck)
    assert ends(graph, 18) == [1]
    assert ends(graph, 99_999) == ends(graph, 17) == []


def test_nothing_to_find() -> None:
    graph = GraphIndex()
    assert ends(graph, 1) == []
    graph.apply([], [1, 2])
    graph.apply([edge(1, (1, True, True))], [])
    assert graph.count() == 1
    assert ends(graph, 1) == [], "an edge of one member leads nowhere"
    assert graph.hop([], at=0).end.tolist() == []
    assert graph.hop([1], labels=[], at=0).end.tolist() == []


def test_readers_see_whole_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Edge 1 always leads from 1 to some other record, never to none or to two, while it is moved and merged."""
    monkeypatch.setattr(graph_module, "_MERGE_MIN", 16)
    graph = GraphIndex()
    graph.apply([edge(1, (1, True, False), (2, False, True))], [])
    done = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not done.is_set():
            seen.append(len(ends(graph, 1, "out")))

    reader = threading.Thread(target=read)
    reader.start()
    for step in range(500):
        graph.apply(
            [edge(1, (1, True, False), (step + 10, False, True)), edge(step + 2, (3, True, False), (4, False, True))],
            [],
        )
    done.set()
    reader.join()
    assert set(seen) == {1}
