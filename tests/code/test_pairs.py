"""Files that belong together: bounds instead of shares, days instead of commits, newer before older."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.code.pairs import Occasion, bystander, paired
from recollect.model.code import PairedFile

DAY_S = 86_400
NOW_S = 20_000 * DAY_S
CHOSEN: dict[str, Any] = {"now_s": NOW_S, "half_life_days": 365.0, "surety": 1.645}


def commits(days_ago: list[int], *beside: str) -> list[Occasion]:
    return [Occasion(at_s=NOW_S - ago * DAY_S, beside=tuple((path, None) for path in beside)) for ago in days_ago]


def only(found: list[PairedFile]) -> PairedFile:
    assert len(found) == 1
    return found[0]


def test_what_was_seen_often_is_surer_than_what_was_always_so_three_times() -> None:
    thrice = only(paired(commits([1, 2, 3], "b.py"), **CHOSEN))
    often = [*commits(list(range(1, 29)), "b.py"), *commits([29, 30])]
    assert thrice.weight < 0.6 < only(paired(often, **CHOSEN)).weight


def test_twenty_commits_of_a_day_are_one_occasion_to_learn_from() -> None:
    branch = only(paired(commits([3] * 20, "b.py"), **CHOSEN))
    spread = only(paired(commits(list(range(20)), "b.py"), **CHOSEN))
    assert branch.together == spread.together == 20
    assert branch.weight < 0.3 < 0.8 < spread.weight


def test_what_came_later_counts_more() -> None:
    found = paired([*commits([700, 710, 720], "old.py"), *commits([5, 6, 7], "new.py")], **CHOSEN)
    assert [pair.path for pair in found] == ["new.py", "old.py"]


def test_lock_files_and_change_logs_belong_to_nothing() -> None:
    found = paired(commits([1, 2, 3], "uv.lock", "web/package-lock.json", "CHANGELOG.md", "a/go.sum", "b.py"), **CHOSEN)
    assert only(found).path == "b.py"
    assert not bystander("src/changes/news_reader.py")
    assert not bystander("src/history.py")


def watched(steps: int, days_ago: int) -> Occasion:
    return Occasion(at_s=NOW_S - days_ago * DAY_S, beside=(("b.py", steps),), watched=True)


@pytest.mark.parametrize(
    ("steps", "follows"),
    [([1, 2, 1, 3, 1], True), ([-1, -2, -1, -3, 2], False), ([1, -2, 1, -1, 2], None), ([1] * 4, None)],
)
def test_a_file_comes_after_another_where_four_of_five_sessions_say_so(steps: list[int], follows: bool | None) -> None:
    pair = only(paired([watched(each, ago) for ago, each in enumerate(steps)], **CHOSEN))
    assert pair.follows is follows
    assert pair.steps == sum(map(abs, steps)) / len(steps)


def test_a_session_that_was_watched_outweighs_a_commit() -> None:
    seen = [*commits([1, 2, 3], "c.py"), *(watched(1, ago) for ago in (4, 5, 6))]
    assert [pair.path for pair in paired(seen, **CHOSEN)] == ["b.py", "c.py"]


@given(st.lists(st.tuples(st.integers(-5, 3000), st.lists(st.sampled_from("abcd"), unique=True)), max_size=40))
def test_weights_are_probabilities_and_the_order_is_theirs(seen: list[tuple[int, list[str]]]) -> None:
    occasions = [each for ago, beside in seen for each in commits([ago], *beside)]
    found = paired(occasions, **CHOSEN)
    assert all(0.0 <= pair.weight < 1.0 for pair in found)
    assert found == sorted(found, key=lambda pair: (-pair.weight, pair.path))
    assert found == paired(reversed(occasions), **CHOSEN) or len(found) > 1  # sums of floats may differ in the last bit
