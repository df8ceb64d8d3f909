"""What competes is told apart, gives way and comes back when it is used; what cannot be found is noted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ticking import Ticking

import recollect
from recollect.clock import DAY_US
from recollect.memory import Memory
from recollect.upkeep.forgetting.interference import INTERFERES, compete
from recollect.upkeep.forgetting.scenarios import cue_of

ONE, OTHER = "The staging gateway listens on port 8080", "The production gateway listens on port 9090"
_HERE = Path(__file__).parent


def pairs(file: str, heading: str) -> list[tuple[str, str]]:
    section = (_HERE / file).read_text(encoding="utf-8").split(f"[{heading}]\n")[1].split("\n\n[")[0]
    rows = (line.split(" | ") for line in section.splitlines() if " | " in line)
    return [(one, other) for one, other in rows]


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    config = {"replay.records_max": 500, "replay.uses_min": 1}
    with recollect.open(":memory:", clock=clock, config=config) as opened:
        yield opened


def days_left(mem: Memory, record_id: str) -> float:
    return next(each.days_left for each in mem.weak(within_days=36_500) if each.record.id == record_id)


def test_most_of_a_hundred_pairs_are_found_and_hardly_another() -> None:
    found = [pair for pair in pairs("interference.txt", "competing") if compete(*pair) is not None]
    false = [pair for pair in pairs("interference.txt", "not competing") if compete(*pair) is not None]
    assert len(found) >= 80
    assert len(false) <= len(found) / 10


def test_one_difference_or_the_same_in_other_words_is_no_competition() -> None:
    assert compete("The gateway listens on port 8080", "The gateway listens on port 9090") is None
    assert compete("Ana likes green tea a lot", "Ana drinks green tea a lot") is None
    assert compete(ONE, ONE) is None
    assert compete(ONE, OTHER) == compete(OTHER, ONE) is not None


def test_replay_finds_them_and_the_weaker_fades_until_it_is_used(mem: Memory, clock: Ticking) -> None:
    weaker, stronger = mem.add(ONE).id, mem.add(OTHER, importance=0.8).id
    apart = mem.add("Ben plays the cello").id
    plain = days_left(mem, apart)
    assert days_left(mem, weaker) == pytest.approx(plain, abs=0.1)
    report = mem.replay()
    assert report.counts["gives way"] == 1
    (edge,) = mem.related(weaker, labels=[INTERFERES]).edges
    assert (edge.source, edge.target) == (weaker, stronger)
    assert days_left(mem, weaker) == pytest.approx(plain / 1.5, abs=0.2)
    assert days_left(mem, apart) == pytest.approx(plain, abs=0.1)
    assert mem.replay().counts.get("gives way", 0) == 0  # it is known
    clock.now += DAY_US
    mem.search("staging gateway port")
    mem._engine.access.flush()
    assert days_left(mem, weaker) > plain - 1  # used: it competes no longer
    assert mem.undo(report) is not None


def test_an_undone_replay_takes_nothing_from_anybody(mem: Memory) -> None:
    weaker = mem.add(ONE).id
    mem.add(OTHER, importance=0.8)
    before = days_left(mem, weaker)
    mem.undo(mem.replay())
    assert days_left(mem, weaker) == pytest.approx(before, abs=0.1)


def test_interference_can_be_switched_off(clock: Ticking) -> None:
    with recollect.open(":memory:", clock=clock, config={"replay.interference": 0.0}) as mem:
        mem.add(ONE)
        mem.add(OTHER, importance=0.8)
        assert "gives way" not in mem.replay().counts


def test_most_of_a_hundred_pairs_give_way_in_a_store(mem: Memory) -> None:
    told = [text for pair in pairs("interference.txt", "competing") for text in pair]
    mem.add(told)
    assert mem.replay().counts["gives way"] >= 80


def test_a_rehearsal_asks_for_what_it_goes_over(mem: Memory) -> None:
    mem.add(["The harbour office in Porto sells fishing licences", "Ben plays the cello in a quartet on Sundays"])
    assert mem.replay().counts["found again"] == 2
    searches = mem.health()["searches"]
    assert searches == 0  # nobody asked: it says nothing about how people are answered


def test_a_memory_that_does_not_come_is_noted_with_what_stands_before_it(clock: Ticking) -> None:
    config = {"replay.scenario_places": 1, "replay.scenarios_max": 50}
    with recollect.open(":memory:", clock=clock, config=config) as mem:
        mem.add([f"The key of the garden shed hangs on hook number {number} in the hall" for number in range(3)])
        report = mem.replay()
        hidden = [item for item in report.items if item.did == "hard to find"]
        assert len(hidden) == 2
        assert all("is first" in item.reason for item in hidden)
    with recollect.open(":memory:", clock=clock, config={"replay.scenarios_max": 0}) as mem:
        mem.add("The harbour office in Porto sells fishing licences")
        assert "found again" not in mem.replay().counts


def test_a_cue_leaves_out_what_is_asked_for() -> None:
    assert cue_of(ONE) == "staging gateway listens"
    assert cue_of("Yes, sure!") == ""
