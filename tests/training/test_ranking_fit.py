"""The fit of the ranking's weights: what it learns, what it leaves alone, and what it is given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import recollect

pytest.importorskip("scipy", reason="what training alone needs is not installed everywhere")

from recollect.recall.ranking.rank import STEEPNESS
from training.ranking import cases, fit, gather
from training.ranking.cases import Candidate, Case

CANDIDATES = 8


def case(set_: str, number: int, *, telling: str, outdated: bool = False) -> Case:
    """A question whose answer has the most of one part; another part says nothing about it, at random."""
    draw = np.random.default_rng(number)
    noise = "static" if telling != "static" else "text"
    shares = draw.uniform(0.0, 0.5, CANDIDATES)
    shares[0] += 0.4
    listed = [
        Candidate(turns=(str(at),), parts={telling: float(shares[at]), noise: float(draw.uniform())})
        for at in range(CANDIDATES)
    ]
    if outdated:  # one that is as near as the answer, and that something newer overtakes
        listed[1] = Candidate(turns=("1",), parts={**listed[0].parts, "overtaken": -0.2})
    return Case(
        set=set_,
        question=str(number),
        evidence=frozenset({"0"}),
        newer=frozenset({"0"}) if outdated else frozenset(),
        outdated=frozenset({"1"}) if outdated else frozenset(),
        candidates=tuple(listed),
    )


def told_by(set_: str, telling: str, count: int = 40, first: int = 0) -> list[Case]:
    return [case(set_, first + number, telling=telling) for number in range(count)]


def test_a_part_that_tells_the_answer_gains_over_one_that_does_not() -> None:
    seen, unseen = told_by("weeks", "vector"), told_by("stories", "vector", first=1000)
    factors = fit.fit(seen)
    assert factors["vector"] > 5 * factors["static"]
    present = fit.stands(unseen, fit.by(dict.fromkeys(fit.PRESENT, 1.0)))
    fitted = fit.stands(unseen, fit.by(factors))
    assert present["first"] is not None
    assert fitted["first"] is not None
    assert fitted["first"] > present["first"] + 0.2


def test_no_weight_is_below_nothing() -> None:
    misleading = [
        Case(
            set="weeks",
            question=str(number),
            evidence=frozenset({"0"}),
            newer=frozenset(),
            outdated=frozenset(),
            candidates=(
                Candidate(turns=("0",), parts={"vector": 0.5}),
                Candidate(turns=("1",), parts={"vector": 0.2, "text": 0.4}),
            ),
        )
        for number in range(5)
    ]
    factors = fit.fit(misleading)
    assert factors["text"] == 0.0
    assert min(factors.values()) >= 0.0


def test_what_is_outdated_is_put_below_what_is_current() -> None:
    seen = [case("stories", number, telling="vector", outdated=True) for number in range(30)]
    factors = fit.fit(seen)
    assert factors["overtaken"] > 0.0
    assert fit.stands(seen, fit.by(factors))["current above outdated"] == 1.0


def test_every_set_counts_equally_however_many_questions_it_has() -> None:
    few, many = told_by("weeks", "vector", 4), told_by("locomo", "text", 400)
    worth = fit.table([*few, *many]).worth
    assert worth[: len(few)].sum() == pytest.approx(worth[len(few) :].sum())
    both = fit.fit([*few, *many])
    assert both["vector"] > 3 * fit.fit(many)["static"]
    sizes = told_by("beam100k", "text", 4) + told_by("beam500k", "text", 4)
    assert fit.table([*few, *sizes]).worth[: len(few)].sum() == pytest.approx(0.5)


def test_a_part_of_which_nothing_was_seen_keeps_its_weight() -> None:
    assert fit.fit(told_by("weeks", "vector"))["year"] == 1.0


def test_the_slope_is_that_of_the_loss() -> None:
    known = fit.table([case("stories", number, telling="vector", outdated=number % 2 == 0) for number in range(6)])
    at = np.random.default_rng(1).uniform(0.1, 1.0, len(fit.PRESENT))
    _, slope = fit._loss(at, known.parts, known)
    step = 1e-6
    for place in range(len(at)):
        aside = np.eye(len(at))[place] * step
        above, below = (fit._loss(at + sign * aside, known.parts, known)[0] for sign in (1, -1))
        assert slope[place] == pytest.approx((above - below) / (2 * step), abs=1e-5)


def test_cases_are_read_as_they_were_written(tmp_path: Path) -> None:
    written = [case("stories", 1, telling="vector", outdated=True), case("weeks", 2, telling="text")]
    assert cases.write(tmp_path / "both.jsonl", written) == 2
    assert cases.read(tmp_path / "both.jsonl") == written


def test_parts_of_a_trace_add_up_to_the_sum_before_it_was_bent() -> None:
    with recollect.open(":memory:", config={"recall.rerank": "none"}) as memory:
        said = ["I use vim for everything.", "My cat is called Tom.", "We went to Lisbon in May."]
        memory.add([{"role": "user", "content": text, "metadata": {"turn": str(at)}} for at, text in enumerate(said)])
        memory.settle()
        found = memory.search("Which editor do I use?", explain=True)
    gathered = gather.candidates(found)
    assert gathered[0].turns == ("0",)
    bent = [1.0 - np.exp(-STEEPNESS * sum(one.parts.values())) for one in gathered]
    scale = found.quality.answerable / np.sqrt(max(bent))
    assert [score * scale for score in bent] == pytest.approx([found.trace.hits[hit.id][0].score for hit in found])
    assert all(set(one.parts) <= set(fit.PRESENT) for one in gathered)
