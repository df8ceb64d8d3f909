"""The budget: what there is to spend, who gets it, and what is said when it is too little."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.window import ContextSettings
from recollect.context.budget import (
    HISTORY,
    LAYOUTS,
    RECALLED,
    TODAY,
    Budget,
    Priority,
    Share,
    available,
    budget_of,
    checked_layout,
    shared,
    shares_of,
)
from recollect.errors import BudgetTooSmall, UsageError
from recollect.providers.capabilities import capabilities

SETTINGS = ContextSettings()


def test_without_a_model_the_caller_decides_or_the_prompt_does() -> None:
    assert budget_of(None, SETTINGS, max_tokens=700, tokens=2000, recall_share=0.1) == Budget(700, 700, 0)
    assert budget_of(None, SETTINGS, max_tokens=None, tokens=2000, recall_share=0.1) == Budget(2000, 2000, 0)


def test_of_a_models_window_the_answer_keeps_its_room_and_memories_get_a_share() -> None:
    large = budget_of(capabilities("claude-opus-4-6"), SETTINGS, max_tokens=None, tokens=2000, recall_share=0.12)
    assert large.limit == int(capabilities("claude-opus-4-6").window_tokens * SETTINGS.fill_share)
    assert large.recalled == int(large.limit * 0.12)
    small = budget_of(capabilities("gpt-4"), SETTINGS, max_tokens=None, tokens=2000, recall_share=0.12)
    assert small.limit + small.reserve <= 8192
    assert small.recalled < 600 < large.recalled


def test_a_budget_beyond_the_window_is_cut_to_it() -> None:
    found = budget_of(capabilities("gpt-4"), SETTINGS, max_tokens=10_000_000, tokens=2000, recall_share=0.12)
    assert found.limit <= 8192 - found.reserve


def test_too_small_a_budget_says_how_much_would_do() -> None:
    with pytest.raises(BudgetTooSmall, match="at least 130") as caught:
        available(Budget(100, 100, 0), 130)
    assert caught.value.code == "E4008"
    assert available(Budget(130, 130, 0), 130) == 0


def test_what_nobody_uses_flows_to_the_most_important_that_can_use_it() -> None:
    shares = shares_of("window", SETTINGS)
    given_ = shared(1000, shares, {RECALLED: 10_000, TODAY: 10_000})
    assert given_[TODAY] == int(1000 * SETTINGS.today_share)
    assert given_[RECALLED] == 1000 - given_[TODAY]


def test_history_keeps_its_share_when_memories_want_everything() -> None:
    given_ = shared(1000, shares_of("window", SETTINGS), {RECALLED: 10_000, HISTORY: 10_000})
    assert given_[HISTORY] == int(1000 * SETTINGS.history_share)


@given(
    tokens=st.integers(0, 5000),
    parts=st.dictionaries(
        st.text("abcdef", min_size=1, max_size=2),
        st.tuples(st.floats(0, 1), st.sampled_from(Priority), st.integers(0, 9000)),
        max_size=6,
    ),
)
def test_nobody_gets_more_than_it_wants_and_all_together_no_more_than_there_is(
    tokens: int, parts: dict[str, tuple[float, Priority, int]]
) -> None:
    shares = [Share(name, share, priority) for name, (share, priority, _) in parts.items()]
    wanted = {name: want for name, (_, _, want) in parts.items()}
    given_ = shared(tokens, shares, wanted)
    assert all(0 <= given_[name] <= wanted[name] for name in wanted)
    assert sum(given_.values()) == min(tokens, sum(wanted.values()))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_names_each_part_once(layout: str) -> None:
    names = [share.part for share in shares_of(layout, SETTINGS)]
    assert len(names) == len(set(names))


def test_the_assistants_layout_has_the_shares_of_its_design() -> None:
    shares = {share.part: share.share for share in shares_of("assistant", SETTINGS)}
    assert (shares["facts"], shares["entities"], shares["temporal"], shares["evidence"]) == (0.4, 0.25, 0.25, 0.1)


def test_an_unknown_layout_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match="window, assistant, flow"):
        checked_layout("grid")
