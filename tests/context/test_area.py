"""A window says what a prompt is about, how well that is known, and what of it is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ticking import Ticking

import recollect
from recollect import Memory
from recollect.clock import DAY_US
from recollect.context.recalling import query_ahead
from recollect.context.request import Request
from recollect.model.knowledge import Level
from recollect.model.query import Criteria
from recollect.working.anticipate import Prediction

ATLAS = [
    "The Atlas gateway listens on port 8080",
    "The Atlas gateway is written in Go",
    "The Atlas gateway is deployed on Fridays",
    "The Atlas gateway keeps its logs for a week",
    "The Atlas gateway restarts within four seconds",
]


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


def opened(clock: Ticking, **config: object) -> Memory:
    given = {key.replace("__", "."): value for key, value in config.items()}
    return recollect.open(":memory:", clock=clock, config=given)


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with opened(clock) as memory:
        memory.add(ATLAS)
        yield memory


def test_a_prompt_falls_into_an_area_that_is_known_in_part(mem: Memory, clock: Ticking) -> None:
    assert mem.context("Which port does the Atlas gateway use?").area is None  # there is no map yet
    mem.maintain()
    window = mem.context("Which port does the Atlas gateway use?")
    assert window.area is not None
    assert "gateway" in window.area.label.lower() or "atlas" in window.area.label.lower()
    assert (window.area.records, window.area.level) == (5, Level.UNCERTAIN)
    assert f"About {window.area.label}: 5 records, known in part" in window.text
    assert window.to_dict()["area"]["records"] == 5


def test_doubts_and_silence_are_said(mem: Memory, clock: Ticking) -> None:
    one, other = mem.add("The Atlas gateway has two replicas").id, mem.add("The Atlas gateway has six replicas").id
    mem.relate(one, other, "contradicts")
    mem.maintain()
    clock.now += 50 * DAY_US
    window = mem.context("How many replicas has the Atlas gateway?")
    assert window.area is not None
    assert window.area.doubts == 2
    assert "2 in doubt; nothing new since" in window.text
    assert any("replicas" in text for text in window.area.missing)  # it is a question that is open


def test_nothing_is_said_of_what_is_known_well_or_where_nobody_wants_it(clock: Ticking) -> None:
    for config in ({"domains__confident": 0.0, "domains__uncertain": 0.0}, {"context__reflect": False}):
        with opened(clock, **config) as mem:
            mem.add(ATLAS)
            mem.maintain()
            assert "known" not in mem.context("Which port does the Atlas gateway use?").text


@pytest.mark.parametrize("weak", [0.9, 0.0])
def test_of_a_weak_area_more_is_prepared(clock: Ticking, weak: float) -> None:
    with opened(clock, domains__weak=weak) as mem:
        mem.add(ATLAS)
        mem.maintain()
        window = mem.context("Which port does the Atlas gateway use?", session_id="s1")
        assert window.area is not None
        assert window.area.weak is (weak > 0.5)
    request = Request(prompt="and its logs?", criteria=Criteria())
    prediction = Prediction(text="gateway port", names=("Atlas",), vector=None)
    assert query_ahead(request, prediction, 5, "logs").text == "gateway port Atlas logs"
    assert query_ahead(request, prediction, 5).text == "gateway port Atlas"
