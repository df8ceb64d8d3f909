"""How strength falls and what holds it up: the formulas of the two designs, and what must be true of any curve."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties.tables import examples

from recollect.clock import DAY_US
from recollect.config import Config, load_config
from recollect.store.imprints import Imprints
from recollect.upkeep.forgetting.strength import fading, never_fades, strength_now

NOW = 21_000 * DAY_US


def config(**changes: Any) -> Config:
    return load_config({f"{name.replace('__', '.')}": value for name, value in changes.items()})


def imprint(days: float = 0.0, now: int = NOW, **values: Any) -> Imprints:
    """One record that was used so many days ago."""
    given: dict[str, Any] = {
        "pks": 1,
        "scope_pks": 1,
        "turn_pks": 0,
        "episodic": False,
        "category": "fact",
        "strength": 1.0,
        "confidence": 1.0,
        "importance": 0.5,
        "decay_rate": math.nan,
        "half_life_days": math.nan,
        "arousal": 0.0,
        "felt": 0.0,
        "verified": False,
        "explicit": False,
        "uses": 0,
        "sessions": 0,
        "used_at": now - int(days * DAY_US),
        "rehearsed_at": 0,
        "rehearsed_to": 0.0,
        "rehearsals": 0,
        "rivals": 0,
    } | values
    return Imprints._make((given[n],) if n == "category" else np.array([given[n]]) for n in Imprints._fields)


def strength(of: Imprints, settings: Config | None = None, now: int = NOW) -> float:
    return float(strength_now(of, now, settings or config())[0])


# --- the two designs' own figures -----------------------------------------------------------------------------------


def test_an_insight_slows_and_does_not_keep() -> None:
    assert not never_fades(imprint(arousal=0.8), config())[0]
    assert strength(imprint(30, arousal=0.8)) == pytest.approx(math.exp(-1 / 1.8))


def test_engram() -> None:
    """S = S₀ · e^(-t/τ) · (1 + 0.3 ln sessions), τ = 30 · (1 + ln uses) · (1 + arousal)."""
    assert strength(imprint(30)) == pytest.approx(math.exp(-1))
    used = imprint(30, uses=5, sessions=3)
    assert strength(used) == pytest.approx(math.exp(-1 / (1 + math.log(5))) * (1 + 0.3 * math.log(3)))
    felt = imprint(30, arousal=0.4, strength=1.2)
    assert strength(felt) == pytest.approx(1.2 * math.exp(-1 / 1.4))
    assert strength(imprint(0, importance=0.8)) == pytest.approx(1.3)


def test_assistant() -> None:
    """confidence · e^(-rate · days^0.8), with 0.05 · ln(1 + uses / 20) for being found."""
    settings = config(decay__curve="assistant")
    assert strength(imprint(10), settings) == pytest.approx(math.exp(-0.1 * 10**0.8))
    doubted = imprint(10, confidence=0.5, uses=40, decay_rate=0.2)
    expected = (0.5 + 0.05 * math.log(3)) * math.exp(-0.2 * 10**0.8)
    assert strength(doubted, settings) == pytest.approx(expected)
    assert strength(imprint(1000, episodic=True), settings) == pytest.approx(1.0)


@pytest.mark.parametrize("curve", ["engram", "assistant"])
def test_half_lives(curve: str) -> None:
    settings = config(decay__curve=curve)
    assert strength(imprint(7, category="work_state"), settings) == pytest.approx(0.5)
    assert strength(imprint(3, half_life_days=3.0, category="work_state"), settings) == pytest.approx(0.5)
    own = config(decay__curve=curve, decay__half_life_days={"gotcha": 11})
    assert strength(imprint(11, category="gotcha"), own) == pytest.approx(0.5)


def test_a_rate_of_its_own_is_measured_against_the_usual_one() -> None:
    assert strength(imprint(15, decay_rate=0.2)) == pytest.approx(strength(imprint(30)))
    assert strength(imprint(15, decay_rate=0.2), config(decay__rate=0.0)) == pytest.approx(strength(imprint(15)))


def test_with_a_rate_of_nothing_the_assistants_records_stay() -> None:
    settings = config(decay__curve="assistant", decay__rate=0.0)
    assert strength(imprint(10_000), settings) == 1.0
    assert np.isinf(fading(imprint(10_000), NOW, settings).days_left(0.05)[0])


@pytest.mark.parametrize(
    "kept", [{"verified": True}, {"explicit": True}, {"decay_rate": 0.0}, {"importance": 0.9}, {"felt": 0.5}]
)
@pytest.mark.parametrize("curve", ["engram", "assistant"])
def test_what_never_fades(kept: dict[str, Any], curve: str) -> None:
    settings = config(decay__curve=curve)
    old = imprint(20_000, **kept)
    assert never_fades(old, settings)[0]
    assert strength(old, settings) == strength(imprint(0, **kept), settings)
    assert np.isinf(fading(old, NOW, settings).days_left(0.05)[0])


# --- what must be true whatever the figures -------------------------------------------------------------------------

shares = st.floats(0.0, 1.0)
days = st.floats(0.0, 5_000.0)
records = st.fixed_dictionaries(
    {
        "strength": st.floats(0.01, 2.0),
        "confidence": st.floats(0.01, 1.0),
        "importance": st.floats(0.0, 0.89),
        "arousal": st.floats(0.0, 0.49),
        "uses": st.integers(0, 500),
        "sessions": st.integers(0, 50),
        "category": st.sampled_from(["fact", "work_state", "turn"]),
        "decay_rate": st.just(math.nan) | st.floats(0.001, 5.0),
        "half_life_days": st.just(math.nan) | st.floats(0.1, 1_000.0),
    }
)
curves = st.sampled_from(["engram", "assistant"])


@examples(200)
@given(records, days, days, curves)
def test_strength_never_grows_with_time(of: dict[str, Any], one: float, more: float, curve: str) -> None:
    settings = config(decay__curve=curve)
    assert strength(imprint(one + more, **of), settings) <= strength(imprint(one, **of), settings) + 1e-12


@examples(200)
@given(records, days, curves)
def test_use_never_weakens(of: dict[str, Any], unused: float, curve: str) -> None:
    settings = config(decay__curve=curve)
    again = of | {"uses": of["uses"] + 1, "sessions": of["sessions"] + 1}
    assert strength(imprint(0, **again), settings) >= strength(imprint(unused, **of), settings) - 1e-12


@examples(200)
@given(records, days, days, curves)
def test_a_use_is_worth_something_ever_after(of: dict[str, Any], unused: float, later: float, curve: str) -> None:
    settings = config(decay__curve=curve)
    used = of | {"uses": of["uses"] + 1}
    assert strength(imprint(later, **used), settings) >= strength(imprint(unused + later, **of), settings) - 1e-12


@examples(200)
@given(records, st.floats(1.0, 500.0), days, st.floats(0.0, 1.0), curves)
def test_replay_never_weakens_and_never_outdoes_use(
    of: dict[str, Any], unused: float, later: float, boost: float, curve: str
) -> None:
    settings = config(decay__curve=curve)
    before = fading(imprint(unused, **of), NOW, settings)
    after = min(float(before.full[0]), float(before.strength[0]) + boost)
    moment = NOW + int(later * DAY_US)
    gone_over = imprint(unused, **of, rehearsed_at=NOW, rehearsed_to=after, rehearsals=1)
    assert strength(gone_over, settings, moment) >= strength(imprint(unused, **of), settings, moment) - 1e-9
    assert strength(gone_over, settings, moment) <= strength(imprint(0, **of), settings, moment) + 1e-9


@examples(200)
@given(records, days, curves)
def test_the_day_it_goes_is_the_day_it_goes(of: dict[str, Any], unused: float, curve: str) -> None:
    settings = config(decay__curve=curve)
    left = float(fading(imprint(unused, **of), NOW, settings).days_left(0.05)[0])
    if abs(left) > 0.01 and left < 100_000:
        then = NOW + int(left * DAY_US)
        if then > NOW - int(unused * DAY_US):  # it had some strength to lose
            assert strength(imprint(unused, **of), settings, then) == pytest.approx(0.05, rel=1e-3)


@given(records, st.floats(0.0, 1_000.0))
def test_a_clock_set_back_takes_nothing(of: dict[str, Any], back: float) -> None:
    full = strength(imprint(0, **of))
    assert strength(imprint(-back, **of)) == full


def test_many_at_once_are_as_one_by_one() -> None:
    several = [imprint(days, arousal=days / 1000) for days in range(0, 300, 7)]
    columns = (
        sum(column, ()) if isinstance(column[0], tuple) else np.concatenate(column)
        for column in zip(*several, strict=True)
    )
    together = strength_now(Imprints._make(columns), NOW, config())
    assert together.tolist() == [strength(one) for one in several]


def test_nothing_at_all() -> None:
    assert strength_now(imprint().at(np.array([False])), NOW, config()).shape == (0,)


def test_what_competes_fades_faster_and_no_more_than_three_count() -> None:
    alone, with_one, with_many = (strength(imprint(60, rivals=rivals)) for rivals in (0, 1, 3))
    assert alone > with_one > with_many
    assert strength(imprint(60, rivals=50)) == with_many
    assert strength(imprint(60, rivals=3), config(replay__interference=0.0)) == alone
