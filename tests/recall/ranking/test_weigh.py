"""What belief, use, phase and mood make of scores: little, the right way, and nothing where nothing is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ticking import Ticking

from recollect.clock import DAY_US
from recollect.config import load_config
from recollect.errors import UsageError
from recollect.recall.ranking.weigh import PHASES, congruence, phase_factor, weigh
from recollect.store.signals import Signals

CONFIG = load_config({})
NOW = Ticking()()
PLAIN: dict[str, Any] = {
    "pks": 1,
    "kind": "semantic",
    "category": "fact",
    "content_hash": "",
    "confidence": 1.0,
    "importance": 0.5,
    "access_count": 0,
    "last_access": 0,
    "success": 0,
    "failure": 0,
    "user_verified": False,
    "flagged": False,
    "valence": 0.0,
    "event_time": NOW,
    "half_life_days": np.nan,
}


def signals(*rows: dict[str, Any]) -> Signals:
    """Candidates that are plain but for what is said."""
    columns = {name: [row.get(name, plain) for row in rows] for name, plain in PLAIN.items()}
    texts = ("kind", "category", "content_hash")
    return Signals(**{name: tuple(c) if name in texts else np.array(c) for name, c in columns.items()})


def weighed(*rows: dict[str, Any], score: float = 0.5, **how: Any) -> list[float]:
    """The new scores of candidates that all had the same."""
    found, parts = weigh(np.full(len(rows), score), signals(*rows), config=CONFIG, now=NOW, **how)
    assert np.allclose(score + np.sum([*parts.values(), np.zeros(len(rows))], axis=0), found)
    return [float(each) for each in found]


def test_plain_records_keep_their_scores_to_the_last_bit() -> None:
    scores = np.sort(np.random.default_rng(3).random(200))[::-1]
    rows = [{"event_time": NOW - day * DAY_US} for day in range(200)]
    found, parts = weigh(scores, signals(*rows), config=CONFIG, now=NOW)
    assert np.array_equal(found, scores)
    assert parts == {}


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({}, {"confidence": 0.5}),
        ({"confidence": 0.5}, {"confidence": 0.4}),
        ({"user_verified": True}, {}),
        ({}, {"flagged": True}),
        ({"success": 1}, {}),
        ({}, {"failure": 1}),
        ({"access_count": 3, "last_access": NOW}, {}),
        ({"access_count": 3, "last_access": NOW}, {"access_count": 3, "last_access": NOW - 60 * DAY_US}),
        ({"access_count": 9, "last_access": NOW}, {"access_count": 3, "last_access": NOW}),
        ({"importance": 0.6}, {}),
    ],
)
@pytest.mark.parametrize("score", [0.01, 0.5, 0.99, 1.0])
def test_of_equal_answers_the_better_believed_or_used_comes_first(
    better: dict[str, Any], worse: dict[str, Any], score: float
) -> None:
    first, second = weighed(better, worse, score=score)
    assert 0.0 <= second < first <= 1.0


def test_without_a_phase_relevance_stays_in_command() -> None:
    """The worst that can be known of a record costs a clearly better answer no place."""
    doubted = {"confidence": 0.0, "flagged": True, "failure": 50, "importance": 0.0}
    praised = {"user_verified": True, "success": 50, "importance": 1.0, "access_count": 1000, "last_access": NOW}
    found, _ = weigh(np.array([0.7, 0.5]), signals(doubted, praised), config=CONFIG, now=NOW)
    assert found[0] > found[1]


def test_the_new_comes_first_only_where_the_question_prefers_it() -> None:
    new, old = {"event_time": NOW}, {"event_time": NOW - 365 * DAY_US}
    assert len(set(weighed(new, old))) == 1
    first, second = weighed(new, old, freshness_bias=0.8)
    assert first == 0.5 > second > 0.45
    state = {"event_time": NOW - 7 * DAY_US, "category": "work_state"}
    fact = {"event_time": NOW - 7 * DAY_US}
    assert weighed(fact, freshness_bias=1.0) > weighed(state, freshness_bias=1.0)
    assert weighed(state | {"half_life_days": 1000.0}, freshness_bias=1.0) > weighed(fact, freshness_bias=1.0)


def test_the_order_stays_right_at_the_very_top() -> None:
    """A score of 1 hides how large the sum behind it was; who is believed more is still first."""
    plain, confirmed, doubted = weighed({}, {"user_verified": True}, {"confidence": 0.2}, score=1.0)
    assert doubted < plain < confirmed <= 1.0


# --- phase ----------------------------------------------------------------------------------------------------------


def test_every_phase_of_the_settings_is_known_and_weighs_twelve_categories() -> None:
    assert PHASES == ("planning", "coding", "qa_review", "debugging", "insights", "spec")
    for phase in PHASES:
        worth = getattr(CONFIG.phases, phase)
        assert len(worth) == 12
        assert phase_factor(list(worth), phase, CONFIG).tolist() == list(worth.values())


def test_a_phase_puts_what_it_needs_first_and_leaves_other_categories_alone() -> None:
    gotcha, fact, decision = weighed(
        {"category": "gotcha"}, {"category": "fact"}, {"category": "decision"}, phase="coding"
    )
    assert gotcha > fact == 0.5 > decision
    assert phase_factor(["gotcha", "fact"], None, CONFIG).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("phase", ["sleeping", "", 7, ["coding"]])
def test_an_unknown_phase_is_refused_and_the_known_ones_named(phase: Any) -> None:
    with pytest.raises(UsageError, match="planning, coding, qa_review, debugging, insights, spec"):
        weighed({}, phase=phase)


# --- mood -----------------------------------------------------------------------------------------------------------


def test_what_felt_alike_is_raised_and_nothing_is_lowered() -> None:
    valences = np.array([0.8, 0.0, -0.8])
    assert congruence(valences, 1.0, CONFIG).tolist() == [pytest.approx(1.12), 1.0, 1.0]
    assert congruence(valences, -0.5, CONFIG).tolist() == [1.0, 1.0, pytest.approx(1.06)]
    assert congruence(valences, 0.0, CONFIG).tolist() == [1.0, 1.0, 1.0]


def test_a_mood_moves_scores_and_none_moves_nothing() -> None:
    glad, sad = {"valence": 0.9}, {"valence": -0.9}
    assert weighed(glad, sad) == [0.5, 0.5]
    first, second = weighed(glad, sad, mood=0.7)
    assert first > second == 0.5


def test_nothing_at_all_can_be_weighed() -> None:
    found, parts = weigh(np.zeros(0), signals(), config=CONFIG, now=NOW, phase="coding", mood=1.0, freshness_bias=1.0)
    assert (len(found), parts) == (0, {})
