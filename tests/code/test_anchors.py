"""Anchors: the same lines are found again wherever they went, and lines that changed are not taken for the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.code.anchors import Anchor
from recollect.model.anchor import AnchorState, CodeAnchor, anchors_on, state_of

CODE = """import os

def first():
    return 1

def second(a):
    b = a + 1
    return b * 2

def third():
    return 3
"""
SECOND = Anchor.at("m.py", CODE, symbol="second", start=6, end=8)


def test_untouched_code_is_fresh() -> None:
    assert SECOND.held_against(CODE) == (AnchorState.FRESH, SECOND)


def test_code_that_moved_is_followed() -> None:
    state, anchor = SECOND.held_against("# a line\n# another\n" + CODE)
    assert (state, anchor.start, anchor.end) == (AnchorState.MOVED, 8, 10)
    assert anchor.held_against("# a line\n# another\n" + CODE)[0] is AnchorState.FRESH


def test_a_formatter_makes_nothing_drift() -> None:
    assert SECOND.held_against(CODE.replace("    ", "\t").replace("a + 1", "a+1"))[0] is AnchorState.FRESH


def test_a_symbol_whose_lines_are_others_has_drifted() -> None:
    changed = CODE.replace("a + 1", "a + 2").replace("b * 2", "b * 3")
    state, anchor = SECOND.held_against(changed, {"second": (6, 8)})
    assert state is AnchorState.DRIFTED
    assert anchor.held_against(CODE)[0] is AnchorState.FRESH  # taken back


def test_a_symbol_that_is_gone_leaves_an_orphan() -> None:
    assert SECOND.held_against("def other():\n    pass\n", {"other": (1, 2)})[0] is AnchorState.ORPHANED
    assert SECOND.held_against(None)[0] is AnchorState.ORPHANED


def test_lines_without_a_symbol_drift_while_half_of_them_are_there() -> None:
    lines = [f"step({number})" for number in range(10)]
    anchor = Anchor.at("m.py", "\n".join(lines), start=3, end=6)
    one_changed = [*lines[:3], "other()", *lines[4:]]
    state, moved = anchor.held_against("\n".join(one_changed))
    assert (state, moved.start, moved.end) == (AnchorState.DRIFTED, 3, 6)
    assert anchor.held_against("\n".join(lines[:2]))[0] is AnchorState.ORPHANED


def test_of_two_copies_the_nearer_one_is_meant() -> None:
    block = "a = 1\nb = 2\n"
    anchor = Anchor.at("m.py", f"{block}\n\n\n{block}", start=6, end=7)
    state, moved = anchor.held_against(f"{block}\n\n\n\n{block}")
    assert (state, moved.start) == (AnchorState.MOVED, 7)


def test_an_anchor_is_kept_in_attributes_without_a_word_of_the_code() -> None:
    kept = SECOND.to_dict()
    assert Anchor.of(kept) == SECOND
    assert "return" not in str(kept)
    assert [(each.label, each.line) for each in anchors_on({"anchors": [kept]})] == [("m.py::second", 6)]


@pytest.mark.parametrize(
    "kept",
    [
        None,
        3,
        {},
        {"path": 1},
        {"path": "a", "start": "x", "end": 1, "prints": ""},
        {"path": "/etc/passwd", "start": 1, "end": 1, "prints": ""},
        {"path": "a/../../b", "start": 1, "end": 1, "prints": ""},
    ],
)
def test_what_cannot_be_read_is_no_anchor(kept: object) -> None:
    assert Anchor.of(kept) is None
    assert anchors_on({"anchors": [kept]}) == ()


def test_a_whole_file_is_fresh_while_half_of_its_lines_are_there() -> None:
    lines = [f"step({number})" for number in range(20)]
    anchor = Anchor.of_file("m.py", "\n".join(lines))
    assert anchor.held_against("\n".join([*lines[:15], "more()"]))[0] is AnchorState.FRESH
    assert anchor.held_against("\n".join(f"other({number})" for number in range(20)))[0] is AnchorState.DRIFTED
    assert anchor.held_against(None)[0] is AnchorState.ORPHANED


@pytest.mark.parametrize(
    ("states", "of_all"),
    [
        ((), None),
        (("fresh", "moved"), "moved"),
        (("fresh", "drifted"), "drifted"),
        (("fresh", "orphaned"), "drifted"),
        (("orphaned", "orphaned"), "orphaned"),
    ],
)
def test_a_record_is_an_orphan_when_no_place_of_it_is_left(states: tuple[str, ...], of_all: str | None) -> None:
    assert state_of([CodeAnchor(path="a", state=AnchorState(each)) for each in states]) == of_all


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  d"]), max_size=30)


@given(LINES, st.integers(1, 30), st.integers(1, 30), LINES)
def test_an_anchor_is_always_found_in_its_own_text_and_never_points_outside(
    lines: list[str], start: int, end: int, other: list[str]
) -> None:
    text = "\n".join(lines)
    anchor = Anchor.at("m.py", text, start=start, end=end)
    if anchor.prints:
        assert anchor.held_against(text)[0] is AnchorState.FRESH
    state, now = anchor.held_against("\n".join(other))
    if state in (AnchorState.MOVED, AnchorState.DRIFTED):
        assert 1 <= now.start <= now.end <= len(other)
