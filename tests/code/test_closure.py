"""The closure of files: what a walk over all dependencies finds, and a shortest path to each; also after any edits."""

from __future__ import annotations

from collections import deque

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.code.closure import DEPTH, FileGraph

FILES = 12
Pairs = set[tuple[int, int]]


@st.composite
def dependencies(draw: st.DrawFn) -> Pairs:
    ends = st.integers(0, FILES - 1)
    return {(one, other) for one, other in draw(st.lists(st.tuples(ends, ends), max_size=60)) if one != other}


def found(pairs: Pairs, place: int) -> dict[int, tuple[int, int]]:
    """As the closure has it: depth and via of each dependent."""
    rows = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    dependents = FileGraph(FILES, rows).dependents(place)
    return {int(each["file"]): (int(each["depth"]), int(each["via"])) for each in dependents}


def walked(pairs: Pairs, place: int) -> dict[int, int]:
    """Every dependent with its distance, by a walk from file to file."""
    depths, waiting = {place: 0}, deque([place])
    while waiting:
        at = waiting.popleft()
        for source, target in pairs:
            if target == at and source not in depths and depths[at] < DEPTH:
                depths[source] = depths[at] + 1
                waiting.append(source)
    return {file: depth for file, depth in depths.items() if file != place}


@settings(max_examples=200, deadline=None)
@given(pairs=dependencies(), place=st.integers(0, FILES - 1))
def test_the_closure_is_what_a_walk_finds_with_a_shortest_path_to_each(pairs: Pairs, place: int) -> None:
    closure = found(pairs, place)
    assert {file: depth for file, (depth, _) in closure.items()} == walked(pairs, place)
    for file, (depth, via) in closure.items():
        assert (file, via) in pairs
        assert via == place if depth == 1 else closure[via][0] == depth - 1


@settings(max_examples=200, deadline=None)
@given(pairs=dependencies(), place=st.integers(0, FILES - 1))
def test_the_order_of_dependencies_says_nothing(pairs: Pairs, place: int) -> None:
    rows = np.array(sorted(pairs, reverse=True), dtype=np.int64).reshape(-1, 2)
    one = FileGraph(FILES, rows).dependents(place).tolist()
    other = FileGraph(FILES, rows[::-1].copy()).dependents(place).tolist()
    assert one == other
