"""What follows from what agents did: rules, worth and words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.observing import ObserveSettings
from recollect.observe.chance import NearByChance
from recollect.observe.inference import (
    Backtrack,
    BacktrackCause,
    FilesTogether,
    ReadAgain,
    RepeatedError,
    Signal,
    UsualFile,
    inferred,
)
from recollect.store.observed import RepeatedSignal

NOW_S = 1_700_000_000
DAY_S = 86_400


def seen(times: int) -> dict[str, Any]:
    return {"times": times, "last_at_s": NOW_S, "sessions": ("s1", "s2")}


PAIR = FilesTogether(first="auth.py", second="tokens.py", steps=1.4, **seen(3))
AGAIN = ReadAgain(file="settings.py", **seen(4))
ERROR = RepeatedError(tool="run", error="No module named <q>", files=("app.py",), cured_by=("setup.py",), **seen(3))
CASCADE = Backtrack(file="model.py", cause=BacktrackCause.CASCADING, others=("schema.py",), **seen(1))
USUAL = UsualFile(module="src/auth", file="src/auth/keys.py", of=6, **seen(5))


@pytest.mark.parametrize(
    ("signal", "category", "words"),
    [
        (PAIR, "causal_dependency", "auth.py and tokens.py are worked on together: seen in 3 sessions, 1 step apart."),
        (
            AGAIN,
            "module_insight",
            "settings.py is read again and again and never edited (4 times in a session).",
        ),
        (
            ERROR,
            "error_pattern",
            "run fails in app.py with “No module named <q>” (3 times). It went away after edits of setup.py.",
        ),
        (CASCADE, "gotcha", "An edit of model.py had to be done again because schema.py had to change with it (once)."),
        (USUAL, "prefetch_pattern", "Work on src/auth reads src/auth/keys.py in 5 of 6 sessions."),
    ],
)
def test_each_rule_names_what_was_seen(signal: Signal, category: str, words: str) -> None:
    (found,) = inferred([signal], ObserveSettings())
    assert (found.category, found.content) == (category, words)


@pytest.mark.parametrize(
    "signal",
    [
        replace(ERROR, times=9, sessions=("s1",)),  # one session alone
        replace(CASCADE, times=9, sessions=("s1",)),
        replace(AGAIN, surety=0.6),  # most sessions that come to the file do no such thing
        replace(CASCADE, surety=0.5),
        replace(PAIR, by_chance=0.05),
    ],
)
def test_what_may_be_chance_says_nothing(signal: Signal) -> None:
    assert inferred([signal], ObserveSettings()) == []


def sessions_of_forty_steps(*, others: int = 20, **times: int) -> NearByChance:
    """Three sessions, each with so many touches of each file, and with other files."""
    rows = [
        RepeatedSignal(f"s{number}", "file_access", path, "", count, NOW_S, '{"steps":[1,40]}')
        for number in range(3)
        for path, count in {**times, **{f"other{at}": 1 for at in range(others)}}.items()
    ]
    return NearByChance(rows, 3)


def test_files_that_are_touched_all_the_time_are_near_by_chance() -> None:
    near = {"s0", "s1", "s2"}
    assert sessions_of_forty_steps(a=1, b=1).of("a", "b", near) == pytest.approx((7 / 40) ** 3)
    assert sessions_of_forty_steps(a=5, b=5).of("a", "b", near) > 0.9
    assert sessions_of_forty_steps(a=5, b=5, others=1).of("a", "b", near) == pytest.approx((3 / 12) ** 3)
    assert sessions_of_forty_steps(a=1, b=1).of("a", "b", ()) == pytest.approx(1.0)
    assert sessions_of_forty_steps(a=1).of("a", "b", ()) == 1.0  # no session came to both


def test_what_was_seen_too_rarely_says_nothing() -> None:
    rare = [
        FilesTogether(first="a", second="b", steps=1, **seen(2)),
        ReadAgain(file="a", **seen(3)),
        RepeatedError(tool="run", error="x", **seen(2)),
        UsualFile(module="m", file="a", of=2, **seen(2)),
        UsualFile(module="m", file="a", of=5, **seen(4)),  # .80, and more than that is asked for
    ]
    assert inferred(rare, ObserveSettings()) == []


def test_the_same_thing_is_known_again_by_its_key() -> None:
    other_way = FilesTogether(first="tokens.py", second="auth.py", steps=2, **seen(4))
    (found,) = inferred([PAIR, other_way], ObserveSettings())
    assert found.times == 4


def test_one_file_that_comes_after_another_is_required_with_it() -> None:
    (found,) = inferred(
        [FilesTogether(first="a.py", second="b.py", steps=1, follows=True, **seen(6))], ObserveSettings()
    )
    assert found.required_with == ("a.py", "b.py")
    assert found.content.startswith("b.py comes after a.py")


def test_worth_is_frequency_recency_and_novelty() -> None:
    (found,) = inferred([PAIR], ObserveSettings())
    assert found.worth(NOW_S, 0.0) == pytest.approx(0.4 * 0.5 + 0.3 + 0.3)
    assert found.worth(NOW_S + 14 * DAY_S, 0.5) == pytest.approx(0.4 * 0.5 + 0.3 * 0.5 + 0.3 * 0.5)
    assert found.worth(NOW_S - DAY_S, 2.0) == pytest.approx(0.4 * 0.5 + 0.3)  # a clock that jumps, a cosine above one


NAMES = st.text("abcdefgh/._-", min_size=1, max_size=12)


@given(
    NAMES, st.lists(NAMES, max_size=12, unique=True), st.integers(1, 999), st.sampled_from(BacktrackCause), st.text()
)
def test_words_hold_no_number_and_no_file_that_was_not_seen(
    file: str, others: list[str], times: int, cause: BacktrackCause, error: str
) -> None:
    signals: list[Signal] = [
        Backtrack(file=file, cause=cause, others=tuple(others), **seen(times)),
        RepeatedError(tool="run", error=error, files=tuple(others), **seen(times)),
    ]
    for found in inferred(signals, ObserveSettings()):
        told = found.content.replace(" ".join(error.split()), "")
        assert set(found.files) <= {file, *others}
        if found.category == "gotcha":
            assert {int(number) for number in re.findall(r"\d+", told)} <= {times, max(0, len(others) - 5)}
